"""Writing what a session holds to a file, whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from brim.cli.writing import require_place
from brim.sessions.disk.failures import telling
from brim.sessions.disk.files import write_whole
from brim.sessions.records.infos import SessionInfo


def require_file(output: Path, info: SessionInfo) -> None:
    """Whether a file can be written there, before any work is done. Raises InvalidInput."""
    require_place(output, source=Path(info.transcript))


def write_json(output: Path, value: Any) -> None:
    """Write a value as JSON, private to the user; what is no ordinary file is written to. Raises StoreFailed."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    data = f"{text}\n".encode("utf-8", "backslashreplace")  # half a surrogate pair stays the escape it was
    place = Path(os.path.realpath(output))
    with telling(f"cannot write {output}", "name another place"):
        if place.exists() and not place.is_file():
            place.write_bytes(data)
        else:
            write_whole(place, data)
