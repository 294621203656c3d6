"""Store: compactions that outlive the proxy, so that no summary is written and paid twice.

Specified by features/serve/store.feature (SRV_04, SRV_05). What is kept is what brim wrote: the summary, with the
user's words that it carries, and what the next compaction has to know. Of the caller's messages there is their number,
a digest, and which of their outputs and thinking are left out.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Self, cast

from pydantic import BaseModel, ConfigDict

from brim.compaction.context_window import ContextWindow, Request
from brim.compaction.result import Compaction
from brim.conversation.formats import Format
from brim.conversation.messages import Marks, Message, read_message, without_cache_marks
from brim.conversation.tool_pairs import results_of
from brim.conversation.turns import without_ephemeral
from brim.engine.compactor import Compactor
from brim.engine.conversation import Outgoing, changed_as, stays_whole
from brim.engine.driving import Steps
from brim.engine.middleware import Conversations, Match, TrackedConversation
from brim.errors import BrimError, described
from brim.models import NO_LIMIT
from brim.pruning.tool_outputs import is_cleared
from brim.serve.spending import Last, Spending
from brim.sessions.files import make_folder, translate_os_errors, write_whole
from brim.summary.facts import Fact
from brim.summary.identifiers import Identifiers

MAX_AGE: Final = 30 * 24 * 3_600
"""Seconds after which a compaction is forgotten."""
MAX_KEPT: Final = 256
"""Compactions that are kept at most; the oldest is forgotten first."""
CURE: Final = "give yourself permission and room there, or let BRIM_HOME name another folder"


class StoredMessage(BaseModel):
    """A message that is sent after a compaction: one of brim's as it is, one of the caller's by its index."""

    raw: dict[str, Any] | None
    index: int | None
    marks: Marks
    stays: bool = False
    """Whether a caller's message has its thinking or its results (see stays_whole)."""
    cleared: tuple[int, ...] = ()
    """Which of its tool results are cleared, counted from 0."""


class StoredCompaction(BaseModel):
    """What is sent for the caller's first messages after a compaction, without those (SRV_04)."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    count: int
    """How many of the caller's messages it is for."""
    digest: str
    """That of those messages."""
    messages: list[StoredMessage]
    """What is sent for them."""
    summarized_until: int
    """Index of the first message after those that it summarized."""
    strip_thinking_until: int
    """Index up to which the thinking of the caller's messages is bound to what is not sent any more."""
    facts: tuple[Fact, ...]
    identifiers: Identifiers
    removed: int = 0
    """Tokens of those messages that are not sent."""


class CompactionStore:
    """A folder of files, each a compaction, named by its owner: only the user can read them.

    Args:
        folder: where they are; None to keep nothing.
        tell: is told, in a line, what cannot be kept or read; the proxy goes on without.
    """

    def __init__(self, folder: Path | None, tell: Callable[[str], object]) -> None:
        self._folder, self._tell = folder, tell
        self.key = secrets.token_bytes(32)
        """The key of this installation, by which owners are told apart; of this process, where none can be kept."""
        if folder is None:
            return
        try:
            with translate_os_errors(str(folder), CURE):
                make_folder(folder)
                if not (key := folder / "key").exists():
                    write_whole(key, self.key)
                self.key = key.read_bytes() or self.key
                self._forget()
        except BrimError as error:
            self.fail("nothing is kept for the next start", error)

    def save(self, owner: str, stored: StoredCompaction) -> None:
        """Keep a compaction. Raises what keeps the file from being written."""
        if self._folder is not None:
            with translate_os_errors(str(self._folder), CURE):
                write_whole(self._folder / f"{owner}-{stored.digest}.json", stored.model_dump_json().encode())
                self._forget()

    def load(self, owner: str) -> Iterator[StoredCompaction]:
        """Yield the compactions of an owner, the oldest first; one that cannot be read is left out."""
        for _, path in self._files(f"{owner}-*.json"):
            try:
                yield StoredCompaction.model_validate_json(path.read_bytes())
            except (OSError, ValueError) as error:
                self.fail(f"the compaction in {path} cannot be read", error)

    def _forget(self) -> None:
        """Remove what is older than its limit, and the oldest beyond the most."""
        for count, (written, path) in enumerate(reversed(self._files("*.json")), 1):
            if count > MAX_KEPT or time.time() - written > MAX_AGE:
                path.unlink(missing_ok=True)

    def _files(self, pattern: str) -> list[tuple[float, Path]]:
        """Return the files with the times at which they were written, the oldest first."""
        found = list[tuple[float, Path]]()
        for path in self._folder.glob(pattern) if self._folder else ():
            with suppress(OSError):  # another proxy has removed it
                found.append((path.stat().st_mtime, path))
        return sorted(found)

    def fail(self, what: str, error: Exception) -> None:
        """Tell what cannot be kept or read."""
        self._tell(f"{what}: {str(error) if isinstance(error, BrimError) else described(error)[:300]}")


