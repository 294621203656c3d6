"""An agent and its provider: what the agent does, one thing after another, and what the provider receives.

Most agents let brim keep their conversation. One that "has read notes" keeps a list of its own, and passes it to a
client of the SDK, which compacts; each note is an output of 2,000 tokens, and its window is due from 10,000 on.
"""

from __future__ import annotations

import asyncio
import re
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_bdd import given, parsers, then, when

import brim
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.prefetch import THREAD
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.testing import Answer, MessagesServer, rejected, tool_call
from steps.policies import with_policy
from steps.vocabulary import phrase, tokens
from steps.worlds.conversation_line import Line
from steps.worlds.notation import Acts, ActsBelow

ROOMY = {"context_window": 1_000_000, "max_output_tokens": 8_000}
"""The model of an agent of which nothing is said."""
MODEL = "claude-opus-5-5"
SERVED = {MODEL: (1_000_000, 64_000), "large": (1_000_000, 64_000), "small": (20_000, 4_000)}
"""The models of the provider, each with its window and its longest answer."""
SUMMARY = "All went well."
ANSWER = 100
"""The longest answer of the agent's requests, in tokens; that of summary requests differs."""
TIGHT = ModelLimits(context_window=40_000, max_output_tokens=30_000)
"""Six notes are due by these, and the last is kept."""
NOTE = 2_000
PATIENCE_S = 20
"""Seconds for what runs in the background."""
ASKED = -1
"""Where the question stands in the list of an agent that has sent nothing yet."""


def filler(count: int) -> str:
    """Return a text of so many tokens."""
    return "text" * count


