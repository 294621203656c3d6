"""Prefetch: threads, event loops and races of the summary in the background, and what it finds there."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import time
from contextlib import suppress
from warnings import catch_warnings, simplefilter

import pytest

from brim import (
    BrimError,
    CompactionCancelled,
    CompactionPolicy,
    Compactor,
    Conversation,
    ModelLimits,
)
from brim.engine.middleware import compaction
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import MessagesServer
from steps.vocabulary import attempt
from steps.worlds.agents import filler

MODEL = "claude-opus-5-5"
MODEL_LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
THRESHOLD = 10_000
SHARE = 0.5
KEPT = 2_000
TURN = 1_000
"""Tokens of the answer of each turn."""
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


class Worker:
    """An agent with a loop of its own: it appends a turn, and prepares a request."""

    kind, writer_kind = Compactor, Writer

    def __init__(self, script, *, silent=False, share=SHARE, name="", enabled=True):
        self.writer = self.writer_kind(script, silent=silent)
        self.events, self.name, self.turn = [], name, 0
        policy = CompactionPolicy(threshold=THRESHOLD, keep_tokens=KEPT, ahead=share, enabled=enabled)
        settings = {"limits": MODEL_LIMITS, "summarizer": self.writer, "policy": policy, "on_event": self.note}
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

    @property
    def steps(self):
        """What became of its summaries ahead."""
        return [event for event in self.events if event.startswith("ahead")]

    def wait_until(self, condition):
        """Wait until something is so."""
        for _ in range(3_000):
            if condition():
                return
            self.pause()
        assert condition()

    def pause(self):
        """Let others go on."""
        time.sleep(0.01)

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
        while due.is_alive() and "wait_for_future" not in names_of(due):
            due.join(0.01)
        then()
        due.join(PATIENCE_S)
        return made[0]


def waiting_threads():
    """The threads that wait for a summary in the background."""
    return [one for one in threading.enumerate() if one.name == "brim-prefetch"]


def names_of(thread):
    """The functions that a thread is in."""
    frame, names = sys._current_frames().get(thread.ident), []
    while frame is not None:
        names.append(frame.f_code.co_name if "driving" in frame.f_code.co_filename else "")
        frame = frame.f_back
    return names


class WorkerInLoop(Worker):
    """The same in an event loop, which ends with the scenario."""

    writer_kind = WriterInLoop

    def begin(self):
        """Make the conversation, and the event loop."""
        self.loop = asyncio.new_event_loop()
        self.conversation = Conversation(self.compactor)

    def go_on(self, tokens=TURN):
        """Go on by a turn."""
        self.loop.run_until_complete(self._go_on(tokens))

    async def _go_on(self, tokens=TURN):
        self.conversation.extend(self.next_turn(tokens))
        self.took(await self.conversation.aprepare())
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


class ClientWorker(Worker):
    """An agent that passes its list to a client that compacts."""

    def begin(self):
        """Make the client of a server."""
        self.server = MessagesServer(default="Done.", models={MODEL: (1_000_000, 64_000)})
        self.server.start()
        self.client = self.connect(middleware=[compaction(self.compactor)])
        self.messages = []

    def close(self):
        """Close the client."""
        self.client.close()

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


WORKERS = {
    "a conversation": Worker,
    "an async conversation": WorkerInLoop,
    "a client": ClientWorker,
}
USED = ["ahead started", "summarizing", "ahead used", "started", "compacted"]


@pytest.fixture
def work():
    """A function that makes an agent, whose background ends with the test."""
    workers = []

    def make(entry="a conversation", answers=("All went well.",), **options):
        workers.append(WORKERS[entry](answers, **options))
        return workers[-1]

    yield make
    for worker in workers:
        worker.writer.let_go()
        for thread in waiting_threads():
            thread.join(PATIENCE_S)
        if hasattr(worker, "loop"):
            for task in asyncio.all_tasks(worker.loop):
                worker.loop.run_until_complete(asyncio.wait([task]))
        if hasattr(worker, "client"):
            worker.close()
        if hasattr(worker, "loop"):
            worker.loop.close()
        if hasattr(worker, "server"):
            worker.server.close()


def each_of(*entries):
    """A test of several entry points."""
    return pytest.mark.parametrize("entry", entries)


def test_the_due_request_of_a_client_uses_the_summary(work):
    """What came meanwhile stays behind it (CMP_13)."""
    worker = work("a client")
    worker.until(lambda: worker.compacted)
    assert (worker.writer.asked, worker.events) == (1, USED)
    assert "All went well." in str(worker.sent)
    assert "Did 1." not in str(worker.sent)
    assert all(f"Did {turn}." in str(worker.sent) for turn in range(THRESHOLD // TURN // 2 + 1, worker.turn + 1))
    assert worker.plan.tail_reason == "newest messages"


def test_the_agent_is_not_held_up_while_the_summary_is_written(work):
    """It makes its requests between the share and the threshold (CMP_13)."""
    worker = work(silent=True)
    worker.until(lambda: worker.events)
    for _ in range(3):
        worker.go_on()
    assert worker.writer.asked == 1
    assert f"Did {worker.turn}." in str(worker.sent)


@each_of("a conversation", "an async conversation")
def test_a_request_that_is_due_before_the_summary_is_there_waits_for_it(work, entry):
    """It pays no second one (CMP_13)."""
    worker = work(entry, silent=True)
    worker.until_due(worker.writer.let_go)
    assert (worker.writer.asked, worker.events) == (1, USED)


def test_each_conversation_of_a_client_has_its_own(work):
    """Two agents go on through one client until both are compacted (CMP_13)."""
    worker = work("a client")
    messages = {name: [] for name in ("First: ", "Second: ")}
    while worker.compacted < len(messages):
        assert worker.turn < 100
        for name, own in messages.items():
            worker.name, worker.messages = name, own
            worker.go_on()
            messages[name] = worker.messages
    assert (worker.writer.asked, worker.steps) == (2, ["ahead started"] * 2 + ["ahead used"] * 2)


@pytest.mark.parametrize(
    ("then", "now", "asked", "last"),
    [([1], [], 2, "ahead discarded"), ([1], [1], 1, "ahead used"), ([], [1], 1, "ahead used")],
)
def test_a_message_that_leaves_by_now_and_was_pinned_then_is_not_covered(work, then, now, asked, last):
    """A pin that stays, or that came since, needs no second summary (CMP_13)."""
    worker = work()
    worker.pinned = then
    worker.until(lambda: worker.events)
    worker.pinned = now
    worker.until(lambda: worker.compacted)
    assert (worker.writer.asked, worker.steps) == (asked, ["ahead started", last])


def test_what_is_discarded_is_cancelled(work):
    """After an edit in its range only the new summary is waited for (CMP_13)."""
    worker = work("a client", silent=True)
    worker.until(lambda: worker.events)
    worker.wait_until(lambda: worker.writer.asked)
    discarded = waiting_threads()
    worker.messages[1] = {**worker.messages[1], "content": "Did something else."}
    worker.go_on()
    for thread in discarded:
        thread.join(PATIENCE_S)
    assert worker.steps == ["ahead started", "ahead discarded", "ahead started"]
    worker.wait_until(lambda: (worker.writer.asked, worker.writer.waited_for) == (2, 1))


@each_of("a conversation", "an async conversation")
def test_a_cancelled_one_is_discarded(work, entry):
    """The request that waits for it ends as cancelled (CMP_13)."""
    worker = work(entry, silent=True)
    assert isinstance(worker.until_due(worker.compactor.cancel), CompactionCancelled)
    assert worker.events == ["ahead started", "summarizing", "ahead discarded"]


def test_a_conversation_that_is_dropped_ends_the_call_that_it_asked_for(work):
    """No thread waits for the summary any more (CMP_13)."""
    worker = work(silent=True)
    worker.until(lambda: worker.events)
    worker.conversation = None
    gc.collect()
    for thread in waiting_threads():
        thread.join(PATIENCE_S)
    assert waiting_threads() == []


PROGRAM = """
import threading
from brim import CompactionPolicy, Compactor, Conversation, ModelLimits

