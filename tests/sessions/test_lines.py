"""Lines: whatever JSON holds comes back as it was, however it was written, and what is no JSON is refused."""

import datetime as dt
import decimal
import json
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.messages import PINNED
from brim.errors import InvalidInput
from brim.sessions.records.kinds import MessageRecord
from brim.sessions.records.lines import decode, encode

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


@given(VALUES)
def test_marked_or_not_a_message_is_written_alike(value):
    """A message that was marked holds the same dictionary."""
    assert exact(decode(encode(record(value, marks=PINNED))).message) == exact(decode(encode(record(value))).message)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_number_is_rounded(number):
    """A number with a point is read to its last bit, though another program wrote it."""
    line = json.dumps({"v": 2, "kind": "message", "id": "one", "time": 1, "message": record(number).message})
    assert repr(decode(line.encode()).message["odd"]) == repr(number)


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
    assert "hand in plain values" in str(met.value)
    assert "\n" not in str(met.value)


def test_what_json_writes_in_another_form_is_written():
    """Tuples are lists, a mapping is an object and numbers as names are texts: as JSON has them."""
    odd = {"pair": (1, 2), "map": types.MappingProxyType({"a": 1}), "names": {1: 2}}
    assert decode(encode(record(odd))).message["odd"] == {"pair": [1, 2], "map": {"a": 1}, "names": {"1": 2}}


def test_what_goes_deep_is_read():
    """Lists in lists, deeper than the quick reader goes."""
    deep = []
    for _ in range(300):
        deep = [deep]
    assert decode(encode(record(deep))).message["odd"] == deep
