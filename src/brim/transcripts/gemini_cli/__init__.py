"""Gemini CLI chats: one JSON value, or in newer versions JSON lines, each with the messages of a session.

An answer holds its calls and their results. A line may repeat a message that grew, or take back all from one on.
Compressions of the history are not recorded as such.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.transcripts.gemini_cli.chat import Chat
from brim.transcripts.gemini_cli.log import messages_of
from brim.transcripts.source import Source
from brim.transcripts.values import Transcript

NAME: Final = "gemini-cli"
FORM: Final = "Gemini CLI chat (JSON or JSON lines)"
NO_COMPRESSIONS: Final = "Gemini CLI does not record when it compressed the history; a fall of what was read shows it"


def recognise(source: Source) -> bool:
    """Whether the file is a chat: its project and its session are named, or an answer of Gemini's is among it."""
    return any("projectHash" in record and "sessionId" in record for _, record in source.records) or any(
        isinstance(message, Mapping) and message.get("type") == "gemini" for _, message in messages_of(source)
    )


def read(source: Source) -> Transcript:
    """Read a chat; what is no message is skipped and counted."""
    chat = Chat(source.damaged)
    for line, message in messages_of(source):
        chat.add(line, message)
    chat.dialogue.notes.append(NO_COMPRESSIONS)
    return chat.dialogue.transcript(NAME)
