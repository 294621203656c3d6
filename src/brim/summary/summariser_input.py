"""The summariser's input: what is sent to the model that writes a summary, and in which form it fits.

Specified by features/summary/summariser_input.feature (SUM_10, SUM_15 to SUM_17).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from brim.conversation.turns import turn_starts
from brim.summary.handover.instructions import left_out
from brim.summary.handover.pieces import can_be_parted, in_pieces
from brim.summary.handover.rendered_form import History, history_of, rendered_request, rendered_tokens
from brim.summary.handover.source import SummarySource
from brim.summary.handover.warm_prefix import prefix_tokens, warm_request
from brim.summary.summarizer import Form, SummaryRequest

__all__ = ["Rung", "SummarySource", "first_rung", "ladder"]

Requests: TypeAlias = Generator[SummaryRequest, str, str]
"""Yields one request after the other, is sent the summary that each was answered with, returns that of the whole."""
WARM: Final = "warm prefix"
RENDERED: Final = "rendered"
PIECES: Final = "in pieces"
LAST_TURNS: Final = "last five turns"
TURNS: Final = 5


@dataclass(frozen=True, slots=True)
class Rung:
    """One way to ask for a summary, and why it is this one."""

    name: str
    why: str
    requests: Callable[[], Requests]

    @property
    def form(self) -> Form:
        """Whether its requests carry the conversation's own prefix (SUM_16)."""
        return "warm" if self.name == WARM else "rendered"


def ladder(source: SummarySource) -> tuple[Rung, ...]:
    """The ways to ask for this summary that fit, the best first; each is for when those before it were too long.

    None where nothing is to be summarised or nothing fits: then no model is asked.
    """
    return tuple(_rungs(source))


def first_rung(source: SummarySource) -> Rung | None:
    """The way that is tried first; None where no model is asked."""
    return next(_rungs(source), None)


def _rungs(source: SummarySource) -> Iterator[Rung]:
    if not source.places:
        return
    why = "another model writes the summary"
    if source.writer == source.model and source.hindrance:
        why = source.hindrance
    elif source.writer == source.model:
        request = warm_request(source)
        why = source.lack(request.tokens)
        if not why:
            yield Rung(WARM, f"warm: {_CACHED.format(prefix_tokens(source))}", partial(_once, request))
            why = "in case the warm prefix is not taken"
    history = history_of(source, source.places)
    if history.blocks:
        yield from _rendered(source, history, why)


_CACHED: Final = "the prefix of {:,} tokens can be read from the cache"


def _rendered(source: SummarySource, history: History, why: str) -> Iterator[Rung]:
    lack = source.lack(rendered_tokens(source, history.blocks, earlier=source.earlier))
    if not lack:
        yield Rung(RENDERED, f"{RENDERED}: {why}", partial(_whole, source, history))
    if can_be_parted(source, history):
        why = f"{lack}, rendered" if lack else "in case the whole turns out too long"
        yield Rung(PIECES, f"{PIECES}: {why}", partial(in_pieces, source, history))
    yield from _last_turns(source)


def _once(request: SummaryRequest) -> Requests:
    return (yield request)


def _whole(source: SummarySource, history: History) -> Requests:
    return (yield rendered_request(source, history.blocks, source.size_of(source.places), earlier=source.earlier))


def _last_turns(source: SummarySource) -> Iterator[Rung]:
    """The last five turns alone, where there are more and these fit."""
    starts = turn_starts(source.messages)
    turn_of = {place: bisect_right(starts, place) for place in source.places}
    turns = sorted({turn for turn in turn_of.values() if turn})
    last = [place for place in source.places if turn_of[place] in turns[-TURNS:]]
    if not last or len(turns) <= TURNS:
        return
    note = left_out(len(turns) - TURNS)
    history = history_of(source, last)
    if history.blocks and not source.lack(rendered_tokens(source, history.blocks, earlier=source.earlier, note=note)):
        why = f"in case nothing longer is taken; turns left out: {len(turns) - TURNS:,}"
        yield Rung(LAST_TURNS, f"{LAST_TURNS}: {why}", partial(_ending, source, history, note))


def _ending(source: SummarySource, history: History, note: str) -> Requests:
    """What is left out is told to the reader too, whatever the model says of it."""
    replaced = source.size_of(source.places)
    summary = yield rendered_request(source, history.blocks, replaced, earlier=source.earlier, note=note)
    return f"{note}\n\n{summary}"
