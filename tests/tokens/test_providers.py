"""Each provider's usage is read into the same form, or told with its place."""

from hypothesis import given
from hypothesis import strategies as st

from brim.tokens.usage import normalize

counts = st.integers(0, 10**12)


@given(counts, counts, counts, counts, counts)
def test_a_total_decides_about_reasoning_exactly(fresh, cache_read, cache_write, output, reasoning):
    """By whichever total OpenCode reports, the normalized total is that total."""
    usage = {
        "input": fresh,
        "output": output,
        "reasoning": reasoning,
        "cache": {"read": cache_read, "write": cache_write},
    }
    inside = fresh + cache_read + cache_write + output
    for total in (inside, inside + reasoning):
        assert normalize("opencode", usage | {"total": total}).total == total


@given(counts, counts, counts, counts)
def test_shares_are_never_larger_than_the_whole(read_in_all, cache_read, cache_write, output):
    """Where the input counts the cache, nothing comes out below nothing, and nothing is lost."""
    raw = {"inputTokens": read_in_all, "cacheReadTokens": cache_read, "cacheWriteTokens": cache_write}
    usage = normalize("cline", raw | {"outputTokens": output})
    assert usage.input >= usage.cache_write
    assert usage.input + usage.cache_read == max(read_in_all, cache_read + cache_write)
