"""pydantic-ai agents that a user talks to, and what an application stores of their histories."""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.usage import RequestUsage

from brim.adapters.pydantic_ai import CompactHistory
from brim.compaction.policy import CompactionPolicy
from brim.errors import CompactionStalled, ContextOverflow
from brim.models import ModelLimits
from steps.compaction_windows import filler
from steps.vocabulary import tokens
from steps.worlds import talks
from tests.adapters.pydantic_ai_agents import faults

WORDS = "done " * 700
"""About 875 tokens."""

History = list[ModelMessage]


def in_json(messages: Sequence[ModelMessage]) -> History:
    """Stored in a database and read again."""
    return ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json([*messages]))


def anew(messages: Sequence[ModelMessage]) -> History:
    """New messages of the same texts, calls and usage."""
    return [_anew(message) for message in messages]


def _anew(message: ModelMessage) -> ModelMessage:
    if isinstance(message, ModelResponse):
        return ModelResponse([*message.parts], usage=message.usage)
    return ModelRequest([_part(part) for part in message.parts])


def _part(part: Any) -> Any:
    if isinstance(part, ToolReturnPart):
        return ToolReturnPart(part.tool_name, part.content, part.tool_call_id)
    return UserPromptPart(part.content)


STORED: dict[str, Callable[[History, Any], History]] = {
    "the new messages of each run": lambda kept, result: [*kept, *result.new_messages()],
    "the new messages of each run, as JSON": lambda kept, result: in_json([*kept, *result.new_messages()]),
    "the new messages of each run, built anew": lambda kept, result: anew([*kept, *result.new_messages()]),
    "all messages of the last run": lambda _, result: result.all_messages(),
    "all messages of the last run, as JSON": lambda _, result: in_json(result.all_messages()),
}


class Talk(talks.Talk):
    """A user who asks an agent one question after the other."""

    faults_of = staticmethod(faults)

    def __init__(self, usable: int) -> None:
        super().__init__()
        self.limits: ModelLimits | None = ModelLimits(context_window=usable + 1_000, max_output_tokens=1_000)
        self.policy: CompactionPolicy | None = None
        self.stored, self.restart, self.files = STORED["the new messages of each run"], 0, 0
        self.system, self.instructions, self.description = "", "", "Read a file."
        self.window: int | None = None
        """The window that the model states."""
        self.longest_answer = 1_000
        """Tokens that each request asks for."""
        self.counts_dots = True
        """Whether the provider counts a row of dots by its length, or as one token."""
        self.long: dict[int, int] = {}
        """Questions that are long, and their tokens."""
        self.said: dict[int, str] = {}
        """Questions with words of their own; without words a run goes on from the history."""
        self.kept: History = []
        """What the application stores."""
        self.sent: list[History] = []
        self.sizes: list[int] = []
        self.usable = usable

    def made(self) -> Agent[None, str]:
        """An agent, as a process makes it."""
        processor = CompactHistory(limits=self.limits, policy=self.policy, on_event=self.events.append)
        agent = Agent(
            FunctionModel(self._answer, profile=ModelProfile(context_window=self.window)),
            system_prompt=self.system or (),
            instructions=self.instructions or None,
            model_settings={"max_tokens": self.longest_answer},
            capabilities=[ProcessHistory(processor)],
        )

        @agent.tool_plain(description=self.description)
        def read(path: str) -> str:
            return WORDS

        return agent

    def _answer(self, messages: History, _info: Any) -> ModelResponse:
        """Read some files and answer, and measure every request: four characters a token."""
        said = "".join(str(getattr(part, "content", "")) for message in messages for part in message.parts)
        size = len(said if self.counts_dots else re.sub(r"\.{4,}", "dots", said)) // 4
        self.sent.append(messages)
        self.sizes.append(size)
        asked = max(n for n, message in enumerate(messages) if _asks(message))
        returned = [part for one in messages[asked:] for part in one.parts if part.part_kind == "tool-return"]
        if len(returned) < self.files:
            call = ToolCallPart("read", {"path": str(len(returned))}, f"call {len(self.sent)}")
            return ModelResponse([call], usage=RequestUsage(input_tokens=size))
        usage = RequestUsage(input_tokens=size, output_tokens=len(WORDS) // 4)
        return ModelResponse([TextPart(WORDS)], usage=usage)

    def lead(self, turns: int) -> None:
        """Ask so many questions."""
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            asyncio.run(self._lead(turns))
        self.warned = [str(one.message) for one in met]

    async def _lead(self, turns: int) -> None:
        agent = self.made()
        for turn in range(1, turns + 1):
            question = self.said.get(turn, f"question {turn}").ljust(4 * self.long.get(turn, 0), ".")
            try:
                result = await agent.run(question or None, message_history=self.kept)
            except (CompactionStalled, ContextOverflow) as error:
                self.errors.append(error)
                continue
            self.kept = self.stored(self.kept, result)
            if turn == self.restart:
                agent = self.made()

    @property
    def last_summary(self) -> str:
        """The summary in the last request."""
        return str(self.sent[-1][0].parts[0].content)


def _asks(message: ModelMessage) -> bool:
    """Whether the user asks something in it."""
    return any(isinstance(part, UserPromptPart) and str(part.content).startswith("question ") for part in message.parts)


def _states(talk: Talk, cell: str) -> None:
    talk.limits = None
    talk.window, talk.longest_answer = map(tokens, cell.split(" and "))


def _sizes(talk: Talk, cell: str) -> None:
    turn, _, size = cell.partition(": ")
    talk.long[int(turn)] = tokens(size)


def _says(talk: Talk, cell: str) -> None:
    turn, _, words = cell.partition(":")
    talk.said[int(turn)] = words.strip()


def _estimated(talk: Talk, cell: str) -> None:
    _sizes(talk, cell)
    talk.counts_dots = False


SETTERS: dict[str, Callable[[Talk, str], Any]] = {
    "kept": lambda talk, cell: setattr(talk, "stored", STORED[cell]),
    "restart": lambda talk, cell: setattr(talk, "restart", int(cell)),
    "files": lambda talk, cell: setattr(talk, "files", int(cell)),
    "sizes": _sizes,
    "only_estimated": _estimated,
    "says": _says,
    "system": lambda talk, cell: setattr(talk, "system", filler(tokens(cell))),
    "instructions": lambda talk, cell: setattr(talk, "instructions", filler(tokens(cell))),
    "tool": lambda talk, cell: setattr(talk, "description", filler(tokens(cell))),
    "model_states": _states,
    "threshold": lambda talk, cell: setattr(talk, "policy", CompactionPolicy(threshold=tokens(cell))),
}
"""How a talk goes, by the columns of a table; an empty cell says nothing."""


def talked(cells: Mapping[str, str]) -> Talk:
    """Return a talk as a row describes it, led to its end."""
    talk = Talk(7_000)
    for name, cell in cells.items():
        if cell and name != "questions":
            SETTERS[name](talk, cell)
    talk.lead(int(cells["questions"]))
    return talk
