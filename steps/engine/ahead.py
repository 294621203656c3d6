"""Steps of features/engine/ahead.feature."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
from pytest_bdd import given, then, when

from brim import (
    AsyncCompactor,
    AsyncConversation,
    CompactionCancelled,
    CompactionPolicy,
    Compactor,
    Conversation,
    ModelLimits,
)
from brim.engine.middleware import compaction
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import MessagesServer
from steps.compaction_windows import filler
from steps.vocabulary import attempt, phrase

MODEL = "claude-opus-5-5"
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
THRESHOLD = 10_000
SHARE = 0.5
KEPT = 2_000
TURN = 1_000
"""Tokens of the answer of each turn."""
FAILURE = SummaryAnswer(failure="permanent", reason="the key is not known")
PATIENCE_S = 20


class Writer:
    """A summarizer that counts, and is silent until it is let go."""

    def __init__(self, script, *, silent=False):
        self.script, self.asked = script, 0
        self._go, self.called = threading.Event(), threading.Event()
        if not silent:
            self._go.set()

    def summarize(self, request, on_text):
        """Answer, once it may."""
        self._count()
        self._go.wait(2 * PATIENCE_S)  # longer than a step waits for it to be cancelled
        return self._answer(on_text)

    @property
    def waited_for(self):
        """How many of its summaries are waited for."""
        return len(waiting_threads())

    def _count(self):
        self.asked += 1
        self.called.set()

    def _answer(self, on_text):
        answer = self.script[min(self.asked, len(self.script)) - 1]
        if isinstance(answer, str):
            on_text(answer)
            answer = SummaryAnswer(text=answer, stop_reason="end_turn")
        return answer

    @property
    def may_answer(self):
        """Whether it was let go."""
        return self._go.is_set()

    def let_go(self):
        """Let it answer."""
        self._go.set()


class WriterInLoop(Writer):
    """The same for event loops."""

    def __init__(self, script, *, silent=False):
        super().__init__(script, silent=silent)
        self._open = 0
        self._go_in_loop = asyncio.Event()
        if not silent:
            self._go_in_loop.set()

    async def summarize(self, request, on_text):
        """Answer, once it may."""
        self._count()
        self._open += 1
        try:
            await self._go_in_loop.wait()
        finally:
            self._open -= 1
        return self._answer(on_text)

    @property
    def waited_for(self):
        """As in threads."""
        return self._open

    def let_go(self):
        """Let it answer."""
        super().let_go()
        self._go_in_loop.set()


class Agent:
    """An agent with a loop of its own: it appends a turn, and prepares a request."""

    kind, writer_kind = Compactor, Writer

    def __init__(self, script, *, silent=False, share=SHARE, name="", enabled=True):
        self.writer = self.writer_kind(script, silent=silent)
        self.events, self.name, self.turn = [], name, 0
        policy = CompactionPolicy(threshold=THRESHOLD, keep_tokens=KEPT, ahead=share, enabled=enabled)
        settings = {"limits": LIMITS, "summarizer": self.writer, "policy": policy, "on_event": self.note}
        self.compactor = self.kind(model=MODEL, **settings)
        self.sent, self.compacted, self.pinned = [], 0, []
        self.begin()

    def note(self, event):
        """Take in an event."""
        if event.kind != "summary_delta":
            self.events.append(f"ahead {event.step}" if event.kind == "summary_ahead" else event.kind)
        if event.kind == "compacted":
            self.plan = event.compaction.plan

    def begin(self):
        """Make the conversation."""
        self.conversation = Conversation(self.compactor)

    def next_turn(self, tokens=TURN):
        """The messages of the next turn."""
        self.turn += 1
        question = {"role": "user", "content": f"{self.name}Do {self.turn}."}
        return [question, {"role": "assistant", "content": f"{self.name}Did {self.turn}. {filler(tokens)}"}]

    def go_on(self, tokens=TURN):
        """Go on by a turn, and prepare a request."""
        self.conversation.extend(self.next_turn(tokens))
        self.took(self.conversation.prepare(pinned=self.pinned))
        self.settle()

    def settle(self):
        """Wait until the background has its summary, unless the summarizer is silent."""
        if waiting_threads() and self.events:
            assert self.writer.called.wait(PATIENCE_S)
        for thread in waiting_threads() if self.writer.may_answer else ():
            thread.join(PATIENCE_S)

    def took(self, outgoing):
        """Take in what is to be sent."""
        self.sent = [*outgoing.messages]
        self.compacted += outgoing.compaction is not None

    def until(self, condition):
        """Go on until something is so."""
        while not condition():
            assert self.turn < 100
            self.go_on()

    def until_due(self, then):
        """Go on up to the request that is due, and do something once that one waits."""
        while self.turn < THRESHOLD // TURN - 1:
            self.go_on()
        made = []
        due = threading.Thread(target=lambda: made.append(attempt(self.go_on)), daemon=True)
        due.start()
        while due.is_alive() and "wait" not in names_of(due):
            due.join(0.01)
        then()
        due.join(PATIENCE_S)
        return made[0]


def waiting_threads():
    """The threads that wait for a summary in the background."""
    return [one for one in threading.enumerate() if one.name == "brim-ahead"]


def names_of(thread):
    """The functions that a thread is in."""
    frame, names = sys._current_frames().get(thread.ident), []  # noqa: SLF001 -- nothing else tells where it waits
    while frame is not None:
        names.append(frame.f_code.co_name if "ahead" in frame.f_code.co_filename else "")
        frame = frame.f_back
    return names


class AgentInLoop(Agent):
    """The same in an event loop, which ends with the scenario."""

    kind, writer_kind = AsyncCompactor, WriterInLoop

    def begin(self):
        """Make the conversation, and the event loop."""
        self.loop = asyncio.new_event_loop()
        self.conversation = AsyncConversation(self.compactor)

    def go_on(self, tokens=TURN):
        """Go on by a turn."""
        self.loop.run_until_complete(self._go_on(tokens))

    async def _go_on(self, tokens=TURN):
        self.conversation.extend(self.next_turn(tokens))
        self.took(await self.conversation.prepare())
        await self._pause()

    async def _pause(self):
        for _ in range(20):
            await asyncio.sleep(0)

    def until_due(self, then):
        """As in a thread."""
        return self.loop.run_until_complete(self._until_due(then))

    async def _until_due(self, then):
        while self.turn < THRESHOLD // TURN - 1:
            await self._go_on()
        due = asyncio.ensure_future(self._go_on())
        await self._pause()
        assert not due.done()
        then()
        with suppress(CompactionCancelled):
            return await due
        return due.exception()


class ClientAgent(Agent):
    """An agent that passes its list to a client that compacts."""

    def begin(self):
        """Make the client of a server."""
        self.server = MessagesServer(default="Done.", models={MODEL: (1_000_000, 64_000)})
        self.server.start()
        self.client = self.connect(middleware=[compaction(self.compactor)])
        self.messages = []

    def connect(self, **options):
        """A client of the server."""
        return self.server.client(**options)

    def go_on(self, tokens=TURN):
        """Make a request of all messages."""
        self.messages += self.next_turn(tokens)
        asked = [*self.messages, {"role": "user", "content": f"{self.name}Well?"}]
        self.request(asked)
        self.sent = self.server.requests[-1].body["messages"]
        self.compacted = self.events.count("compacted")
        self.settle()
        self.messages = [*asked, {"role": "assistant", "content": "Done."}]

    def request(self, messages):
        """One request."""
        self.client.messages.create(model=MODEL, max_tokens=100, messages=messages)


class ClientAgentInLoop(ClientAgent):
    """The same with a client for event loops."""

    kind, writer_kind = AsyncCompactor, WriterInLoop

    def connect(self, **options):
        """A client for event loops."""
        return self.server.async_client(**options)

    def begin(self):
        """Make the client and its event loop."""
        super().begin()
        self.loop = asyncio.new_event_loop()

    def request(self, messages):
        """One request."""
        self.loop.run_until_complete(self._request(messages))

    async def _request(self, messages):
        await self.client.messages.create(model=MODEL, max_tokens=100, messages=messages)


AGENTS = {
    "a conversation": Agent,
    "an async conversation": AgentInLoop,
    "a client": ClientAgent,
    "an async client": ClientAgentInLoop,
}
SCRIPTS = {
    'answers "All went well."': ["All went well."],
    "is silent": ["All went well."],
    "answers with 1,000 tokens": [filler(1_000)],
    "fails the first time": [FAILURE, "All went well."],
}


@pytest.fixture
def closed():
    """What is closed when the scenario ends."""
    agents = []
    yield agents
    for agent in agents:
        agent.writer.let_go()
        for thread in waiting_threads():
            thread.join(PATIENCE_S)
        if hasattr(agent, "loop"):
            for task in asyncio.all_tasks(agent.loop):
                agent.loop.run_until_complete(asyncio.wait([task]))
            agent.loop.close()
        if hasattr(agent, "server"):
            agent.server.close()


@given(phrase("{entry} of an agent with a share ahead, whose summarizer {does}"), target_fixture="agent")
def agent_whose(closed, entry, does):
    closed.append(AGENTS[entry](SCRIPTS[does], silent=does == "is silent"))
    return closed[-1]


@given(
    phrase("a conversation whose threshold is 10,000 tokens, with a share ahead of {share:Number}"),
    target_fixture="agent",
)
def agent_of_share(closed, share):
    closed.append(Agent(["All went well."], share=share))
    return closed[-1]


@given("a conversation whose threshold is 10,000 tokens, without a share ahead", target_fixture="agent")
def agent_without_share(closed):
    return agent_of_share(closed, None)


@given(
    "a conversation that is not compacted automatically, with a share ahead of its threshold of 10,000 tokens",
    target_fixture="agent",
)
def agent_switched_off(closed):
    closed.append(Agent(["All went well."], enabled=False))
    return closed[-1]


@when(phrase("a request is prepared that holds {held:Tokens} tokens"))
def prepare_holding(agent, held):
    conversation = agent.conversation
    for _ in range(4):
        conversation.extend(agent.next_turn())
    conversation.append({"role": "user", "content": "Well?"})
    conversation.prepare()
    conversation.record({"input_tokens": held - 1, "output_tokens": 1})
    conversation.append({"role": "assistant", "content": "Well."})
    assert conversation.prepare().verdict.held == held
    agent.settle()


@when("the agent goes on until the summary is used")
@when("the agent goes on until it is compacted")
def go_on(agent):
    agent.until(lambda: agent.compacted)


@when(phrase("the agent goes on until {count:Count} summaries are used"))
def go_on_often(agent, count):
    agent.until(lambda: agent.events.count("ahead used") == count)


@when(phrase("the agent makes {count:Count} requests between the share and the threshold"))
def go_on_between(agent, count):
    agent.until(lambda: agent.events)
    for _ in range(count):
        agent.go_on()


@when("the agent goes on until compaction is due, and the summarizer answers then", target_fixture="made")
def go_on_until_due(agent):
    return agent.until_due(agent.writer.let_go)


@when("the agent goes on until compaction is due, and the compactor is cancelled then", target_fixture="made")
def cancel_when_due(agent):
    return agent.until_due(agent.compactor.cancel)


@when("two agents go on through it until both are compacted")
def two_go_on(agent):
    messages = {name: [] for name in ("First: ", "Second: ")}
    while agent.compacted < len(messages):
        assert agent.turn < 100
        for name, own in messages.items():
            agent.name, agent.messages = name, own
            agent.go_on()
            messages[name] = agent.messages


def edit(agent, index):
    agent.messages[index] = {**agent.messages[index], "content": "Did something else."}


def refresh(agent):
    text = {"type": "text", "text": "<system-reminder>It is ten.</system-reminder>"}
    agent.messages[0] = {"role": "user", "content": [{"type": "text", "text": agent.messages[0]["content"]}, text]}


def branch(agent):
    del agent.messages[2:]


CHANGES = {
    "branches off from its second message": branch,
    "edits its second message": lambda agent: edit(agent, 1),
    "edits its newest answer": lambda agent: edit(agent, -3),
    "refreshes its first reminder": refresh,
}


def ask_ahead(agent):
    agent.until(lambda: agent.events)


@when(phrase("the summary was asked for, and the agent {changes} and goes on until it is compacted"))
def change(agent, changes):
    ask_ahead(agent)
    CHANGES[changes](agent)
    go_on(agent)


@when("the summary was asked for, and the agent edits its second message and goes on by a turn")
def edit_and_go_on(agent):
    ask_ahead(agent)
    asked = waiting_threads()
    edit(agent, 1)
    agent.go_on()
    for thread in asked:
        thread.join(PATIENCE_S)


PINS = {"nothing": [], "its second message": [1]}


@when(
    phrase(
        "the summary was asked for with {then} pinned, and the agent goes on with {now} pinned until it is compacted"
    )
)
def release(agent, then, now):
    agent.pinned = PINS[then]
    ask_ahead(agent)
    agent.pinned = PINS[now]
    go_on(agent)


@when("the summary was asked for, and a tool answers with as much as the window holds")
def answer_much(agent):
    ask_ahead(agent)
    agent.go_on(THRESHOLD)
    agent.until(lambda: agent.compacted)


STAYS = 1_021
"""Tokens of what stays but for the text of the last turn: a turn, the opening line and the shortest summary."""


@when(phrase("the summary was asked for, and a turn came that leaves {free:Tokens} tokens free below the threshold"))
def leaves_free(agent, free):
    ask_ahead(agent)
    agent.go_on(THRESHOLD - STAYS - free)


@when("the summary was asked for, and the provider says that the prompt is too long")
def overflow(agent):
    ask_ahead(agent)
    agent.took(agent.conversation.overflowed())


@when("the summary was asked for, and the conversation is dropped")
def drop(agent):
    ask_ahead(agent)
    agent.conversation = None
    gc.collect()


PROGRAM = """
import threading
from brim import CompactionPolicy, Compactor, Conversation, ModelLimits

