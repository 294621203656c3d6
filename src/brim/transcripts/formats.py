"""The formats that can be read, one module each, tried in this order. The content decides, not the name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Final

from brim.conversation.formats import PREFIX, SEALED, is_instruction
from brim.conversation.messages import Message, Part, Text, Unknown, is_visible
from brim.errors import InvalidInput, shown
from brim.transcripts import opencode, opencode_database
from brim.transcripts.aider import Aider
from brim.transcripts.anthropic_messages import AnthropicMessages
from brim.transcripts.claude_code import ClaudeCode
from brim.transcripts.cline import Cline
from brim.transcripts.codex import Codex
from brim.transcripts.gemini_cli import GeminiCli
from brim.transcripts.mini_swe_agent import MiniSweAgent
from brim.transcripts.openai_messages import ChatMessages, ResponsesItems
from brim.transcripts.openhands import OpenHands
from brim.transcripts.pi import Pi
from brim.transcripts.reader import Reader
from brim.transcripts.source import read_source
from brim.transcripts.swe_agent import SweAgent
from brim.transcripts.values import Transcript

FORMATS: Final[Sequence[type[Reader]]] = (
    ClaudeCode,
    opencode.OpenCode,
    Codex,
    Pi,
    Cline,
    GeminiCli,
    MiniSweAgent,
    SweAgent,
    OpenHands,
    Aider,
    ChatMessages,
    ResponsesItems,
    AnthropicMessages,
)
"""The plainest form comes last: others hold what it would take for its own."""
PLAIN_FORMATS: Final = (ChatMessages.name, ResponsesItems.name, AnthropicMessages.name)
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
    found = next((form for form in FORMATS if form.recognise(source)), None)
    if found is None:
        raise InvalidInput(f"{place} is of no format that brim reads; it reads: {_forms()}")
    transcript = replace(found(source).read(), counted="line" if source.document is None else "message")
    if not transcript.messages:
        raise InvalidInput(f"{place} holds no message{_why_not(transcript)}; it was read as: {found.form}")
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
    """Return the type of a block or an item that no API has; nothing for another one."""
    kind = part.kind.removeprefix(PREFIX) if type(part) is Unknown else ""
    return "" if kind.endswith(("_call", "_output")) or kind.startswith("mcp_") or kind in ITEMS else kind


def _why_not(transcript: Transcript) -> str:
    """Return what stood in the way of the first message, if anything."""
    first = next(iter(transcript.damaged), None)
    return "" if first is None else f" ({transcript.counted} {first.line}: {first.reason})"


def _forms() -> str:
    return ", ".join(form.form for form in FORMATS)
