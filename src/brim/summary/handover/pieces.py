"""Pieces: a history that does not fit is summarised part by part, the oldest first, each with the summary so far.

Part of the summariser's input; specified by features/summary/summariser_input.feature (SUM_10).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from brim.conversation.messages import Message
from brim.summary.handover.instructions import FIRST_PART, LAST_PART
from brim.summary.handover.quoting import Block
from brim.summary.handover.rendered_form import History, Unit, characters_of, frame, rendered_request, rendered_tokens
from brim.summary.handover.rendering import OUTPUT_CHARACTERS, Limits, blocks_of
from brim.summary.handover.source import SummarySource
from brim.summary.summarizer import SummaryRequest
from brim.tokens.estimation import NOTHING


def can_be_parted(source: SummarySource, history: History) -> bool:
    """Whether there are pieces that fit, whatever the summaries on the way say, and parting makes them smaller."""
    room = _room(source, history, "x" * _earlier_max(source))
    parted = len(history.units) > 1 or not _fits(source, history)
    return parted and room > 0 and all(_least(unit, history) <= room for unit in history.units)


def _least(unit: Unit, history: History) -> int:
    return min(unit.characters, characters_of(_at_most(unit.messages, history, 0)))


def _fits(source: SummarySource, history: History) -> bool:
    return not source.lack(rendered_tokens(source, history.blocks, earlier=source.earlier))


def _earlier_max(source: SummarySource) -> int:
    """Characters that are set aside for the summary so far: the longest answer, or what there is to begin with."""
    return max(source.characters(source.max_tokens), len(source.earlier))


def _room(source: SummarySource, history: History, earlier: str) -> int:
    """Characters of quotations that a piece has room for.

    Where the whole seems to fit, and is in pieces because the provider thought otherwise, it is half of the whole.
    """
    half = -(-characters_of(history.blocks) // 2)
    if source.context_window == 0:
        return half
    characters = source.characters(source.context_window - source.max_tokens)
    room = characters - frame(source, earlier=earlier, note=FIRST_PART)
    return min(room, half) if _fits(source, history) else room


def in_pieces(source: SummarySource, history: History) -> Generator[SummaryRequest, str, str]:
    """Ask for one piece after the other; the answer to the last stands for the whole."""
    earlier, start, units, replaced = source.earlier, 0, history.units, NOTHING
    while start < len(units):
        earlier = earlier if source.context_window == 0 else earlier[: _earlier_max(source)]
        stop, blocks = _piece(history, start, _room(source, history, earlier))
        final = stop == len(units)
        note = LAST_PART if final else FIRST_PART
        replaced = sum((source.size_of(unit.places) for unit in units[start:stop]), replaced)
        earlier = yield rendered_request(source, blocks, replaced, earlier=earlier, note=note, final=final)
        start = stop
    return earlier


def _piece(history: History, start: int, room: int) -> tuple[int, list[Block]]:
    """Where the piece that begins at this unit ends, and its quotations: as many units as there is room for."""
    units, stop = history.units, start
    while stop < len(units) and units[stop].characters <= room:
        room -= units[stop].characters
        stop += 1
    if stop == start:
        return start + 1, _shortened(units[start].messages, history, room)
    return stop, [block for unit in units[start:stop] for block in unit.blocks]


def _shortened(messages: Sequence[Message], history: History, room: int) -> list[Block]:
    """The quotations of what is too long by itself, each text of it cut so far that they fit."""
    shown, fitting, too_long = _at_most(messages, history, 0), 0, room + 1
    while too_long - fitting > 1:
        limit = (fitting + too_long) // 2
        blocks = _at_most(messages, history, limit)
        if characters_of(blocks) <= room:
            shown, fitting = blocks, limit
        else:
            too_long = limit
    return shown


def _at_most(messages: Sequence[Message], history: History, limit: int) -> list[Block]:
    return blocks_of(messages, history.labels, Limits(min(limit, OUTPUT_CHARACTERS), limit))
