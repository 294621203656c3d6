"""Settled conversations: what a compaction made has nothing in it to compact until something is added (TRG_19)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from brim.compaction.result import Compaction
from brim.conversation.messages import SUMMARY_OPENING, Message
from brim.engine.loop.prefixes import digests_of
from brim.errors import InvalidInput
from brim.summary.facts import Fact

NOTHING_NEW: Final = "nothing new since the last compaction"
REMEMBERED: Final = 16
"""How many compactions are remembered, the newest: conversations that one compactor serves side by side."""


class Made(NamedTuple):
    """What a compaction made: the digests of its messages, its summaries, and the facts that it knew."""

    digests: list[bytes]
    summaries: Mapping[int, str]
    """The texts of its summaries, by their places."""
    facts: tuple[Fact, ...]


class Settled:
    """The last compactions of a compactor, whose conversations may go on in several threads at once (SUM_09)."""

    def __init__(self) -> None:
        self._made: deque[Made] = deque(maxlen=REMEMBERED)

    def remember(self, compaction: Compaction) -> None:
        """A compaction that did something."""
        digests, summaries = _digests(compaction.messages), _summaries(compaction.conversation, marked=True)
        if digests:
            self._made.append(Made(digests, summaries, compaction.plan.facts))

    def holds(self, messages: Sequence[Any]) -> bool:
        """Whether these are the messages that a compaction made, and nothing more."""
        alike = [made.digests for made in tuple(self._made) if len(made.digests) == len(messages)]
        return bool(alike) and _digests(messages) in alike

    def remembered(self, messages: Sequence[Message]) -> tuple[Sequence[Message], tuple[Fact, ...]]:
        """These messages, summaries marked, and the facts that were known at the compaction that they go on from.

        A model tells some facts in words of its own, in which no later compaction could find them again. What stands
        in place of a summary may read the same in two conversations: only the one that these begin with is theirs.
        """
        texts = set(_summaries(messages).values())
        alike = [made for made in reversed(tuple(self._made)) if not texts.isdisjoint(made.summaries.values())]
        if not alike:
            return messages, ()
        digests = _digests([message.raw for message in messages[: max(len(made.digests) for made in alike)]])
        for made in alike:
            if made.digests == digests[: len(made.digests)]:
                return [_marked(one) if n in made.summaries else one for n, one in enumerate(messages)], made.facts
        return messages, ()


def _marked(message: Message) -> Message:
    return replace(message, marks=replace(message.marks, synthetic=True, summary=True))


def _summaries(messages: Sequence[Message], *, marked: bool = False) -> dict[int, str]:
    """The texts of the messages that are summaries, or are at least in the form of one."""
    return {
        place: message.text
        for place, message in enumerate(messages)
        if message.marks.summary or (not marked and message.text.startswith(SUMMARY_OPENING))
    }


def _digests(messages: Sequence[Any]) -> list[bytes]:
    """The digests of these messages; none where one of them cannot be written, so that it is known again by nothing."""
    try:
        return digests_of(messages)
    except InvalidInput:
        return []
