"""LangChain agents that a user talks to, and the places where an application keeps their messages."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from itertools import repeat
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import Field

from brim.adapters.langchain import CompactionMiddleware
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import SUMMARY_OPENING
from brim.errors import CompactionStalled, ContextOverflow
from brim.models import ModelLimits
from steps.compaction_windows import filler
from steps.vocabulary import tokens
from steps.worlds import talks
from tests.adapters.langchain_agents import Scripted, faults

WORDS = "done " * 700
"""About 875 tokens."""
THREAD: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 200}


class ProviderError(Exception):
    """An error of a provider's package, with the status of its response."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status_code = status


class Model(BaseChatModel):
    """A chat model that reads some files and answers, and measures every request."""

    sent: list[list[AnyMessage]] = Field(repr=False)
    """LangChain's callbacks print a model with each request, and would print all of these."""
    sizes: list[int]
    files: int = 0
    tool_tokens: int = 0
    reported: int | None = None
    """The input that it reports, where that is not what it counts."""
    first_ends: str = ""
    """How its answer to the first question ends."""
    fault: Any = None
    """A function of the request's messages; what it returns is raised."""

    @property
    def _llm_type(self) -> str:
        return "measuring"

    def bind_tools(self, tools: Any, **_: Any) -> Model:
        """Take the tools, which every request holds too: what is called is known."""
        return self.model_copy(update={"tool_tokens": sum(len(one.description) for one in tools) // 4})

    def _generate(self, messages: list[AnyMessage], *_: Any, **__: Any) -> ChatResult:
        error = self.fault and self.fault(messages)
        if error:
            raise error
        size = sum(len(message.text) for message in messages) // 4
        self.sent.append(messages)
        self.sizes.append(size)
        asked = max(n for n, message in enumerate(messages) if is_question(message))
        reading = [message for message in messages[asked:] if isinstance(message, ToolMessage)]
        if len(reading) < self.files:
            call = {"name": "read", "args": {"path": str(len(reading))}, "id": f"call {len(self.sent)}"}
            answer = AIMessage("", tool_calls=[call])
        else:
            answer = AIMessage(WORDS + self.first_ends * (messages[asked].text == "question 1"))
        written = len(answer.text) // 4
        read = size + self.tool_tokens if self.reported is None else self.reported
        usage = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
        answer = answer.model_copy(update={"usage_metadata": usage})
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
def read(path: str) -> str:
    """Read a file."""
    return WORDS


def is_question(message: AnyMessage) -> bool:
    """Whether the user asked it."""
    return isinstance(message, HumanMessage) and message.text.startswith("question ")


class Place:
    """Keeps an agent's messages from turn to turn. `made` makes the agent, as a process does when it starts."""

    in_loop = False

    def __init__(self, made: Callable[..., Any]) -> None:
        self.made, self.saver = made, InMemorySaver()
        self.start()

    def start(self) -> None:
        """Make the agent."""
        self.agent = self.made(checkpointer=self.saver)

    def turn(self, *messages: Any) -> list[AnyMessage]:
        """Say these, and return every message that is kept."""
        return self.invoke([*messages])

    def invoke(self, messages: list[Any]) -> list[AnyMessage]:
        """Run the agent with these messages."""
        given = {"messages": messages}
        done = asyncio.run(self.agent.ainvoke(given, THREAD)) if self.in_loop else self.agent.invoke(given, THREAD)
        return done["messages"]


class ParentGraph(Place):
    """The agent is a node; the checkpointer is its parent's."""

    def start(self) -> None:
        """Make the agent and the graph that it is a node of."""
        graph = StateGraph(MessagesState)
        graph.add_node("agent", self.made())
        graph.add_edge(START, "agent")
        self.agent = graph.compile(checkpointer=self.saver)


class Caller(Place):
    """The caller keeps the messages and passes them back."""

    def start(self) -> None:
        """Make the agent."""
        self.agent = self.made()
        self.messages: list[AnyMessage] = getattr(self, "messages", [])

    def turn(self, *messages: Any) -> list[AnyMessage]:
        """Pass all of them back."""
        self.messages = self.stored(self.invoke([*self.messages, *messages]))
        return self.messages

    def stored(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        """What is kept of them."""
        return messages


class CallerInJson(Caller):
    """The caller stores them as LangChain writes them."""

    def stored(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        """All of them, from JSON."""
        return messages_from_dict(json.loads(json.dumps(messages_to_dict(messages))))


class CallerAnew(Caller):
    """The caller stores texts, calls and usage."""

    def stored(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        """New messages, without ids and metadata."""
        fields = ("content", "tool_calls", "usage_metadata", "tool_call_id")
        return [
            type(message)(**{name: getattr(message, name) for name in fields if hasattr(message, name)})
            for message in messages
        ]


PLACES: dict[str, type[Place]] = {
    "by its checkpointer": Place,
    "by the caller": Caller,
    "by the caller, as JSON": CallerInJson,
    "by the caller, who builds new message objects": CallerAnew,
    "by the checkpointer of a parent graph": ParentGraph,
}


class Talk(talks.Talk):
    """A user who asks an agent one question after the other."""

    faults_of = staticmethod(faults)

    def __init__(self, usable: int) -> None:
        super().__init__()
        self.limits: ModelLimits | None = ModelLimits(context_window=usable + 1_000, max_output_tokens=1_000)
        self.policy: CompactionPolicy | None = None
        self.system: str | None = None
        self.description, self.in_loop = "Read a file.", False
        self.place, self.restart = Place, 0
        self.file = WORDS
        self.writer: Any = None
        """Writes the summaries."""
        self.read: list[str] = []
        """What the user read while it was streamed."""
        self.long: dict[int, int] = {}
        """Questions that are long, and their tokens."""
        self.said: dict[int, str] = {}
        """Questions with words of their own."""
        self.repeats = False
        """Whether the user repeats a question that met an error."""
        self.profiles: dict[int, Any] = {}
        """What its model states from a turn on."""
        self.model = Model(sent=[], sizes=[])
        self.sent, self.sizes = self.model.sent, self.model.sizes
        self.usable = usable

    def made(self, **options: Any) -> Any:
        """An agent, as a process makes it."""
        settings: Any = {"limits": self.limits, "policy": self.policy, "on_event": self.events.append}
        middleware = CompactionMiddleware(self.writer, **settings)
        tools = [read.model_copy(update={"description": self.description, "func": lambda path: self.file})]
        return create_agent(self.model, tools, middleware=[middleware], system_prompt=self.system, **options)

    def lead(self, turns: int) -> None:
        """Ask so many questions."""
        place = self.place(self.made)
        place.in_loop = self.in_loop
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            for turn in range(1, turns + 1):
                while not self._ask(place, turn) and self.repeats:
                    pass
        self.warned = [str(one.message) for one in met]

    def _ask(self, place: Place, turn: int) -> bool:
        """Ask a question; whether it was answered."""
        self.model.profile = self.profiles.get(turn, self.model.profile)
        words = self.said.get(turn, f"question {turn}")
        question = HumanMessage(words.ljust(4 * self.long.get(turn, 0), "."))
        try:
            place.turn(question)
        except (ProviderError, ContextOverflow, CompactionStalled) as error:
            self.errors.append(error)
            return False
        if turn == self.restart:
            place.start()
        return True

    def read_streams(self, turns: int, *, asynchronous: bool) -> None:
        """Ask so many questions, and read what is streamed of each turn."""
        agent = self.made(checkpointer=InMemorySaver())
        for turn in range(1, turns + 1):
            said = {"messages": [HumanMessage(f"question {turn}")]}
            if asynchronous:
                asyncio.run(self._read(agent.astream(said, THREAD, stream_mode="messages")))
            else:
                self.read += [message.text for message, _ in agent.stream(said, THREAD, stream_mode="messages")]

    async def _read(self, stream: AsyncIterator[Any]) -> None:
        self.read += [message.text async for message, _ in stream]

    def texts(self, request: int) -> list[str]:
        """What the messages of a request say."""
        return [message.text for message in self.model.sent[request]]

    @property
    def compacted(self) -> list[str]:
        """What the messages of the first request after a compaction say."""
        places = range(len(self.model.sent))
        return self.texts(next(n for n in places if "".join(self.texts(n)[:1]).startswith(SUMMARY_OPENING)))

    def refuse(self, turn: int, error: Exception) -> None:
        """Refuse the request of a turn once."""
        waiting = [error]

        def fault(messages: list[AnyMessage]) -> Exception | None:
            asked = any(message.text == f"question {turn}" for message in messages)
            return waiting.pop() if asked and waiting else None

        self.model.fault = fault

    @property
    def holds_what_was_kept(self) -> bool:
        """Whether the last request begins with what the first compaction made."""
        return self.texts(-1)[: len(self.compacted)] == self.compacted

    @property
    def last_summary(self) -> str:
        """The summary in the last request."""
        return self.texts(-1)[0]

    @property
    def user_read(self) -> list[str]:
        """What the user read, `answers` for whole answers."""
        return [f"{self.read.count(WORDS)} answers", *(text for text in self.read if text != WORDS)]

    @property
    def messages_of_summary_requests(self) -> list[int]:
        """How many messages each request for a summary has beside its system prompt."""
        return [len([one for one in messages if one.type != "system"]) for messages in self.writer.sent]

    @property
    def first_summary_request(self) -> str:
        """What the first of them says."""
        return str(self.writer.sent[0])


def _profile(cell: str) -> dict[str, int]:
    window, longest = map(tokens, cell.split(" and "))
    return {"max_input_tokens": window, "max_output_tokens": longest}


def _states(talk: Talk, cell: str) -> None:
    talk.limits, talk.model.profile = None, _profile(cell)


def _by_turn(cell: str) -> tuple[int, str]:
    turn, _, told = cell.partition(": ")
    return int(turn), told


def _refuses(talk: Talk, cell: str) -> None:
    turn, told = _by_turn(cell)
    status, _, words = told.partition(" ")
    talk.refuse(turn, ProviderError(words, int(status)))
    talk.repeats = status == "529"


SETTERS: dict[str, Callable[[Talk, str], Any]] = {
    "kept": lambda talk, cell: setattr(talk, "place", PLACES[cell]),
    "restart": lambda talk, cell: setattr(talk, "restart", int(cell)),
    "files": lambda talk, cell: setattr(talk.model, "files", int(cell)),
    "file_size": lambda talk, cell: setattr(talk, "file", filler(tokens(cell))),
    "sizes": lambda talk, cell: talk.long.update([(_by_turn(cell)[0], tokens(_by_turn(cell)[1]))]),
    "says": lambda talk, cell: talk.said.update([_by_turn(cell)]),
    "system": lambda talk, cell: setattr(talk, "system", filler(tokens(cell))),
    "tool": lambda talk, cell: setattr(talk, "description", filler(tokens(cell))),
    "model_states": _states,
    "then": lambda talk, cell: talk.profiles.update([(_by_turn(cell)[0], _profile(_by_turn(cell)[1]))]),
    "refusal": _refuses,
    "threshold": lambda talk, cell: setattr(talk, "policy", CompactionPolicy(threshold=tokens(cell))),
    "compaction": lambda talk, cell: setattr(talk, "policy", CompactionPolicy(enabled=cell == "on")),
    "first_answer": lambda talk, cell: setattr(talk.model, "first_ends", cell),
    "reports": lambda talk, cell: setattr(talk.model, "reported", int(cell)),
    "in_a_loop": lambda talk, cell: setattr(talk, "in_loop", cell == "yes"),
    "summaries_by": lambda talk, cell: setattr(
        talk,
        "writer",
        Scripted(repeat(f"<summary>{cell}</summary>")),
    ),
}
"""How a talk goes, by the columns of a table; an empty cell says nothing."""


def talked(cells: Mapping[str, str]) -> Talk:
    """Return a talk as a row describes it, led to its end, or read as a stream."""
    talk = Talk(7_000)
    for name, cell in cells.items():
        if cell and name not in ("questions", "streamed"):
            SETTERS[name](talk, cell)
    if cells.get("streamed"):
        talk.read_streams(int(cells["questions"]), asynchronous=cells["streamed"] == "in an event loop")
    else:
        talk.lead(int(cells["questions"]))
    return talk
