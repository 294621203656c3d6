"""Tool outputs: old ones are cleared before anything is summarised; calls, inputs and ids stay.

Specified by features/pruning/tool_outputs.feature (PRN_01 to PRN_08, PRN_10).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from brim.conversation.messages import Message
from brim.conversation.parts import ToolCall, ToolResult
from brim.conversation.turns import begins_turn
from brim.pruning.clearing import PLACEHOLDER, apply_pruning, clear_in_place
from brim.pruning.ledger import DISABLED, MINIMUM, PROTECT, Ledger, Output, Pruning
from brim.settings import is_on
from brim.tokens.estimation import CHARACTERS_PER_TOKEN, tokens_of
from brim.tokens.sizes import MEASURES

__all__ = [
    "MINIMUM",
    "PLACEHOLDER",
    "PROTECT",
    "PROTECTED_TOOLS",
    "Ledger",
    "Output",
    "Pruning",
    "ToolOutputs",
    "apply_pruning",
    "clear_in_place",
    "output_tokens",
    "prune",
    "prune_now",
    "pruning_disabled",
]

PROTECTED_TOOLS: Final = frozenset({"skill"})
"""Tools whose outputs are neither pruned nor counted, unless other ones are set (PRN_06)."""
CLEARABLE: Final = frozenset({"tool_result", "mcp_tool_result"})
"""Kinds of results that may read as plain text; a provider's own tools answer in forms of their own."""
SWITCHES: Final = ("BRIM_DISABLE_PRUNE", "OPENCODE_DISABLE_PRUNE")
"""Either of these variables of the environment turns the clearing of old tool outputs off (PRN_08)."""


def output_tokens(result: ToolResult) -> int:
    """Tokens of an output, media included, as TOK_06 estimates them."""
    if result.text and not result.media:
        return -(-len(result.text) // CHARACTERS_PER_TOKEN)
    return tokens_of(MEASURES[ToolResult](result))


class ToolOutputs:
    """The tool outputs of a conversation that grows: appended to message by message, asked at any time."""

    __slots__ = ("_count", "_ledger", "_protected", "_spared", "_tokens_of")

    def __init__(
        self,
        *,
        protected_tools: Collection[str] = PROTECTED_TOOLS,
        tokens_of: Callable[[ToolResult], int] = output_tokens,
    ) -> None:
        """Begin with an empty conversation; `tokens_of` measures an output."""
        self._ledger = Ledger()
        self._spared: set[str] = set()
        self._count = 0
        self._protected = frozenset(protected_tools)
        self._tokens_of = tokens_of

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
            self._ledger.add(Output(index, place, call_id, self._tokens_of(result)))

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


def prune_now(*, turn_ended: bool, summary_due: bool) -> bool:
    """Whether pruning is tried: when a turn of the loop ended, and before a summary is asked for (PRN_10).

    In the middle of a turn it would break the cached prefix at every request.
    """
    return turn_ended or summary_due