class Silent:
    def summarize(self, request, on_text):
        asked.set()
        threading.Event().wait()

asked = threading.Event()
policy = CompactionPolicy(threshold=10_000, keep_tokens=2_000, ahead=0.5)
conversation = Conversation(Compactor(limits=ModelLimits(200_000, 32_000), summarizer=Silent(), policy=policy))
for turn in range(6):
    conversation.append({"role": "user", "content": "Go on."})
    conversation.append({"role": "assistant", "content": "text" * 1_000})
    conversation.prepare()
assert asked.wait(20)
"""


@given(
    "a program whose conversation asks for a summary ahead from a summarizer that never answers",
    target_fixture="program",
)
def program():
    return PROGRAM.replace(
        "ModelLimits(200_000, 32_000)", "ModelLimits(context_window=200_000, max_output_tokens=32_000)"
    )


@when("the program comes to its end", target_fixture="ended")
def run_program(program):
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 -- its own text


@when(phrase("a policy with a share ahead of {share} is made"), target_fixture="made")
def make_policy(share):
    return attempt(CompactionPolicy, ahead=share)


@then(phrase("{count:Count} summary is asked for"))
@then(phrase("{count:Count} summaries are asked for"))
def check_asked(agent, count):
    assert agent.writer.asked == count


@then(phrase("{count:Count} summary is waited for"))
def check_waited_for(agent, count):
    asked = agent.events.count("ahead started")
    _wait_until(agent, lambda: agent.writer.asked == asked)
    _wait_until(agent, lambda: agent.writer.waited_for == count)
    assert agent.writer.waited_for == count


def _wait_until(agent, is_so):
    for _ in range(500):
        if is_so():
            return
        if hasattr(agent, "loop"):
            agent.loop.run_until_complete(asyncio.sleep(0.01))
        else:
            time.sleep(0.01)


@then("no summary is asked for")
def check_none_asked(agent):
    assert agent.writer.asked == 0


@then(phrase('the events are "{events:Quoted}"'))
def check_events(agent, events):
    assert ", ".join(agent.events) == events


@then(phrase('the events of the summary are "{events:Quoted}"'))
def check_events_of_summary(agent, events):
    assert ", ".join(event for event in agent.events if event.startswith("ahead")) == events


@then("what is sent holds the newest messages, also those that came after the summary was asked for")
def check_newest(agent):
    sent = str(agent.sent)
    assert "All went well." in sent
    assert "Did 1." not in sent
    assert all(f"Did {turn}." in sent for turn in range(THRESHOLD // TURN // 2 + 1, agent.turn + 1))


@then(phrase('its plan keeps them as "{reason:Quoted}"'))
def check_reason(agent, reason):
    assert agent.plan.tail_reason == reason


@then("each request was prepared")
def check_prepared(agent):
    assert f"Did {agent.turn}." in str(agent.sent)


@then("the request ends as cancelled")
def check_cancelled(made):
    assert isinstance(made, CompactionCancelled)


@then("no thread waits for the summary any more")
def check_no_thread():
    for thread in waiting_threads():
        thread.join(PATIENCE_S)
    assert waiting_threads() == []


@then(phrase("it ends with 0, and says nothing"))
def check_ended(ended):
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@then(phrase("it is refused: {words}"))
def check_refused(made, words):
    assert str(made) == words
