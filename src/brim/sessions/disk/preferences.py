"""Preferences: a log of their own, so that they too are found again when the registry is lost (SES_02)."""

from __future__ import annotations

from pathlib import Path

from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.forms import formed
from brim.sessions.log import FileLog, create_log
from brim.sessions.places import system_clock
from brim.sessions.records.ids import new_id
from brim.sessions.records.journal import read_records
from brim.sessions.records.kinds import PreferenceRecord, Record
from brim.sessions.records.lines import Damaged
from brim.sessions.resume import Line


class Preferences:
    """The preferences of a store in a log. Whoever sets one holds the lock of the registry."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.reports: list[str] = []
        """What could not be read, in sentences."""

    def set(self, name: str, value: str) -> None:
        """Set one. Raises InvalidInput for a name that is none, and for a value that is no text."""
        if not name.isidentifier():
            raise InvalidInput(f"no preference is called {name!r}: a name is made of letters, digits and underscores")
        now = system_clock()
        record = formed(PreferenceRecord, id=new_id(now), time=now, name=name, value=value)
        if not self._path.exists():
            create_log(self._path, record)
            return
        log = FileLog(self._path, lambda: None)
        try:
            log.append([record])
        finally:
            log.close()

    def told(self) -> dict[str, str]:
        """Those that were set, as they are now. A line that cannot be read is told in `reports`, and costs itself."""
        self.reports.clear()
        if not self._path.exists():
            return {}
        try:
            log = FileLog(self._path)
        except (InvalidInput, StoreFailed) as error:
            self.reports.append(f"the preferences are not known: {error}")
            return {}
        try:
            records = [record for line in log.forth() for record in self._records(line)]
        finally:
            log.close()
        return {one.name: one.value for one in records if isinstance(one, PreferenceRecord)}

    def _records(self, line: Line) -> list[Record]:
        damaged: list[Damaged] = []
        try:
            records = list(read_records([line], damaged))
        except Refused as error:  # of a newer version
            records = []
            damaged.append(Damaged(line.place, str(error)))
        self.reports += [f"{self._path.name}: the line at {one.place} was set aside: {one.reason}" for one in damaged]
        return records
