"""Preferences: a log of their own, so that they too are found again when the registry is lost (SES_02)."""

from __future__ import annotations

from pathlib import Path

from brim.errors import InvalidInput
from brim.sessions.log import FileLog, create_log
from brim.sessions.records.ids import new_id
from brim.sessions.records.journal import read_records
from brim.sessions.records.kinds import PreferenceRecord
from brim.sessions.records.lines import Damaged
from brim.sessions.session import Clock


class Preferences:
    """The preferences of a store in a log. Whoever sets one holds the lock of the registry."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path, self._clock = path, clock

    def set(self, name: str, value: str) -> None:
        """Set one. Raises InvalidInput for a name that is empty."""
        if not name.isidentifier():
            raise InvalidInput(f"no preference is called {name!r}: a name is made of letters, digits and underscores")
        now = self._clock()
        record = PreferenceRecord(id=new_id(now), time=now, name=name, value=value)
        if not self._path.exists():
            create_log(self._path, record)
            return
        log = FileLog(self._path, lambda: None)
        try:
            log.append([record])
        finally:
            log.close()

    def told(self) -> dict[str, str]:
        """Those that were set, as they are now."""
        if not self._path.exists():
            return {}
        log, damaged = FileLog(self._path), list[Damaged]()
        try:
            records = read_records(log.forth(), damaged)
            return {one.name: one.value for one in records if isinstance(one, PreferenceRecord)}
        finally:
            log.close()
