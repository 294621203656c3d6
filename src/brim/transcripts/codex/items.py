"""Items of a rollout as blocks of Anthropic's form, and who wrote what stands in the user's place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC, Marks
from brim.errors import InvalidInput
from brim.transcripts.blocks import (
    Block,
    Given,
    arguments,
    call_block,
    image_of,
    result_block,
    text_block,
    thinking_block,
)
from brim.transcripts.decoding import Json
from brim.transcripts.harness import is_notice

TEXTS: Final = ("input_text", "output_text", "text", "summary_text", "reasoning_text")
INSTRUCTIONS: Final = re.compile(r"\s*<INSTRUCTIONS>.*</INSTRUCTIONS>\s*", re.DOTALL)
"""The rules of the project, as Codex puts them into the user's place."""
SUMMARISED: Final = "Another language model started to solve this problem and produced a summary"
"""How a summary of Codex begins that is not encrypted."""
SEALED: Final = "[A summary of the earlier conversation stands here. It is encrypted: only its provider can read it.]"
"""What stands for a summary that is encrypted."""
FAILED: Final = ("apply_patch verification failed", "exec_command failed", "failed to parse function arguments")
"""How the results of calls begin that Codex itself refused."""
EXIT: Final = re.compile(r"(?:Process exited with code|Exit code:) ([1-9]\d*|-\d+)\b")
HEAD: Final = 400
"""Characters of a result in which its exit code stands, where there is one."""


def contents(given: Json) -> Iterator[Block]:
    """The texts and images of a message or a result. What is no visible text is left out."""
    if isinstance(given, str):
        yield text_block(given)
    for item in given if isinstance(given, list) else ():
        if not isinstance(item, Mapping):
            continue
        if item.get("type") in TEXTS and isinstance(item.get("text"), str):
            yield text_block(item["text"])
        elif item.get("type") == "input_image" and (image := image_of(item.get("image_url"))) is not None:
            yield image


def message_blocks(item: Given) -> list[Block]:
    """The blocks of a message item. Raises InvalidInput where it has no content."""
    if not isinstance(item.get("content"), str | list):
        raise InvalidInput("a message without content")
    return list(contents(item["content"]))


def marks_of(role: Json, blocks: Sequence[Block]) -> Marks:
    """The marks of what stands in the user's place: a summary, what Codex put in, or the user's own."""
    texts = [block["text"].lstrip() for block in blocks if block["type"] == "text"]
    if texts and texts[0].startswith(SUMMARISED):
        return SUMMARY
    injected = len(texts) == len(blocks) and all(INSTRUCTIONS.fullmatch(text) or is_notice(text) for text in texts)
    return SYNTHETIC if role != "user" or injected else PLAIN


def reasoning_block(item: Given) -> Block | None:
    """The reasoning that can be read; None where it is encrypted, and for other items."""
    if item.get("type") != "reasoning":
        return None
    texts = [block["text"] for part in ("summary", "content") for block in contents(item.get(part))]
    return thinking_block("\n\n".join(texts)) if texts else None


def item_call(item: Given) -> Block | None:
    """A call of a tool that has a result of its own; None for other items, tools that the provider ran among them."""
    kind, call = item.get("type"), item.get("call_id")
    if not isinstance(kind, str) or not kind.endswith("_call") or not isinstance(call, str):
        return None
    name = item.get("name")
    given = next((item[field] for field in ("arguments", "input", "action") if field in item), None)
    return call_block(call, name if isinstance(name, str) else kind.removesuffix("_call"), arguments(given))


def item_result(item: Given) -> Block | None:
    """The result of a call; None for other items."""
    kind, call = item.get("type"), item.get("call_id")
    if not isinstance(kind, str) or not kind.endswith("_output") or not isinstance(call, str):
        return None
    output = item.get("output")
    told = output if isinstance(output, Mapping) else {"content": output}
    blocks = list(contents(told.get("content")))
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    failed = told.get("success") is False or any(map(_says_failed, texts[:1]))
    return result_block(call, "\n".join(texts) if len(texts) == len(blocks) else blocks, failed=failed)


def _says_failed(text: str) -> bool:
    return text.startswith(FAILED) or EXIT.search(text[:HEAD]) is not None


def sealed_summary(item: Given) -> list[Block]:
    """The summary of a compaction that is encrypted: a marker, and a text that says so."""
    return [{**item, "type": "compaction_marker"}, text_block(SEALED)]
