"""Each provider's usage is read into the same form, or told with its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.tokens.usage import PROVIDERS, normalize

counts = st.integers(0, 10**12)


@pytest.mark.parametrize(
    ("provider", "raw", "told"),
    [
        ("pi", {"output": 1.0}, "pi usage: output is 1.0; a count is a whole number from 0 to 10^15"),
        ("pi", {"input": True}, "pi usage: input is True; a count is a whole number from 0 to 10^15"),
        ("cline", None, "cline is NoneType, not an object of token counts"),
        ("cline", [1], "cline is list, not an object of token counts"),
        ("grok", {}, f"there is no provider 'grok'; there are: {', '.join(PROVIDERS)}"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(provider, raw, told):
    """The message names the provider, the field and what was met (TOK_02)."""
    with pytest.raises(InvalidInput) as error:
        normalize(provider, raw)
    assert str(error.value) == told


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


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_empty_usage_is_all_zero(provider):
    """Every provider's reader takes an empty object, and makes zeros of it."""
    assert set(normalize(provider, {}).model_dump().values()) == {0}
