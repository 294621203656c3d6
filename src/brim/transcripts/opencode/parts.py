"""Parts of OpenCode as blocks of Anthropic's form: one tool part becomes a call and its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from brim.transcripts.blocks import WORDLESS
from brim.transcripts.source import Json

Block: TypeAlias = dict[str, Json]
Given: TypeAlias = Mapping[str, Json]

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
        return [] if part.get("ignored") is True else [_text(part)]
    if kind == "compaction":
        return [{**part, "type": "compaction_marker"}, {"type": "text", "text": ASKED}]
    if kind == "subtask":
        return [dict(part), {"type": "text", "text": SUBTASK}]
    if kind == "file":
        return [_file(part)]
    return []


def assistant_blocks(part: Given) -> list[Block]:
    """The blocks of an assistant's part, a tool's result apart; none for what is never sent."""
    kind = part.get("type")
    if kind == "text":
        return [_text(part)]
    if kind == "reasoning":
        return [_thinking(part)]
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
    metadata = state.get("metadata")
    partial = metadata.get("output") if isinstance(metadata, Mapping) and metadata.get("interrupted") is True else None
    if isinstance(partial, str):
        return {**result, "content": partial}
    return {**result, "content": str(state.get("error") or WORDLESS), "is_error": True}


def cleared_at(part: Given) -> float | None:
    """When the output of a tool part was pruned, in milliseconds; None where it was not."""
    time = _state(part).get("time") if part.get("type") == "tool" else None
    compacted = time.get("compacted") if isinstance(time, Mapping) else None
    return compacted if isinstance(compacted, int | float) and compacted else None


def _state(part: Given) -> Given:
    state = part.get("state")
    return state if isinstance(state, Mapping) else {}


def _text(part: Given) -> Block:
    return {"type": "text", "text": part.get("text")}


def _thinking(part: Given) -> Block:
    """Reasoning, with the signature where the model was Anthropic's."""
    block: Block = {"type": "thinking", "thinking": part.get("text")}
    metadata = part.get("metadata")
    signed = metadata.get("anthropic") if isinstance(metadata, Mapping) else None
    if isinstance(signed, Mapping) and isinstance(signed.get("signature"), str):
        block["signature"] = signed["signature"]
    return block


def _file(part: Given) -> Block:
    """An image or a document that was sent along, else the file as a marker."""
    media = _media(part)
    return dict(part) if media is None else media


def _media(part: Json) -> Block | None:
    kind, url = (part.get("mime"), part.get("url")) if isinstance(part, Mapping) else (None, None)
    if not isinstance(kind, str) or not isinstance(url, str) or kind in NOT_MEDIA or not url.startswith("data:"):
        return None
    source = {"type": "base64", "media_type": kind, "data": url.partition(",")[2]}
    return {"type": "image" if kind.startswith("image/") else "document", "source": source}


def _output(state: Given) -> str | list[Block]:
    output = str(state.get("output") or "")
    attachments = state.get("attachments")
    media = [_media(one) for one in attachments] if isinstance(attachments, list) else []
    found = [block for block in media if block is not None]
    return [{"type": "text", "text": output}, *found] if found else output
