"""What an adapter remembers, and what it takes for a record."""

import pytest

from brim.adapters.records import MAX_CONVERSATIONS, RecordMemory, Replacement, chain_of, digest, read_record
from brim.conversation.messages import read_message


def said(*words):
    """A chain of what a user said."""
    return chain_of([digest([read_message({"role": "user", "content": word})]) for word in words])


def test_the_longest_beginning_is_found():
    """Of several compactions of one conversation the one that replaces the most is found."""
    memory = RecordMemory()
    for count in (1, 2):
        memory.remember(said("a", "b")[:count], Replacement(count, ("summary",), 1))
    assert memory.find(said("a", "b", "c")).apply(["a", "b", "c"]).messages == ["summary", "c"]
    assert memory.find(said("b", "a")) is None


def test_the_oldest_is_forgotten():
    """It remembers a limited number of conversations, the newest."""
    memory = RecordMemory()
    for n in range(MAX_CONVERSATIONS + 1):
        memory.remember(said(str(n)), Replacement(1, (), 0))
        memory.remember_sent(said(str(n)))
    assert memory.find(said("0")) is None
    assert not memory.was_sent(said("0"))
    assert memory.find(said(str(MAX_CONVERSATIONS))) is not None
    assert memory.was_sent(said(str(MAX_CONVERSATIONS)))


def test_nothing_is_no_conversation():
    """A list without messages is neither remembered nor found."""
    memory = RecordMemory()
    memory.remember([], Replacement(0, (), 0))
    memory.remember_sent([])
    assert memory.find([]) is None
    assert not memory.was_sent([])


@pytest.mark.parametrize("told", [None, "x", {}, {"messages": 3, "unmeasured": 0}, {"messages": [], "unmeasured": -1}])
def test_what_is_no_record_is_passed_over(told):
    """An application may have put anything where the record stands."""
    assert read_record(told) is None


def test_half_a_character_has_a_digest():
    """A text that was cut in the middle of an emoji is known again as any other."""
    assert said("a\ud800") == said("a\ud800") != said("a\ud801")
