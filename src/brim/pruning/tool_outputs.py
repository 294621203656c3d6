"""Tool outputs: old ones are cleared before anything is summarised; calls, inputs and ids stay.

Specified by features/pruning/tool_outputs.feature (PRN_01 to PRN_08, PRN_10).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from brim.conversation.messages import Message, ToolCall, ToolResult, write_part
from brim.conversation.turns import begins_turn
from brim.errors import InvalidInput
from brim.settings import is_on
from brim.tokens.estimation import CHARACTERS_PER_TOKEN, TextLength, measure_part, tokens_of

PLACEHOLDER: Final = "[Old tool result content cleared]"
"""What a pruned output reads (PRN_07); an output that reads so counts as already pruned (PRN_04)."""
MESSAGE: Final = attrgetter("message")


def apply_pruning(messages: Sequence[Message], pruning: Pruning) -> tuple[Message, ...]:
    """The conversation with these outputs cleared; every other message is the very same object. Raises InvalidInput."""
    pruned = list(messages)
    clear_in_place(pruned, pruning)
    return tuple(pruned)


def clear_in_place(messages: MutableSequence[Message], pruning: Pruning) -> None:
    """Put messages with cleared outputs in their places; only for a list of the caller's own. Raises InvalidInput."""
    cleared = [
        (index, _cleared(messages[index], outputs) if index < len(messages) else _refuse(index, messages))
        for index, outputs in groupby(pruning.outputs, MESSAGE)
    ]
    for index, message in cleared:
        messages[index] = message


def _refuse(index: int, messages: Sequence[Message]) -> Message:
    raise InvalidInput(f"the pruning speaks of message {index}; the conversation has {len(messages)} messages")


def _cleared(message: Message, outputs: Iterable[Output]) -> Message:
    """The message with these outputs cleared; written for speed, as a first pruning clears thousands."""
    parts = list(message.parts)
    for output in outputs:
        place = output.part
        part = parts[place] if place < len(parts) else None
        if type(part) is not ToolResult or part.call_id != output.call_id:
            raise InvalidInput(f"message {output.message} does not hold the output of call {output.call_id}")
        raw = {**part.raw, "content": PLACEHOLDER}
        parts[place] = ToolResult(part.call_id, PLACEHOLDER, False, (), raw)  # noqa: FBT003
    content = [raw] if len(parts) == 1 else [write_part(part) for part in parts]
    return Message(message.role, tuple(parts), {**message.raw, "content": content}, message.marks)


PROTECT: Final = 40_000
"""Tokens of completed outputs, the newest beyond the protected turns, that are never pruned (PRN_02)."""
MINIMUM: Final = 20_000
"""A pruning has to save more tokens than this (PRN_03)."""
PROTECTED_TURNS: Final = 2
"""The last user turns, whose outputs are neither pruned nor counted (PRN_01)."""


class Output(NamedTuple):
    """A completed tool output that may be pruned: its message and part (indices), its call, its tokens."""

    message: int
    """Index of its message."""
    part: int
    """Index of the part within the message."""
    call_id: str
    """The id of the call that it answers."""
    tokens: int
    """Its estimate."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """A decision: the outputs to clear, newest first, the tokens that saves, and why, with the numbers."""

    outputs: tuple[Output, ...]
    """The outputs to clear, the newest first."""
    saved: int
    """Tokens that this saves."""
    reason: str
    """Why these, or why none, with the numbers."""
    reread: int = field(default=0, compare=False)
    """Cached tokens that the next request has to read again (PRN_09); 0 where the window is not known."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the calls whose outputs are cleared, newest first."""
        return tuple(output.call_id for output in self.outputs)


DISABLED: Final = Pruning((), 0, "disabled")
NOTHING: Final = Pruning((), 0, "nothing to prune")


@dataclass(slots=True)
class Ledger:
    """The outputs that may be pruned, oldest first, with the turns between them."""

    outputs: list[Output] = field(default_factory=list)
    totals: list[int] = field(default_factory=lambda: [0])
    """Tokens of the outputs before each, and of all of them at the end."""
    turns: list[int] = field(default_factory=list)
    """For each user turn, how many outputs stand before it."""
    floor: int = 0
    """How many of the oldest outputs are out of reach."""

    def begin_turn(self) -> None:
        """A user turn begins here."""
        self.turns.append(len(self.outputs))

    def add(self, output: Output) -> None:
        """A completed output of a tool that is not protected."""
        self.outputs.append(output)
        self.totals.append(self.totals[-1] + output.tokens)

    def stop(self) -> None:
        """A summary, or an output already pruned: nothing before it is looked at again (PRN_04)."""
        self.floor = len(self.outputs)

    def settle(self, pruning: Pruning) -> None:
        """This pruning was applied: its outputs, and what is older, are out of reach."""
        if pruning.outputs:
            self.floor = max(self.floor, bisect_right(self.outputs, pruning.outputs[0]))

    def decide(self, *, protect: int = PROTECT, minimum: int = MINIMUM) -> Pruning:
        """What to prune now; the work grows with what is pruned, not with the history. Raises InvalidInput."""
        _refuse_negative(protect, "protect")
        _refuse_negative(minimum, "minimum")
        end = self.turns[-PROTECTED_TURNS] if len(self.turns) >= PROTECTED_TURNS else 0
        beyond = self.totals[max(end, self.floor)]
        cut = bisect_left(self.totals, beyond - protect, self.floor)
        saved = self.totals[cut] - self.totals[self.floor]
        if saved <= minimum:
            return Pruning((), 0, f"too little to save ({saved} <= {minimum})") if saved else NOTHING
        outputs = tuple(reversed(self.outputs[self.floor : cut]))
        what = "1 output" if len(outputs) == 1 else f"{len(outputs)} outputs"
        return Pruning(outputs, saved, f"{what} ({saved} > {minimum})")


