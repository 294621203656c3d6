"""A session: what happened is appended to its log, and what the model sees is its view.

Specified by features/sessions/log.feature (SES_01), view.feature (SES_04), resume.feature (SES_06) and undo.feature.
The same over every kind of journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from brim.compaction.result import Compaction
from brim.conversation.messages import PLAIN, Marks, Message, read_message
from brim.errors import InvalidInput, Refused
from brim.pruning.tool_outputs import Pruning
from brim.sessions.ids import is_own, new_id
from brim.sessions.lines import DamagedLine, Journal, read_records
from brim.sessions.paths import system_clock
from brim.sessions.records import (
    CheckpointRecord,
    CompactionRecord,
    MessageRecord,
    PruningRecord,
    Record,
    RenameRecord,
    RewindRecord,
    UndoRecord,
    UsageRecord,
    build_record,
    copy_message,
    with_marks,
)
from brim.sessions.registry import SessionInfo
from brim.sessions.summary_records import (
    compaction_fields,
    matched,
    pruning_fields,
    pruning_of_view,
    require_shown,
)
from brim.sessions.undo import newest_change, newest_undo, require_nothing_said
from brim.sessions.view import View, Visibility, replay_from_end, view_of
from brim.tokens.usage import TokenUsage

if TYPE_CHECKING:
    from brim.sessions.store import SessionStore


class UsageAfter(NamedTuple):
    """The usage of a response whose messages are the first of those that are added, so many of them."""

    messages: int
    usage: TokenUsage
    model: str = ""


class Session:
    """One session, opened to be written or to be read. An act returns the id of its record once that is on the disk."""

    def __init__(
        self,
        name: str,
        journal: Journal,
        store: SessionStore,
        *,
        is_writable: bool = False,
    ) -> None:
        """`store` is where it lies; `is_writable` whether the journal holds the right to add to it."""
        self.id, self.journal, self.store, self.is_writable = name, journal, store, is_writable
        self.damaged: list[DamagedLine] = []
        """Lines that were set aside, as far as was read."""
        self._active: Visibility | None = None
        self._last = ""
        self._closed = False
        self._lock = RLock()
        """One thread at a time."""
        if is_writable:
            self._resume()

    @property
    def info(self) -> SessionInfo:
        """Return what is known of it: title, project, model, parent, and when it was last active."""
        return self.store.info(self.id)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what was repaired and what was set aside, in sentences."""
        aside = (f"{self.id}: the line at {one.offset} was set aside: {one.reason}" for one in self.damaged)
        return (*self.journal.warnings(), *aside)

    def view(self) -> View:
        """Return what the model sees (SES_04), as it can be sent now."""
        with self._lock:
            return view_of(self._resume())

    def records(self) -> Iterator[Record]:
        """Every record of the log, the oldest first; damaged lines are set aside and listed in `damaged`."""
        self.damaged.clear()
        return read_records(self.journal.lines(), self.damaged)

    def close(self) -> None:
        """Release the session's file and lock."""
        with self._lock:
            self._closed = True
            self.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, message: Mapping[str, Any] | Message, marks: Marks = PLAIN) -> str:
        """Add a message as it came; what is done to the dictionary later changes nothing. Raises InvalidInput.

        Marks that are given replace those of a `Message`.
        """
        return self.extend([message], marks)[0]

    def extend(
        self,
        messages: Iterable[Mapping[str, Any] | Message],
        marks: Marks = PLAIN,
        *,
        usage_after: UsageAfter | None = None,
    ) -> list[str]:
        """Add messages together, in one write: once it returns all of them last. Returns the ids of their records.

        Where the process dies meanwhile, each whole record before the tear is kept. Raises InvalidInput where a
        message, or the usage, is not of its form, and then nothing is added.
        """
        values = [with_marks(one, marks) if isinstance(one, Message) else read_message(one, marks) for one in messages]
        if usage_after is not None and not 0 < usage_after.messages <= len(values):
            raise InvalidInput(
                f"usage_after names {usage_after.messages} of the messages that are added; these are {len(values)}: "
                "name how many of the first ones are the answer"
            )
        with self._lock:
            now = system_clock()
            made: list[Record] = []
            for count, one in enumerate(values, 1):
                raw = copy_message(one.raw)
                made.append(self._made(MessageRecord, now, message=raw, marks=one.marks))
                if usage_after is not None and count == usage_after.messages:
                    made.append(self._made(UsageRecord, now, usage=usage_after.usage, model=usage_after.model))
            self._append(made)
        return [record.id for record in made if isinstance(record, MessageRecord)]

    def record(self, usage: TokenUsage, *, model: str = "") -> str:
        """Add the usage of the response that was added last."""
        return self.note(UsageRecord, usage=usage, model=model)

    def compacted(
        self, compaction: Compaction, *, model: str = "", prompt: str = "", of_conversation: bool = False
    ) -> str | None:
        """Add a finished compaction of the conversation that this session's view shows; None where it did nothing.

        It is a compaction of the view's window; with `of_conversation` one of a Conversation whose messages were all
        appended here, too, and no others.

        What was added to the session while the summary was written follows the compaction.
        The compaction names what wrote the summary, and the version of the prompt; `model` and `prompt` are for a
        summary that a caller wrote.
        """
        with self._lock:
            view = self.view()
            plan = compaction.plan
            if not plan.changes_anything:
                return None
            known = matched(plan.context.messages, view, of_conversation=of_conversation)
            if plan.summarizes:
                fields = compaction_fields(compaction, view, known, now=system_clock(), model=model, prompt=prompt)
                return self.write(CompactionRecord, **fields)
            return self.write(PruningRecord, **pruning_fields(plan.pruning, known.ids))

    def failed(self, error: str) -> str:
        """Note that a compaction failed; the conversation stays as it is."""
        return self.note(CompactionRecord, error=error)

    def pruned(self, pruning: Pruning, *, of_messages: Sequence[Message] | None = None) -> str | None:
        """Add a pruning of the view's messages; None where it cleared nothing. Raises Refused where they are others.

        With `of_messages` it is one of a Conversation, which held these messages, and appended all of its own here.
        """
        if not pruning.outputs:
            return None
        with self._lock:
            view = self.view()
            pruning = pruning if of_messages is None else pruning_of_view(pruning, of_messages, view)
            require_shown(pruning, view)
            return self.write(PruningRecord, **pruning_fields(pruning, view.ids))

    @property
    def has_checkpoint(self) -> bool:
        """Return whether the user made a checkpoint since the newest message: its turn is an anchor (ANC_07)."""
        with self._lock:
            since = takewhile(lambda one: not isinstance(one, MessageRecord), reversed(self._resume().records))
            return any(isinstance(one, CheckpointRecord) and one.is_by_hand for one in since)

    def note(self, kind: type[Record], **fields: Any) -> str:
        """Add a record that changes nothing of what the model sees, such as a checkpoint."""
        with self._lock:
            made = self._made(kind, system_clock(), **fields)
            self._append([made])
            return made.id

    def rewind(self, to: str) -> str:
        """Go back to a record: what came after it is rewound, and stays in the log (CHK_09). Raises Refused."""
        if not any(record.id == to for record in read_records(self.journal.lines_reversed(), [])):
            raise Refused(f"session {self.id} holds no record {to!r} to go back to; name one by its id")
        return self.write(RewindRecord, to=to)

    def undo(self) -> str:
        """Undo the newest active compaction, pruning or rewind (SES_11). Raises Refused where there is none."""
        with self._lock:
            change = newest_change(self._resume())
            to = self._before(change) if isinstance(change, RewindRecord) else None
            return self.write(UndoRecord, of=change.id, to=to)

    def redo(self) -> str:
        """Take back the last undo. Raises Refused where there is none, or a rewind's that more was said after."""
        with self._lock:
            undo = newest_undo(active := self._resume())
            to = self._before(undo) if undo.to is not None else None
            if to is not None:
                require_nothing_said(active.records, undo, to)
            return self.write(UndoRecord, of=undo.id, to=to, redo=True)

    def _before(self, made: Record) -> str:
        """The record before another one."""
        return next(one.id for one in read_records(self.journal.lines_reversed(), []) if one.id < made.id)

    def rename(self, title: str) -> str:
        """Call the session something else."""
        return self.write(RenameRecord, title=title)

    def write(self, kind: type[Record], **fields: Any) -> str:
        """Add a record that changes what counts; the acts above are made of it."""
        with self._lock:
            name = self.note(kind, **fields)
            self._active = None
            return name

    def _made(self, kind: type[Record], now: int, **fields: Any) -> Record:
        """A record with an id above all others of the session."""
        self._last = new_id(now, after=self._last)
        return build_record(kind, id=self._last, time=now, **fields)

    def _append(self, made: Sequence[Record]) -> None:
        """Write records to the disk; only then they count. Raises Refused where the session was closed."""
        if self._closed:
            raise Refused(f"session {self.id} was closed; open it again")
        self.journal.append(made)
        if self._active is not None:
            self._active.records.extend(made)

    def _resume(self) -> Visibility:
        """The records that count: those known, or for a reader and after a change those that are read from the end."""
        if self._active is None or not self.is_writable:
            self.damaged.clear()
            self._active = replay_from_end(self._watched(read_records(self.journal.lines_reversed(), self.damaged)))
        return self._active

    def _watched(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            if record.id > self._last and is_own(record.id):
                self._last = record.id
            yield record
