"""Shapes of content blocks: which types there are, which fields each takes, and who may send it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from brim.testing.messages_api.blocks import Placed

FIELDS: Final[Mapping[str, frozenset[str]]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        "text": "cache_control citations text",
        "image": "cache_control source transformations",
        "document": "cache_control citations context source title",
        "search_result": "cache_control citations content source title",
        "thinking": "signature thinking",
        "redacted_thinking": "data",
        "tool_use": "cache_control caller id input name toolset_name",
        "tool_result": "cache_control content is_error tool_use_id toolset_name",
        "server_tool_use": "cache_control caller id input name",
        "web_search_tool_result": "cache_control caller content tool_use_id",
        "web_fetch_tool_result": "cache_control caller content tool_use_id",
        "code_execution_tool_result": "cache_control content tool_use_id",
        "bash_code_execution_tool_result": "cache_control content tool_use_id",
        "text_editor_code_execution_tool_result": "cache_control content tool_use_id",
        "tool_search_tool_result": "cache_control content tool_use_id",
        "container_upload": "cache_control file_id",
        "mcp_tool_use": "cache_control id input name server_name",
        "mcp_tool_result": "cache_control content is_error tool_use_id",
        "compaction": "cache_control content encrypted_content signature tool_changes",
        "tool_reference": "cache_control tool_name",
    }.items()
}
"""The fields of each type of block besides `type`."""

REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "thinking": ("signature", "thinking"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "input", "name"),
    "tool_result": ("tool_use_id",),
    "server_tool_use": ("id", "input", "name"),
}
"""The fields that a block cannot do without."""

TEXTS: Final = frozenset({"text", "thinking", "signature", "data", "id", "name", "tool_use_id"})
ASSISTANT_ONLY: Final = frozenset({"tool_use", "thinking", "redacted_thinking", "server_tool_use"})
USER_ONLY: Final = frozenset({"tool_result"})
IN_RESULTS: Final = frozenset({"tool_reference"})
"""Types that stand inside a tool result alone."""
ID: Final = re.compile(r"[a-zA-Z0-9_-]+\Z")


def shape_faults(path: str, block: Any) -> Iterator[str]:
    """What is wrong with one block, apart from its neighbours."""
    if not isinstance(block, Mapping):
        yield f"{path}: Input should be a valid dictionary or object to extract fields from"
        return
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in FIELDS or (kind in IN_RESULTS and ".tool_result." not in path):
        yield _unknown(path, block)
        return
    named = f"{path}.{kind}"
    yield from (f"{named}.{name}: Field required" for name in REQUIRED.get(kind, ()) if name not in block)
    extra = [name for name in block if name != "type" and name not in FIELDS[kind]]
    yield from (f"{named}.{name}: Extra inputs are not permitted" for name in extra)
    yield from _value_faults(named, block)


def _unknown(path: str, block: Mapping[str, Any]) -> str:
    if "type" not in block:
        return f"{path}: Unable to extract tag using discriminator 'type'"
    tags = ", ".join(f"'{kind}'" for kind in FIELDS)
    return f"{path}: Input tag '{block['type']}' found using 'type' does not match any of the expected tags: {tags}"


def _value_faults(named: str, block: Mapping[str, Any]) -> Iterator[str]:
    for name in TEXTS & block.keys():
        if not isinstance(block[name], str):
            yield f"{named}.{name}: Input should be a valid string"
        elif name in {"id", "tool_use_id"} and not ID.match(block[name]):
            yield f"{named}.{name}: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if "input" in block and not isinstance(block["input"], Mapping):
        yield f"{named}.input: Input should be a valid dictionary"
    if block["type"] == "tool_result":
        yield from _result_faults(named, block)


def _result_faults(named: str, block: Mapping[str, Any]) -> Iterator[str]:
    content = block.get("content") or []
    if not isinstance(content, str | list):
        yield f"{named}.content: Input should be a valid string or list"
        return
    if block.get("is_error") and not content:
        yield f"{named}: content cannot be empty if `is_error` is true"
    if isinstance(content, list):
        for index, inner in enumerate(content):
            yield from shape_faults(f"{named}.content.{index}", inner)


def role_faults(placed: Placed) -> Iterator[str]:
    """Whether a block stands in a message of the wrong role."""
    if placed.role == "user" and placed.kind in ASSISTANT_ONLY:
        yield f"messages.{placed.message}: `{placed.kind}` blocks can only be in `assistant` messages"
    if placed.role == "assistant" and placed.kind in USER_ONLY:
        yield f"messages.{placed.message}: `{placed.kind}` blocks can only be in `user` messages"


def text_faults(blocks: list[Mapping[str, Any]], *, where: str = "messages") -> Iterator[str]:
    """Texts that hold nothing to read."""
    for block in blocks:
        if block["type"] != "text":
            continue
        if not block["text"]:
            yield f"{where}: text content blocks must be non-empty"
        elif not block["text"].strip():
            yield f"{where}: text content blocks must contain non-whitespace text"