def notes_read(count: int, first: int = 0) -> list[Any]:
    """Return so many turns of an agent that reads files, and a request that waits for its answer."""
    history: list[Any] = []
    for number in range(first, first + count):
        call = {"type": "tool_use", "id": f"call-{number}", "name": "read", "input": {"path": f"/notes-{number}"}}
        result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": filler(NOTE)}
        history += [
            {"role": "user", "content": f"Read notes {number}."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Read."},
        ]
    return [*history, {"role": "user", "content": "What do they say?"}]


class Agent:
    """What all agents have: events, warnings, and what their last request held."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.events: list[str] = []
        self.warned: list[str] = []

    @contextmanager
    def working(self) -> Iterator[None]:
        """Note the warnings of what it does."""
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            yield
        self.warned += [str(one.message) for one in met]

    @property
    def each_way(self) -> Sequence[Agent]:
        """The agent in each way in which it works: streamed, in an event loop."""
        return [self]

    @property
    def sent(self) -> list[Any]:
        """The messages of its last request."""
        raise NotImplementedError

    @property
    def last_request(self) -> str:
        """What its last request says."""
        return str(self.sent)

    @property
    def outputs_cleared(self) -> list[str]:
        """The calls whose outputs are cleared in its last request, newest first."""
        blocks = [block for message in self.sent for block in message["content"] if isinstance(block, dict)]
        return [block["tool_use_id"] for block in reversed(blocks) if block.get("content") == PLACEHOLDER]

    @property
    def cache_marks(self) -> int:
        """How many cache marks its last request has."""
        return str(self.sent).count("cache_control")

    @property
    def last_event(self) -> str | None:
        """What its listener heard last."""
        return self.events[-1] if self.events else None


class Alike:
    """One agent in several ways: what it is asked, it says alike in each."""

    def __init__(self, agents: Sequence[Agent]) -> None:
        self.each_way = agents

    def __getattr__(self, name: str) -> Any:
        first, *others = [getattr(one, name) for one in self.each_way]
        assert others == [first] * len(others), [first, *others]
        return first


class KeptAgent(Agent):
    """An agent whose conversation brim keeps."""

    def __init__(self, messages: list[Any], limits: dict[str, Any], settings: dict[str, Any]) -> None:
        super().__init__(settings)
        self.new = messages
        """What brim has not taken yet."""
        self.said: list[Any] = []
        """What it has."""
        self.pinned: list[int] = []
        self._sent: list[Any] = []
        with self.working():
            compactor = Compactor(
                limits=ModelLimits(**limits or ROOMY),
                on_event=lambda event: self.events.append(str(event)),
                **with_policy(settings),
            )
        self.conversation = Conversation(compactor)

    @property
    def sent(self) -> list[Any]:
        """The messages of its last request."""
        return self._sent

    @property
    def conversation_sent(self) -> str:
        """Whether its last request has all that was said as it was said, or fewer messages."""
        if self.sent == self.said:
            return "unchanged"
        return "compacted" if len(self.sent) < len(self.said) else "changed"

    @property
    def first_message(self) -> str:
        """What became of the first message in its last request."""
        return "kept" if self.said[0] in self.sent else "summarized"

    def sends(self, _how: str | None) -> None:
        """Make a request of all that was said."""
        self.conversation.extend(self.new)
        self.said += self.new
        self.new = []
        self._sent = self.conversation.prepare(pinned=self.pinned).messages

    def takes(self, line: str) -> None:
        """Go on by the messages of a line."""
        self.new = self.new + Line.read(line).raws

    def pins(self, index: str | None) -> None:
        """Pin a message, or none, with each request from now on."""
        self.pinned = [int(index)] if index else []


class ListingAgent(Agent):
    """An agent that keeps a list, and passes it to a client that compacts with each request."""

    def __init__(self, server: MessagesServer, messages: list[Any], *, in_loop: bool = False) -> None:
        super().__init__({})
        self.server = server
        self.messages = messages
        self.in_loop = in_loop
        self.pinned: Any = None
        self.crew = [self]
        """The agents that share its client."""
        self.heard: list[Any] = []
        """The events that its listener received."""
        self.options: dict[str, Any] = {"on_event": self.heard.append}
        """What its client is made with besides."""
        self.plain: Any = None
        self.client: Any = None
        self.stream: Any = None

    @contextmanager
    def working(self) -> Iterator[None]:
        """Open the client of all its crew."""
        with super().working(), self.server.client() as plain, asyncio.Runner() as runner:
            self.run = runner.run
            self.plain = self.server.async_client() if self.in_loop else plain
            self.starts_anew()
            yield
            if self.in_loop:
                runner.run(self.plain.close())

    def starts_anew(self) -> None:
        """Compact by a new client of all its crew, as another process does."""
        options = {"limits": TIGHT, "pinned": self.pinned, **self.options}
        compacting = brim.compacting(self.plain, **options, **with_policy({"keep_share": "0.3", **self.settings}))
        for one in self.crew:
            one.client = compacting

    def asked(self) -> list[Any]:
        """Return the messages of each request of an agent that reached the provider."""
        return [one.body["messages"] for one in self.server.requests if one.body["max_tokens"] == ANSWER]

    @property
    def sent(self) -> list[Any]:
        """The messages of the last request of its crew."""
        return self.asked()[-1]

    @property
    def request_before_the_last(self) -> str:
        """What the request before it says."""
        return str(self.asked()[-2])

    @property
    def summaries(self) -> int:
        """How many summaries the provider was asked for."""
        return len(self.server.requests) - len(self.asked())

    @property
    def summaries_ahead(self) -> list[str]:
        """What became of its summaries ahead: started, used, discarded."""
        return [one.step for one in self.heard if one.kind == "summary_ahead"]

    @property
    def last_summary_ahead(self) -> str:
        """What its listener heard of them last."""
        return [str(one) for one in self.heard if one.kind == "summary_ahead"][-1]

    @property
    def request(self) -> dict[str, Any]:
        """Its request as it would make it now."""
        return {"model": MODEL, "max_tokens": ANSWER, "messages": self.messages}

    def sends(self, how: str | None) -> None:
        """Make a request, and append its response and a question; one in vain fails, and one made once may fail."""
        from anthropic import APIStatusError  # noqa: PLC0415  few features need it, and it takes a second

        alone = how in {"in vain", "once"}
        client = self.client.with_options(max_retries=0) if alone else self.client
        with pytest.raises(APIStatusError) if how == "in vain" else suppress(*[APIStatusError] * alone):
            self.goes_on(self.run(self._send_in_loop(how)) if self.in_loop else self._send(client, how))
        if self.in_loop:
            self.run(self._settle())
        for thread in threading.enumerate():
            if thread.name == THREAD:
                thread.join(PATIENCE_S)

    async def _settle(self) -> None:
        """Let what runs in the background come to its end."""
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=PATIENCE_S)

    def _send(self, client: Any, how: str | None) -> Any:
        if how == "streamed":
            with client.messages.stream(**self.request) as stream:
                return stream.get_final_message()
        return client.messages.create(**self.request)

    async def _send_in_loop(self, how: str | None) -> Any:
        if how == "streamed":
            async with self.client.messages.stream(**self.request) as stream:
                return await stream.get_final_message()
        return await self.client.messages.create(**self.request)

    def goes_on(self, response: Any) -> None:
        """Append a response and a question."""
        self.messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": "And?"}]

    def opens_a_stream(self) -> None:
        """Begin a request whose answer it reads later."""
        self.opened = self.client.messages.stream(**self.request | {"messages": [*self.messages]})
        self.stream = self.opened.__enter__()

    def reads_the_stream(self, takes: str | None) -> None:
        """Read that answer, and take it as its own where it says so."""
        answer = self.stream.get_final_message()
        self.opened.__exit__(None, None, None)
        if takes:
            self.goes_on(answer)

    def edits(self, which: str) -> None:
        """Edit the words of a message, or the output in it."""
        outputs = [n for n, message in enumerate(self.messages) if "tool_result" in str(message["content"])]
        places = {
            "third message": outputs[0],
            "last output": outputs[-1],
            "newest message": len(self.messages) - 1,
        }
        index = places[which]
        content = self.messages[index]["content"]
        new = "Edited." if isinstance(content, str) else [*content[:-1], content[-1] | {"content": "Edited."}]
        self.messages[index] = self.messages[index] | {"content": new}

    def puts(self, what: str, where: str) -> None:
        """Have this and nothing else beside the question, or beside the first output."""
        message = self.messages[24 if where == "question" else 2]
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        own = {name: value for name, value in blocks[0].items() if name != "cache_control"}
        if what == "nothing":
            message["content"] = own["text"] if where == "question" else [own]
        elif what == "a cache mark":
            message["content"] = [own | {"cache_control": {"type": "ephemeral"}}]
        else:
            kind, words = re.fullmatch('(a reminder|an environment) "([^"]*)"', what).groups()  # type: ignore[union-attr]
            words = re.sub(r"([\d,]+) tokens", lambda found: filler(tokens(found[1])), words)
            tag = "system-reminder" if kind == "a reminder" else "environment_context"
            message["content"] = [own, {"type": "text", "text": f"<{tag}>{words}</{tag}>"}]

    def keeps(self, count: str) -> None:
        """Remove all but its first messages."""
        del self.messages[int(count) :]

    def drops(self, count: str) -> None:
        """Remove its last messages."""
        del self.messages[-int(count) :]

    def asks(self, words: str | None, count: str | None) -> None:
        """Append a question."""
        self.messages.append({"role": "user", "content": words or filler(tokens(count or "0"))})

    def grows(self, count: str) -> None:
        """Append five short turns of so many tokens together."""
        half = filler(tokens(count) // 10)
        self.messages += [{"role": "assistant", "content": half}, {"role": "user", "content": half}] * 5

    def reads_more(self, count: str) -> None:
        """Read further notes."""
        self.messages += notes_read(int(count))[1:]

    def compacts(self) -> None:
        """Compact the conversation with a compactor that has the client of the agent."""
        Compactor(self.client, MODEL, limits=TIGHT).compact(self.messages)


AGENT = Acts(
    "the agent {acts}",
    {
        "sends(?: (streamed|in vain|once))?": lambda agent, how: agent.sends(how),
        'takes "([^"]*)"': lambda agent, line: agent.takes(line),
        r"pins (?:message (\d+)|nothing)": lambda agent, index: agent.pins(index),
        "edits its (third message|last output|newest message)": lambda agent, which: agent.edits(which),
        'puts (nothing|a cache mark|(?:a reminder|an environment) "[^"]*") beside its (question|first output)': (
            lambda agent, what, where: agent.puts(what, where)
        ),
        r"keeps its first (\d+) messages": lambda agent, count: agent.keeps(count),
        r"drops its last (\d+) messages": lambda agent, count: agent.drops(count),
        r'asks (?:"([^"]*)"|([\d,]+) tokens)': lambda agent, words, count: agent.asks(words, count),
        r"goes on by ([\d,]+) tokens": lambda agent, count: agent.grows(count),
        r"reads (\d+) more notes": lambda agent, count: agent.reads_more(count),
        "opens a stream": lambda agent: agent.opens_a_stream(),
        "reads the stream( as its answer)?": lambda agent, takes: agent.reads_the_stream(takes),
        "compacts by its client": lambda agent: agent.compacts(),
        "starts anew": lambda agent: agent.starts_anew(),
        'hears "([^"]*)"': lambda agent, words: agent.hears(words),
        'forgets "([^"]*)"': lambda agent, words: agent.forgets(words),
        r"forgets (\d+) messages": lambda agent, count: agent.forgets_many(count),
        'clears "([^"]*)", read from "([^"]*)"': lambda agent, words, path: agent.clears(words, path),
        r'recalls (?:"([^"]*)"|nothing|([\d,]+) characters)(?: with (\w+) (\S+))?': (
            lambda agent, words, length, name, value: agent.recalls(words, length, name, value)
        ),
        r'recalls "([^"]*)" (\d+) times': lambda agent, words, count: agent.recalls_often(words, count),
        'recalls "([^"]*)" in vain': lambda agent, words: agent.recalls_in_vain(words),
        'recalls "([^"]*)" between calls of its own': lambda agent, words: agent.recalls_between(words),
        'is cut off as it recalls(?: behind "([^"]*)")?': lambda agent, words: agent.is_cut_off(words),
        r"works for (\d+) turns?(?: of ([\d,]+))?": lambda agent, *counts: agent.works(*filter(None, counts)),
        r"waits (\d+) hours": lambda agent, hours: agent.waits(hours),
        "talks elsewhere by its client": lambda agent: agent.talks_elsewhere(),
        r"has a (system prompt|tool|question|pinned (?:message|result|question)) of ([\d,]+) tokens": (
            lambda agent, what, count: agent.has(what, count)
        ),
        r"has (\d+) short turns": lambda agent, count: agent.has_turns(count),
        "takes its pin away": lambda agent: agent.takes_pin_away(),
        r"makes (\d+) requests? with (3 notes|a short turn) before each": (
            lambda agent, count, what: agent.makes_requests(count, what)
        ),
        r"reads a file of ([\d,]+) tokens(?: (\d+) times)?": lambda agent, size, count: agent.reads_file(size, count),
        "works until (compacted twice|compacted|cleared and compacted|cleared)": lambda agent, what: agent.works_until(
            what
        ),
        "goes on in another process": lambda agent: agent.goes_on_in_another_process(),
        r'calls "(\w+)" and "(\w+)", and ends before (both results|the second result)': (
            lambda agent, first, second, missing: agent.ends_before(first, second, missing)
        ),
        "runs( in vain)?": lambda agent, fails: agent.runs(fails),
        "goes on": lambda agent: agent.goes_on_once(),
        "compacts by hand": lambda agent: agent.compacts_by_hand(),
        "sends to the (small|large|unknown) model": lambda agent, model: agent.sends_to(model),
        "prepares": lambda agent: agent.prepares(),
        r"records ([\d,]+) read and ([\d,]+) written( at first)?": (
            lambda agent, read, written, early: agent.records(read, written, early)
        ),
        r"grows its system prompt by ([\d,]+)": lambda agent, count: agent.grows_its_system_prompt(count),
    },
)


@pytest.fixture
def agent(conversation, limits, settings) -> Agent:
    """The agent that has the conversation."""
    return KeptAgent([one.raw for one in conversation], limits, settings)


@pytest.fixture
def strict_server() -> Iterator[MessagesServer]:
    """A provider whose model has a large window."""
    with MessagesServer(default=SUMMARY, models=SERVED) as server:
        yield server


@given(
    parsers.re(
        r"an agent that has read (?P<count>\d+) notes(?P<one> for one question)?(?P<in_loop>, in an event loop)?"
    ),
    target_fixture="agent",
)
def has_read(strict_server, count, one, in_loop):
    told = notes_read(int(count))
    if one:
        told = [message for n, message in enumerate(told[:-1]) if n == 0 or n % 4 in {1, 2}]
    return ListingAgent(strict_server, told, in_loop=bool(in_loop))


@given("the agents", target_fixture="agent")
def several_agents(strict_server, datatable):
    columns, *rows = datatable
    crew = [_one_of_several(strict_server, dict(zip(columns, row, strict=True))) for row in rows]
    for one in crew:
        one.crew = crew
    return crew[0]


def _one_of_several(server: MessagesServer, row: dict[str, str]) -> ListingAgent:
    """Return an agent that has read 6 notes, with the messages of a row."""
    one = ListingAgent(server, notes_read(6))
    for column, index in (("first message", 0), ("question", ASKED)):
        if row.get(column):
            one.messages[index]["content"] = row[column]
    return one


@given(phrase("its answers report {read:Tokens} tokens read and {written:Tokens} written"))
def reporting(agent, read, written):
    for one in agent.each_way:
        one.usage = {"input_tokens": read, "output_tokens": written}


COUNTS = {
    "read": "input_tokens",
    "cached": "cache_read_input_tokens",
    "stored": "cache_creation_input_tokens",
    "written": "output_tokens",
}
"""Columns of an answer for what its usage reports."""


@given("the provider answers")
def answers(agent, datatable):
    columns, *rows = datatable
    for row in (dict(zip(columns, cells, strict=True)) for cells in rows):
        status, _, words = row.get("refusal", "").partition(" ")
        cells = {count: row[name] for name, count in COUNTS.items() if row.get(name)}
        usage = {name: tokens(cell) if cell[:1].isdigit() else cell for name, cell in cells.items()}
        says = [tool_call(row["calls"])] if row.get("calls") else row.get("says") or "Noted."
        answer = rejected(words, status=int(status)) if status else Answer(says, usage=usage)
        for one in agent.each_way:
            if row.get("to") == "a summary":
                one.server.when(lambda body: body["max_tokens"] != ANSWER, answer)
            else:
                one.server.script(answer)


@when(AGENT, target_fixture="outcome")
def act(agent, settings, acts):
    return perform(agent, settings, [acts])


@when(ActsBelow("the agent acts", AGENT), target_fixture="outcome")
def act_in_turn(agent, settings, datatable):
    return perform(agent, settings, [cell for row in datatable for cell in row])


def perform(agent: Agent, settings: dict[str, Any], lines: Sequence[str]) -> Agent:
    """Let the agent do what the lines say, under the settings, in each of its ways."""
    for one in agent.each_way:
        one.settings = settings
        with one.working():
            AGENT.perform(one, lines)
    return agent


@when("the agents send twice in turn", target_fixture="outcome")
def take_turns(agent, settings):
    agent.settings = settings
    with agent.working():
        for one in (*agent.crew, *agent.crew):
            one.sends(None)
    return agent


@when("it is compacted automatically", target_fixture="outcome")
def compact(conversation, limits, settings):
    events: list[str] = []
    compactor = Compactor(
        limits=ModelLimits(**limits), on_event=lambda event: events.append(str(event)), **with_policy(settings)
    )
    compaction = compactor.compact([one.raw for one in conversation], cause="automatic")
    return SimpleNamespace(compaction=compaction, events=events)


@then(parsers.re(r"the provider is asked for (?P<count>\d+) summar(?:y|ies)"))
def check_summaries(outcome, count):
    assert outcome.summaries == int(count)
