"""Settled conversations: what a compaction made has nothing in it to compact until something is added (TRG_19)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from brim.compaction.result import Compaction
from brim.conversation.messages import Message
from brim.engine.loop.prefixes import Chain, chain_of, common
from brim.errors import InvalidInput
from brim.summary.facts import Fact

NOTHING_NEW: Final = "nothing new since the last compaction"
REMEMBERED: Final = 16
"""How many compactions are remembered, the newest: conversations that one compactor serves side by side."""


class Made(NamedTuple):
    """What a compaction made: the messages, each with all before it, its summary, and the facts that it knew."""

    chain: Chain
    summaries: frozenset[str]
    facts: tuple[Fact, ...]


class Settled:
    """The last compactions of a compactor, whose conversations may go on in several threads at once (SUM_09)."""

    def __init__(self) -> None:
        self._made: deque[Made] = deque(maxlen=REMEMBERED)

    def remember(self, compaction: Compaction) -> None:
        """A compaction that did something."""
        chain, summaries = _chain(compaction.messages), _summaries(compaction.conversation)
        if chain:
            self._made.append(Made(chain, summaries, compaction.plan.facts))

    def holds(self, messages: Sequence[Any]) -> bool:
        """Whether these are the messages that a compaction made, and nothing more."""
        alike = [made.chain for made in tuple(self._made) if len(made.chain) == len(messages)]
        return bool(alike) and _chain(messages) in alike

    def facts_behind(self, messages: Sequence[Message]) -> tuple[Fact, ...]:
        """The facts that were known when the conversation was compacted that these messages go on from.

        A model tells some of them in words of its own, in which no later compaction could find them again. What stands
        in place of a summary may read the same in two conversations: only the one that these begin with is theirs.
        """
        summaries = _summaries(messages)
        if not summaries:
            return ()
        alike = [made for made in reversed(tuple(self._made)) if summaries & made.summaries]
        longest = max((len(made.chain) for made in alike), default=0)
        chain = _chain([message.raw for message in messages[:longest]])
        return next((made.facts for made in alike if common(made.chain, chain) == len(made.chain)), ())


def _summaries(messages: Sequence[Message]) -> frozenset[str]:
    return frozenset(message.text for message in messages if message.marks.summary)


def _chain(messages: Sequence[Any]) -> Chain:
    """The digests of these messages; none where one of them cannot be written, so that it is known again by nothing."""
    try:
        return chain_of(messages)
    except InvalidInput:
        return []
