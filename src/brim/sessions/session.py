"""A session: what happened is appended to its log, and what the model sees is its view.

Specified by features/sessions/log.feature (SES_01), view.feature (SES_04), resume.feature (SES_06) and undo.feature.
The same over every kind of journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from brim.compaction.result import Compaction
from brim.conversation.messages import PLAIN, Marks, Message, read_message
from brim.errors import BrimError, Refused
from brim.pruning.tool_outputs import Pruning
from brim.sessions.forms import formed, marked, own_copy
from brim.sessions.history import History
from brim.sessions.making import compaction_fields, pruning_fields, require_shown
from brim.sessions.places import system_clock
from brim.sessions.records.ids import new_id
from brim.sessions.records.journal import read_records
from brim.sessions.records.kinds import (
    CompactingRecord,
    CompactionRecord,
    MessageRecord,
    ModelRecord,
    PruningRecord,
    Record,
    RenameRecord,
    RewindRecord,
    UndoRecord,
    UsageRecord,
)
from brim.sessions.undo import newest_change, newest_undo
from brim.sessions.viewing.matching import matched
from brim.tokens.usage import TokenUsage


class Session(History):
    """One session, to be written by whoever holds it, or read. Each act returns the id of its record once it lasts."""

    _untold: tuple[str, ...] = ()
    """Why the registry could not be told, the last time it could not."""

    @property
    def reports(self) -> tuple[str, ...]:
        """What was mended, what was set aside, and what the registry was not told, in sentences."""
        return (*super().reports, *self._untold)

    def publish(self) -> None:
        """Let the registry know what the session is now. Where it cannot, that is reported: the log has it all."""
        try:
            super().publish()
            self._untold = ()
        except BrimError as error:  # whatever it is: what was recorded lasts
            self._untold = (f"the registry was not told of {self.id}: {error}",)

    def append(self, message: Mapping[str, Any] | Message, marks: Marks = PLAIN) -> str:
        """Add a message as it came; what is done to the dictionary later changes nothing. Raises InvalidInput.

        Marks that are given stand in the place of those that a `Message` has of its own.
        """
        return self.extend([message], marks)[0]

    def extend(self, messages: Iterable[Mapping[str, Any] | Message], marks: Marks = PLAIN) -> list[str]:
        """Add messages together, in one write: once it returns all of them last.

        Where the process dies meanwhile, each whole record before the tear is kept.
        """
        values = [marked(one, marks) if isinstance(one, Message) else read_message(one, marks) for one in messages]
        with self._alone:
            now = system_clock()
            return self._keep([self._said(one, now) for one in values])

    def record(self, usage: TokenUsage, *, model: str = "") -> str:
        """Add the usage of the response that was added last."""
        return self._add(UsageRecord, usage=usage, model=model)

    def compacting(self, *, automatic: bool = False, reason: str = "") -> str:
        """Note that a compaction begins; nothing changes until it is finished."""
        return self._add(CompactingRecord, automatic=automatic, reason=reason)

    def compacted(self, compaction: Compaction, *, model: str = "", prompt: str = "") -> str | None:
        """Add a finished compaction of the conversation that this session's view shows; None where it did nothing.

        What was added to the session while the summary was written stands behind the compaction.
        What wrote the summary, and the version of the prompt, stand in the compaction; `model` and `prompt` are for a
        summary that a caller wrote.
        """
        plan = compaction.plan
        with self._alone:
            view = self.view()
            if plan.summarises:
                fields = compaction_fields(compaction, view, now=system_clock(), model=model, prompt=prompt)
                return self.write(CompactionRecord, **fields)
            if plan.pruning.outputs:
                return self.write(PruningRecord, **pruning_fields(plan.pruning, matched(plan.messages, view).ids))
        return None

    def failed(self, error: str) -> str:
        """Note that a compaction came to nothing; the conversation stays as it is."""
        return self._add(CompactionRecord, error=error)

    def pruned(self, pruning: Pruning) -> str | None:
        """Add a pruning of the view's messages; None where it cleared nothing. Raises Refused where they are others."""
        if not pruning.outputs:
            return None
        with self._alone:
            require_shown(pruning, view := self.view())
            return self.write(PruningRecord, **pruning_fields(pruning, view.ids))

    def rewind(self, to: str) -> str:
        """Go back to a record: what came after it is left behind, and stays in the log (CHK_09). Raises Refused."""
        if not any(record.id == to for record in read_records(self.journal.back(), [])):
            raise Refused(f"session {self.id} holds no record {to!r} to go back to")
        return self.write(RewindRecord, to=to)

    def undo(self) -> str:
        """Undo the newest compaction or pruning that stands (SES_11). Raises Refused where none does."""
        with self._alone:
            return self.write(UndoRecord, of=newest_change(self._resume().records))

    def redo(self) -> str:
        """Take back the last undo. Raises Refused where there is none."""
        with self._alone:
            return self.write(UndoRecord, of=newest_undo(self._resume().records))

    def rename(self, title: str) -> str:
        """Call the session something else."""
        return self.write(RenameRecord, title=title)

    def use_model(self, model: str) -> str:
        """Go on with another model."""
        return self.write(ModelRecord, model=model)

    def write(self, kind: type[Record], **fields: Any) -> str:
        """Add a record that changes what counts, or what the registry says; the acts above are made of it."""
        with self._alone:
            name = self._add(kind, **fields)
            self._standing = None
            self._since.clear()
        self.publish()
        return name

    def _add(self, kind: type[Record], **fields: Any) -> str:
        with self._alone:
            now = system_clock()
            return self._keep([formed(kind, id=self._next_id(now), time=now, **fields)])[0]

    def _said(self, one: Message, now: int) -> MessageRecord:
        name = self._next_id(now)
        return formed(MessageRecord, id=name, time=now, message=own_copy(one.raw), marks=one.marks)

    def _next_id(self, now: int) -> str:
        """An id above all others of the session; one that nothing comes of is missing, which is no harm."""
        self._last = new_id(now, after=self._last)
        return self._last

    def _keep(self, made: Sequence[Record]) -> list[str]:
        """Bring records to the disk; only then they count. Raises Refused where the session was closed."""
        if self._closed:
            raise Refused(f"session {self.id} was closed; open it again")
        self.journal.append(made)
        if self._standing is not None:
            self._since += made
        self._hear(made)
        return [record.id for record in made]
