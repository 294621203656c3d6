"""Tool outputs: old ones are cleared before anything is summarized; calls, inputs and ids stay.

Specified by features/pruning/tool_outputs.feature (PRN_01 to PRN_14).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from brim.conversation.harness_text import ASKING_TOOLS
from brim.conversation.messages import Message, ToolCall, ToolResult
from brim.conversation.turns import begins_turn
from brim.tokens.estimation import TextLength, measure_part, tokens_of
from brim.trigger.overflow import is_on

PLACEHOLDER: Final = "[Old tool result content cleared]"
"""The text of a cleared output (PRN_07); an output with this text counts as cleared before (PRN_04)."""
PROTECTED_TOKENS: Final = 40_000
"""Tokens of completed outputs, the newest before the protected turns, that are never cleared (PRN_02)."""
MIN_SAVED_TOKENS: Final = 20_000
"""A pruning has to save more tokens than this (PRN_03)."""
PROTECTED_TURNS: Final = 2
"""The last user turns, whose outputs are neither cleared nor counted (PRN_01)."""
PROTECTED_TOOLS: Final = frozenset({"skill"})
"""Tools whose outputs are neither cleared nor counted by default (PRN_06), as those of ASKING_TOOLS always (PRN_13)."""
CLEARABLE: Final = frozenset({"tool_result", "mcp_tool_result"})
"""Kinds of results whose content may be plain text; the results of a provider's own tools have other forms."""
SWITCHES: Final = ("BRIM_DISABLE_PRUNE", "OPENCODE_DISABLE_PRUNE")
"""Either of these variables of the environment turns the clearing of old tool outputs off (PRN_08)."""


class Output(NamedTuple):
    """A completed tool output that may be cleared."""

    message: int
    """Index of its message."""
    part: int
    """Index of the part within the message."""
    call_id: str
    """The id of the call that it answers."""
    tokens: int
    """Its estimate, media included, at 4 characters a token (PRN_11) or by a counter, which PRN_02, PRN_03 compare."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """A decision: the outputs to clear, the tokens that saves, and why (PRN_12)."""

    outputs: tuple[Output, ...]
    """The outputs to clear, the newest first."""
    saved: int
    """Tokens that this saves, by the ratio of the window; where none is known, the sum of `tokens`."""
    reason: str
    """Why these, or why none, with the numbers."""
    reread: int = field(default=0, compare=False)
    """Cached tokens that the next request has to read again (PRN_09); 0 where the window is not known."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the calls whose outputs are cleared, newest first."""
        return tuple(output.call_id for output in self.outputs)


DISABLED: Final = Pruning((), 0, "disabled")


def apply_pruning(messages: Sequence[Message], pruning: Pruning) -> tuple[Message, ...]:
    """Clear these outputs; every other message of the conversation is the very same object."""
    changed = cleared_messages(messages, pruning)
    return tuple([changed.get(index, message) for index, message in enumerate(messages)])


def cleared_messages(messages: Sequence[Message], pruning: Pruning) -> dict[int, Message]:
    """Return the messages of these outputs, by their indices, with the outputs cleared."""
    changed: dict[int, Message] = {}
    for output in pruning.outputs:
        message = changed.get(output.message, messages[output.message])
        parts = [
            cleared(one) if n == output.part and type(one) is ToolResult else one for n, one in enumerate(message.parts)
        ]
        changed[output.message] = message.with_parts(tuple(parts))
    return changed


def cleared(result: ToolResult) -> ToolResult:
    """Return the result with a placeholder in place of its text and media (PRN_07)."""
    raw = {**result.raw, "content": PLACEHOLDER}
    return ToolResult(result.call_id, PLACEHOLDER, result.failed, (), raw)


def is_cleared(result: ToolResult) -> bool:
    """Return whether a result was cleared before: its text is the placeholder (PRN_04)."""
    return result.text == PLACEHOLDER


class ToolOutputs:
    """The clearable tool outputs of a growing conversation, oldest first, with the turns between them.

    `length` measures the texts of an output.
    """

    def __init__(self, *, protected_tools: Collection[str] = PROTECTED_TOOLS, length: TextLength = len) -> None:
        self.outputs: list[Output] = []
        self._totals = [0]
        """Tokens of the outputs before each, and of all of them at the end."""
        self._turns: list[int] = []
        """For each user turn, how many outputs precede it."""
        self._floor = 0
        """How many of the oldest outputs are out of reach."""
        self._protected_calls: set[str] = set()
        self._count = 0
        self._protected = frozenset(protected_tools)
        self._length = length

    def append(self, message: Message, *, opens_turn: bool | None = None) -> None:
        """Add the next message; `opens_turn` where the caller knows whether it begins a user turn (CNV_02)."""
        index = self._count
        self._count += 1
        if opens_turn is None:
            opens_turn = message.role == "user" and begins_turn(message)
        if opens_turn:
            self.begin_turn()
        if message.marks.summary:
            self.stop()
            return
        for n, part in enumerate(message.parts):
            if type(part) is ToolResult:
                self._append_result(index, n, part, pinned=message.marks.pinned)
            elif type(part) is ToolCall:
                if part.name in self._protected or part.name in ASKING_TOOLS:
                    self._protected_calls.add(part.id)
                else:  # another call may take the id
                    self._protected_calls.discard(part.id)

    def _append_result(self, index: int, n: int, result: ToolResult, *, pinned: bool) -> None:
        """Add an output unless it failed, is cleared, pinned, protected or of another form (PRN_05, PRN_06, PRN_14)."""
        call_id = result.call_id
        if result.failed:
            return
        if is_cleared(result):
            self.stop()
        elif not (pinned or call_id in self._protected_calls) and result.raw["type"] in CLEARABLE:
            self.add(Output(index, n, call_id, tokens_of(measure_part(result, self._length))))

    def begin_turn(self) -> None:
        """Note that a user turn begins here."""
        self._turns.append(len(self.outputs))

    def add(self, output: Output) -> None:
        """Add a completed output of a tool that is not protected."""
        self.outputs.append(output)
        self._totals.append(self._totals[-1] + output.tokens)

    def stop(self) -> None:
        """Exclude all outputs so far: a summary or a cleared output follows them (PRN_04)."""
        self._floor = len(self.outputs)

    def mark_pruned(self, pruning: Pruning) -> None:
        """Exclude the outputs that this pruning cleared, and older ones."""
        if pruning.outputs:
            self._floor = max(self._floor, bisect_right(self.outputs, pruning.outputs[0]))

    def decide(self, *, protect: int = PROTECTED_TOKENS, minimum: int = MIN_SAVED_TOKENS) -> Pruning:
        """Choose the outputs to clear (PRN_01 to PRN_04); the cost grows with their number, not with the history."""
        end = self._turns[-PROTECTED_TURNS] if len(self._turns) >= PROTECTED_TURNS else 0
        clearable = self._totals[max(end, self._floor)]
        cut = bisect_left(self._totals, clearable - protect, self._floor)
        saved = self._totals[cut] - self._totals[self._floor]
        if saved <= minimum:
            return Pruning((), 0, f"too little to save ({saved} <= {minimum})" if saved else "nothing to prune")
        outputs = tuple(reversed(self.outputs[self._floor : cut]))
        count = "1 output" if len(outputs) == 1 else f"{len(outputs)} outputs"
        return Pruning(outputs, saved, f"{count} ({saved} > {minimum})")


def pruning_disabled(environ: Mapping[str, str]) -> bool:
    """Return whether a variable of the environment turns pruning off (PRN_08)."""
    return any(is_on(environ.get(name)) for name in SWITCHES)
