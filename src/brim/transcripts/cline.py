"""Cline sessions: messages in Anthropic's form with metrics, a model and notes of Cline's own beside them.

A file of a session that was compacted holds what was left: what stood before is in no file of the same name. A file the
user named is sent as a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from brim.conversation.messages import SUMMARY, SYNTHETIC
from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given, text_block
from brim.transcripts.reader import Compaction, Reader, measured
from brim.transcripts.source import Json, Source, mapping, moment, objects, string
from brim.transcripts.values import CompactionKind

COMPACTED: Final = ("compaction", "compaction_summary")
NAMED: Final = "<file_content"
ADDED: Final = (NAMED, "<SYSTEM_NOTICE>", "<environment_details>", "[TASK RESUMPTION]")
"""How the texts begin that Cline puts beside the user's words: read as a message of its own, which begins no turn."""


class Cline(Reader):
    """The messages of a session."""

    name = "cline"
    form = "Cline session messages (JSON)"

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the messages carry what only Cline notes."""
        return any(
            isinstance(one.get("role"), str)
            and (any(isinstance(one.get(name), dict) for name in ("metrics", "modelInfo")) or _kind(one) in COMPACTED)
            for one in objects(source.listed("messages"))
        )

    def records(self) -> Iterable[tuple[int, Json]]:
        """Return the messages with their numbers."""
        self.tell(system=string(mapping(self.source.document).get("system_prompt")))
        return enumerate(self.source.listed("messages") or (), 1)

    def add(self, line: int, record: Json) -> None:
        """Read the next message. Raises InvalidInput."""
        if not isinstance(record, dict) or record.get("role") not in ("user", "assistant"):
            raise InvalidInput("no message of the user's or the assistant's")
        blocks, self.time = _blocks(record.get("content")), moment(record.get("ts"))
        if _kind(record) in COMPACTED:
            self._compacted(line, mapping(record["metadata"]))
        if record["role"] == "assistant":
            model = string(mapping(record.get("modelInfo")).get("id"))
            self.add_response(line, blocks, usage=measured("cline", record.get("metrics"), model), model=model)
            return
        for block in blocks:
            if block["type"] == "tool_result":
                self.add_result(line, block["tool_use_id"], block["content"], failed=block["is_error"])
        own = [block for block in blocks if block["type"] != "tool_result"]
        if _kind(record) == "compaction_summary":
            self.add_message(line, own, SUMMARY)
            return
        self.add_message(line, [block for block in own if not _is_added(block)])
        self.add_message(line, [block for block in own if _is_added(block)], SYNTHETIC)

    def _compacted(self, line: int, note: Given) -> None:
        """Note a compaction that was over when the file was written: what it left is all there is."""
        tokens, reason = note.get("tokensBefore"), string(note.get("reason")) or ""
        kind: CompactionKind = "manual" if "manual" in reason else "auto" if "auto" in reason else "compaction"
        recorded = tokens if type(tokens) is int else None
        self.nodes.append(Compaction(line, kind, recorded, self.entries(), time=self.time))
        at, nor = ("", ", nor how many tokens that was") if recorded is None else (f" at {recorded:,} tokens", "")
        self.notes.append(f"the file was compacted by Cline{at}; what stood before is not in it{nor}")


def _kind(message: Given) -> Json:
    """Return the kind of what Cline notes beside a message."""
    return mapping(message.get("metadata")).get("kind")


def _is_added(block: Block) -> bool:
    return block["type"] == "text" and str(block.get("text")).lstrip().startswith(ADDED)


def _blocks(content: Json) -> list[Block]:
    """Return the blocks of a message, as they are sent. Raises InvalidInput where it has no content."""
    if isinstance(content, str):
        return [text_block(content)]
    if not isinstance(content, list):
        raise InvalidInput("a message without content")
    return [_block(item) for item in objects(content) if isinstance(item.get("type"), str)]


def _block(item: Given) -> Block:
    if item["type"] == "file":
        return text_block(f'{NAMED} path="{item.get("path")}">\n{item.get("content")}\n</file_content>')
    if item["type"] != "tool_result":
        return dict(item)
    call, content = item.get("tool_use_id"), item.get("content")
    if not isinstance(call, str):
        raise InvalidInput("a tool's result names no call")
    items = content if isinstance(content, list) else []
    failed = item.get("is_error") is True or any(one.get("success") is False for one in objects(items))
    told = [_result_block(one) for one in items] if items else content if isinstance(content, str) else ""
    return {"type": "tool_result", "tool_use_id": call, "content": told, "is_error": failed}


def _result_block(item: Json) -> Block:
    """Return a block of a result; what is none, such as the answer to one of several queries, as the JSON it is."""
    if isinstance(item, dict) and isinstance(item.get("type"), str):
        return item
    return text_block(json.dumps(item, ensure_ascii=False, separators=(",", ":")))
