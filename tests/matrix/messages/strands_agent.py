"""An agent of Strands for its two adapters: messages of Converse, and a model that asks the worker's summarizer."""

import logging

from contract import PromptTooLong, blocks, text
from strands import Agent
from strands.models import Model
from strands.types.exceptions import ContextWindowOverflowException as Overflow

logging.disable()


class Summarizer(Model):
    """Streams the summarizer's blocks, as a provider's model would."""

    config, structured_output = {}, None

    def __init__(self, summarize, window):
        self.summarize, self.config = summarize, {"context_window_limit": window or 200_000}

    def update_config(self, **config):
        self.config |= config

    def get_config(self):
        return self.config

    async def stream(self, messages, *args, **kwargs):
        try:
            asked = [{"role": one["role"], "content": [*map(written, one["content"])]} for one in messages]
            answer = self.summarize(asked)
        except PromptTooLong as error:
            raise Overflow(str(error)) from error
        yield {"messageStart": {"role": "assistant"}}
        for block in answer:
            yield {"contentBlockStart": {"start": {}}}
            if block["type"] == "text":
                yield {"contentBlockDelta": {"delta": {"text": block["text"]}}}
            elif block["type"] == "thinking":
                yield {"contentBlockDelta": {"delta": {"reasoningContent": {"text": block["thinking"]}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def read(block):
    """Return the block of Converse for one of the Messages API."""
    if block["type"] == "tool_use":
        return {"toolUse": {"toolUseId": block["id"], "name": block["name"], "input": block["input"]}}
    if block["type"] == "tool_result":
        status = "error" if block.get("is_error") else "success"
        content = [{"text": text(block.get("content"))}]
        return {"toolResult": {"toolUseId": block["tool_use_id"], "status": status, "content": content}}
    if block["type"] == "thinking":
        return {"reasoningContent": {"reasoningText": {"text": block["thinking"], "signature": block.get("signature")}}}
    return {"text": block.get("text") or f"[{block['type']}]"}


def written(block):
    """Return the block of the Messages API for one of Converse."""
    if "toolResult" in block:
        result = block["toolResult"]
        content = [{"type": "text", "text": one["text"]} for one in result["content"]]
        return {"type": "tool_result", "tool_use_id": result["toolUseId"], "content": content}
    if "toolUse" in block:
        call = block["toolUse"]
        return {"type": "tool_use", "id": call["toolUseId"], "name": call["name"], "input": call["input"]}
    return {"type": "text", "text": block.get("text", "")}


def agent_with(messages, parts, summarize, window, pinned, **settings):
    """Return an agent that holds the messages."""
    held = []
    for index, one in enumerate(messages):
        content = [parts.add(read(block), index, [block]) for block in blocks(one)]
        held.append({"role": one["role"], "content": content})
        if index in pinned:
            held[-1]["metadata"] = {"custom": {"pinned": True}}
    return Agent(model=Summarizer(summarize, window), messages=held, callback_handler=None, **settings)
