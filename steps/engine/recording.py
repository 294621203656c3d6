"""Steps of features/engine/recording.feature."""

from __future__ import annotations

import asyncio
import inspect
import json
import warnings
from pathlib import Path
from typing import Any

from pytest_bdd import given, then, when

from brim import (
    AsyncCompactor,
    AsyncConversation,
    CompactionPolicy,
    Compactor,
    Conversation,
    ModelLimits,
)
from brim.conversation.messages import CLOSING, CONTINUATION
from brim.errors import StoreFailed
from brim.sessions import Session, SessionStore, open_store
from brim.testing import Answer, MessagesServer, complaints, rejected, text_block, thinking_block, tool_call
from steps.compaction_windows import filler
from steps.stored_sessions import nearly_full
from steps.vocabulary import attempt, phrase

MODEL = "claude-opus-5-5"
MAX_REQUESTS = 200
ANSWER = 500
"""Tokens of an answer of the model; a summary is asked for with another number."""
OUTPUT = 2_500
"""Tokens of the output of each tool."""
SAID = 800
"""Tokens of its answer."""
LIMITS = ModelLimits(context_window=16_000, max_output_tokens=4_000)
PRUNES = {"prune_protect": 3_000, "prune_minimum": 500}
UNTIL = {
    "nothing was compacted": [],
    "its conversation was compacted": ["compacted"],
    "its conversation was compacted twice": ["compacted", "compacted"],
    "old outputs were cleared": ["pruned"],
    "old outputs were cleared and its conversation was compacted": ["pruned", "compacted"],
    "it had thought and its conversation was compacted": ["compacted"],
    "it had thought and old outputs were cleared 3 times": ["pruned"] * 3,
}
"""The events until which an agent works."""
PRESENT = {"both results": [], "the second one": ["read"]}
"""The calls whose results are there."""


class Agent:
    """An agent that writes into a session, on a strict server."""

    def __init__(self, store: SessionStore, server: MessagesServer, *, in_loop: bool) -> None:
        self.store, self.server, self.in_loop = store, server, in_loop
        self.first, self.thinks, self.turns = "Read the notes.", False, 0
        self.session = store.create(project="/project")
        self.conversation: Any = None
        self.client: Any = None
        self.policy: dict[str, Any] = {"prune": False}
        self.usage: dict[str, int] = {}
        self.refused = 0
        """How many messages the request has whose thinking the provider refuses; 0 for none."""
        self.events: list[str] = []
        self.warned: list[str] = []
        self.call = ""

    def begin(self, **policy: Any) -> None:
        """Make a conversation of the session."""
        kind, made = (AsyncConversation, AsyncCompactor) if self.in_loop else (Conversation, Compactor)
        self.client = self.server.async_client() if self.in_loop else self.server.client()
        heard = {"on_event": lambda event: self.events.append(event.kind)}
        compactor = made(self.client, MODEL, limits=LIMITS, policy=CompactionPolicy(**policy), **heard)
        self.conversation = kind(compactor, model=MODEL, session=self.session)

    def close(self) -> None:
        """End the process."""
        self.session.close()
        if self.client is not None and not self.in_loop:
            self.client.close()

    def end(self) -> None:
        """End the process; the next one holds the session."""
        self.close()
        self.session = self.store.open(self.session.id)
        self.conversation, self.events = None, []

    def run(self, until: str) -> None:
        """Work in turns until these events happened, in this order; one turn where there are none."""
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            asyncio.run(self._turns(until))
        self.warned += [str(one.message) for one in met]

    async def _turns(self, until: str) -> None:
        if self.conversation is None:
            self.policy = PRUNES if "cleared" in until else self.policy
            self.begin(**self.policy)
        self.thinks = "thought" in until
        left = [*UNTIL[until]]
        while True:
            seen = len(self.events)
            await self._turn()
            left = left[sum(event == left[0] for event in self.events[seen:]) if left else 0 :]
            if not left:
                break
        if self.in_loop:
            await self.client.close()

    async def _turn(self) -> None:
        self.conversation.append({"role": "user", "content": f"{self.first} Turn {self.turns}."})
        self.turns += 1
        while True:
            response = await _awaited(self.conversation.send(self._request))
            self.conversation.append({"role": "assistant", "content": response.content})
            calls = [block.id for block in response.content if block.type == "tool_use"]
            if not calls:
                return
            results = [{"type": "tool_result", "tool_use_id": call, "content": filler(OUTPUT)} for call in calls]
            self.conversation.append({"role": "user", "content": results})

    def _request(self, messages: list[Any]) -> Any:
        return self.client.messages.create(model=MODEL, max_tokens=ANSWER, messages=messages)

    def answer(self, body: Any) -> Any:
        """The model: it reads in each turn, thinks where it does, and writes summaries."""
        if self.usage:
            return Answer([text_block("Read.")], usage=self.usage)
        if body["max_tokens"] != ANSWER:
            return "<summary>All went well.</summary>"
        thought = [thinking_block("I look.")] if self.thinks else []
        if self.refused and len(body["messages"]) >= self.refused:
            self.refused = 0
            return rejected("messages.1.content.0: the thinking block is bound to a different conversation")
        last = body["messages"][-1]["content"]
        is_prompt = isinstance(last, str) or last[0]["type"] == "text"
        return (
            [*thought, tool_call("read", {"path": "/notes"})]
            if is_prompt
            else [*thought, text_block(f"Read. {filler(SAID)}")]
        )

    @property
    def sent(self) -> list[Any]:
        """The requests of the agent, those for summaries left out."""
        return [one.body["messages"] for one in self.server.requests if one.body["max_tokens"] == ANSWER]


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _shown(session: Session) -> list[Any]:
    return [message.raw for message in session.view().messages]


