"""Messages of pydantic-ai for the harness, and a model that asks the worker's summarizer."""

from contract import blocks, text
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import _conversation_summary_text as framed
from pydantic_ai.models.function import FunctionModel
from pydantic_ai_harness.compaction import pin
from pydantic_ai_harness.compaction._summary import is_summary_part, summary_request

BEFORE, AFTER = framed("\0").split("\0")
"""What stands around a summary in a request; in a history its metadata says what it is."""


def model(summarize):
    """Return a model that answers with the summarizer's blocks."""

    def answer(messages, info):
        asked = [{"role": "user", "content": part.content} for one in messages for part in one.parts]
        return ModelResponse(parts=[read(block, "assistant", {}) for block in summarize(asked)])

    return FunctionModel(answer)


def read(block, role, names):
    """Return the part of a block."""
    if block["type"] == "tool_use":
        names[block["id"]] = block["name"]
        return ToolCallPart(block["name"], block["input"], tool_call_id=block["id"])
    if block["type"] == "tool_result":
        name = names.get(block["tool_use_id"], "")
        return ToolReturnPart(name, text(block.get("content")), tool_call_id=block["tool_use_id"])
    if block["type"] == "thinking":
        return ThinkingPart(block["thinking"], signature=block.get("signature"))
    said = block.get("text", f"[{block['type']}]")
    if said.startswith(BEFORE) and said.endswith(AFTER):
        return summary_request(said.removeprefix(BEFORE).removesuffix(AFTER)).parts[0]
    return TextPart(said) if role == "assistant" else UserPromptPart(said)


def history(messages, parts, pinned):
    """Return the messages of pydantic-ai, with pins where a person's text is pinned."""
    found, names = [], {}
    for index, message in enumerate(messages):
        native = []
        for block in blocks(message):
            part = read(block, message["role"], names)
            if index in pinned and isinstance(part, UserPromptPart):
                part = pin(part.content)
            native.append(parts.add(part, index, [block]))
        found.append((ModelResponse if message["role"] == "assistant" else ModelRequest)(parts=native))
    return found


def written(part):
    """Return the block of a part that the harness made or changed."""
    if is_summary_part(part):
        return {"type": "text", "text": framed(part.content)}
    if isinstance(part, ToolReturnPart):
        return {"type": "tool_result", "tool_use_id": part.tool_call_id, "content": part.model_response_str()}
    if isinstance(part, ToolCallPart):
        return {"type": "tool_use", "id": part.tool_call_id, "name": part.tool_name, "input": part.args_as_dict()}
    return {"type": "text", "text": str(part.content)}
