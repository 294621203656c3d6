"""Reading a transcript for a command. A known file that is no transcript is named in the error."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from brim.cli.options import STDIN
from brim.errors import InvalidInput
from brim.sessions.paths import default_root
from brim.transcripts import Transcript, read_transcript

READ: Final = 64 * 1024
"""Bytes read from the beginning of a file."""


def read_file(file: Path, *, default_model: str = "") -> Transcript:
    """The transcript in a file; of the default model where it names none. Raises InvalidInput."""
    _require_other_output(file)
    if file == STDIN:
        transcript = _standard_input()
    else:
        try:
            transcript = read_transcript(file)
        except InvalidInput as error:
            raise InvalidInput(_known(file) or str(error)) from error
    return transcript if transcript.model else replace(transcript, model=default_model or None)


def _require_other_output(file: Path) -> None:
    """Refuse a transcript that standard output leads to: what the command prints would be written into it."""
    is_same = False
    with suppress(OSError):
        output = os.fstat(1)
        is_same = stat.S_ISREG(output.st_mode) and os.path.samestat(output, file.stat())
    if is_same:
        raise InvalidInput("standard output is the transcript itself, which brim does not change; name another file")


def _standard_input() -> Transcript:
    """The transcript on standard input, through a file: it is read more than once (CMD_01). Raises InvalidInput."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "standard input"
        file.write_bytes(sys.stdin.buffer.read())
        try:
            return read_transcript(file)
        except InvalidInput as error:
            raise InvalidInput((_known(file) or str(error)).replace(str(file), file.name)) from error


def _known(file: Path) -> str:
    """What a file is that is no transcript, in words; nothing where that is not known."""
    first = _beginning(file)
    if first == [] or (isinstance(first, Mapping) and first.get("messages") == []):
        return f"{file} holds no message; a transcript holds at least one"
    if isinstance(first, Mapping) and first.get("kind") == "session" and "v" in first:
        return (
            f"{file} is the log of session {first.get('session')} of brim, and no transcript: "
            f"brim sessions export ID -o FILE writes its messages; copied as ID.jsonl into a folder of "
            f"{default_root() / 'sessions'}, it is a session again"
        )
    return ""


def _beginning(file: Path) -> Any:
    """The value that is all of a file, or stands on its first line; None where neither is one."""
    head = b""
    with suppress(OSError), file.open("rb") as handle:
        head = handle.read(READ)
    for text in (head, head.partition(b"\n")[0]):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return None
