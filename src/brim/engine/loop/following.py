"""Following: what a conversation that only grows on the caller's side has become on ours.

The caller's list begins with messages that a compaction has replaced; the window holds what is really sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from brim.compaction.context_window import ContextWindow
from brim.compaction.result import Compaction
from brim.conversation.messages import Message, ToolCall, read_message, without_cache_marks
from brim.conversation.thinking import without_thinking
from brim.engine.loop.prefixes import Prefix, is_refreshed
from brim.engine.loop.reported import Reported
from brim.engine.progress import Progress
from brim.pruning.tool_outputs import Pruning


@dataclass(slots=True, eq=False)
class Followed:
    """One conversation: as the caller has it, and as it is sent. Whoever changes it holds its lock."""

    lock: Any
    taken: Prefix = field(default_factory=lambda: Prefix([], []))
    """The caller's messages that were taken in."""
    claimed: Prefix = field(default_factory=lambda: Prefix([], []))
    """Those that it is known by: the same, or those of the request that is being taken in."""
    window: ContextWindow | None = None
    """What is really sent; None before the first request."""
    covered: int = 0
    """How many of the caller's messages the first `replacement` messages of the window stand for."""
    replacement: int = 0
    sources: list[int | None] = field(default_factory=list)
    """For each message of the window the caller's that it is, word for word; None for one of our own."""
    origins: list[int | None] = field(default_factory=list)
    """For each message of the window the caller's that it was made of, changed or not; None for one of our own."""
    unbound: int = 0
    """How many messages it begins with whose thinking may be bound to a history that is no more sent (CNV_06)."""
    was_read: bool = False
    """Whether brim has read a request of this conversation without an error."""
    reported: Reported | None = None
    progress: Progress = field(default_factory=Progress)

    def grows_to(self, asked: Prefix) -> bool:
        """Whether a request of these messages is this conversation, with nothing or more appended to it."""
        return self.taken.common(asked) == len(self.taken)

    def take_in(self, messages: Sequence[Any], asked: Prefix, pinned: Sequence[int] = ()) -> bool:
        """Append what the caller appended since, and pin what this request pins; whether a turn ended with it.

        A message that a summary has replaced stays replaced when it is pinned later. Raises InvalidInput for a message
        that cannot be read, and then nothing is appended.
        """
        new = _read(messages, len(self.taken))
        begun = max(len(self.opened.turns.starts), 1)
        if self.unbound:
            new = self._begin_unbound(new)
        elif new and self.reported is not None:
            new = self._take_response(new, self.reported)
            self.reported = None
        self._append(new)
        self._take_refreshed(messages, asked)
        self._pin(frozenset(pinned))
        self.taken = self.claimed = asked
        self.was_read = True
        return len(self.opened.turns.starts) > begun

    def _take_refreshed(self, messages: Sequence[Any], asked: Prefix) -> None:
        """Update the reminders and environment texts that the caller refreshed in messages of the window."""
        pairs = zip(self.taken.messages, asked.messages, strict=False)
        changed = {place for place, (old, new) in enumerate(pairs) if old is not new}
        for place, (source, origin) in enumerate(zip(self.sources, self.origins, strict=True) if changed else ()):
            if origin in changed:
                held = self.opened.messages[place]
                raw = messages[origin] if source is not None else _refreshed(held.raw, messages[origin])
                self.opened.replace(place, read_message(raw, held.marks))

    @property
    def opened(self) -> ContextWindow:
        """Its window."""
        assert self.window is not None  # noqa: S101 -- whoever enters a conversation opens it
        return self.window

    def _begin_unbound(self, new: Sequence[Message]) -> list[Message]:
        """Begin without the thinking of what was sent otherwise before; what comes behind it."""
        places = {id(message): place for place, message in enumerate(new)}
        for message in without_thinking(new[: self.unbound]):
            self.opened.append(message)
            self.sources.append(places.get(id(message)))
        self.origins = [*self.sources]
        self.covered, self.replacement = self.unbound, len(self.sources)
        self.unbound = 0
        return list(new[self.covered :])

    def _take_response(self, new: Sequence[Message], reported: Reported) -> list[Message]:
        """Append the response that was reported, in however many messages, and its usage; what came behind it."""
        answer = list(takewhile(_is_answer, new))
        self._append(answer)
        self.opened.record(reported.measured(answer, self.opened.characters_per_token), model=reported.model)
        return list(new[len(answer) :])

    def _append(self, new: Iterable[Message]) -> None:
        for message in new:
            self.opened.append(message)
            self.sources.append(self.covered + len(self.sources) - self.replacement)
            self.origins.append(self.sources[-1])

    def _pin(self, pinned: frozenset[int]) -> None:
        """Pin what the request pins, and release all else (CNV_08)."""
        window = self.opened
        if pinned or window.pins:
            window.pin([place for place, origin in enumerate(self.origins) if origin in pinned])

    def refresh(self, messages: Sequence[Any]) -> None:
        """Let the window hold what is sent now: the caller's messages with the cache marks that they have now."""
        held = self.opened.messages
        for place, (source, message) in enumerate(zip(self.sources, held, strict=True)):
            raw = without_cache_marks(message.raw) if source is None else messages[source]
            if raw is not message.raw:
                held[place] = read_message(raw, message.marks)

    def prune(self) -> Pruning:
        """Clear old tool outputs of what is sent (PRN_10)."""
        window = self.opened
        before = list(window.messages)
        pruning = window.prune()
        if pruning.outputs:
            pairs = zip(self.sources, before, window.messages, strict=True)
            self.sources = [source if new is old else None for source, old, new in pairs]
        return pruning

    def replace(self, compaction: Compaction) -> None:
        """Let a compaction stand for all that was taken in (CMP_05)."""
        window = self.opened
        if compaction.plan.acts:
            places = {id(old.raw): source for source, old in zip(self.sources, window.messages, strict=True)}
            self.sources = [places.get(id(message.raw)) for message in compaction.conversation]
            self.origins = _origins(self.origins, compaction)
            self.window = window.with_messages(compaction.conversation, facts=compaction.plan.facts)
            self.covered, self.replacement = len(self.taken), len(compaction.conversation)
        self.progress = self.progress.compacted(self.opened.verdict(), len(self.taken))

    def outgoing(self, messages: Sequence[Any], given: Sequence[Any]) -> Sequence[Any]:
        """What is sent for these messages: the caller's own where nothing was replaced.

        What is kept goes as the caller has it now; marks for the cache that stood in what was changed are gone.
        """
        if not self.covered and None not in self.sources:
            return given
        pairs = zip(self.sources, self.opened.messages, strict=True)
        return [without_cache_marks(ours.raw) if source is None else messages[source] for source, ours in pairs]

    def branch(self, asked: Prefix, lock: Any) -> Followed:
        """Another conversation that has its beginning in common with this one, as far as that is not replaced."""
        shared = self.taken.common(asked)
        if self.window is None or shared == 0:
            return Followed(lock, claimed=asked)
        if shared < self.covered:
            return Followed(lock, claimed=asked, unbound=shared)
        kept = self.replacement + shared - self.covered
        return Followed(
            lock,
            taken=asked.first(shared),
            claimed=asked,
            window=self.window.with_messages(self.window.messages[:kept], facts=self.window.facts),
            covered=self.covered,
            replacement=self.replacement,
            sources=self.sources[:kept],
            origins=self.origins[:kept],
            progress=self.progress,
        )


