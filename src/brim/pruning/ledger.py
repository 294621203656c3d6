"""The ledger of tool outputs: running totals, from which a pruning is decided without a walk.

It is read forwards, as a conversation grows. A walk from the newest message back would stop at a summary and at the
first output already pruned (PRN_04); here both raise the floor below which nothing is looked at, which is the same.
Specified by features/pruning/tool_outputs.feature (PRN_01 to PRN_04).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from brim.errors import InvalidInput

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
