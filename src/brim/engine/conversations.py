"""Conversations: recognise the conversation that a request continues, among those that go on at the same time.

Specified by features/engine/requests.feature (TRG_24).
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import takewhile
from typing import Any, Final

from brim.compaction.context_window import ContextWindow
from brim.compaction.result import Compaction
from brim.conversation.harness_text import is_refreshed_text
from brim.conversation.messages import Message, ToolCall, read_message, with_harness_tags, without_cache_marks
from brim.conversation.thinking import without_thinking
from brim.engine.progress import Progress
from brim.errors import InvalidInput
from brim.pruning.tool_outputs import Pruning
from brim.tokens.estimation import EMPTY_SIZE, measure, tokens_of
from brim.tokens.usage import TokenUsage, completed

DIGEST_BYTES: Final = 16


def plain(messages: Iterable[Any]) -> list[Any]:
    """The messages as plain dictionaries; blocks that a response of the SDK holds are written out.

    A message that is plain is the very one that came in. Raises InvalidInput where it is no list.
    """
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Iterable):
        raise InvalidInput(f"a conversation is a list of messages, not {type(messages).__name__}")
    return [_plain_message(message) for message in messages]


def _plain_message(message: Any) -> Any:
    message = _written(message)
    if not isinstance(message, Mapping):
        return message
    content = message.get("content")
    if not isinstance(content, (list, tuple)) or not any(hasattr(block, "model_dump") for block in content):
        return message
    return {**message, "content": [_written(block) for block in content]}


def _written(value: Any) -> Any:
    """A value of the SDK as it is sent; anything else as it is."""
    if not hasattr(value, "model_dump"):
        return value
    unsent = getattr(value, "__api_exclude__", None)
    return value.model_dump(mode="json", exclude_unset=True, exclude=unsent)


@dataclass(frozen=True, slots=True, eq=False)
class Prefix:
    """The messages that a conversation begins with; a later request is recognized_marks by them."""

    digests: list[bytes]
    """One digest for each message, of the content that does not change from request to request."""
    messages: list[Any]
    """Copies of the messages without cache marks. Comparing with a copy is faster than computing a digest."""

    def __len__(self) -> int:
        return len(self.digests)

    def first(self, count: int) -> Prefix:
        """The prefix of the first `count` messages."""
        return Prefix(self.digests[:count], self.messages[:count])

    def common(self, other: Prefix) -> int:
        """The number of messages that both prefixes begin with."""
        if self.digests == other.digests[: len(self.digests)]:
            return len(self.digests)
        pairs = zip(self.digests, other.digests, strict=False)
        return next((place for place, (one, two) in enumerate(pairs) if one != two), len(other.digests))

    def begins(self, messages: Sequence[Any]) -> bool:
        """Whether `messages` begin with the messages of this prefix and carry no cache mark in them."""
        return (
            bool(self.messages) and self.messages[:1] == [*messages[:1]] and self.messages == [*messages[: len(self)]]
        )

    def is_like(self, messages: Sequence[Any]) -> bool:
        """Whether `messages` have the first message of this prefix, or its last message at the same position."""
        first, last = [*messages[:1]], [*messages[len(self) - 1 : len(self)]]
        return self.messages[:1] == first or self.messages[-1:] == last

    def extended(self, messages: Sequence[Any]) -> Prefix:
        """This prefix followed by `messages`. Raises InvalidInput for a message that JSON cannot represent."""
        return Prefix(self.digests + digests_of(messages), self.messages + [_copy(message) for message in messages])


def prefix_of(messages: Sequence[Any], known: Prefix | None = None) -> Prefix:
    """The prefix of plain messages. Reuses the digests of messages that have not changed since `known`.

    Raises InvalidInput for a message that JSON cannot represent.
    """
    if known is None:
        return Prefix([], []).extended(messages)
    old = [*known.digests[: len(messages)]]
    copies = [*known.messages[: len(messages)]]
    if copies != messages[: len(copies)]:
        for place, message in enumerate(messages[: len(copies)]):
            if copies[place] != message and copies[place] != without_cache_marks(message):
                old[place], copies[place] = _digest(message), _copy(message)
    return Prefix(old, copies).extended(messages[len(copies) :])


def _copy(message: Any) -> Any:
    """A deep copy without cache marks; None for a message nested too deeply to copy."""
    try:
        return _copied(without_cache_marks(message))
    except RecursionError:
        return None


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _copied(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_copied, value))
    return [_copied(one) for one in value] if isinstance(value, list) else value


def digests_of(messages: Iterable[Any]) -> list[bytes]:
    """One digest for each plain message. Raises InvalidInput for a message that JSON cannot represent."""
    return [_digest(message) for message in messages]


def _digest(message: Any) -> bytes:
    try:
        written = json.dumps(_lasting(message), sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a message cannot be written as JSON ({error}); hand in plain messages") from error
    return blake2b(written.encode(), digest_size=DIGEST_BYTES).digest()


def _lasting(message: Any) -> Any:
    """The message without cache marks, reminders and environment texts, which agents change in each request."""
    message = without_cache_marks(message)
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str) and is_refreshed_text(content):
        return {**message, "content": []}
    if not isinstance(content, (list, tuple)):
        return message
    blocks = [block for block in content if not is_refreshed(block)]
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping) and block.keys() == {"type", "text"}]
    return {**message, "content": texts[0] if len(texts) == len(blocks) == 1 else blocks}


def is_refreshed(block: Any) -> bool:
    """Whether a block is a reminder or a state of the environment."""
    text = block.get("text") if isinstance(block, Mapping) and block.get("type") == "text" else None
    return isinstance(text, str) and is_refreshed_text(text)


@dataclass(frozen=True, slots=True)
class Reported:
    """The usage of a response whose message the caller has not appended yet."""

    usage: TokenUsage
    model: str = ""
    finished: bool = True
    """Whether the response gave a stop reason; a stream that was closed early did not (TOK_10)."""

    def measured(self, answer: Sequence[Message], window: ContextWindow) -> TokenUsage:
        """What it measures of the window; an answer that the caller did not append is not part of it."""
        if not answer:
            return self.usage.model_copy(update={"output": 0, "reasoning": 0})
        if self.finished:
            return self.usage
        size = sum((measure(message, window.length) for message in answer), EMPTY_SIZE)
        return completed(self.usage, tokens_of(size, window.characters_per_token), finished=False)


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
        self.opened.record(reported.measured(answer, self.opened), model=reported.model)
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
                held[place] = with_harness_tags(read_message(raw, message.marks), self.opened.policy.harness_tags)

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
    return [read_message(message, source=f"message {place}") for place, message in enumerate(messages[start:], start)]


def _origins(origins: Sequence[int | None], compaction: Compaction) -> list[int | None]:
    """For each message after a compaction the caller's that it was made of; what is kept stays in its order.

    A message that was changed (its thinking left out, its outputs cleared) is known by its role, its words and calls.
    """
    plan = compaction.plan
    kept = plan.kept_indices
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


FORGOTTEN: Final = 1_024
"""The number of forgotten conversations whose return is recognized_marks, by a digest of 16 bytes each."""


class Conversations:
    """The conversations that are followed, at most `most`; the least recently used one is forgotten first."""

    def __init__(self, most: int, new_lock: Callable[[], Any]) -> None:
        self._most, self._new_lock = most, new_lock
        self._followed: list[Followed] = []
        self._forgotten: dict[tuple[int, bytes], None] = {}
        """The compacted part of each forgotten conversation: its number of messages, and their digest."""
        self._warned = False
        self._lock = threading.Lock()

    def read(self, given: Sequence[Any]) -> tuple[list[Any], Prefix]:
        """The messages of a request as plain dictionaries, and their prefix. Unchanged messages are not read again.

        Raises InvalidInput for a value that is no list of messages, and for a message that JSON cannot represent.
        """
        read_before = [followed.claimed for followed in reversed(tuple(self._followed))]
        if isinstance(given, (list, tuple)):
            known = next((one for one in read_before if one.begins(given)), None)
            if known is not None:
                new = plain(given[len(known) :])
                return [*given[: len(known)], *new], known.extended(new)
        messages = plain(given)
        alike = (one for one in read_before if one.messages and one.is_like(messages))
        return messages, prefix_of(messages, max(alike, key=len, default=None))

    def find(self, asked: Prefix) -> Followed:
        """The conversation with the most messages in common with this request, or a new one."""
        with self._lock:
            best = max(self._followed, key=lambda followed: _shared(followed, asked), default=None)
            if best is None or _shared(best, asked) == (0, 0):
                self._warn_if_forgotten(asked)
                best = Followed(self._new_lock(), claimed=asked)
            self._move_to_the_end(best)
            return best

    def branch(self, followed: Followed, asked: Prefix) -> Followed:
        """Begin another conversation with what these messages have in common with a followed one."""
        return followed.branch(asked, self._new_lock())

    def begin(self, followed: Followed) -> None:
        """Add the conversation of a request that is being read; `keep` or `drop` decides afterwards."""
        with self._lock:
            self._move_to_the_end(followed)

    def keep(self, followed: Followed) -> None:
        """Keep the conversation, and forget the least recently used ones beyond `most`."""
        with self._lock:
            self._move_to_the_end(followed)
            while len(self._followed) > self._most:
                gone = self._followed.pop(0)
                if 0 < gone.covered <= len(gone.taken):
                    self._forgotten[gone.covered, _digest_of(gone.taken, gone.covered)] = None
            while len(self._forgotten) > FORGOTTEN:
                del self._forgotten[next(iter(self._forgotten))]

    def drop(self, followed: Followed) -> None:
        """Remove a conversation whose request could not be read."""
        with self._lock:
            self._followed = [other for other in self._followed if other is not followed]

    def _move_to_the_end(self, followed: Followed) -> None:
        self._followed = [*(other for other in self._followed if other is not followed), followed]

    def _warn_if_forgotten(self, asked: Prefix) -> None:
        counts = {count for count, _ in self._forgotten if count <= len(asked)}
        if not self._warned and any((count, _digest_of(asked, count)) in self._forgotten for count in counts):
            self._warned = True
            warnings.warn(
                f"brim keeps {self._most} conversations and had forgotten this one, so it is compacted again; "
                f"raise max_conversations={self._most}",
                stacklevel=7,
            )

    def __len__(self) -> int:
        return len(self._followed)


def _digest_of(prefix: Prefix, count: int) -> bytes:
    return blake2b(b"".join(prefix.digests[:count]), digest_size=DIGEST_BYTES).digest()


def _shared(followed: Followed, asked: Prefix) -> tuple[int, int]:
    """Messages in common that a request can go on from, and those that were replaced since."""
    shared = followed.claimed.common(asked)
    return (shared, shared) if shared >= followed.covered else (0, shared)
