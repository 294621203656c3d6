"""Operations of the room selection."""

from __future__ import annotations

from decimal import Decimal
from itertools import accumulate
from typing import Annotated, Literal

from pydantic import BaseModel, Field, NonNegativeInt

from brim.portable.operation import EXACT, Input, operation
from brim.portable.turn_input import TurnInput
from brim.selection import anchors as finding
from brim.selection import recent_turns
from brim.selection.message_window import keep_newest
from brim.trigger.profiles import RECENT_MESSAGES

Kind = Literal["error_resolution", "task_completion", "feature_milestone", "user_checkpoint"]


@operation("ANC_01", kind="error_resolution")
def anchor_weight(kind: Kind) -> Decimal:
    """How much a kind of anchor weighs.

    `error_resolution` 0.9, `task_completion` 0.8, `feature_milestone` 0.75, `user_checkpoint` 0.7.

    Args:
        kind: What was achieved.
    """
    return finding.WEIGHTS[finding.AnchorKind(kind)]


class DetectedAnchor(BaseModel):
    """What was achieved in a turn."""

    kind: Kind = Field(description="What was achieved.")
    weight: Decimal = Field(description="How much that kind weighs.")
    confidence: Decimal = Field(description="How sure it is.")


@operation(
    "ANC_02 ANC_03 ANC_04 ANC_05 ANC_06 ANC_08 ANC_10",
    turn={
        "user_message": "Test it.",
        "tool_calls": [
            {"tool": "Edit", "input": {"file_path": "x"}},
            {"tool": "Bash", "input": {"command": "git commit -am b"}},
        ],
        "tool_results": [{"success": True, "output": "ok"}, {"success": True, "output": "ok"}],
        "assistant_response": "Done.",
    },
)
def detect_anchor(
    turn: TurnInput, confidence_threshold: Annotated[Decimal, Field(ge=0, le=1), EXACT] = finding.THRESHOLD
) -> DetectedAnchor | None:
    """The anchor of a turn, null if it is none.

    In this order:

    1. a turn without tool calls is no anchor;
    2. a changed file and a successful result that reports passing tests and no failing ones: `error_resolution`
       (0.95) if `previous_error`, or if a call failed before the last change; else `task_completion` (0.92);
    3. a commit in a turn that changed files, or a to-do list on which nothing is open: `feature_milestone` (0.91);
    4. findings below `confidence_threshold` are dropped; of the others the heaviest kind wins.

    The editing tools are `Edit`, `MultiEdit`, `NotebookEdit`, `Write`, `apply_patch`, `edit`, `multiedit`,
    `notebookedit`, `write`, `write_file`, `replace`, `write_to_file`, `replace_in_file`, and the others that [the
    table of tools](../reference/tools.md) says edit, write, create, delete, move, patch or act. A shell command changes
    files by a patch of `apply_patch` alone. Which texts report tests (ANC_06) is in the rows of `tests/evidence/data`,
    and in `src/brim/evidence/reports.py`.

    Args:
        turn: The turn.
        confidence_threshold: The lowest confidence of an anchor.
    """
    found = finding.detect(turn.turn(), previous_error=turn.previous_error, threshold=confidence_threshold)
    if found is None:
        return None
    return DetectedAnchor(kind=found.kind.value, weight=found.weight, confidence=found.confidence)


class SelectedTurns(BaseModel):
    """Which turns are kept and which are summarized."""

    kept: list[int] = Field(description="Indices of the turns kept verbatim.")
    summarized: list[int] = Field(description="Indices of the turns that a summary replaces.")
    anchor: int | None = Field(description="The anchor from which everything is kept.")


@operation("SEL_01 SEL_02 SEL_03 SEL_07", total_turns=10, anchors=[2, 5], recent=3)
def select_turns(
    total_turns: NonNegativeInt, anchors: list[NonNegativeInt], recent: NonNegativeInt = recent_turns.RECENT_TURNS
) -> SelectedTurns:
    """Which turns are kept and which are summarized.

    An anchor outside the turns is `invalid_input`. `start` is `max(0, total_turns - recent)`; the anchor is the
    newest one before it. Turns from the anchor on are kept, or from `start` without one; all before are summarized.
    Both lists ascend.

    Args:
        total_turns: How many turns there are.
        anchors: Indices of the turns that are anchors.
        recent: How many turns are always kept.
    """
    start, anchor = recent_turns.select_turns(total_turns, anchors, recent)
    turns = [*range(total_turns)]
    return SelectedTurns(kept=turns[start:], summarized=turns[:start], anchor=anchor)


class SelectMessage(Input):
    """A message, by the ids of its calls and results."""

    id: str = Field(description="Its name in the answer.")
    role: str = Field(description="Who speaks: `user`, `assistant`, or a role of the program's own.")
    calls: list[str] = Field(default=[], description="Ids of the tool calls it makes.")
    results: list[str] = Field(default=[], description="Ids of the tool calls it answers.")


class SelectedMessages(BaseModel):
    """Which messages are kept and which are summarized."""

    kept: list[str] = Field(description="Ids of the messages kept verbatim.")
    summarized: list[str] = Field(description="Ids of the messages that a summary replaces.")


@operation(
    "SEL_05",
    messages=[
        {"id": "a", "role": "assistant"},
        {"id": "b", "role": "assistant", "calls": ["1"]},
        {"id": "c", "role": "user", "results": ["1"]},
    ],
    recent=1,
)
def select_messages(messages: list[SelectMessage], recent: NonNegativeInt = RECENT_MESSAGES) -> SelectedMessages:
    """Which messages are kept: the last ones, with the calls that they answer, and the user's last message.

    The messages from the cut on are kept. The cut is the largest index, at most `max(count - recent, 0)`, at which
    every call made before it that has a result also has its last result before it. So a call with several results is
    kept up to the last, and calls that share an id share their results. A call without a result, a result without a
    call and a result before its call do not move the cut.

    The newest message of role `user` without `results` is kept too, without those around it. Both lists have the order
    of `messages`. The ids of messages are not compared: of two with one id each is kept or summarized on its own.

    Args:
        messages: The conversation, in the order of time.
        recent: How many messages are always kept.
    """
    answered = {call: n for n, one in enumerate(messages, 1) for call in one.results}
    reach = accumulate((max((answered.get(call, 0) for call in one.calls), default=0) for one in messages), max)
    cuts = [0, *(n for n, least in enumerate(reach, 1) if least <= n)]
    last_user = max((n for n, one in enumerate(messages) if one.role == "user" and not one.results), default=None)
    fit = keep_newest([0] * (len(messages) + 1), cuts, last_user=last_user, recent=recent)
    kept = {*range(fit.cut, len(messages)), fit.last_user}
    return SelectedMessages(
        kept=[one.id for n, one in enumerate(messages) if n in kept],
        summarized=[one.id for n, one in enumerate(messages) if n not in kept],
    )
