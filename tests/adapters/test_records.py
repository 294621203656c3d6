"""What an adapter takes for a record, and by what it knows a message again."""

import pytest

from brim.adapters.records import MessageRecords, digest, read_record

RECORDS = MessageRecords(digest=str.upper, dump=lambda word: {"new": word}, load=lambda stored: stored["new"])
"""Those of words, whose digest is the word in capitals."""


@pytest.mark.parametrize("stored", [None, "x", {}, {"messages": 3}, {"messages": [], "threshold": "much"}])
def test_what_is_no_record_is_passed_over(stored):
    """An application may have put anything where the record stands."""
    assert read_record(stored) is None


def test_a_record_of_an_older_version_is_applied():
    """One with a field that is no longer written."""
    stored = {"until": ["3"], "messages": [{"new": "x"}, "C"], "unmeasured": 1, "left": [9]}
    applied = RECORDS.apply(["a", "b", "c", "d"], [(3, "no record"), (3, stored)])
    assert (applied.messages, applied.count, applied.progress.held) == (["x", "c", "d"], 2, (9,))


def test_a_record_that_keeps_a_message_which_is_gone_is_passed_over():
    """The one before it is applied."""
    newer, older = {"messages": [{"new": "x"}, "C"]}, {"messages": [{"new": "y"}]}
    assert RECORDS.apply(["a", "b", "d"], [(2, newer), (1, older)]).messages == ["y", "b", "d"]
    assert RECORDS.apply(["a", "b", "d"], [(2, newer)]).messages == ["a", "b", "d"]


PICTURE = {"type": "elsewhere", "media_type": "image/png"}


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ({"type": "text", "text": "Read."}, "55170784d7099db8f23b2ea9b8027bea"),
        ({"type": "image", "source": PICTURE, "title": ""}, "b7efc274caf17f3f9662241e38a5a7e2"),
        (
            {"type": "image", "source": {**PICTURE, "url": "https://x.org/y.png"}, "title": ""},
            "b7efc274caf17f3f9662241e38a5a7e2",
        ),
    ],
)
def test_a_message_has_the_digest_of_older_records(said, known):
    """Which name kept messages by it, and know nothing of where a picture is."""
    assert digest({"role": "user", "content": [said], "marks": {"pinned": True}}).hex() == known


def test_half_a_character_has_a_digest():
    """A text that was cut in the middle of an emoji is known again as any other."""
    one, other = ({"role": "user", "content": [{"type": "text", "text": f"a{half}"}]} for half in ("\ud800", "\ud801"))
    assert digest(one) == digest({**one}) != digest(other)
