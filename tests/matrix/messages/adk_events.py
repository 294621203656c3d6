"""Events of the Agent Development Kit, and a model that asks the worker's summarizer."""

from contract import blocks, text
from google.adk.events.event import Event
from google.adk.models import BaseLlm, LlmResponse
from google.genai.types import Content, FunctionCall, FunctionResponse, Part


class Summarizer(BaseLlm):
    """Answers with the summarizer's blocks."""

    summarize: object

    async def generate_content_async(self, request, stream=False):
        answer = self.summarize([{"role": "user", "content": one.parts[0].text} for one in request.contents])
        yield LlmResponse(content=Content(role="model", parts=[read(one) for one in answer]))


def read(block):
    """Return the part of a block."""
    if block["type"] == "tool_use":
        return Part(function_call=FunctionCall(id=block["id"], name=block["name"], args=block["input"]))
    if block["type"] == "tool_result":
        response = {"output": text(block.get("content"))}
        return Part(function_response=FunctionResponse(id=block["tool_use_id"], name="tool", response=response))
    if block["type"] == "thinking":
        return Part(text=block["thinking"], thought=True, thought_signature=block.get("signature", "").encode())
    return Part(text=block.get("text", f"[{block['type']}]"))


def payload(part):
    """Return what the assembly of a request shares with the session."""
    return part.function_call or part.function_response or part.text


async def session_of(messages, parts, service):
    """Return a session with an event for each message."""
    session, turn = await service.create_session(app_name="coding", user_id="ada"), 0
    for index, message in enumerate(messages):
        user = message["role"] == "user"
        content = Content(role="user" if user else "model", parts=[])
        for block in blocks(message):
            content.parts.append(read(block))
            parts.add(payload(content.parts[-1]), index, [block])
            turn += user and block["type"] != "tool_result"
        pending = (
            {one["id"] for one in blocks(message) if one["type"] == "tool_use"} if index + 1 == len(messages) else None
        )
        event = Event(
            author="user" if user else "agent",
            content=content,
            invocation_id=str(turn),
            timestamp=index + 1,
            long_running_tool_ids=pending,
        )
        await service.append_event(session, event)
    return session


def written(part):
    """Return the block of a part that the kit made."""
    if part.thought:
        return {"type": "thinking", "thinking": part.text, "signature": (part.thought_signature or b"").decode()}
    return {"type": "text", "text": part.text}
