"""Gathering: what is known of a session, as the registry says and as its log goes on.

Part of the registry; specified by features/sessions/registry.feature (SES_02).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from brim.errors import InvalidInput
from brim.sessions.disk.failures import telling
from brim.sessions.log import FileLog
from brim.sessions.records.infos import SessionInfo, begun, with_lines
from brim.sessions.records.journal import first_record, read_records
from brim.sessions.records.kinds import CarriedRecord, PreferenceRecord


def gathered(path: Path, known: SessionInfo | None, report: Callable[[str], None]) -> SessionInfo:
    """What is known of a log: as the registry says, and what was added to it since; the very same where nothing was.

    Raises InvalidInput where it is no log of a session, StoreFailed, and Refused where it is of a newer version.
    """
    with telling(f"cannot read {path}"):
        size = path.stat().st_size
    known = known if known is not None and _is_of(known, str(path), size) else None
    if known is not None and known.size == size:
        return known
    log = FileLog(path)
    try:
        end = log.size  # what is added while it is read is read once more, the next time
        known = known or _begun(log, report)
        return with_lines(known, log.forth(known.size)).model_copy(update={"size": end})
    finally:
        log.close()


def bytes_read(one: SessionInfo, known: SessionInfo | None) -> int:
    """How many bytes of a log were read beyond what the registry knew."""
    return one.size - known.size if known is not None and _is_of(known, one.transcript, one.size) else one.size


def _is_of(known: SessionInfo, transcript: str, size: int) -> bool:
    """Whether what is known was gathered from this very log, which only grows, by whatever path it was told."""
    return known.size <= size and Path(known.transcript).absolute() == Path(transcript).absolute()


def _begun(log: FileLog, report: Callable[[str], None]) -> SessionInfo:
    """What the first record tells; where that is damaged, the name of the log and the first line that can be read."""
    try:
        return begun(first_record(log, log.path.name), str(log.path))
    except InvalidInput:
        told = (one for one in read_records(log.forth(), []) if not isinstance(one, CarriedRecord | PreferenceRecord))
        first = next(told, None)
        if first is None:
            raise
    report(f"session {log.path.stem} is listed without what its first line told: that is damaged or lost")
    return SessionInfo(id=log.path.stem, created=first.time, last_active=first.time, transcript=str(log.path))
