"""Events of OpenHands, and a model that asks the worker's summarizer."""

import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from contract import PromptTooLong, blocks, text
from openhands.sdk.event import ActionEvent, MessageEvent, ObservationEvent
from openhands.sdk.llm import Message, MessageToolCall, TextContent, ThinkingBlock
from openhands.sdk.llm.exceptions import LLMContextWindowExceedError
from openhands.sdk.testing import TestLLM
from openhands.sdk.tool.schema import Observation
from pydantic import PrivateAttr


class Output(Observation):
    """What a tool returned."""


class Summarizer(TestLLM):
    """Answers with the summarizer's blocks."""

    _summarize: object = PrivateAttr(default=None)

    def completion(self, messages, **kwargs):
        asked = [{"role": "user", "content": "\n".join(part.text for part in one.content)} for one in messages]
        try:
            answer = self._summarize(asked)
        except PromptTooLong as error:
            raise LLMContextWindowExceedError(str(error)) from error
        said = [TextContent(text=one["text"]) for one in answer if one["type"] == "text"]
        self._scripted_responses.append(Message(role="assistant", content=said, thinking_blocks=thought(answer)))
        return super().completion(messages, **kwargs)


def thought(content):
    """Return the thinking of blocks."""
    return [
        ThinkingBlock(thinking=one["thinking"], signature=one.get("signature"))
        for one in content
        if one["type"] == "thinking"
    ]


def event(role, content):
    """Return the event of what a person or the agent says."""
    said = [TextContent(text=one.get("text") or f"[{one['type']}]") for one in content if one["type"] != "thinking"]
    message = Message(role=role, content=said, thinking_blocks=thought(content))
    return MessageEvent(source="user" if role == "user" else "agent", llm_message=message)


def events(messages, parts):
    """Return the events of messages: one for each call, each output, and each text without a call."""
    found, calls = [], {}
    for index, message in enumerate(messages):
        content = blocks(message)
        rest = [one for one in content if one["type"] not in ("tool_use", "tool_result")]
        for one in content:
            if one["type"] == "tool_use":
                noted = [*rest, one]
                said = [TextContent(text=text([part])) for part in rest if part["type"] == "text"]
                call = MessageToolCall(
                    id=one["id"], name=one["name"], arguments=json.dumps(one["input"]), origin="completion"
                )
                calls[one["id"]] = action = ActionEvent(
                    thought=said,
                    thinking_blocks=thought(rest),
                    tool_name=one["name"],
                    tool_call_id=one["id"],
                    tool_call=call,
                    llm_response_id=f"response-{index}",
                )
                found.append(parts.add(action, index, noted))
                rest = []
            elif one["type"] == "tool_result":
                answered = calls.get(one["tool_use_id"])
                output = ObservationEvent(
                    observation=Output.from_text(text(one.get("content"))),
                    action_id=answered.id if answered else "none",
                    tool_name=answered.tool_name if answered else "none",
                    tool_call_id=one["tool_use_id"],
                )
                found.append(parts.add(output, index, [one]))
        if rest:
            found.append(parts.add(event(message["role"], rest), index, rest))
    return found
