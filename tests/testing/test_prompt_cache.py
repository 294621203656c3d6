import pytest

from tests.testing.requests import BIG, asking, assistant, user

MARK = {"cache_control": {"type": "ephemeral"}}


def text(tokens, letter="x", **fields):
    """A text block of so many tokens."""
    return {"type": "text", "text": letter * 4 * tokens, **fields}


def figures(client, *messages, **fields):
    """Fresh, read and written tokens of a request."""
    usage = client.messages.create(**asking(*messages, **({"model": BIG} | fields))).usage
    return usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens


def test_without_a_mark_nothing_is_cached(client):
    """A request without marks is read afresh each time."""
    assert [figures(client, user([text(2_000)])) for _ in range(2)] == [(2_000, 0, 0)] * 2


def test_a_marked_prefix_is_written_once_and_read_afterwards(client):
    """What stands up to the mark is written the first time and read the next; the rest is fresh."""
    messages = [user([text(2_000, **MARK), text(50, "y")])]
    assert [figures(client, *messages) for _ in range(3)] == [(50, 0, 2_000), (50, 2_000, 0), (50, 2_000, 0)]


def test_a_conversation_that_grows_reads_what_it_wrote(client):
    """With the mark moved on, the earlier prefix is read and only the new part written."""
    first = [user([text(2_000, **MARK)])]
    second = [user([text(2_000)]), assistant([text(100)]), user([text(30, **MARK)])]
    assert [figures(client, *first), figures(client, *second)] == [(0, 0, 2_000), (0, 2_000, 130)]


def test_the_system_prompt_comes_before_the_messages(client):
    """A marked system prompt is read whatever is said after it, and what changes it writes anew."""
    system = [text(2_000, **MARK)]
    assert figures(client, user([text(10)]), system=system) == (10, 0, 2_000)
    assert figures(client, user([text(20)]), system=system) == (20, 2_000, 0)
    assert figures(client, user([text(20)]), system=[text(2_000, "z", **MARK)]) == (20, 0, 2_000)


@pytest.mark.parametrize(("tokens", "written"), [(1_023, 0), (1_024, 1_024), (1_025, 1_025)])
def test_a_short_prefix_is_not_cached(client, tokens, written):
    """Below 1,024 tokens a mark does nothing."""
    assert figures(client, user([text(tokens, **MARK)])) == (tokens - written, 0, written)


@pytest.mark.parametrize(("blocks", "read"), [(20, 2_000), (21, 0)])
def test_an_earlier_prefix_is_found_20_blocks_back(client, blocks, read):
    """A prefix whose mark was 20 blocks before the new one is found, one block farther is not."""
    figures(client, user([text(2_000, **MARK)]))
    more = [text(1, "y")] * (blocks - 1)
    assert figures(client, user([text(2_000), *more, text(1, **MARK)]))[1] == read