@given(phrase("an agent of {kind} that has a session"), target_fixture="agent")
def agent_with_session(kind, tmp_path):
    store = open_store(tmp_path)
    limits = {MODEL: (LIMITS.context_window, LIMITS.max_output_tokens)}
    server = MessagesServer(models=limits)
    agent = Agent(store, server, in_loop=kind == "event loops")
    server.when(lambda _: True, *[agent.answer] * MAX_REQUESTS)
    with server:
        yield agent
        agent.close()
    store.close()


@given(phrase('the user said "{words:Quoted}" in its first message'))
def first_words(agent, words):
    agent.first = words


@given(phrase("a response that reports {counted:Count} tokens read and {written:Count} tokens written"))
def reporting(agent, counted, written):
    usage = {"input_tokens": counted, "output_tokens": written}
    agent.usage = usage
    agent.run("nothing was compacted")


MOMENTS = ("before its message", "after its message", "after the user's next message")
"""When a usage is recorded: by how many messages were appended since the request."""
RESPONSES: dict[str, Any] = {
    "reports 500 tokens written": ((), 500, True),
    "goes on with the agent's words": ([{"role": "assistant", "content": "{"}], 500, True),
    "breaks off after 1 token": ((), 1, False),
}
"""What the agent wrote of the answer, the tokens that the usage reports, and whether the response ended."""


@given(phrase("a response of 2,000 characters to a request of 900 tokens, which {response}, and is recorded {moment}"))
def answered(agent, response, moment):
    opening, written, finished = RESPONSES[response]
    agent.begin()
    agent.conversation.extend([{"role": "user", "content": "Go"}, *opening])
    agent.conversation.prepare()
    messages = [{"role": "assistant", "content": "x" * 2_000}, {"role": "user", "content": "On"}]
    appended = MOMENTS.index(moment)
    agent.conversation.extend(messages[:appended])
    agent.conversation.record({"usage": {"input_tokens": 900, "output_tokens": written}}, finished=finished)
    agent.conversation.extend(messages[appended:1])


@given(
    phrase(
        "a response of {read:Tokens} tokens read and {written:Tokens} written, whose two messages of 1,000 characters "
        "are appended {how}"
    )
)
def answered_in_two(agent, read, written, how):
    first, second = ({"role": "assistant", "content": letter * 1_000} for letter in "xy")
    agent.begin()
    agent.conversation.append({"role": "user", "content": "Go"})
    agent.conversation.prepare()
    agent.conversation.record({"input_tokens": read, "output_tokens": written})
    agent.conversation.extend([first, second] if how == "together" else [first])
    if how == "as an answer that goes on":
        agent.conversation.prepare()
        agent.conversation.record({"input_tokens": read + written, "output_tokens": 100})
    agent.conversation.extend([] if how == "together" else [second])


@given(phrase('the model called "{first:Quoted}" and "{second:Quoted}", and the process ended before {missing}'))
def interrupted(agent, first, second, missing):
    calls = [tool_call(name, {"path": "/notes"}, id=name) for name in (first, second)]
    results = [{"type": "tool_result", "tool_use_id": name, "content": "Notes."} for name in PRESENT[missing]]
    agent.session.append({"role": "user", "content": "Read and write."})
    agent.session.append({"role": "assistant", "content": calls})
    agent.session.extend([{"role": "user", "content": results}] * bool(results))


@given(phrase('the model called "{call:Quoted}", and its usage is {usage}'))
def called(agent, call, usage):
    agent.begin()
    agent.conversation.append({"role": "user", "content": "Read."})
    agent.conversation.prepare()
    if usage == "recorded":
        agent.conversation.record({"input_tokens": 900, "output_tokens": 20})
    agent.call = call


