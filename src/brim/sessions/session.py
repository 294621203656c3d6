"""A session: what happened is appended to its log, and what the model sees is its view.

Specified by features/sessions/log.feature (SES_01), view.feature (SES_04), resume.feature (SES_06) and undo.feature.
The same over every kind of journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from brim.compaction.result import Compaction
from brim.conversation.messages import PLAIN, Marks, Message, read_message
from brim.errors import Refused, StoreFailed
from brim.pruning.ledger import Pruning
from brim.sessions.history import Clock, History
from brim.sessions.making import compaction_fields, pruning_fields, records_of
from brim.sessions.records.ids import new_id
from brim.sessions.records.infos import with_record
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
from brim.tokens.usage import TokenUsage

__all__ = ["Clock", "Session"]


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
        except (Refused, StoreFailed) as error:
            self._untold = (f"the registry was not told of {self.id}: {error}",)

    def append(self, message: Mapping[str, Any] | Message, marks: Marks = PLAIN) -> str:
        """Add a message as it came. Raises InvalidInput where it is none."""
        return self.extend([message], marks)[0]

    def extend(self, messages: Iterable[Mapping[str, Any] | Message], marks: Marks = PLAIN) -> list[str]:
        """Add messages together, in one write: once it returns all of them last.

        Where the process dies meanwhile, each whole record before the tear is kept.
        """
        values = [one if isinstance(one, Message) else read_message(one, marks) for one in messages]
        return self._add(*((MessageRecord, {"message": dict(one.raw), "marks": one.marks}) for one in values))

    def record(self, usage: TokenUsage, *, model: str = "") -> str:
        """Add the usage of the response that was added last."""
        return self._add((UsageRecord, {"usage": usage, "model": model}))[0]

    def compacting(self, *, automatic: bool = False, reason: str = "") -> str:
        """Note that a compaction begins; nothing changes until it is finished."""
        return self._add((CompactingRecord, {"automatic": automatic, "reason": reason}))[0]

    def compacted(self, compaction: Compaction, *, model: str = "", prompt: str = "") -> str | None:
        """Add a finished compaction of the conversation that this session's view shows; None where it did nothing."""
        plan, view = compaction.plan, self.view()
        if plan.summarises:
            fields = compaction_fields(compaction, view, now=self._clock(), model=model, prompt=prompt)
            return self.write(CompactionRecord, **fields)
        if plan.pruning.outputs:
            return self.write(PruningRecord, **pruning_fields(plan.pruning, records_of(plan, view)[0]))
        return None

    def failed(self, error: str) -> str:
        """Note that a compaction came to nothing; the conversation stays as it is."""
        return self._add((CompactionRecord, {"error": error}))[0]

    def pruned(self, pruning: Pruning) -> str | None:
        """Add a pruning of the view's messages; None where it cleared nothing."""
        if not pruning.outputs:
            return None
        return self.write(PruningRecord, **pruning_fields(pruning, self.view().ids))

    def rewind(self, to: str) -> str:
        """Go back to a record: what came after it is left behind, and stays in the log (CHK_09). Raises Refused."""
        if not any(record.id == to for record in read_records(self.journal.back(), [])):
            raise Refused(f"session {self.id} holds no record {to!r} to go back to")
        return self.write(RewindRecord, to=to)

    def undo(self) -> str:
        """Undo the newest compaction or pruning that stands (SES_11). Raises Refused where none does."""
        return self.write(UndoRecord, of=newest_change(self._resume().records))

    def redo(self) -> str:
        """Take back the last undo. Raises Refused where there is none."""
        return self.write(UndoRecord, of=newest_undo(self._resume().records))

    def rename(self, title: str) -> str:
        """Call the session something else."""
        return self.write(RenameRecord, title=title)

    def use_model(self, model: str) -> str:
        """Go on with another model."""
        return self.write(ModelRecord, model=model)

    def write(self, kind: type[Record], **fields: Any) -> str:
        """Add a record that changes what counts, or what the registry says; the acts above are made of it."""
        (name,) = self._add((kind, fields))
        self._standing = None
        self.publish()
        return name

    def _add(self, *records: tuple[type[Record], dict[str, Any]]) -> list[str]:
        with self._alone:
            made = list(self._made(records))
            self.journal.append(made)
            self._last = made[-1].id if made else self._last
            if self._info is not None:
                self._info = reduce(with_record, made, self._info)
            self._since += made
            return [record.id for record in made]

    def _made(self, records: Sequence[tuple[type[Record], dict[str, Any]]]) -> Iterator[Record]:
        now, last = self._clock(), self._last
        for kind, fields in records:
            last = new_id(now, after=last)
            yield kind(id=last, time=now, **fields)
