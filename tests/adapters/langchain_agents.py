"""A LangChain agent with a chat model that plays a script, and what was sent to it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from brim.models import ModelLimits

LIMITS = ModelLimits(context_window=42_000, max_output_tokens=2_000)
"""A usable context of 40,000 tokens."""
PAGE = "lorem ipsum dolor sit amet " * 600
"""What a file holds: 16,200 characters, about 4,050 tokens."""


class Scripted(BaseChatModel):
    """A chat model that answers from a script, and keeps every list of messages it was sent."""

    script: Iterator[Any]
    sent: list[list[AnyMessage]]

    def __init__(self, script: Iterable[Any], **fields: Any) -> None:
        super().__init__(script=iter(script), sent=[], **fields)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "Scripted":
        """Take the tools and go on: the script knows them."""
        return self

    def _generate(
        self,
        messages: list[AnyMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        self.sent.append(messages)
        answer = next(self.script)
        if isinstance(answer, Callable):
            answer = answer(messages)
        if isinstance(answer, Exception):
            raise answer
        message = AIMessage(answer) if isinstance(answer, str) else answer
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[AnyMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        return self._generate(messages)


@tool
def read(path: str) -> str:
    """Read a file."""
    return f"{path}: {PAGE}"


def reading(files: int, *, usage: Callable[[int], dict[str, Any]] | None = None) -> list[AIMessage]:
    """The responses of a model that reads one file after the other, and then says so."""
    calls = [
        AIMessage(
            "",
            tool_calls=[{"id": f"call-{n}", "name": "read", "args": {"path": f"src/file_{n}.py"}}],
            usage_metadata=usage(n) if usage else None,
        )
        for n in range(files)
    ]
    return [*calls, AIMessage("All files are read.")]


def faults(messages: Sequence[AnyMessage]) -> list[str]:
    """What a provider would refuse about what it is sent: calls and results that do not meet, no user at the start."""
    found = []
    waiting: list[str] = []
    said = [message for message in messages if not isinstance(message, SystemMessage)]
    if not isinstance(said[0], HumanMessage):
        found.append(f"begins with {said[0].type}")
    for message in said:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting:
                found.append(f"a result of {message.tool_call_id} without its call")
            else:
                waiting.remove(message.tool_call_id)
            continue
        found += [f"no result of {call} before the next message" for call in waiting]
        waiting = []
        if isinstance(message, AIMessage):
            waiting = [call["id"] for call in (*message.tool_calls, *message.invalid_tool_calls)]
    return found + [f"no result of {call}" for call in waiting]
