"""A pydantic-ai agent whose model plays a script, and what was sent to it."""

from collections.abc import Iterable

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from brim.models import ModelLimits

LIMITS = ModelLimits(context_window=42_000, max_output_tokens=2_000)
"""A usable context of 40,000 tokens."""
PAGE = "lorem ipsum dolor sit amet " * 600
"""What a file holds: 16,200 characters, about 4,050 tokens."""


class Script:
    """Plays responses, and keeps every list of messages it was sent."""

    def __init__(self, responses: Iterable[ModelResponse | str | BaseException]) -> None:
        self.sent: list[list[ModelMessage]] = []
        self._responses = iter(responses)
        self.model = FunctionModel(self._answer)

    def _answer(self, messages, _info) -> ModelResponse:
        self.sent.append(list(messages))
        response = next(self._responses)
        if isinstance(response, BaseException):
            raise response
        return ModelResponse([TextPart(response)]) if isinstance(response, str) else response


def reading(files: int, first: int = 0) -> list[ModelResponse | str]:
    """The responses of a model that reads one file after the other, and then says so."""
    calls = [ToolCallPart("read", {"path": f"src/file_{n}.py"}, f"call-{n}") for n in range(first, first + files)]
    return [*(ModelResponse([call]) for call in calls), "All files are read."]


def agent_of(script: Script, compact, **options) -> Agent[None, str]:
    """An agent with one tool and the processor."""
    agent = Agent(script.model, capabilities=[ProcessHistory(compact)], **options)

    @agent.tool_plain
    def read(path: str) -> str:
        """Read a file."""
        return f"{path}: {PAGE}"

    return agent


def faults(messages: list[ModelMessage]) -> list[str]:
    """Calls and results that do not meet, and a beginning that is no request."""
    found = [] if messages[0].kind == "request" else ["begins with a response"]
    waiting: set[str] = set()
    for message in messages:
        answered = {part.tool_call_id for part in message.parts if part.part_kind == "tool-return"}
        if message.kind == "response":
            found += [f"no result of {call}" for call in waiting]
            waiting = {part.tool_call_id for part in message.parts if part.part_kind == "tool-call"}
        else:
            found += [f"a result of {call} without its call" for call in answered - waiting]
            waiting -= answered
    return found + [f"no result of {call}" for call in waiting]


def texts(messages: list[ModelMessage]) -> list[str]:
    """Everything that stands in user prompts."""
    return [part.content for message in messages for part in message.parts if part.part_kind == "user-prompt"]