@given(phrase("the provider refuses its thinking once, {moment}"))
def refusing_thinking(agent, moment):
    agent.refused = {"before its first answer": 3, "in its second turn": 5}[moment]


@given("another program rewinds the session")
def rewound(agent):
    first = agent.session.append({"role": "user", "content": "Read this."})
    agent.session.append({"role": "assistant", "content": "Read."})
    agent.begin(prune=False)
    agent.session.rewind(first)


@given(phrase("it worked until {until}"))
@when(phrase("it works until {until}"))
def work(agent, until):
    agent.run(until)


@given("another process went on with the session")
@when("another process goes on with the session")
def go_on(agent):
    agent.end()
    agent.run("nothing was compacted")


@when("a disk with room for the answer alone refuses the answer and its result, and the agent appends them again")
def append_again(agent):
    result = {"type": "tool_result", "tool_use_id": agent.call, "content": "Notes. " * 2_000}
    messages = [
        {"role": "assistant", "content": [tool_call(agent.call, {"path": "/notes"}, id=agent.call)]},
        {"role": "user", "content": [result]},
    ]
    with nearly_full(Path(agent.session.info.transcript).stat().st_size + 2_000):
        assert isinstance(attempt(agent.conversation.extend, messages), StoreFailed)
    agent.conversation.extend(messages)


@when("another process prepares a request of the session", target_fixture="outgoing")
def prepare(agent):
    agent.end()
    agent.begin()
    return agent.conversation.prepare()


@when(phrase("a conversation is made with {session}"), target_fixture="refusal")
def make(session, tmp_path):
    store = open_store(tmp_path)
    with store.create() as made:
        pass
    given_session: Any = store.read(made.id) if "open" in session else made.id
    return attempt(Conversation, Compactor(limits=LIMITS), session=given_session)


@then("the session shows what its last request said, and the answer")
def check_shown(agent):
    shown = _shown(agent.session)
    assert (shown[:-1], shown[-1]["role"]) == (agent.sent[-1], "assistant")


@then("the session shows each message of the conversation once")
def check_once(agent):
    assert _shown(agent.session) == agent.conversation.messages
    assert [one["role"] for one in agent.conversation.messages] == ["user", "assistant", "user"]


@then(phrase("the session has {recorded}"))
def check_usages(agent, recorded):
    kinds = [one.kind for one in agent.session.records()][-3:]
    usage = ["usage"] if "between" in recorded else []
    assert kinds == [*["message"] * (2 - len(usage)), *usage, "message"]


@then("each event is recorded in the session")
def check_recorded(agent):
    events = [one for one in agent.events if one in ("compacted", "pruned")]
    kinds = [one.kind for one in agent.session.records() if one.kind in ("compaction", "pruning")]
    assert (len(kinds), agent.warned) == (len(events), [])
    assert agent.refused == 0


@then("the window of the session holds what the last request said, thinking aside")
def check_said_alike(agent):
    assert _spoken(_shown(agent.session)[:-1]) == _spoken(agent.sent[-1])


def _spoken(messages: list[Any]) -> list[Any]:
    """The messages without thinking, and without what brim wrote behind a loop that it closed."""
    said = [(one["role"], one["content"]) for one in messages if one["content"] not in (CLOSING, CONTINUATION)]
    blocks = [(role, [content] if isinstance(content, str) else content) for role, content in said]
    return [(role, [one for one in content if "thinking" not in one]) for role, content in blocks]


@then("the provider refused no request")
def check_accepted(agent):
    refused = [one.body for one in agent.server.requests if list(complaints(one.body))]
    assert (refused, agent.warned) == ([], [])


@then("its first request begins as the last request before it, with the answer")
def check_continued(agent):
    before, first, _ = agent.sent[-3:]
    assert first[: len(before)] == before
    assert [one["role"] for one in first[len(before) :]] == ["assistant", "user"]


@then(phrase('the last request says "{words:Quoted}"'))
def check_said(agent, words):
    assert words in json.dumps(agent.sent[-1])


@then(phrase("its window holds {held:Count} tokens"))
def check_held(outgoing, held):
    assert outgoing.verdict.held == held


@then(phrase('the result of "{call:Quoted}" says "{words:Quoted}"'))
def check_result(agent, call, words):
    blocks = [block for one in agent.sent[-1] if isinstance(one["content"], list) for block in one["content"]]
    (result,) = [block for block in blocks if block.get("tool_use_id") == call]
    assert words in str(result["content"])


@then(phrase('it is warned that a compaction could not be recorded, "{words:Quoted}"'))
def check_warned(agent, words):
    (warned,) = agent.warned
    assert words in warned


@then(phrase('it is refused, and the refusal says "{cure:Quoted}"'))
def check_refused(refusal, cure):
    assert cure in str(refusal)
