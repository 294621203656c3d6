"""What an adapter takes for a record, and by what it knows a message again."""

import pytest

from brim.adapters.records import digest, read_record


@pytest.mark.parametrize("stored", [None, "x", {}, {"messages": 3}, {"messages": [], "threshold": "much"}])
def test_what_is_no_record_is_passed_over(stored):
    """An application may have put anything where the record stands."""
    assert read_record(stored) is None


def test_a_record_of_an_older_version_is_read():
    """One with a field that is no longer written."""
    record = read_record({"messages": ["0a"], "unmeasured": 1, "left": [9], "threshold": 8})
    assert record is not None
    assert (record.messages, record.progress.held) == (["0a"], (9,))


def test_a_message_has_the_digest_of_older_records():
    """Which name kept messages by it."""
    said = {"role": "user", "content": [{"type": "text", "text": "Read."}], "marks": {"pinned": True}}
    assert digest(said).hex() == "55170784d7099db8f23b2ea9b8027bea"


def test_half_a_character_has_a_digest():
    """A text that was cut in the middle of an emoji is known again as any other."""
    one, other = ({"role": "user", "content": [{"type": "text", "text": f"a{half}"}]} for half in ("\ud800", "\ud801"))
    assert digest(one) == digest({**one}) != digest(other)
