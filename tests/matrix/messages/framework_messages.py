"""Messages of Microsoft's Agent Framework, and a client that asks the worker's summarizer."""

from agent_framework import ChatResponse, Content, Message
from contract import blocks, text


class Client:
    """Answers with the summarizer's blocks."""

    def __init__(self, summarize):
        self.additional_properties = {}
        self._summarize = summarize

    async def get_response(self, messages, **options):
        """Answer once."""
        answer = self._summarize([{"role": "user", "content": one.text} for one in messages])
        return ChatResponse(messages=[Message("assistant", [read(block) for block in answer])])


def read(block):
    """Return the content of a block."""
    if block["type"] == "tool_use":
        return Content.from_function_call(block["id"], block["name"], arguments=block["input"])
    if block["type"] == "tool_result":
        return Content.from_function_result(block["tool_use_id"], result=text(block.get("content")))
    if block["type"] == "thinking":
        return Content.from_text_reasoning(text=block["thinking"], protected_data=block.get("signature"))
    return Content.from_text(block.get("text", f"[{block['type']}]"))


def held(messages, parts):
    """Return messages of the framework, the outputs of calls in messages of their own."""
    found = []
    for index, message in enumerate(messages):
        content = blocks(message)
        results = [one for one in content if one["type"] == "tool_result"]
        rest = [one for one in content if one["type"] != "tool_result"]
        if results:
            found.append(parts.add(Message("tool", [read(one) for one in results]), index, results))
        if rest:
            found.append(parts.add(Message(message["role"], [read(one) for one in rest]), index, rest))
    return found


def written(message):
    """Return the message of one that the framework made."""
    return {"role": message.role, "content": message.text}
