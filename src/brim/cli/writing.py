"""Writing a conversation in Anthropic's form, whole or not at all."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from brim.cli.limits import WrongUsage
from brim.cli.output import speaks_utf8
from brim.cli.standard import is_stdout
from brim.compaction.result import Compaction
from brim.errors import InvalidInput
from brim.sessions.disk.files import write_whole
from brim.transcripts import Transcript


def require_one_answer(output: Path | None, *, as_json: bool) -> None:
    """Whether standard output is asked for one thing. Raises WrongUsage."""
    if as_json and is_stdout(output):
        raise WrongUsage("-o - and --json both answer on standard output; leave one of them out")


def require_place(output: Path, *, source: Path, kept: Path | None) -> None:
    """Whether a conversation can be written there, before any work is done. Raises InvalidInput; writes nothing.

    `source` is what is read, and `kept` the folder where sessions live: neither is written over.
    """
    if is_stdout(output):
        return
    if output.is_dir():
        raise InvalidInput(f"{output} is a folder; name a file with -o")
    if not output.parent.is_dir():
        raise InvalidInput(f"{output} cannot be written: there is no folder {output.parent}; make it, or name another")
    if output.exists() and source.exists() and output.samefile(source):
        raise InvalidInput(f"{output} is the transcript itself, which brim does not change; name another file with -o")
    if kept is not None:
        require_outside(output, kept)


def require_outside(output: Path, kept: Path, option: str = "-o") -> None:
    """Whether a place is none of brim's own: not inside the folder of the sessions, by whatever name it goes, nor a
    further name of a file there. Raises InvalidInput.
    """
    place = Path(os.path.realpath(output))
    if any(_is_same(kept, folder) for folder in (place, *place.parents)) or _is_kept(place, kept):
        raise InvalidInput(f"{output} is where brim keeps sessions; name a place outside of {kept} with {option}")


def _is_kept(place: Path, kept: Path) -> bool:
    files = (one for pattern in ("*", "sessions/*/*") for one in kept.glob(pattern))
    return place.is_file() and any(_is_same(place, one) for one in files)


def _is_same(one: Path, other: Path) -> bool:
    with suppress(OSError):
        return one.samefile(other)
    return False


def write_conversation(output: Path, transcript: Transcript, compaction: Compaction) -> None:
    """Write the new conversation, with the system prompt and the tools of the old one. Raises InvalidInput."""
    told: dict[str, Any] = {"system": transcript.system if transcript.system is not None else ""}
    if transcript.tools is not None:
        told["tools"] = list(transcript.tools)
    told["messages"] = compaction.messages
    if is_stdout(output):
        print_whole(told)
        return
    try:
        write_json(output, told)
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror or error}; name another place") from error


def write_json(output: Path, value: Any, *, private: bool = False) -> None:
    """Write a value as JSON in one step; what is no ordinary file, such as a pipe, is written to. Raises OSError."""
    data = _text(value).encode("utf-8", "backslashreplace")  # half a surrogate pair stays the escape it was
    if output.exists() and not output.is_file():
        output.write_bytes(data)
    else:
        write_whole(Path(os.path.realpath(output)), data, private=private)


def print_whole(value: Any) -> None:
    """Write a value on standard output as it would stand in a file."""
    sys.stdout.write(_text(value, ascii_alone=not speaks_utf8()))
    sys.stdout.flush()  # whoever says that it is written says so afterwards


def _text(value: Any, *, ascii_alone: bool = False) -> str:
    return json.dumps(value, ensure_ascii=ascii_alone, indent=1) + "\n"
