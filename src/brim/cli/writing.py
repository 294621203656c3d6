"""Writing a conversation in the format that it came in, or in another one, whole or not at all."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final, cast
from uuid import UUID, uuid4

from brim.cli.latest import session_folders
from brim.cli.limits import WrongUsage
from brim.cli.options import is_stdout, name_of
from brim.cli.output import speaks_utf8
from brim.compaction.result import Compaction
from brim.conversation.formats import (
    ANTHROPIC,
    CHAT,
    FORMATS,
    RESPONSES,
    Converted,
    Format,
    convert_messages,
    convert_tools,
    is_item,
    write_messages,
)
from brim.conversation.messages import Message
from brim.errors import InvalidInput
from brim.sessions.files import write_whole
from brim.sessions.paths import default_root
from brim.transcripts import Transcript
from brim.transcripts.claude_code import NewSession, session_records
from brim.transcripts.opencode import root_of
from brim.transcripts.opencode_database import located


def require_one_answer(output: Path | None, *, as_json: bool) -> None:
    """Whether standard output is asked for one thing. Raises WrongUsage."""
    if as_json and is_stdout(output):
        raise WrongUsage("-o - and --json both answer on standard output; leave one of them out")


def require_place(output: Path, *, source: Path, kept: Path | None, option: str = "-o") -> None:
    """Whether a file can be written there, before any work is done. Raises InvalidInput; leaves nothing behind.

    `source` is what is read, and `kept` the folder where sessions live: neither is written over, also where standard
    output leads there, nor a session of an agent.
    """
    name = name_of(output)
    if output.is_dir():
        raise InvalidInput(f"{name} is a folder; name a file with {option}")
    if not output.parent.is_dir():
        raise InvalidInput(f"{name} cannot be written: there is no folder {output.parent}; make it, or name another")
    if output.is_file() and located(source)[0].exists() and _is_read(output, source):
        reason = f"{name} is the transcript itself, which brim does not change; name another file with {option}"
        raise InvalidInput(reason)
    real = Path(os.path.realpath(output))
    if output.is_file() and any(Path(os.path.realpath(folder)) in real.parents for folder in session_folders()):
        raise InvalidInput(
            f"{name} is a session of an agent, which brim does not replace; name another file with {option}"
        )
    if kept is not None:
        require_outside(output, kept, option)
    if output.is_file() or not output.exists():
        try:
            with NamedTemporaryFile(dir=real.parent):
                pass
        except OSError as error:
            raise _unwritable(output, error) from error


def _unwritable(output: Path, error: OSError) -> InvalidInput:
    return InvalidInput(f"{output} cannot be written: {error.strerror or error}; name another place")


def kept_sessions() -> Path | None:
    """The folder of the sessions; None if its setting is invalid, which does not matter here."""
    with suppress(InvalidInput):
        return default_root()
    return None


def _is_read(output: Path, source: Path) -> bool:
    """Whether a file is the transcript, by whatever name it goes, or one of the files of its tree (CMD_06)."""
    source = located(source)[0]
    tree = root_of(source)
    return output.samefile(source) or (tree is not None and tree in Path(os.path.realpath(output)).parents)


def require_outside(output: Path, kept: Path, option: str = "-o") -> None:
    """Whether a place is none of brim's own: not inside the folder of the sessions, by whatever name it goes, nor a
    further name of a file there. Raises InvalidInput.
    """
    place = Path(os.path.realpath(output))
    if any(_is_same(kept, folder) for folder in (place, *place.parents)) or _is_kept(place, kept):
        raise InvalidInput(f"{output} is where brim keeps sessions; name a place outside of {kept} with {option}")


def _is_kept(place: Path, kept: Path) -> bool:
    files = (one for pattern in ("*", "locks/*", "sessions/*/*") for one in kept.glob(pattern))
    return place.is_file() and any(_is_same(place, one) for one in files)


def _is_same(one: Path, other: Path) -> bool:
    with suppress(OSError):
        return one.samefile(other)
    return False


ANTHROPIC_FILE: Final = "anthropic-messages"
SESSION: Final = "claude-code"
TARGETS: Final = (*FORMATS, SESSION)
"""The formats that a conversation can be written in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation:
    """The new conversation as it is written."""

    target: str
    """Its format, one of TARGETS."""
    messages: int
    """How many messages, or in the Responses format items, it holds."""
    content: Any
    """The body of a request; for a session of Claude Code the list of its records."""
    left_out: Mapping[str, int]
    """For each type of content that the format has no place for, how often it was left out."""
    by_assistant: bool
    """Whether the assistant begins it, and its API refuses that."""
    session: str = ""
    """The id of the session of Claude Code, where it is one."""
    folder: str = ""
    """The folder of its project."""


def require_target(output: Path | None, to: str | None) -> None:
    """Whether `--to` names a format, and there is something to write. Raises WrongUsage."""
    if to is not None and to not in TARGETS:
        raise WrongUsage(f"--to is {to!r}; it is one of {', '.join(TARGETS)}")
    if to is not None and output is None:
        raise WrongUsage("--to is the format of what -o writes; add -o OUT")


def target_of(transcript: Transcript, to: str | None) -> str:
    """The format to write: the one that `--to` names, else that of the transcript (CMD_05). Raises WrongUsage."""
    own = ANTHROPIC if transcript.format == ANTHROPIC_FILE else transcript.format
    if to is None and own not in TARGETS:
        raise WrongUsage(f"brim reads {own} and does not write it; add --to with one of {', '.join(TARGETS)}")
    return to or own


