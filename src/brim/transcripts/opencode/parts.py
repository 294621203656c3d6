"""Parts of OpenCode as blocks of Anthropic's form: one tool part becomes a call and its result."""

from __future__ import annotations

from typing import Final

from brim.transcripts.blocks import WORDLESS, Block, Given, media_block, text_block, thinking_block
from brim.transcripts.source import Json, mapping

ASKED: Final = "What did we do so far?"
"""What OpenCode sends in place of a compaction marker."""
SUBTASK: Final = "The following tool was executed by the user"
"""What it sends in place of a sub-task."""
MARKERS: Final = ("patch", "subtask")
"""Parts of an answer that only OpenCode knows."""
NOT_MEDIA: Final = ("text/plain", "application/x-directory")
"""Files that were read into texts of their own."""


def user_blocks(part: Given) -> list[Block]:
    """The blocks of a user's part; none for what is never sent."""
    kind = part.get("type")
    if kind == "text":
        return [] if part.get("ignored") is True else [text_block(part.get("text"))]
    if kind == "compaction":
        return [{**part, "type": "compaction_marker"}, text_block(ASKED)]
    if kind == "subtask":
        return [dict(part), text_block(SUBTASK)]
    if kind == "file":
        return [_media(part) or dict(part)]
    return []


def assistant_blocks(part: Given) -> list[Block]:
    """The blocks of an assistant's part, a tool's result apart; none for what is never sent."""
    kind = part.get("type")
    if kind == "text":
        return [text_block(part.get("text"))]
    if kind == "reasoning":
        signed = mapping(mapping(part.get("metadata")).get("anthropic"))  # where the model was Anthropic's
        return [thinking_block(part.get("text"), signed.get("signature"))]
    if kind == "tool":
        given = _state(part).get("input")
        return [{"type": "tool_use", "id": part.get("callID"), "name": part.get("tool"), "input": given or {}}]
    return [dict(part)] if kind in MARKERS else []


def result_block(part: Given) -> Block | None:
    """The result of a tool part; None where it has none: a call still running, or another part."""
    if part.get("type") != "tool":
        return None
    state = _state(part)
    result: Block = {"type": "tool_result", "tool_use_id": part.get("callID")}
    if state.get("status") == "completed":
        return {**result, "content": _output(state)}
    if state.get("status") != "error":
        return None
    metadata = mapping(state.get("metadata"))
    partial = metadata.get("output") if metadata.get("interrupted") is True else None
    if isinstance(partial, str):
        return {**result, "content": partial}
    return {**result, "content": str(state.get("error") or WORDLESS), "is_error": True}


def cleared_at(part: Given) -> float | None:
    """When the output of a tool part was pruned, in milliseconds; None where it was not."""
    compacted = mapping(_state(part).get("time")).get("compacted") if part.get("type") == "tool" else None
    return compacted if isinstance(compacted, int | float) and compacted else None


def _state(part: Given) -> Given:
    return mapping(part.get("state"))


def _media(part: Json) -> Block | None:
    """An image or a document that was sent along; None for another file, which is a marker."""
    kind, url = mapping(part).get("mime"), mapping(part).get("url")
    if not isinstance(kind, str) or not isinstance(url, str) or kind in NOT_MEDIA or not url.startswith("data:"):
        return None
    return media_block(kind, url.partition(",")[2])


def _output(state: Given) -> str | list[Block]:
    output = str(state.get("output") or "")
    attachments = state.get("attachments")
    media = [_media(one) for one in attachments] if isinstance(attachments, list) else []
    found = [block for block in media if block is not None]
    return [text_block(output), *found] if found else output