def _read(messages: Sequence[Any], start: int) -> list[Message]:
    return [read_message(message, place=f"message {place}") for place, message in enumerate(messages[start:], start)]


def _origins(origins: Sequence[int | None], compaction: Compaction) -> list[int | None]:
    """For each message after a compaction the caller's that it was made of; what is kept stays in its order.

    A message that was changed (its thinking left out, its outputs cleared) is known by its role, its words and calls.
    """
    plan = compaction.plan
    kept = sorted({*plan.front, *plan.request, *range(plan.cut, len(plan.messages))})
    left = [(plan.sources[place], _known_by(plan.messages[place])) for place in kept]
    found: list[int | None] = []
    start = 0
    for message in compaction.conversation:
        known = _known_by(message)
        match = next((place for place in range(start, len(left)) if left[place][1] == known), None)
        source = None if match is None else left[match][0]
        found.append(None if source is None else origins[source])
        start = start if match is None else match + 1
    return found


def _known_by(message: Message) -> tuple[str, str, tuple[str, ...]]:
    return message.role, message.text, tuple(part.id for part in message.parts if isinstance(part, ToolCall))


def _refreshed(raw: Any, newer: Any) -> Any:
    """A message that brim has changed, with the reminders of the caller's newer message."""
    ours, theirs = raw.get("content"), newer.get("content")
    if not isinstance(ours, (list, tuple)):
        return raw
    reminders = [block for block in theirs if is_refreshed(block)] if isinstance(theirs, (list, tuple)) else []
    return {**raw, "content": [*(block for block in ours if not is_refreshed(block)), *reminders]}


def _is_answer(message: Message) -> bool:
    return message.role == "assistant"