def new_conversation(
    transcript: Transcript, compaction: Compaction, target: str, output: Path | None
) -> NewConversation:
    """The new conversation in a format, with the system prompt and the tools where the format has a place for them.

    In its own format a list stays a list, and an object keeps its other fields. Raises InvalidInput where no message
    is left.
    """
    form: Format = ANTHROPIC if target == SESSION else cast("Format", target)
    own = compaction.format == form
    kept = _with_sealed(compaction) if form == RESPONSES and not own else compaction.conversation
    converted = Converted(kept, "", {}) if own else convert_messages(kept, form)
    if not converted.messages:
        raise InvalidInput(f"no message is left that {form} has a place for, so nothing is written; leave out -o")
    if target == SESSION:
        return _session(transcript, compaction, converted, output)
    messages = compaction.messages if own else write_messages((one.raw for one in converted.messages), form)
    content: Any = messages
    if own and transcript.request is not None:
        content = {**transcript.request, "input" if "input" in transcript.request else "messages": messages}
    elif not (own and transcript.listed):
        system = transcript.system if form == ANTHROPIC and not converted.system else _texts(transcript, converted)
        content = {}
        if form == CHAT and system:
            messages = [{"role": "system", "content": system}, *messages]
        elif form == ANTHROPIC or system:
            content["instructions" if form == RESPONSES else "system"] = system or ""
        if transcript.tools is not None:
            content["tools"] = list(transcript.tools if own else convert_tools(transcript.tools, form))
        content["input" if form == RESPONSES else "messages"] = messages
    return NewConversation(
        target=target,
        messages=len(messages),
        content=content,
        left_out=converted.left_out,
        by_assistant=begins_with_assistant(converted.messages, form),
    )


def _with_sealed(compaction: Compaction) -> tuple[Message, ...]:
    """The new conversation with the encrypted summaries that its summary replaced: no other text has what they say."""
    kept = compaction.conversation
    held = {id(message.key) for message in kept}
    sealed = [
        one
        for one in compaction.plan.context.original
        if one.marks.summary and is_item(one) and id(one.key) not in held
    ]
    at = next((n for n, message in enumerate(kept) if message.marks.summary), 0)
    return (*kept[:at], *sealed, *kept[at:])


def begins_with_assistant(messages: Sequence[Message], form: Format) -> bool:
    """Whether the API refuses a conversation in a format for its first message."""
    return form == ANTHROPIC and bool(messages) and messages[0].role == "assistant"


def _texts(transcript: Transcript, converted: Converted) -> str:
    """The system prompt as one text."""
    system = transcript.system or ""
    blocks = [system] if isinstance(system, str) else [str(block.get("text", "")) for block in system]
    return "\n\n".join(text for text in (*blocks, converted.system) if text)


def _session(
    transcript: Transcript, compaction: Compaction, converted: Converted, output: Path | None
) -> NewConversation:
    session = NewSession(
        id=_session_id(output),
        time=datetime.now(UTC),
        folder=transcript.folder or str(Path.cwd()),
        version=transcript.version if transcript.format == SESSION else None,
        model=transcript.model,
        tokens_before=compaction.plan.context.verdict.held if compaction.plan.changes_anything else None,
    )
    return NewConversation(
        target=SESSION,
        messages=len(converted.messages),
        content=list(session_records(converted.messages, session)),
        left_out=converted.left_out,
        by_assistant=begins_with_assistant(converted.messages, ANTHROPIC),
        session=str(session.id),
        folder=session.folder,
    )


def _session_id(output: Path | None) -> UUID:
    """The id that the file's name is, so that Claude Code finds it; else a new one."""
    with suppress(ValueError):
        return UUID(output.stem if output else "")
    return uuid4()


def how_to_resume(written: NewConversation, output: Path) -> str:
    """How to resume the session: the place where Claude Code looks for it, unless it is there, and the command."""
    projects, config = session_folders()[0], os.environ.get("CLAUDE_CONFIG_DIR")
    place = Path(re.sub(r"[^A-Za-z0-9]", "-", written.folder), f"{written.session}.jsonl")
    if Path(os.path.realpath(output)) == Path(os.path.realpath(projects / place)):
        return f"To resume it, run claude --resume {written.session}"
    shown = projects if config else "~/.claude/projects"
    return f"To resume it, copy it to {shown}/{place} and run claude --resume {written.session}"


def write_json(output: Path, value: Any, *, lines: bool = False) -> None:
    """Write a value as JSON, or the values of a list one a line, whole or not at all. Raises InvalidInput."""
    ascii_alone = is_stdout(output) and not speaks_utf8()
    if lines:
        text = "".join(json.dumps(one, ensure_ascii=ascii_alone) + "\n" for one in value)
    else:
        text = json.dumps(value, ensure_ascii=ascii_alone, indent=1) + "\n"
    write_page(output, text)


def write_page(output: Path, text: str, *, private: bool = True) -> None:
    """Write a text whole or not at all; what is no ordinary file, such as a pipe, as it comes. Raises InvalidInput.

    What holds a part of a conversation is private: only the user reads it.
    """
    if is_stdout(output):
        sys.stdout.write(text)
        sys.stdout.flush()  # before the page says that it is written
        return
    data = text.encode("utf-8", "backslashreplace")  # half a surrogate pair stays the escape it was
    try:
        if output.exists() and not output.is_file():
            output.write_bytes(data)
        else:
            write_whole(Path(os.path.realpath(output)), data, private=private)
    except OSError as error:
        raise _unwritable(output, error) from error