class StoredConversation(TrackedConversation):
    """A conversation whose compactions are kept elsewhere."""

    is_due_to_be_stored = False
    """Whether what is sent was changed since it was stored."""
    is_restored, has_waited = False, False
    """Whether it goes on from a stored compaction, and whether a due one has waited, of which it was told."""
    compactions, removed = 0, 0
    """How many were made in this process, and the tokens of the caller's messages that are not sent."""
    spending = Spending()
    last: Last | None = None
    """What its requests came to in this process, and what is known of the last one."""

    def holding(self, request: Request, originals: Sequence[Any]) -> Outgoing:
        """Return what is sent by the compactions so far; none of what may fail in a new one is tried."""
        self.window = self.window or self.compactor.open_window(NO_LIMIT, request.model)
        self._take_in(request)
        self._close_loop()
        self._current.set_request(request)
        return Outgoing(self._sent(originals), self._current, self._current.verdict(), None, len(self.messages))

    def _keep(self, compaction: Compaction, left: ContextWindow) -> None:
        super()._keep(compaction, left)
        self.is_due_to_be_stored = True
        self.compactions += 1
        self.removed += compaction.saved

    def _prune(self) -> None:
        before = self._current.estimated
        super()._prune()
        if saved := before - self._current.estimated:
            self.is_due_to_be_stored = True
            self.removed += saved

    def stored(self) -> StoredCompaction:
        """Return what is sent for all messages, to be kept."""
        messages, count, window = self.messages, len(self.messages), self._current
        return StoredCompaction(
            count=count,
            digest=next(digest for _, digest in _digests(messages, {count})),
            messages=[
                StoredMessage(
                    raw=one.raw if one.key is None else None,
                    index=one.key,
                    marks=one.marks,
                    stays=stays_whole(one),
                    cleared=tuple(n for n, result in enumerate(results_of(one)) if is_cleared(result)),
                )
                for one in window.messages
            ],
            summarized_until=self.summarized_until,
            strip_thinking_until=self._strip_thinking_until,
            facts=tuple(window.facts),
            identifiers=window.identifiers,
            removed=self.removed,
        )

    def restored(self, stored: StoredCompaction) -> Self:
        """Go on from what was kept; the messages that it is for were appended, and none else."""
        self._strip_thinking_until, self.summarized_until = stored.strip_thinking_until, stored.summarized_until
        self.removed = stored.removed
        callers = {one.key: one for one in self._new}
        messages = [
            read_message(one.raw, one.marks) if one.raw is not None else _restored(callers[one.index], one)
            for one in stored.messages
        ]
        self._note_changes(self._new, messages)
        self._altered, self._new, self.is_restored = True, [], True
        empty = self.compactor.open_window(NO_LIMIT, "")
        self.window = empty.with_messages(messages, facts=stored.facts, identifiers=stored.identifiers)
        return self


