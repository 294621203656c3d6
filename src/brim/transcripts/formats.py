"""The formats that can be read, one module each, tried in this order. The content decides, not the name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Final, Protocol

from brim.conversation.formats import PREFIX, SEALED, is_instruction
from brim.conversation.messages import Message, Part, Text, Unknown, is_visible
from brim.errors import InvalidInput, shown
from brim.transcripts import (
    aider,
    anthropic_messages,
    claude_code,
    cline,
    codex,
    gemini_cli,
    mini_swe_agent,
    opencode,
    opencode_database,
    openhands,
    pi,
    swe_agent,
)
from brim.transcripts.foreign import foreign_format
from brim.transcripts.openai_messages import CHAT_MESSAGES, RESPONSES_ITEMS
from brim.transcripts.source import Source, read_source
from brim.transcripts.values import Transcript


class Format(Protocol):
    """What a module of a format offers."""

    NAME: str
    """The name that a transcript carries."""
    FORM: str
    """The form in words, for someone whose file is none of them."""

    def recognise(self, source: Source) -> bool:
        """Whether the file is of this format."""
        ...

    def read(self, source: Source) -> Transcript:
        """Read the file. Raises InvalidInput where nothing of it can be read."""
        ...


FORMATS: Final[Sequence[Format]] = (
    claude_code,
    opencode,
    codex,
    pi,
    cline,
    gemini_cli,
    mini_swe_agent,
    swe_agent,
    openhands,
    aider,
    CHAT_MESSAGES,
    RESPONSES_ITEMS,
    anthropic_messages,
)
"""The plainest form comes last: others hold what it would take for its own."""
PLAIN_FORMATS: Final = (CHAT_MESSAGES.NAME, RESPONSES_ITEMS.NAME, anthropic_messages.NAME)
"""The formats that an API has, whose types others use in ways of their own."""
ITEMS: Final = ("blank", "reasoning", "item_reference", "container_upload", "search_result", *SEALED)
"""Types of blocks and items that APIs have and brim does not look into."""


def read_transcript(path: str | PathLike[str], *, newest_bytes: int | None = None) -> Transcript:
    """Read a transcript, whatever tool wrote it. Raises InvalidInput: path, what was met, what would cure it.

    With `newest_bytes`, of a larger file the lines that begin within its last bytes alone, counted from there.
    """
    place = Path(path)
    try:
        if place.is_dir():
            source = opencode.gather(place)
        elif opencode_database.is_database(opencode_database.located(place)[0]):
            source = opencode_database.gather(place)
        else:
            source = read_source(place, newest_bytes)
    except OSError as error:
        raise InvalidInput(f"{place}: {error.strerror or error}; name a transcript that can be read") from error
    foreign = foreign_format(source)
    found = None if foreign else next((form for form in FORMATS if form.recognise(source)), None)
    if found is None:
        of = f"a format that brim does not read, that of {foreign}" if foreign else "no format that brim reads"
        raise InvalidInput(f"{place} is of {of}; it reads: {_forms()}")
    transcript = replace(found.read(source), counted="line" if source.document is None else "message")
    if not transcript.messages:
        raise InvalidInput(f"{place} holds no message{_why_not(transcript)}; it was read as: {found.FORM}")
    if strange := _strange(transcript):
        raise InvalidInput(f"{place} is of no format that brim reads ({strange}); it reads: {_forms()}")
    return transcript


def _strange(transcript: Transcript) -> str:
    """Why what was read is of another format than the one that it was taken for; nothing where it is of that one."""
    users = [one for one in transcript.messages if one.role == "user" and not is_instruction(one)]
    if users and not any(map(_says_something, users)):
        return f"as {transcript.format} no message of the user's has content"
    unknown = [kinds for one in transcript.messages if (kinds := list(filter(None, map(_unknown_type, one.parts))))]
    if transcript.format not in PLAIN_FORMATS or 2 * len(unknown) <= len(transcript.messages):
        return ""
    return f"as {transcript.format} most messages hold types that no API has, such as {shown(unknown[0][0])}"


def _says_something(message: Message) -> bool:
    return any(
        type(part) is not Unknown and (type(part) is not Text or is_visible(part.text)) for part in message.parts
    )


def _unknown_type(part: Part) -> str:
    """The type of a block or an item that no API has; nothing for another one."""
    kind = part.kind.removeprefix(PREFIX) if type(part) is Unknown else ""
    return "" if kind.endswith(("_call", "_output")) or kind.startswith("mcp_") or kind in ITEMS else kind


def _why_not(transcript: Transcript) -> str:
    """What stood in the way of the first message, if anything."""
    first = next(iter(transcript.damaged), None)
    return "" if first is None else f" ({transcript.counted} {first.line}: {first.reason})"


def _forms() -> str:
    return ", ".join(form.FORM for form in FORMATS)
