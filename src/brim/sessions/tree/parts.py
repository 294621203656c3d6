"""Parts of the tree: blocks of Anthropic's form as parts of OpenCode's, one tool part for a call and its result.

Part of the tree layout. What is written is read back by the reader of OpenCode's sessions; where that would not give
the very same block, whoever writes the message keeps the block beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from brim.conversation.messages import Raw
from brim.transcripts.opencode.parts import MARKERS, assistant_blocks, result_block, user_blocks

Part: TypeAlias = dict[str, Any]
PLACE: Final = ("id", "sessionID", "messageID")
"""What says where a part lies in the tree."""


def user_parts(content: object, *, synthetic: bool) -> list[Part]:
    """The parts of what stands in a user's place; results belong to the part of their call."""
    parts = [part for block in blocks_of(content) for part in _common(block)]
    return [part | {"synthetic": True} if synthetic and part["type"] == "text" else part for part in parts]


def assistant_parts(content: object, results: Mapping[str, Raw], cleared: Mapping[str, int], time: int) -> list[Part]:
    """The parts of an answer; `results` by the id of the call, `cleared` says when an output was."""
    parts: list[Part] = []
    for block in blocks_of(content):
        kind, name = block.get("type"), str(block.get("id"))
        if kind == "thinking":
            parts.append(_reasoning(block, time))
        elif kind == "tool_use":
            parts.append(_tool(block, results.get(name), cleared.get(name), time))
        elif kind in MARKERS:
            parts.append(dict(block))
        else:
            parts += _common(block)
    return parts


def blocks_of(content: object) -> list[Raw]:
    """The blocks of a content; a bare text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list | tuple) else []


def read_back(role: str, parts: list[Part]) -> dict[str, Any]:
    """The message that a reader makes of these parts; what says where a part lies in the tree is none of it."""
    blocks = user_blocks if role == "user" else assistant_blocks
    bare = ({name: value for name, value in part.items() if name not in PLACE} for part in parts)
    return {"role": role, "content": [block for part in bare for block in blocks(part)]}


def results_read_back(parts: list[Part]) -> dict[str, Any]:
    """The message with the results that a reader makes of the tool parts of an answer."""
    return {"role": "user", "content": [block for block in map(result_block, parts) if block is not None]}


def _common(block: Raw) -> Iterator[Part]:
    """What either side says: a text, or an image or a document that came along."""
    if block.get("type") == "text":
        yield {"type": "text", "text": block.get("text")}
    elif (file := _file(block)) is not None:
        yield file


def _file(block: Raw) -> Part | None:
    source = block.get("source")
    if block.get("type") not in {"image", "document"} or not isinstance(source, Mapping):
        return None
    if source.get("type") != "base64":
        return None
    mime = str(source.get("media_type"))
    return {"type": "file", "mime": mime, "url": f"data:{mime};base64,{source.get('data')}"}


def _reasoning(block: Raw, time: int) -> Part:
    part: Part = {"type": "reasoning", "text": block.get("thinking"), "time": {"start": time, "end": time}}
    if block.get("signature"):
        part["metadata"] = {"anthropic": {"signature": block["signature"]}}
    return part


def _tool(call: Raw, result: Raw | None, cleared: int | None, time: int) -> Part:
    part: Part = {"type": "tool", "callID": call.get("id"), "tool": call.get("name")}
    return part | {"state": {"input": call.get("input"), **_state(result, cleared, time)}}


def _state(result: Raw | None, cleared: int | None, time: int) -> Part:
    if result is None:
        return {"status": "running", "time": {"start": time}}
    ran = {"start": time, "end": time} | ({"compacted": cleared} if cleared is not None else {})
    blocks = blocks_of(result.get("content"))
    words = "\n".join(str(block.get("text")) for block in blocks if block.get("type") == "text")
    if result.get("is_error") is True:
        return {"status": "error", "error": words, "time": ran}
    files = [file for block in blocks if (file := _file(block)) is not None]
    attached = {"attachments": files} if files else {}
    return {"status": "completed", "output": words, "title": "", "metadata": {}, "time": ran, **attached}
