"""Cline sessions: messages in Anthropic's form with metrics, a model and notes of Cline's own beside them.

A file of a session that was compacted holds what was left: what stood before is in no file of the same name. A file the
user named is sent as a text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from brim.conversation.messages import SUMMARY, SYNTHETIC
from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given, text_block
from brim.transcripts.builder import CompactionMark, TranscriptBuilder, measured
from brim.transcripts.source import Json, Source, mapping, moment, string
from brim.transcripts.values import CompactionKind, Transcript

NAME: Final = "cline"
FORM: Final = "Cline session messages (JSON)"
OWN: Final = ("metrics", "modelInfo")
"""Fields of a message that only Cline has."""
COMPACTED: Final = ("compaction", "compaction_summary")
NAMED: Final = "<file_content"
ADDED: Final = (NAMED, "<SYSTEM_NOTICE>", "<environment_details>", "[TASK RESUMPTION]")
"""How the texts begin that Cline puts beside the user's words: read as a message of its own, which begins no turn."""
GONE: Final = "the file was compacted by Cline; what stood before is not in it, nor how many tokens that was"
GONE_TOLD: Final = "the file was compacted by Cline at {tokens:,} tokens; what stood before is not in it"


def recognise(source: Source) -> bool:
    """Whether the messages carry what only Cline notes."""
    return any(_is_ours(message) for message in source.listed("messages") or ())


def _is_ours(message: Json) -> bool:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        return False
    return any(isinstance(message.get(name), Mapping) for name in OWN) or _note(message).get("kind") in COMPACTED


def _note(message: Given) -> Given:
    return mapping(message.get("metadata"))


def read(source: Source) -> Transcript:
    """Read a session; what is no message is skipped and counted."""
    builder = TranscriptBuilder(source.damaged)
    builder.read_each(enumerate(source.listed("messages") or (), 1), lambda line, message: _add(builder, line, message))
    return builder.transcript(NAME, system=string(mapping(source.document).get("system_prompt")) or None)


def _add(builder: TranscriptBuilder, line: int, message: Json) -> None:
    if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
        raise InvalidInput("no message of the user's or the assistant's")
    blocks, builder.time = _blocks(message.get("content")), moment(message.get("ts"))
    if _note(message).get("kind") in COMPACTED:
        _compacted(builder, line, message)
    if message["role"] == "assistant":
        model = string(mapping(message.get("modelInfo")).get("id"))
        builder.add_response(line, blocks, usage=measured("cline", message.get("metrics"), model), model=model)
        return
    for block in blocks:
        if block["type"] == "tool_result":
            builder.add_result(line, block["tool_use_id"], block["content"], failed=block["is_error"])
    own = [block for block in blocks if block["type"] != "tool_result"]
    if _note(message).get("kind") == "compaction_summary":
        builder.add_message(line, own, SUMMARY)
        return
    builder.add_message(line, [block for block in own if not _is_added(block)])
    builder.add_message(line, [block for block in own if _is_added(block)], SYNTHETIC)


def _is_added(block: Block) -> bool:
    return block["type"] == "text" and str(block.get("text")).lstrip().startswith(ADDED)


def _compacted(builder: TranscriptBuilder, line: int, message: Given) -> None:
    """A compaction that was over when the file was written: what it left is all there is."""
    note = _note(message)
    tokens, reason = note.get("tokensBefore"), string(note.get("reason")) or ""
    kind: CompactionKind = "manual" if "manual" in reason else "auto" if "auto" in reason else "compaction"
    recorded = tokens if type(tokens) is int else None
    builder.nodes.append(CompactionMark(line, kind, recorded, builder.messages(), time=builder.time))
    builder.notes.append(GONE if recorded is None else GONE_TOLD.format(tokens=recorded))


def _blocks(content: Json) -> list[Block]:
    """The blocks of a message, as they are sent. Raises InvalidInput where it has no content."""
    if isinstance(content, str):
        return [text_block(content)]
    if not isinstance(content, list):
        raise InvalidInput("a message without content")
    return [_block(item) for item in content if isinstance(item, Mapping) and isinstance(item.get("type"), str)]


def _block(item: Given) -> Block:
    if item["type"] == "file":
        return text_block(f'{NAMED} path="{item.get("path")}">\n{item.get("content")}\n</file_content>')
    if item["type"] != "tool_result":
        return dict(item)
    call, content = item.get("tool_use_id"), item.get("content")
    if not isinstance(call, str):
        raise InvalidInput("a tool's result names no call")
    items = content if isinstance(content, list) else []
    failed = item.get("is_error") is True or any(_failed(one) for one in items)
    told = [_told_by_tool(one) for one in items] if items else content if isinstance(content, str) else ""
    return {"type": "tool_result", "tool_use_id": call, "content": told, "is_error": failed}


def _told_by_tool(item: Json) -> Block:
    """A block of a result; what is none, such as the answer to one of several queries, as the JSON it is."""
    if isinstance(item, Mapping) and isinstance(item.get("type"), str):
        return dict(item)
    return text_block(json.dumps(item, ensure_ascii=False, separators=(",", ":")))


def _failed(item: Json) -> bool:
    return isinstance(item, Mapping) and item.get("success") is False