def _refuse_negative(tokens: int, name: str) -> None:
    if tokens < 0:
        raise InvalidInput(f"{name} is {tokens}; it is a number of tokens, 0 or more")


PROTECTED_TOOLS: Final = frozenset({"skill"})
"""Tools whose outputs are neither pruned nor counted, unless other ones are set (PRN_06)."""
CLEARABLE: Final = frozenset({"tool_result", "mcp_tool_result"})
"""Kinds of results that may read as plain text; a provider's own tools answer in forms of their own."""
SWITCHES: Final = ("BRIM_DISABLE_PRUNE", "OPENCODE_DISABLE_PRUNE")
"""Either of these variables of the environment turns the clearing of old tool outputs off (PRN_08)."""


def output_tokens(result: ToolResult, length: TextLength = len) -> int:
    """Tokens of an output, media included, at 4 characters a token (TOK_06), or by a token counter (TOK_07)."""
    if result.text and not result.media:
        return -(-length(result.text) // CHARACTERS_PER_TOKEN)
    return tokens_of(measure_part(result, length))


class ToolOutputs:
    """The tool outputs of a conversation that grows: appended to message by message, asked at any time."""

    __slots__ = ("_count", "_ledger", "_length", "_protected", "_spared")

    def __init__(
        self,
        *,
        protected_tools: Collection[str] = PROTECTED_TOOLS,
        length: TextLength = len,
    ) -> None:
        """Begin with an empty conversation; `length` measures the texts of an output."""
        self._ledger = Ledger()
        self._spared: set[str] = set()
        self._count = 0
        self._protected = frozenset(protected_tools)
        self._length = length

    def append(self, message: Message, *, opens_turn: bool | None = None) -> None:
        """Take in the next message; `opens_turn` where the caller knows whether it begins a user turn (CNV_02)."""
        index = self._count
        self._count += 1
        if opens_turn is None:
            opens_turn = message.role == "user" and begins_turn(message)
        if opens_turn:
            self._ledger.begin_turn()
        if message.marks.summary:
            self._ledger.stop()
            return
        for place, part in enumerate(message.parts):
            kind = type(part)
            if kind is ToolResult:
                self._take(index, place, part, pinned=message.marks.pinned)  # type: ignore[arg-type]
            elif kind is ToolCall and (self._spared or part.name in self._protected):  # type: ignore[union-attr]
                self._call(part.id, part.name)  # type: ignore[union-attr]

    def _call(self, call_id: str, tool: str) -> None:
        """Remember a call of a protected tool, until its result comes or another takes its id."""
        if tool in self._protected:
            self._spared.add(call_id)
        else:
            self._spared.discard(call_id)

    def _take(self, index: int, place: int, result: ToolResult, *, pinned: bool) -> None:
        call_id = result.call_id
        spared = call_id in self._spared
        if spared:
            self._spared.remove(call_id)
        if result.failed:
            return
        if result.text == PLACEHOLDER:
            self._ledger.stop()
        elif not (pinned or spared) and result.raw["type"] in CLEARABLE:
            self._ledger.add(Output(index, place, call_id, output_tokens(result, self._length)))

    def decide(self, *, protect: int = PROTECT, minimum: int = MINIMUM) -> Pruning:
        """What to prune now (PRN_01 to PRN_04). Raises InvalidInput."""
        return self._ledger.decide(protect=protect, minimum=minimum)

    def settle(self, pruning: Pruning) -> None:
        """This pruning was applied to the conversation."""
        self._ledger.settle(pruning)


def prune(
    messages: Iterable[Message],
    *,
    protect: int = PROTECT,
    minimum: int = MINIMUM,
    protected_tools: Collection[str] = PROTECTED_TOOLS,
    disabled: bool = False,
) -> Pruning:
    """What to prune of a conversation that is read from its beginning. Raises InvalidInput."""
    outputs = ToolOutputs(protected_tools=protected_tools)
    for message in messages:
        outputs.append(message)
    pruning = outputs.decide(protect=protect, minimum=minimum)
    return DISABLED if disabled else pruning


def pruning_disabled(environ: Mapping[str, str], *, configured: bool = False) -> bool:
    """Whether pruning is off, by configuration or by a variable of the environment (PRN_08)."""
    return configured or any(is_on(environ.get(name)) for name in SWITCHES)
