"""Operations of the selection room."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field, NonNegativeInt

from brim.portable.operation import Input, operation
from brim.portable.turn_input import TurnInput
from brim.selection import anchors, recent_turns
from brim.selection.message_window import keep_newest
from brim.trigger.profiles import RECENT_MESSAGES

Kind = Literal["error_resolution", "task_completion", "feature_milestone", "user_checkpoint"]


class AnchorWeightInput(Input):
    """A kind of anchor."""

    kind: Kind = Field(description="What was achieved.")


@operation(
    "anchor_weight",
    rules=("ANC_01",),
    example={"kind": "error_resolution"},
)
def anchor_weight(given: AnchorWeightInput) -> Decimal:
    """How much a kind of anchor weighs.

    `error_resolution` 0.9, `task_completion` 0.8, `feature_milestone` 0.75, `user_checkpoint` 0.7.
    """
    return anchors.WEIGHTS[anchors.AnchorKind(given.kind)]


class DetectAnchorInput(Input):
    """A turn, and the confidence from which an anchor counts."""

    turn: TurnInput = Field(description="The turn.")
    confidence_threshold: Annotated[Decimal, Field(ge=0, le=1)] = Field(
        default=anchors.THRESHOLD, description="The lowest confidence of an anchor."
    )


class DetectedAnchor(BaseModel):
    """What was achieved in a turn."""

    kind: Kind = Field(description="What was achieved.")
    weight: Decimal = Field(description="How much that kind weighs.")
    confidence: Decimal = Field(description="How sure it is.")


@operation(
    "detect_anchor",
    rules=tuple(f"ANC_{n:02}" for n in (2, 3, 4, 5, 6, 8, 10, 11, 12)),
    example={
        "turn": {
            "user_message": "Fix it.",
            "tool_calls": [
                {"tool": "Edit", "input": {"file_path": "a.py"}},
                {"tool": "Bash", "input": {"command": "make test"}},
            ],
            "tool_results": [{"success": True, "output": "ok"}, {"success": True, "output": "12 passed"}],
            "assistant_response": "Fixed.",
        }
    },
)
def detect_anchor(given: DetectAnchorInput) -> DetectedAnchor | None:
    """The anchor of a turn, null if it is none.

    In this order:

    1. a turn without tool calls is no anchor;
    2. a changed file and a successful result that reports passing tests and no failing ones: `error_resolution`
       (0.95) if `previous_error`, or if a call failed before the last change; else `task_completion` (0.92);
    3. a command whose own successful result says that it built, compiled or installed something: `task_completion`
       (0.92);
    4. a commit in a turn that changed files, or a to-do list on which nothing is open: `feature_milestone` (0.91);
    5. a web search with more than 100 characters of output, and an answer with `based on`, `according to` or `search
       results show`: `user_checkpoint` (0.91);
    6. findings below `confidence_threshold` are dropped; of the others the heaviest kind wins.

    The editing tools are `Edit`, `MultiEdit`, `NotebookEdit`, `Write`, `apply_patch`, `edit`, `multiedit`,
    `notebookedit`, `write`, `write_file`, `replace`, `write_to_file`, `replace_in_file`, and the others that [the
    table of tools](../reference/tools.md) says edit, write, create, delete, move, patch or act. A shell command changes
    the files that it writes (the rows of ANC_05, `src/brim/evidence/shell.py`). Which texts report tests (ANC_06) or
    a build (ANC_11) is in the rows of `tests/evidence/data`, and in `src/brim/evidence/reports.py`.
    """
    turn, least = given.turn, given.confidence_threshold
    found = anchors.detect(turn.turn(), previous_error=turn.previous_error, threshold=least)
    if found is None:
        return None
    return DetectedAnchor(kind=found.kind.value, weight=found.weight, confidence=found.confidence)


class SelectTurnsInput(Input):
    """How many turns there are, and which are anchors."""

    total_turns: NonNegativeInt = Field(description="How many turns there are.")
    anchors: list[NonNegativeInt] = Field(description="Indices of the turns that are anchors.")
    recent: NonNegativeInt = Field(default=recent_turns.RECENT_TURNS, description="How many turns are always kept.")


class SelectedTurns(BaseModel):
    """Which turns are kept and which are summarized."""

    kept: list[int] = Field(description="Indices of the turns kept verbatim.")
    summarized: list[int] = Field(description="Indices of the turns that a summary replaces.")
    anchor: int | None = Field(description="The anchor from which everything is kept.")


@operation(
    "select_turns",
    rules=("SEL_01", "SEL_02", "SEL_03", "SEL_07"),
    example={"total_turns": 10, "anchors": [2, 5], "recent": 3},
)
def select_turns(given: SelectTurnsInput) -> SelectedTurns:
    """Which turns are kept and which are summarized.

    An anchor outside the turns is `invalid_input`. `start` is `max(0, total_turns - recent)`; the anchor is the
    newest one before it. Turns from the anchor on are kept, or from `start` without one; all before are summarized.
    Both lists ascend.
    """
    selection = recent_turns.select_turns(given.total_turns, given.anchors, given.recent)
    kept, summarized = range(selection.start, given.total_turns), range(selection.start)
    return SelectedTurns(kept=list(kept), summarized=list(summarized), anchor=selection.anchor)


class SelectMessage(Input):
    """A message, by the ids of its calls and results."""

    id: str = Field(description="Its name in the answer.")
    role: str = Field(description="Who speaks: `user`, `assistant`, or a role of the program's own.")
    calls: list[str] = Field(default=[], description="Ids of the tool calls it makes.")
    results: list[str] = Field(default=[], description="Ids of the tool calls it answers.")


class SelectMessagesInput(Input):
    """A conversation, and how much of it is recent."""

    messages: list[SelectMessage] = Field(description="The conversation, in the order of time.")
    recent: NonNegativeInt = Field(default=RECENT_MESSAGES, description="How many messages are always kept.")


class SelectedMessages(BaseModel):
    """Which messages are kept and which are summarized."""

    kept: list[str] = Field(description="Ids of the messages kept verbatim.")
    summarized: list[str] = Field(description="Ids of the messages that a summary replaces.")


@operation(
    "select_messages",
    rules=("SEL_05",),
    example={
        "messages": [
            {"id": "a", "role": "assistant"},
            {"id": "b", "role": "user"},
            {"id": "c", "role": "assistant", "calls": ["1"]},
            {"id": "d", "role": "user", "results": ["1"]},
        ],
        "recent": 1,
    },
)
def select_messages(given: SelectMessagesInput) -> SelectedMessages:
    """Which messages are kept: the last ones, with the calls that they answer, and the user's last message.

    The messages from the cut on are kept. The cut is the largest index, at most `max(count - recent, 0)`, at which
    every call made before it that has a result also has its last result before it. So a call with several results is
    kept up to the last, and calls that share an id share their results. A call without a result, a result without a
    call and a result before its call do not move the cut.

    The newest message of role `user` without `results` is kept too, without those around it. Both lists have the order
    of `messages`. The ids of messages are not compared: of two with one id each is kept or summarized on its own.
    """
    messages = given.messages
    cuts = _cuts_between_pairs(messages)
    written = [index for index, one in enumerate(messages) if one.role == "user" and not one.results]
    last_user = written[-1] if written else None
    fit = keep_newest([0] * (len(messages) + 1), cuts, last_user=last_user, recent=given.recent)
    kept = [index >= fit.cut or index == fit.last_user for index in range(len(messages))]
    return SelectedMessages(
        kept=[one.id for one, stays in zip(messages, kept, strict=True) if stays],
        summarized=[one.id for one, stays in zip(messages, kept, strict=True) if not stays],
    )


def _cuts_between_pairs(messages: Sequence[SelectMessage]) -> list[int]:
    """Where the messages may be cut without parting a call from its result; ascending."""
    answered = {call: index for index, one in enumerate(messages) for call in one.results}
    cuts = [0]
    reach = 0
    for index, one in enumerate(messages, 1):
        reach = max([reach, *(answered[call] + 1 for call in one.calls if call in answered)])
        if reach <= index:
            cuts.append(index)
    return cuts
