"""Steps of features/engine/conversation.feature."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from anthropic import Anthropic, APIStatusError
from pytest_bdd import given, then, when

from brim.anthropic.errors import is_overflow
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.conversation import AsyncConversation, Conversation
from brim.errors import ContextOverflow, InvalidInput, Refused
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import Answer, MessagesServer, rejected, too_long
from brim.tokens.usage import TokenUsage
from steps.compaction_windows import filler
from steps.counted import TERMS
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase

MODEL = "claude-opus-5-5"
OUTPUT = 2_000
"""Tokens of the tool output of each turn."""
TIGHT = ModelLimits(context_window=40_000, max_output_tokens=30_000)
"""Six such turns are due by these."""


def worked(count: int, output: int = OUTPUT) -> list[Any]:
    """So many turns of an agent that reads files, and a request that waits for its answer."""
    history: list[Any] = []
    for number in range(count):
        call = {"type": "tool_use", "id": f"call-{number}", "name": "read", "input": {"path": f"/notes-{number}"}}
        result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": filler(output)}
        history += [
            {"role": "user", "content": f"Read notes {number}."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Read."},
        ]
    return [*history, {"role": "user", "content": "What do they say?"}]


@dataclass
class InLoop:
    """A summarizer for an event loop."""

    summarizer: Any

    async def summarize(self, request: Any, on_text: Any) -> Any:
        """Answer as the summarizer for threads does."""
        return self.summarizer.summarize(request, on_text)


@dataclass
class Agent:
    """An agent in its own loop, and how it was set up."""

    messages: list[Any] = field(default_factory=lambda: worked(6))
    limits: ModelLimits | None = None
    pinned: range = range(0)
    outcome: Any = None
    in_loop: bool = False
    in_dictionaries: bool = False
    appended: Any = None
    """A message that another thread appends while the provider answers the first request."""

    def begin(self, summarizer: Any = None, **options: Any) -> None:
        """Append all messages so far to a conversation."""
        kind, made = (AsyncConversation, AsyncCompactor) if self.in_loop else (Conversation, Compactor)
        compactor = made(limits=self.limits, summarizer=InLoop(summarizer) if self.in_loop else summarizer, **options)
        self.conversation: Any = kind(compactor, pinned=self.pinned)
        self.conversation.extend(self.messages)

    def run(self, client: Anthropic, times: int) -> None:
        """Make so many requests, each with what came since the one before."""
        for _ in range(times):
            response = self._request(client)
            content = response["content"] if self.in_dictionaries else response.content
            self.conversation.append({"role": "assistant", "content": content})
            self.conversation.append({"role": "user", "content": "And?"})
            self.outcome = response

    def attempt(self, client: Anthropic) -> None:
        """Make one request, and note its outcome."""
        try:
            self.outcome = self._request(client)
        except (APIStatusError, ContextOverflow) as error:
            self.outcome = error

    def _request(self, client: Anthropic) -> Any:
        def call(messages: list[Any]) -> Any:
            if self.appended:
                self.conversation.append(self.appended)
                self.appended = None
            response = client.messages.create(model=MODEL, max_tokens=100, messages=messages)
            return response.model_dump(mode="json", exclude_unset=True) if self.in_dictionaries else response

        async def in_loop(messages: list[Any]) -> Any:
            return call(messages)

        return asyncio.run(self.conversation.send(in_loop)) if self.in_loop else self.conversation.send(call)


@pytest.fixture
def server():
    """A provider whose model has a large window."""
    with MessagesServer(models={MODEL: (1_000_000, 64_000)}) as server:
        yield server


@pytest.fixture
def agent_requests(server, agent, summarizer, settings) -> Callable[..., None]:
    """Lets the agent make its requests to the provider."""

    def make(act: Callable[..., None], *arguments: Any) -> None:
        agent.begin(summarizer, **with_policy(settings))
        with server.client() as client:
            act(client, *arguments)

    return make


@given("an agent whose model's context window is unknown", target_fixture="agent")
def unknowing():
    return Agent()


@given(
    phrase("an agent with {count:Count} turns of {output:Tokens} tokens, whose model's context window is unknown"),
    target_fixture="agent",
)
def unknowing_with_turns(count, output):
    return Agent(worked(count, output))


@given(phrase("a policy that keeps {share} of the conversation"), target_fixture="settings")
def keeps_share(settings, share):
    return settings | {"keep_share": share}


@given("an agent whose window is due", target_fixture="agent")
def due():
    return Agent(limits=TIGHT)


@given("an agent with one long request", target_fixture="agent")
def one_request():
    return Agent([{"role": "user", "content": filler(12_000)}])


@given("an agent with a pinned conversation", target_fixture="agent")
def all_pinned():
    agent = Agent()
    agent.pinned = range(len(agent.messages))
    return agent


@given(phrase("an agent with {turns:Count} long turns and a window to spare"), target_fixture="agent")
def room_to_spare(turns):
    said = [{"role": "user", "content": "Hello there."}, {"role": "assistant", "content": "Hello."}]
    for number in range(turns):
        said.append({"role": "user", "content": f"Turn {number}: {filler(7_500)}"})
        said.append({"role": "assistant", "content": filler(2_000)})
    return Agent(said[:-1], limits=ModelLimits(context_window=200_000, max_output_tokens=8_192))


@given("an agent whose window is due, with short turns", target_fixture="agent")
def due_with_short_turns():
    return Agent(worked(40, output=600), limits=TIGHT)


@given("the agent runs in a thread")
def in_thread(agent):
    agent.in_loop = False


@given("the agent runs in an event loop")
def in_event_loop(agent):
    agent.in_loop = True


@given("the agent's responses are dictionaries")
def in_dictionaries(agent):
    agent.in_dictionaries = True


@given(
    phrase("an agent with a conversation of {count:Count} turns, in a window of {window:Tokens} tokens"),
    target_fixture="agent",
)
def in_window(count, window):
    return Agent(worked(count), limits=ModelLimits(context_window=window, max_output_tokens=8_192))


@given(phrase("a provider whose first response reports {read:Tokens} tokens read"))
def reports(server, read):
    server.script(Answer("Noted.", usage={"input_tokens": read}))


@given("its last message is the result of a tool")
def in_mid_work(agent):
    del agent.messages[-2:]


@given(phrase("a provider that says {times:Times} that the prompt is too long", TERMS))
def says_too_long(server, times):
    server.script(*[too_long()] * times)


@given(phrase('a provider that first refuses with {status:Count}: "{words:Quoted}"'))
def refuses(server, status, words):
    server.script(rejected(words, status=status))


APPENDED = {"role": "user", "content": "And look at the harbour code."}


@given("nothing is appended while the provider answers")
def appends_nothing(agent):
    assert agent.appended is None


@given("a message is appended while the provider answers")
def appends_meanwhile(agent):
    agent.appended = APPENDED


@when("the agent makes its request, and makes it again after the overflow error")
def make_request_again(agent, agent_requests):
    agent_requests(lambda client: [agent.attempt(client), agent.attempt(client)])


@then("the last request ends with the message that was appended")
def check_ends_with_appended(server):
    assert server.requests[-1].body["messages"][-1] == APPENDED


@when("the agent makes its request", target_fixture="before")
def make_request(agent, agent_requests):
    before = deepcopy(agent.messages)
    agent_requests(agent.attempt)
    return before


@when(phrase("the agent makes its request, and {more:Count} more with the messages since then"))
def make_requests(agent, agent_requests, more):
    agent_requests(agent.run, 1 + more)


@then(phrase("the provider saw {count:Requests}", TERMS))
def check_requests(server, count):
    assert len(server.requests) == count


@then(phrase("it cost {count:Summaries}", TERMS))
def check_summaries(summarizer, count):
    assert len(summarizer.requests) == count


@then("the agent receives an answer")
def check_answer(agent):
    assert agent.outcome.stop_reason == "end_turn"


@then("the agent receives the overflow error")
def check_overflow(agent):
    assert is_overflow(agent.outcome)


@then(phrase('the agent receives a context overflow of "{parts:Quoted}"'))
def check_context_overflow(agent, parts):
    assert isinstance(agent.outcome, ContextOverflow)
    assert f": {parts}. " in str(agent.outcome)


@then(phrase('the error says "{words:Quoted}"'))
def check_error_says(agent, words):
    assert f". {words}" in str(agent.outcome)


@then("the second request is at most half as long as the first")
def check_half(server):
    first, second = (len(json.dumps(request.body["messages"])) for request in server.requests)
    assert second <= first // 2


@then(phrase('the last request says "{words:Quoted}"'))
def check_says(server, words):
    assert words in str(server.requests[-1].body["messages"])


@then(phrase("the last request holds {count:Count} messages"))
def check_length(server, count):
    assert len(server.requests[-1].body["messages"]) == count


@then("the last request ends with the agent's last message")
def check_ends(server, agent):
    assert server.requests[-1].body["messages"][-1] == agent.messages[-1]


@then(phrase('the last request ends with "{words:Quoted}"'))
def check_ends_with(server, words):
    assert words in server.requests[-1].body["messages"][-1]["content"]


@then("the messages of the conversation are unchanged")
def check_list(agent, before):
    assert agent.conversation.messages == before


@given(phrase("an agent with a conversation of {count:Count} turns"), target_fixture="agent")
def short(count):
    agent = Agent(worked(count))
    agent.begin()
    return agent


@when("the agent prepares its request", target_fixture="outgoing")
def prepare(agent):
    return agent.conversation.prepare()


@then("each message that it sends is the message that the agent appended")
def check_same(agent, outgoing):
    pairs = zip(outgoing.messages, agent.messages, strict=True)
    assert all(sent is appended for sent, appended in pairs)


UNREADABLE: dict[str, Any] = {
    "a text": "Read on.",
    "a message of a critic": {"role": "critic", "content": "Mind the gap."},
    "a message without text": {"role": "user"},
    "two messages and a text": [
        {"role": "assistant", "content": "They say nothing."},
        {"role": "user", "content": "Read on."},
        "Now.",
    ],
}


@when(phrase("the agent appends {what}"), target_fixture="refusal")
def append(agent, what):
    unreadable = UNREADABLE[what]
    several = isinstance(unreadable, list)
    return attempt(agent.conversation.extend if several else agent.conversation.append, unreadable)


@when(
    phrase(
        "it records a response of {read:Tokens} tokens read and {written:Tokens} written, which {end}, "
        "and appends its text of {text:Tokens} tokens"
    ),
    target_fixture="outgoing",
)
def record(agent, read, written, end, text):
    agent.begin()
    agent.conversation.prepare()
    usage = {"input_tokens": read, "output_tokens": written}
    agent.conversation.record(usage, finished=end == "gave a stop reason")
    agent.conversation.append({"role": "assistant", "content": filler(text)})
    return agent.conversation.prepare()


@when(
    phrase(
        "it records a response of {read:Tokens} tokens read and {written:Tokens} written, "
        "and appends a request of {text:Tokens} tokens alone"
    ),
    target_fixture="outgoing",
)
def record_alone(agent, read, written, text):
    agent.begin()
    agent.conversation.prepare()
    agent.conversation.record(TokenUsage(input=read, output=written))
    agent.conversation.append({"role": "user", "content": "word" * text})
    return agent.conversation.prepare()


@when(
    phrase(
        "after a response of {read:Tokens} tokens read and {written:Tokens} written the system prompt grows by "
        "{grown:Tokens} tokens, {requested} appends the answer and {text:Tokens} tokens"
    ),
    target_fixture="outgoing",
)
def grow_system(agent, read, written, grown, requested, text):  # noqa: PLR0917  a phrase of five words
    agent.begin()
    agent.conversation.prepare(system="Mend it.")
    agent.conversation.record(TokenUsage(input=read, output=written))
    system = "Mend it." + "word" * grown
    if "fails" in requested:
        agent.conversation.prepare(system=system)
    agent.conversation.append({"role": "assistant", "content": "word" * written})
    agent.conversation.append({"role": "user", "content": "word" * text})
    return agent.conversation.prepare(system=system)


@when("the agent records a response before its first request", target_fixture="refusal")
def record_early(agent):
    return attempt(agent.conversation.record, {"input_tokens": 10, "output_tokens": 1})


@when(phrase("its {part} prepares the conversation {where}"), target_fixture="refused")
def prepare_within(agent, part, where):
    agent.in_loop = where == "in an event loop"
    heard: list[Any] = []

    class Preparing:
        """A summarizer that prepares the conversation it summarizes."""

        def summarize(self, _request: Any, _on_text: Any) -> Any:
            """Prepare it."""
            heard.append(attempt(agent.conversation.prepare))
            return SummaryAnswer(text="All went well.")

    class PreparingInLoop:
        """The same for an event loop."""

        async def summarize(self, _request: Any, _on_text: Any) -> Any:
            """Prepare it."""
            try:
                await agent.conversation.prepare()
            except Refused as refusal:
                heard.append(refusal)
            return SummaryAnswer(text="All went well.")

    def listen(_event: Any) -> None:
        if agent.in_loop:
            made = agent.conversation.prepare()
            heard.append(attempt(made.send, None))
        else:
            heard.append(attempt(agent.conversation.prepare))

    summarizer = PreparingInLoop() if agent.in_loop else Preparing()
    given: Any = {"on_event": listen} if part == "listener" else {"summarizer": summarizer}
    kind, made = (AsyncConversation, AsyncCompactor) if agent.in_loop else (Conversation, Compactor)
    agent.conversation = kind(made(limits=agent.limits, **given))
    agent.conversation.extend(agent.messages)
    prepared = agent.conversation.prepare()
    agent.outcome = asyncio.run(prepared) if agent.in_loop else prepared
    return heard[0]


@then(phrase('that is refused with "{words:Quoted}"'))
def check_refused_within(refused, words):
    assert isinstance(refused, Refused)
    assert words in str(refused)


@then("the request is compacted")
def check_compacted(agent):
    assert agent.outcome.compaction is not None


@then(phrase("the next request holds {held:Tokens} tokens"))
def check_next(outgoing, held):
    assert outgoing.window.held == held


@then(phrase('it is refused with "{words:Quoted}"'))
def check_refusal(refusal, words):
    assert isinstance(refusal, InvalidInput)
    assert words in str(refusal)


@then(phrase("the conversation holds {count:Count} messages"))
def check_count(agent, count):
    assert len(agent.conversation.messages) == count
