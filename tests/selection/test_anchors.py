"""Anchors of real shapes, the exactness of confidences, and what a threshold may be."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.messages import Marks, read_message
from brim.conversation.turns import Response, ToolUse, Turn, find_turns
from brim.errors import InvalidInput, Refused
from brim.selection.anchors import (
    Anchor,
    AnchorKind,
    anchor_turns,
    counts,
    detect,
    find_anchors,
    synthetic_anchor,
    turn_failed,
    weightiest_first,
)
from tests.selection.corpora import turn

EDITED = ToolUse("Edit", {}, "", succeeded=True)
TESTED = ToolUse("Bash", {}, "12 passed", succeeded=True)


@pytest.mark.parametrize("threshold", [0.92, "0.92", Decimal("0.92"), Fraction(92, 100)])
def test_exact_threshold(threshold):
    """A threshold counts as it is written, however it comes in: 0.92 itself is enough."""
    assert detect(turn(EDITED, TESTED), previous_error=False, threshold=threshold) is not None
    assert counts("0.92", threshold)
    assert not counts("0.9199999999999999999", threshold)


def test_threshold_as_it_is_written():
    """Two thresholds that a computer holds alike are not taken for one another."""
    assert counts("0.1", 0.1)
    assert not counts("0.1", Decimal(0.1))  # noqa: RUF032 - a binary fraction is what this is about


@pytest.mark.parametrize("threshold", [-0.01, 1.01, 90])
def test_no_confidence(threshold):
    """A threshold outside 0 to 1 is refused, whatever was found."""
    with pytest.raises(Refused, match=r"lies between 0 and 1"):
        detect(turn(), previous_error=False, threshold=threshold)
    with pytest.raises(Refused, match=str(threshold)):
        find_anchors([turn()], threshold=threshold)


def test_no_number():
    """A threshold that is no number is no input."""
    with pytest.raises(InvalidInput):
        detect(turn(), previous_error=False, threshold="high")


def test_heavier_kind():
    """A marked fix is an error resolution; a mark alone, and a mark under a threshold of 1, a user checkpoint."""
    found = detect(turn(EDITED, TESTED, marked=True), previous_error=True)
    assert found == Anchor(0, AnchorKind.ERROR_RESOLUTION, Decimal("0.95"))
    surest = detect(turn(EDITED, TESTED, marked=True), previous_error=True, threshold=1)
    assert surest == Anchor(0, AnchorKind.USER_CHECKPOINT, Decimal(1))


def test_index():
    """An anchor names its turn by the turn's own index."""
    assert find_anchors([turn(index=7), turn(EDITED, TESTED, index=8)])[0].turn == 8


def test_failed_turn():
    """A turn failed where a result of it did; a call without result did not."""
    assert turn_failed(turn(EDITED, ToolUse("Bash", {}, "", succeeded=False)))
    assert not turn_failed(turn(EDITED, ToolUse("Bash", {})))
    assert not turn_failed(turn())


def test_synthetic():
    """The stand-in is the last of the turns it is given, and none where there is none."""
    assert [one.turn for one in synthetic_anchor([turn(index=3), turn(index=4)])] == [4]
    assert synthetic_anchor([]) == ()
    assert anchor_turns([*synthetic_anchor([turn()]), Anchor(5, AnchorKind.USER_CHECKPOINT, Decimal(1))]) == [5]


@pytest.mark.parametrize(
    "tool",
    [
        "Edit",
        "Write",
        "MultiEdit",
        "NotebookEdit",
        "apply_patch",
        "edit",
        "write",
        "multiedit",
        "notebookedit",
        "write_file",
        "replace",
        "write_to_file",
        "replace_in_file",
    ],
)
def test_editing_tools(tool):
    """Each of the editing tools changes a file by its success, and not by a failure (ANC_05)."""
    for succeeded in (True, False):
        found = detect(turn(ToolUse(tool, {}, "", succeeded), TESTED), previous_error=False)
        assert (found is not None) is succeeded


def test_answer_of_a_search():
    """The answer is the last thing that the model said in the turn; none rests on no search (ANC_12)."""
    found = ToolUse("WebSearch", {}, "x" * 101, succeeded=True)
    said = Turn(0, 0, 1, "Do it.", (Response("Based on it.", (found,)), Response("Yes.")))
    assert detect(said, previous_error=False) is None
    assert detect(turn(found, answer=""), previous_error=False) is None


def test_from_messages():
    """Anchors are found in plain messages: a failing command, then a fix, then the user's mark."""

    def ran(number: int, name: str, output: str, *, failed: bool = False):
        call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": failed}
        return [
            read_message({"role": "assistant", "content": [call]}),
            read_message({"role": "user", "content": [result]}),
        ]

    ask = read_message({"role": "user", "content": "Do it."})
    marked = read_message({"role": "user", "content": "Keep this."}, Marks(checkpoint=True))
    messages = [
        ask,
        *ran(1, "Bash", "no", failed=True),
        ask,
        *ran(2, "Edit", ""),
        *ran(3, "Bash", "OK (3 tests)"),
        marked,
    ]
    found = [(one.turn, one.kind.value, str(one.confidence)) for one in find_anchors(find_turns(messages))]
    assert found == [(1, "error_resolution", "0.95"), (2, "user_checkpoint", "1")]


ANCHORS = st.lists(
    st.builds(Anchor, st.integers(0, 9), st.sampled_from(AnchorKind), st.sampled_from([Decimal("0.91"), Decimal(1)])),
    max_size=8,
)


@given(anchors=ANCHORS)
def test_order_of_telling(anchors):
    """The order of telling holds every anchor once and never puts a lighter one before a heavier."""
    ordered = weightiest_first(anchors)
    assert sorted(map(repr, ordered)) == sorted(map(repr, anchors))
    keys = [(one.weight, one.confidence, one.turn) for one in ordered]
    assert keys == sorted(keys, reverse=True)
