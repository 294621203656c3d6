"""The rendered form: the history as quotations in one message, for a summarizer with a system prompt of its own.

Part of the summariser's input; specified by features/summary/summariser_input.feature (SUM_10, SUM_17).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from brim.conversation.cuts import is_legal_cut
from brim.conversation.messages import Message
from brim.summary.extraction import worth_summarising
from brim.summary.handover.instructions import CARRY_OVER, SYSTEM
from brim.summary.handover.quoting import EARLIER, Block, quote
from brim.summary.handover.rendering import blocks_of, label_calls
from brim.summary.handover.source import SummarySource
from brim.summary.summarizer import SummaryRequest
from brim.tokens.estimation import Size


class Unit(NamedTuple):
    """Messages that no cut may part, and their quotations."""

    places: tuple[int, ...]
    messages: tuple[Message, ...]
    """Those of them that are told of."""
    blocks: list[Block]

    @property
    def characters(self) -> int:
        """Characters of the quotations."""
        return characters_of(self.blocks)


def characters_of(blocks: Sequence[Block]) -> int:
    """Characters of the quotations."""
    return sum([block.characters for block in blocks])


class History(NamedTuple):
    """What is to be summarised, in units that may be parted from each other (CNV_05)."""

    units: tuple[Unit, ...]
    labels: Mapping[int, str]
    """The names of its calls, for quotations of any part of it."""

    @property
    def blocks(self) -> list[Block]:
        """All its quotations."""
        return [block for unit in self.units for block in unit.blocks]


def history_of(source: SummarySource, places: Sequence[int]) -> History:
    """What is told of the messages at these positions: nothing of errored answers (SUM_04).

    An earlier summary that is given by itself is not told a second time (SUM_09).
    """
    labels = label_calls(source.messages[place] for place in places)
    groups = [(group, _told(source, group)) for group in _groups(source.messages, places)]
    return History(tuple(Unit(group, told, blocks_of(told, labels)) for group, told in groups), labels)


def _groups(messages: Sequence[Message], places: Sequence[int]) -> Iterator[tuple[int, ...]]:
    group: list[int] = []
    for place in places:
        if group and (group[-1] + 1 < place or is_legal_cut(messages[place - 1], messages[place])):
            yield tuple(group)
            group = []
        group.append(place)
    yield tuple(group)


def _told(source: SummarySource, places: Sequence[int]) -> tuple[Message, ...]:
    worth = worth_summarising(source.messages[place] for place in places)
    return tuple(message for message in worth if not (source.earlier and message.marks.summary))


def rendered_text(source: SummarySource, blocks: Sequence[Block], *, earlier: str, note: str) -> str:
    """The one message: the earlier summary and the history as quotations, and behind them what to write."""
    before = [Block(EARLIER, earlier)] if earlier else []
    asked = (note, CARRY_OVER if earlier else "", source.prompt)
    return quote([*before, *blocks]) + "\n\n".join(part for part in asked if part)


def rendered_tokens(source: SummarySource, blocks: Sequence[Block], *, earlier: str, note: str = "") -> int:
    """The estimate of what a request with these quotations carries, without writing it."""
    return source.tokens(Size(frame(source, earlier=earlier, note=note) + characters_of(blocks)))


def frame(source: SummarySource, *, earlier: str, note: str) -> int:
    """Characters of a request beside the quotations of its history."""
    return len(SYSTEM) + len(rendered_text(source, (), earlier=earlier, note=note))


def rendered_request(
    source: SummarySource,
    blocks: Sequence[Block],
    replaced: Size,
    *,
    earlier: str,
    note: str = "",
    final: bool = True,
) -> SummaryRequest:
    """A request with these quotations, whose answer stands for messages of this size."""
    text = rendered_text(source, blocks, earlier=earlier, note=note)
    return SummaryRequest(
        model=source.writer,
        system=SYSTEM,
        messages=({"role": "user", "content": text},),
        max_tokens=source.max_tokens,
        form="rendered",
        tokens=source.tokens(Size(len(SYSTEM) + len(text))),
        replaces_tokens=source.tokens(replaced),
        final=final,
    )
