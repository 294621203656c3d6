"""The view: what the model sees of a session, worked out from its records alone.

Specified by features/sessions/view.feature (SES_04).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import Message, sendable_form
from brim.conversation.tool_pairs import Repaired
from brim.models import NO_LIMIT, ModelLimits
from brim.sessions.records.kinds import CompactionRecord, PruningRecord, Record
from brim.sessions.viewing.changes import partings, standing_at_the_end, unbound_thinking_left_out
from brim.sessions.viewing.clearing import Change, clear
from brim.sessions.viewing.gathering import gather
from brim.sessions.viewing.pairing import Form, is_outdated, pair_forms
from brim.sessions.viewing.walking import Standing
from brim.summary.facts import Fact
from brim.tokens.usage import TokenUsage

NO_REPAIR: Final = Repaired((), ())


@dataclass(frozen=True, slots=True)
class Measured:
    """A usage that still measures the conversation as far as `after` messages of the view."""

    after: int
    """How many messages of the view it measures."""
    usage: TokenUsage
    """The usage."""
    model: str
    """The model that reported it."""


@dataclass(frozen=True, slots=True)
class View:
    """The conversation as the next request has it: its calls paired (CNV_04), and nothing the API refuses (CNV_09)."""

    messages: tuple[Message, ...]
    """The messages, in the order they are sent."""
    ids: tuple[str | None, ...]
    """For each message the record it comes from; None for what brim wrote: a summary, the answer to an open call."""
    opened: int = 0
    """How many of them the newest compaction put ahead of the tail."""
    usages: tuple[Measured, ...] = ()
    """The usages that still measure the conversation."""
    facts: tuple[Fact, ...] = ()
    """What must survive, known from the compaction that stands."""
    compaction: str | None = None
    """The record of the compaction that stands; None where the whole history is visible."""
    repaired: Repaired = NO_REPAIR
    """What the pairing did: calls answered, results moved or left out."""

    def window(
        self, limits: ModelLimits = NO_LIMIT, policy: CompactionPolicy | None = None, **settings: Any
    ) -> ContextWindow:
        """The running account of this conversation; `settings` are the other arguments of ContextWindow."""
        window = ContextWindow(limits, policy, facts=self.facts, **settings)
        told = {one.after: one for one in self.usages}
        for count, message in enumerate(self.messages, 1):
            window.append(message)
            if count in told:
                window.record(told[count].usage, model=told[count].model)
        return window


def view_of(standing: Standing) -> View:
    """The view that these records make."""
    now, made = standing_at_the_end(standing.records), standing.compaction
    gathered = gather(standing.records, made, now)
    entries, begins = clear(gathered.entries, _standing(standing.records, now))
    parting = partings(gathered.turns, begins)
    shown = [(n, one) for n, one in enumerate(unbound_thinking_left_out(entries, parting)) if one is not None]
    sendable = [Form(n, one.id, form) for n, one in shown if (form := sendable_form(one.message)) is not None]
    forms, paired, late = pair_forms(sendable)
    places = [None if source is None else forms[source].place for source in paired.sources]
    count = _counting(places)
    usages = (one for one in gathered.usages if one.after <= parting[one.basis])
    measured = (one for one in usages if not is_outdated(one.after - 1, late))
    return View(
        messages=paired.messages,
        ids=tuple(None if source is None else forms[source].id for source in paired.sources),
        opened=count(gathered.opened),
        usages=tuple(Measured(count(one.after), one.usage, one.model) for one in measured),
        facts=made.facts if made is not None else (),
        compaction=made.id if made is not None else None,
        repaired=paired,
    )


def _standing(records: Iterable[Record], now: Container[str]) -> Iterator[Change]:
    return (one for one in records if isinstance(one, PruningRecord | CompactionRecord) and one.id in now)


def _counting(places: Sequence[int | None]) -> Callable[[int], int]:
    """Tells how many messages of the repaired view come from what stood before a place; places ascend."""
    known = [(place, n) for n, place in enumerate(places, 1) if place is not None]
    ascending = [place for place, _ in known]

    def count(before: int) -> int:
        found = bisect_left(ascending, before)
        return known[found - 1][1] if found else 0

    return count
