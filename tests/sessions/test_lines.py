"""Lines: whatever JSON holds comes back as it was, however it was written, and what is no JSON is refused."""

import datetime as dt
import decimal
import json
import types
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from brim.conversation.messages import PINNED, PLAIN
from brim.errors import InvalidInput
from brim.sessions.lines import MAX_DEPTH, decode, encode
from brim.sessions.records import CompactionRecord, Copy, MessageRecord

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def record(odd, **told):
    """The record of a message that holds an odd value."""
    return MessageRecord(id="one", time=1, message={"role": "user", "content": "Words.", "odd": odd}, **told)


def exact(value):
    """A value with its types: true is not 1, and 1 is not 1.0."""
    return json.dumps(value, sort_keys=True)


@given(VALUES)
def test_any_value_comes_back_as_it_was(value):
    """Numbers, letters of any kind, half surrogate pairs: what is read is what was written, and it is one line."""
    line = encode(record(value))
    assert line.count(b"\n") == 1
    assert exact(decode(line).message) == exact(record(value).message)
    assert exact(json.loads(line)["message"]) == exact(record(value).message)


@pytest.mark.parametrize(
    "odd",
    [
        float("nan"),
        float("inf"),
        [float("-inf")],
        b"bytes",
        {1, 2},
        decimal.Decimal("1.5"),
        dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        {(1, 2): 3},
        object(),
    ],
)
def test_what_is_no_json_is_refused(odd):
    """A value that would come back as another one, or not at all, is refused in one line."""
    with pytest.raises(InvalidInput) as met:
        encode(record(odd))
    assert "give plain values" in str(met.value)
    assert "\n" not in str(met.value)


def test_what_json_writes_in_another_form_is_written():
    """Tuples are lists, a mapping is an object and numbers as names are texts: as JSON has them."""
    odd = {"pair": (1, 2), "map": types.MappingProxyType({"a": 1}), "names": {1: 2}}
    assert decode(encode(record(odd))).message["odd"] == {"pair": [1, 2], "map": {"a": 1}, "names": {"1": 2}}


def nested(depth):
    """A list of that many lists, one in another."""
    return reduce(lambda inner, _: [inner], range(depth - 1), [])


def far_down(read, calls=600):
    """What is read where so many calls have been made already."""
    return far_down(read, calls - 1) if calls else read()


@pytest.mark.parametrize("marks", [PLAIN, PINNED], ids=["plain", "pinned"])
def test_the_deepest_message_is_read_wherever_the_reader_stands(marks):
    """Marked or not, the deepest message that is taken is read deep in the reader's own calls."""
    deep = nested(MAX_DEPTH - 1)
    line = encode(record(deep, marks=marks))
    assert far_down(lambda: decode(line)).message["odd"] == deep


@pytest.mark.parametrize("marks", [PLAIN, PINNED], ids=["plain", "pinned"])
@pytest.mark.parametrize("depth", [MAX_DEPTH, 300, 900, 100_000])
def test_what_is_deeper_is_refused(depth, marks):
    """However deep it goes, it is refused in one line that says how deep is not too deep, and by no other error."""
    with pytest.raises(InvalidInput, match="nested more than 190 deep") as met:
        encode(record(nested(depth), marks=marks))
    assert "\n" not in str(met.value)


def test_what_holds_itself_is_refused():
    """A list that holds itself twice has no end, and the search for one ends."""
    endless = []
    endless += [endless, {"again": endless}]
    with pytest.raises(InvalidInput, match="nested more than 190 deep"):
        encode(record(endless))


def test_many_brackets_are_no_depth():
    """What lies side by side, and what is written in words, may be as much as it likes."""
    odd = [[], {}, ()] * 500
    assert decode(encode(record([*odd, "[{" * 500]))).message["odd"] == [[], {}, []] * 500 + ["[{" * 500]


def test_a_compaction_holds_the_deepest_message():
    """A copy of the deepest message is no deeper than the quick reader goes, and so the compaction is never lost."""
    copy = Copy(message=record(nested(MAX_DEPTH - 1)).message)
    line = encode(CompactionRecord(id="two", time=2, opening=(copy,), closing=(copy,)))
    assert far_down(lambda: decode(line)).opening == (copy,)
    assert from_json(line)["kind"] == "compaction"


def test_what_goes_deeper_on_disk_already_is_read():
    """A line of before is read as far as the other reader gets."""
    deep = nested(300)
    line = json.dumps({"v": 2, "kind": "message", "id": "one", "time": 1, "message": record(deep).message})
    assert decode(line.encode()).message["odd"] == deep
