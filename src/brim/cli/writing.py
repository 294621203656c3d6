"""Writing a conversation in Anthropic's form, whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from brim.compaction.result import Compaction
from brim.errors import InvalidInput
from brim.sessions.disk.files import write_whole
from brim.transcripts import Transcript


def require_place(output: Path, *, source: Path) -> None:
    """Whether a conversation can be written there, before any work is done. Raises InvalidInput; writes nothing."""
    if output.is_dir():
        raise InvalidInput(f"{output} is a folder; name a file with -o")
    if not output.parent.is_dir():
        raise InvalidInput(f"{output} cannot be written: there is no folder {output.parent}; make it, or name another")
    if output.exists() and source.exists() and output.samefile(source):
        raise InvalidInput(f"{output} is the transcript itself, which brim does not change; name another file with -o")


def write_conversation(output: Path, transcript: Transcript, compaction: Compaction) -> None:
    """Write the new conversation, with the system prompt and the tools of the old one. Raises InvalidInput."""
    told: dict[str, Any] = {"system": transcript.system if transcript.system is not None else ""}
    if transcript.tools is not None:
        told["tools"] = list(transcript.tools)
    try:
        write_json(output, {**told, "messages": compaction.messages})
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror or error}; name another place") from error


def write_json(output: Path, value: Any, *, private: bool = False) -> None:
    """Write a value as JSON in one step; what is no ordinary file, such as a pipe, is written to. Raises OSError."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    data = f"{text}\n".encode("utf-8", "backslashreplace")  # half a surrogate pair stays the escape it was
    place = Path(os.path.realpath(output))
    if place.exists() and not place.is_file():
        place.write_bytes(data)
    else:
        write_whole(place, data, private=private)
