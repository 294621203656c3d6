"""Items of the Responses API for OpenAI's agents."""

import json

from contract import blocks, text


def items(messages, parts):
    """Return the items of messages: one for each call, each output, and what is said."""
    found = []
    for index, message in enumerate(messages):
        said = []
        for block in blocks(message):
            if block["type"] == "tool_use":
                call = {"type": "function_call", "call_id": block["id"], "name": block["name"]}
                found += said_by(message["role"], said, index, parts)
                found.append(parts.add({**call, "arguments": json.dumps(block["input"])}, index, [block]))
                said = []
            elif block["type"] == "tool_result":
                content = block.get("content")
                output = content if isinstance(content, str) else text(content)
                item = {"type": "function_call_output", "call_id": block["tool_use_id"], "output": output}
                found.append(parts.add(item, index, [block]))
            else:
                said.append(block)
        found += said_by(message["role"], said, index, parts)
    return found


def said_by(role, said, index, parts):
    """Return the item of what is said, if anything is."""
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": one.get("text", "")} for one in said]
    return [parts.add({"role": role, "content": content}, index, said)] if said else []


def written(item):
    """Return the message of an output that was shortened."""
    result = {"type": "tool_result", "tool_use_id": item["call_id"], "content": item["output"]}
    return {"role": "user", "content": [result]}
