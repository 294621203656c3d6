"""Writing what a session holds to a file, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from brim.cli import writing
from brim.cli.standard import is_stdout
from brim.cli.writing import require_place
from brim.sessions.files import translate_os_errors
from brim.sessions.registry import SessionInfo


def require_file(output: Path, info: SessionInfo, kept: Path) -> None:
    """Whether a file can be written there, before any work is done. Raises InvalidInput."""
    require_place(output, source=Path(info.transcript), kept=kept)


def write_json(output: Path, value: Any) -> None:
    """Write a value as JSON, private to the user. Raises StoreFailed."""
    if is_stdout(output):
        writing.print_whole(value)
        return
    with translate_os_errors(f"cannot write {output}", "name another place"):
        writing.write_json(output, value, private=True)
