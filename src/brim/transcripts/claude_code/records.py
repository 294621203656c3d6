"""Single records of a Claude Code session: what kind they are, the message they hold, the marks it gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.conversation.messages import SUMMARY, SYNTHETIC, Marks, Message, read_message
from brim.errors import InvalidInput
from brim.transcripts.claude_code.attachments import attached
from brim.transcripts.claude_code.nodes import Record
from brim.transcripts.decoding import Json
from brim.transcripts.harness import user_marks

BOUNDARIES: Final = ("compact_boundary", "microcompact_boundary")
HUMAN: Final = ("human", None)
"""Origins of what a user wrote."""
OWN_BLOCKS: Final = ("fallback",)
"""Types of the blocks that Claude Code writes for itself and no API takes: a change of the model (CNV_09)."""
MASKED: Final = "REDACTED"
"""What some tools put in the place of ids before they publish a session."""
NO_MARKS: Final = Marks()
"""Not the marks that make a message's opening be looked at: a record says what it is."""


def is_boundary(record: Record) -> bool:
    """Whether a record tells of a compaction or a micro-compaction."""
    return record.get("type") == "system" and record.get("subtype") in BOUNDARIES


def kind_of(record: Record) -> str:
    """The kind of a record in words, for the count of those left out."""
    attachment = record.get("attachment")
    kind = str(record.get("type"))
    return f"{kind} {attachment.get('type')}" if isinstance(attachment, Mapping) else kind


def response_id(record: Record) -> str | None:
    """The id of the response that a record is part of, or else of its request; a masked id tells none."""
    names = (record["message"].get("id"), record.get("requestId"))
    return next((name for name in names if isinstance(name, str) and name != MASKED), None)


def own_blocks(message: Mapping[str, Json]) -> list[Json]:
    """The blocks of a message that only Claude Code knows."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, Mapping) and block.get("type") in OWN_BLOCKS]


def message_of(record: Record, role: str) -> Message:
    """The message of a record, reduced to what the API takes. Raises InvalidInput."""
    given = record.get("message")
    if not isinstance(given, Mapping):
        raise InvalidInput(f"a record of type {record.get('type')} has no message")
    own = own_blocks(given)
    if own:
        given = {**given, "content": [block for block in given["content"] if block not in own]}
    plain = given.keys() == {"role", "content"} and given["role"] == role
    return read_message(given if plain else {"role": role, "content": given.get("content")}, NO_MARKS, source="it")


def marks_of(record: Record, message: Message) -> Marks:
    """The marks of a user's record: a summary, what the harness put in, or the user's own."""
    if record.get("isCompactSummary") is True:
        return SUMMARY
    origin = record.get("origin")
    foreign = isinstance(origin, Mapping) and origin.get("kind") not in HUMAN
    return SYNTHETIC if record.get("isMeta") is True or foreign else user_marks(message.parts)


def injected(record: Record) -> tuple[Json, Marks] | None:
    """The content and the marks of what the harness put in: an attachment, or a command's output; None for others."""
    attachment = record.get("attachment")
    if record.get("type") == "attachment" and isinstance(attachment, Mapping):
        return attached(attachment)
    if record.get("subtype") == "local_command" and isinstance(record.get("content"), str):
        return record["content"], SYNTHETIC
    return None