class StoredConversations(Conversations):
    """The conversations of an owner in one format, which go on from the last compaction that the store has of them.

    Args:
        compactor: judges, plans and compacts.
        form: the format of their messages.
        owner: the name under which the store keeps their compactions.
        store: what keeps them.
    """

    def __init__(self, compactor: Compactor[Any], form: Format, owner: str, store: CompactionStore) -> None:
        super().__init__(compactor)
        self._form, self._owner, self._store = form, owner, store
        self._stored = {(one.count, one.digest): one for one in store.load(self._owner)}

    def figures(self) -> Iterator[dict[str, Any]]:
        """Yield the figures of each conversation: tokens of its window, compactions, no text."""
        for state in cast("list[StoredConversation]", self._states):
            if (window := state.window) is not None:
                verdict = window.verdict()
                yield {
                    "model": window.request.model[:100].encode(errors="replace").decode(),
                    "messages": len(state.messages),
                    "held": verdict.held,
                    "threshold": verdict.threshold,
                    "window": window.limits.context_window,
                    "compactions": state.compactions,
                    "removed": state.removed,
                    **state.spending.figures(),
                }

    def begin(self, _request: Request) -> StoredConversation:
        """Begin the conversation of a request that continues none."""
        return StoredConversation(self._compactor, form=self._form)

    def looking(self, request: Request) -> Steps[tuple[StoredConversation, Outgoing]]:
        """Return what is sent for a request by the compactions so far, and its conversation, which is not kept.

        Where the conversations that go on cannot be compared with it, the newest stored compaction of it holds.
        """
        messages = request.messages
        try:
            with self._lock:
                match = self._nearest(messages)
        except Exception as error:  # noqa: BLE001 -- see above
            self._store.fail("what goes on cannot be compared with a request", error)
            match = self._nearest_stored(messages)
        state: Any = self.begin(request)
        if match is not None:
            with (yield from match.state.lock.acquire()):
                state = match.state.branch(match.shared)
        state.extend(map(without_cache_marks, messages[len(state.messages) :]))
        return state, state.holding(request, messages)

    def _nearest(self, messages: Sequence[Any]) -> Match | None:
        """Find the conversation with the most messages in common with these, also among those that are stored."""
        match = super()._nearest(messages)
        if match is not None and match.continues:
            return match
        found = [one for one in (match, self._nearest_stored(messages)) if one is not None]
        return max(found, key=lambda one: one.usable, default=None)

    def _nearest_stored(self, messages: Sequence[Any]) -> Match | None:
        """Restore the newest compaction that is kept of these messages; None where there is none."""
        counts = {count for count, _ in self._stored if count <= len(messages)}
        for key in [key for key in _digests(messages, counts) if key in self._stored][::-1]:
            state = StoredConversation(self._compactor, form=self._form)
            try:
                state.extend(map(without_cache_marks, messages[: key[0]]))
                return Match(state.restored(self._stored[key]), state.revision, key[0])
            except Exception as error:  # noqa: BLE001 -- what cannot be restored is lost
                del self._stored[key]
                self._store.fail("a compaction that was kept cannot be restored", error)
        return None

    def _leave(self, state: Any) -> None:
        try:
            if state.is_due_to_be_stored and state.window is not None:
                state.is_due_to_be_stored, stored = False, state.stored()
                self._stored[stored.count, stored.digest] = stored
                while len(self._stored) > MAX_KEPT:
                    del self._stored[next(iter(self._stored))]
                self._store.save(self._owner, stored)
        except Exception as error:  # noqa: BLE001 -- the compaction itself holds, and the next request goes on
            self._store.fail("a compaction is not kept for the next start", error)
        super()._leave(state)


def _restored(message: Message, stored: StoredMessage) -> Message:
    """Return a caller's message in the form that was sent."""
    results = results_of(message)
    cleared_ids = {results[n].call_id for n in stored.cleared}
    return replace(changed_as(message, cleared_ids, stays=stored.stays), marks=stored.marks)


def _digests(messages: Sequence[Any], counts: set[int]) -> Iterator[tuple[int, str]]:
    """Yield each of these counts with the digest of so many first messages, in rising order."""
    digest = blake2b(digest_size=16)
    for count, message in enumerate(messages[: max(counts, default=0)], 1):
        digest.update(json.dumps(without_ephemeral(message), sort_keys=True).encode())
        if count in counts:
            yield count, digest.hexdigest()
