"""What is recorded of a session, and what is visible of it, read over any kind of journal.

Part of the session; specified by features/sessions/view.feature (SES_04) and resume.feature (SES_06).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from threading import RLock
from typing import Final, Self

from brim.sessions.records.ids import is_own
from brim.sessions.records.infos import SessionInfo, with_record
from brim.sessions.records.journal import Journal, read_records
from brim.sessions.records.kinds import ModelRecord, Record, RenameRecord
from brim.sessions.records.lines import Damaged
from brim.sessions.view import View, view_of
from brim.sessions.viewing.walking import Standing, walk_back

TELLING: Final = (RenameRecord, ModelRecord)
"""Records that tell the registry more than when they were made."""


class History:
    """What is recorded of one session, and what is visible of it."""

    def __init__(
        self,
        name: str,
        journal: Journal,
        describe: Callable[[], SessionInfo],
        told: Callable[[SessionInfo], None] | None = None,
    ) -> None:
        """`describe` tells what is known of it, when it is first asked for.

        `told` hears what the registry has to know, when that changed and at the end; None for a reader.
        """
        self.id, self.journal, self._describe, self._told = name, journal, describe, told
        self._info: SessionInfo | None = None
        self.damaged: list[Damaged] = []
        """Lines that were set aside, as far as was read."""
        self._standing: Standing | None = None
        self._since: list[Record] = []
        """What was added since the standing records were read."""
        self._unheard: list[Record] = []
        """Of what was added since it was last worked out what is known of the session, what tells something of it."""
        self._last = ""
        self._closed = False
        self._alone = RLock()
        """One thread at a time; whoever writes the registry has this first, and its file's lock after it."""
        if told is not None:
            self._resume()

    @property
    def info(self) -> SessionInfo:
        """What is known of it: title, project, model, parent, and when it was last active."""
        with self._alone:
            known = self._info if self._info is not None else self._describe()
            self._info = reduce(with_record, self._unheard, known)
            self._unheard.clear()
            return self._info

    @property
    def reports(self) -> tuple[str, ...]:
        """What was mended and what was set aside, in sentences."""
        aside = (f"{self.id}: the line at {one.place} was set aside: {one.reason}" for one in self.damaged)
        return (*self.journal.reports(), *aside)

    def view(self) -> View:
        """What the model sees (SES_04), as it can be sent now."""
        return view_of(self._resume())

    def records(self) -> Iterator[Record]:
        """Every record of the log, the oldest first; damaged lines are set aside and told in `damaged`."""
        self.damaged.clear()
        return read_records(self.journal.forth(), self.damaged)

    def publish(self) -> None:
        """Let the registry know what the session is now; nothing is added to it meanwhile."""
        with self._alone:
            if self._told is not None and not self._closed:
                self._told(self.info)

    def close(self) -> None:
        """Let go of the session; the registry hears when it was last active."""
        with self._alone:
            try:
                self.publish()
            finally:
                self._closed = True
                self.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _resume(self) -> Standing:
        """The records that count: those known, or for a reader and after a change those that are read from the end."""
        with self._alone:
            if self._standing is None or self._told is None:
                self.damaged.clear()
                self._standing = walk_back(self._watched(read_records(self.journal.back(), self.damaged)))
                self._since.clear()
            return Standing((*self._standing.records, *self._since), self._standing.compaction)

    def _hear(self, made: Iterable[Record]) -> None:
        """Remember for the registry what it is called, its model, and of all others the one that was made last."""
        for record in made:
            newest = self._unheard[-1] if self._unheard else record
            if newest is record or isinstance(record, TELLING) or isinstance(newest, TELLING):
                self._unheard.append(record)
            elif record.time >= newest.time:
                self._unheard[-1] = record

    def _watched(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            if record.id > self._last and is_own(record.id):
                self._last = record.id
            yield record
