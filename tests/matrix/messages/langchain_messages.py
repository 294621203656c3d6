"""Messages of LangChain for its two packages of the matrix, and a model that asks the worker's summarizer."""

from typing import Any

from contract import PromptTooLong, blocks
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Model(BaseChatModel):
    """Answers with the summarizer's blocks, as the model of a provider would."""

    summarize: Any

    @property
    def _llm_type(self):
        return "anthropic-chat"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        asked = [{"role": "user", "content": one.content} for one in messages]
        try:
            content = self.summarize(asked)
        except PromptTooLong as error:
            raise ContextOverflowError(str(error)) from error
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=content))])


def read(messages, parts):
    """Return messages of LangChain, each noted with what it stands for."""
    found = []
    for index, message in enumerate(messages):
        content = blocks(message)
        if message["role"] == "assistant":
            calls = [
                {"name": one["name"], "args": one["input"], "id": one["id"]}
                for one in content
                if one["type"] == "tool_use"
            ]
            found.append(parts.add(AIMessage(content=message["content"], tool_calls=calls), index, content))
            continue
        rest = [one for one in content if one["type"] != "tool_result"]
        for one in content:
            if one["type"] == "tool_result":
                status = "error" if one.get("is_error") else "success"
                result = ToolMessage(content=one.get("content") or "", tool_call_id=one["tool_use_id"], status=status)
                found.append(parts.add(result, index, [one]))
        if rest:
            given = message["content"] if rest == content else rest
            found.append(parts.add(HumanMessage(content=given), index, rest))
    return found


def write(message):
    """Return the message of the API of a message that LangChain made or changed."""
    if isinstance(message, ToolMessage):
        result = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content}
        return {"role": "user", "content": [result]}
    if isinstance(message, AIMessage):
        calls = [
            {"type": "tool_use", "id": one["id"], "name": one["name"], "input": one["args"]}
            for one in message.tool_calls
        ]
        kept = [one for one in blocks({"content": message.content}) if one["type"] != "tool_use"]
        return {"role": "assistant", "content": [*kept, *calls]}
    return {"role": "user", "content": message.content}