class Silent:
    def summarize(self, request, on_text):
        asked.set()
        threading.Event().wait()

asked = threading.Event()
policy = CompactionPolicy(threshold=10_000, keep_tokens=2_000, ahead=0.5)
limits = ModelLimits(context_window=200_000, max_output_tokens=32_000)
conversation = Conversation(Compactor(limits=limits, summarizer=Silent(), policy=policy))
for turn in range(6):
    conversation.append({"role": "user", "content": "Go on."})
    conversation.append({"role": "assistant", "content": "text" * 1_000})
    conversation.prepare()
assert asked.wait(20)
"""


def test_a_program_ends_while_a_summary_is_written():
    """It ends with 0, and says nothing (CMP_13)."""
    command = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize("share", ["0", "1"])
def test_a_share_that_cannot_work_is_refused(share):
    """Nothing, and all of the threshold (CMP_13)."""
    with pytest.raises(BrimError) as refusal:
        CompactionPolicy(ahead=share)
    assert str(refusal.value) == f"ahead is {share}; it is a share of the threshold, above 0 and below 1"


@pytest.mark.parametrize(("thinking", "asked"), [(True, 0), (False, 1)])
def test_no_summary_is_asked_for_in_a_tool_loop_that_needs_its_thinking(thinking, asked):
    """A compaction waits for the end of such a loop, and other messages leave then (CMP_13)."""
    writer = Writer(["All went well."])
    policy = CompactionPolicy(threshold=THRESHOLD, keep_tokens=KEPT, ahead=SHARE)
    conversation = Conversation(Compactor(summarizer=writer, limits=MODEL_LIMITS, model=MODEL, policy=policy))
    thought = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}] if thinking else []
    call = {"type": "tool_use", "id": "a", "name": "read", "input": {}}
    for _ in range(3):
        conversation.append({"role": "user", "content": filler(KEPT)})
        conversation.append({"role": "assistant", "content": "Done."})
    conversation.append({"role": "user", "content": "Read on."})
    conversation.append({"role": "assistant", "content": [*thought, call]})
    conversation.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "Text."}]})
    conversation.prepare()
    assert writer.called.wait(PATIENCE_S if asked else 0.2) == bool(asked)


def test_a_due_compaction_that_waits_says_why():
    """In a tool loop with thinking nothing leaves above the threshold, and the verdict gives the reason (CMP_02)."""
    policy = CompactionPolicy(threshold=THRESHOLD)
    conversation = Conversation(Compactor(limits=MODEL_LIMITS, model=MODEL, policy=policy))
    call = {"type": "tool_use", "id": "a", "name": "read", "input": {}}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    conversation.append({"role": "user", "content": filler(THRESHOLD + 1)})
    conversation.append({"role": "assistant", "content": [thought, call]})
    conversation.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "Text."}]})
    sent = conversation.prepare()
    assert (sent.verdict.due, sent.compaction) == (True, None)
    assert "; waits for the end of the tool loop" in sent.verdict.reason


@pytest.mark.parametrize(("threshold", "warned"), [(70, True), (101, False), ("70%", False)])
def test_a_threshold_that_looks_like_a_percentage_is_doubted(threshold, warned):
    """It is kept, and the warning says how a percentage is written (TRG_21)."""
    with catch_warnings(record=True) as found:
        simplefilter("always")
        Compactor(limits=MODEL_LIMITS, model=MODEL, policy=CompactionPolicy(threshold=threshold)).window()
    assert any('written "70%"' in str(one.message) for one in found) == warned
