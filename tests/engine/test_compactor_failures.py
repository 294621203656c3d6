"""What fails or is cancelled in a compaction: the caller's conversation is as it was (CMP_04, CMP_08)."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic

from brim.adapters.langchain import CompactionMiddleware
from brim.anthropic.summarizer import AnthropicSummarizer
from brim.compaction.policy import CompactionPolicy
from brim.engine.backends import backend
from brim.engine.compaction_control import tool_runner
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.recall import recall_tool
from brim.errors import BrimError, CompactionCancelled, InvalidInput, Refused
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import raw_turns
from steps.policies import with_policy
from tests.engine.agents import Giving

GOOD = "All went well."
BUSY = SummaryAnswer(failure="transient", reason="overloaded")


async def later() -> SummaryAnswer:
    """Return an answer that has to be awaited."""
    return SummaryAnswer(text=GOOD)


def no_clock(_seconds: float) -> None:
    """Fail to wait."""
    raise OSError("no clock")


class Speechless(Exception):
    """An error that cannot say what it is."""

    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    ("summarizer", "sleep", "told"),
    [
        (Giving(RuntimeError()), None, None),
        (Giving(Speechless()), None, "the summarizer raised Speechless"),
        (Giving(later), None, None),
        (ScriptedSummarizer([BUSY], repeat=True), no_clock, "no clock"),
    ],
    ids=["without words", "speechless", "to be awaited", "the wait"],
)
def test_a_failure_of_any_part_leaves_the_conversation_unchanged(summarizer: Any, sleep: Any, told: str | None) -> None:
    """There is no new one, where that is the answer to a failure (CMP_04)."""
    messages = raw_turns(6, 200)
    compactor = Compactor(
        summarizer=summarizer, sleep=sleep or (lambda _: None), **with_policy({"on_failure": "raise"})
    )
    with pytest.raises((BrimError, OSError), match=told):
        compactor.compact(messages)
    assert messages == raw_turns(6, 200)


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(1), CompactionCancelled("the summarizer was cancelled")]
)
def test_what_ends_the_program_ends_the_compaction_too(error: BaseException) -> None:
    """It is no failure of the summarizer (CMP_04)."""
    messages = raw_turns(6, 200)
    with pytest.raises(type(error)) as raised:
        Compactor(summarizer=Giving(error), sleep=lambda _: None).compact(messages)
    assert raised.value is error
    assert messages == raw_turns(6, 200)


async def wait(_seconds: float) -> None:
    """Sleep in an event loop."""


async def listen(_event: Any) -> None:
    """Listen in an event loop."""


async def listen_as(_self: Any, _event: Any) -> None:
    """Listen in an event loop, as an object that is called."""


async def summarize(_self: Any, _request: Any, _on_text: Any) -> SummaryAnswer:
    """Summarize in an event loop."""
    return SummaryAnswer(text=GOOD)


SDK = {"model": "claude-opus-5-5"}
FOR_LOOPS = [
    (SDK | {"client": AsyncAnthropic(api_key="none")}, "client"),
    ({"summarizer": type("Awaited", (), {"summarize": summarize})()}, "summarizer"),
    ({"summarizer": AnthropicSummarizer(AsyncAnthropic(api_key="none"))}, "summarizer"),
    ({"sleep": wait}, "sleep"),
    ({"on_event": listen}, "listener"),
    ({"on_event": type("Listening", (), {"__call__": listen_as})()}, "listener"),
]


@pytest.mark.parametrize(("settings", "part"), FOR_LOOPS)
def test_a_part_for_event_loops_is_refused_in_a_thread_before_any_work(settings: dict[str, Any], part: str) -> None:
    """By each method, which names the other one (CMP_08)."""
    compactor: Any = Compactor(**settings)
    conversation: Any = Conversation(compactor)
    told = f"this {part} is for event loops: call a{{}}, or pass one that is not"
    for call, method in ((compactor.compact, "compact"), (compactor.plan, "plan"), (compactor.window, "window")):
        with pytest.raises(InvalidInput, match=told.format(method)):
            call([{"role": "robot"}])  # is not read
    with pytest.raises(InvalidInput, match=told.format("prepare")):
        conversation.prepare()
    with pytest.raises(InvalidInput, match=told.format("send")):
        conversation.send(lambda _: None)


def test_a_client_that_waits_is_refused_in_an_event_loop_before_any_work() -> None:
    """By each method, which names the other one (CMP_08)."""
    compactor: Any = Compactor(Anthropic(api_key="none"), "claude-opus-5-5")
    conversation: Any = Conversation(compactor)
    told = "this client waits in a thread: call {}, or pass an async client"
    for call, method in ((compactor.acompact, "compact"), (compactor.aplan, "plan")):
        with pytest.raises(InvalidInput, match=told.format(method)):
            asyncio.run(call([{"role": "robot"}]))
    with pytest.raises(InvalidInput, match=told.format("prepare")):
        asyncio.run(conversation.aprepare())


def test_a_plain_sleep_may_return_what_is_awaited() -> None:
    """Then an event loop waits for it (CMP_08)."""
    slept: list[float] = []

    async def sleeping(seconds: float) -> None:
        slept.append(seconds)

    def sleep(seconds: float) -> Any:
        return sleeping(seconds)

    busy = [SummaryAnswer(failure="transient", reason="busy"), GOOD]
    compactor = Compactor(summarizer=Blocking(busy), sleep=sleep)
    assert asyncio.run(compactor.acompact(raw_turns(6, 200))).summary_source == "model"
    assert len(slept) == 1


class Blocking:
    """A summarizer that has only the method that blocks, and says in which threads it was called."""

    def __init__(self, script: Any) -> None:
        self.script, self.threads = ScriptedSummarizer(script, repeat=True), list[int]()

    def summarize(self, request: Any, on_text: Any) -> Any:
        """Answer from the script."""
        self.threads.append(threading.get_ident())
        return self.script.summarize(request, on_text)


def test_a_summarizer_that_blocks_has_a_thread_in_an_event_loop() -> None:
    """Its text is emitted by the event loop, in order."""
    heard: list[Any] = []
    summarizer = Blocking(GOOD)
    compactor = Compactor(summarizer=summarizer, on_event=lambda event: heard.append((event, threading.get_ident())))
    made = asyncio.run(compactor.acompact(raw_turns(6, 200)))
    assert made.summary_source == "model"
    assert {thread for _, thread in heard} == {threading.get_ident()}
    assert "".join(event.text for event, _ in heard if event.kind == "summary_delta") == GOOD
    assert threading.get_ident() not in summarizer.threads


def test_an_async_listener_receives_every_event_in_order_before_the_compaction_returns() -> None:
    """One after the other, however long it takes, beside a plain one; what it raises is one warning (CMP_06)."""
    heard: list[str] = []
    plain: list[str] = []

    async def listener(event: Any) -> None:
        await asyncio.sleep(0.02 if event.kind == "started" else 0)
        heard.append(event.kind)
        raise ValueError(event.kind)

    compactor = Compactor(
        summarizer=ScriptedSummarizer([GOOD]), on_event=[listener, lambda event: plain.append(event.kind)]
    )
    with pytest.warns(UserWarning, match="a listener failed") as warned:
        asyncio.run(compactor.acompact(raw_turns(6, 200)))
    assert heard == plain
    assert heard[-1] == "compacted"
    assert len(warned) == 1


@pytest.mark.timeout(20)
def test_an_async_listener_cannot_prepare_the_conversation_whose_event_it_receives() -> None:
    """Both would wait for ever; afterwards it can."""
    met: list[str] = []

    async def listener(event: Any) -> None:
        if event.kind == "started":
            try:
                await conversation.aprepare()
            except Refused as refused:
                met.append(str(refused))

    class Slow:
        async def summarize(self, _request: Any, _on_text: Any) -> SummaryAnswer:
            await asyncio.sleep(0.02)
            return SummaryAnswer(text=GOOD)

    limits = ModelLimits(context_window=2_000, max_output_tokens=100)
    conversation = Conversation(Compactor(limits=limits, summarizer=Slow(), on_event=listener))
    conversation.extend(raw_turns(6, 400))
    assert asyncio.run(conversation.aprepare()).compaction is not None
    assert [one.partition(":")[0] for one in met] == [
        "a listener or summarizer cannot prepare the conversation whose request waits for it"
    ]


@pytest.mark.timeout(20)
def test_threads_and_event_loops_take_turns_at_one_conversation() -> None:
    """A request is prepared after the other, whoever asks; one that is cancelled while it waits lets the next go on."""
    order: list[str] = []
    reached, go_on = threading.Event(), threading.Event()

    def answer(_request: Any) -> str:
        reached.set()
        go_on.wait(10)
        order.append("a summary")
        return GOOD

    limits = ModelLimits(context_window=2_000, max_output_tokens=100)
    conversation = Conversation(Compactor(limits=limits, summarizer=ScriptedSummarizer(answer)))
    conversation.extend(raw_turns(6, 400))
    thread = threading.Thread(target=conversation.prepare)
    thread.start()
    reached.wait(10)

    async def run() -> None:
        cancelled = asyncio.ensure_future(conversation.aprepare())
        waiting = asyncio.ensure_future(conversation.aprepare())
        await asyncio.sleep(0.02)
        cancelled.cancel()
        await asyncio.sleep(0.02)
        assert not waiting.done()
        go_on.set()
        await waiting
        order.append("the event loop's")

    asyncio.run(run())
    thread.join()
    assert (order[0], order[-1]) == ("a summary", "the event loop's")


class Silent:
    """A summarizer whose first request stays unanswered; it calls `reached` first, and answers the next one."""

    def __init__(self) -> None:
        self.reached: Any = None
        self.asked = 0

    def summarize(self, _request: Any, _on_text: Any) -> Any:
        """Block at the first request."""
        self.asked += 1
        if self.asked > 1:
            return SummaryAnswer(text=GOOD)
        self.reached()
        threading.Event().wait()
        return None


class SilentInLoop(Silent):
    """The same for an event loop."""

    async def summarize(self, _request: Any, _on_text: Any) -> Any:
        """Wait for ever at the first request."""
        self.asked += 1
        if self.asked > 1:
            return SummaryAnswer(text=GOOD)
        self.reached()
        return await asyncio.get_running_loop().create_future()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("way", ["thread", "task", "another thread"])
def test_a_compaction_that_is_cancelled_while_the_model_is_silent_ends_at_once(way: str) -> None:
    """The conversation is unchanged, the last event is a failure, and the next one succeeds (CMP_08)."""
    messages, kinds = raw_turns(6, 200), list[str]()
    if way == "thread":
        summarizer: Any = Silent()
        compactor = Compactor(summarizer=summarizer, on_event=lambda event: kinds.append(event.kind))
        summarizer.reached = compactor.cancel
        with pytest.raises(CompactionCancelled):
            compactor.compact(messages)
        last, again = kinds[-1], compactor.compact(messages)
    else:
        summarizer = SilentInLoop()
        looped = Compactor(summarizer=summarizer, on_event=lambda event: kinds.append(event.kind))

        async def run() -> None:
            task = asyncio.ensure_future(looped.acompact(messages))
            by_thread = lambda: threading.Thread(target=looped.cancel).start()  # noqa: E731
            summarizer.reached = task.cancel if way == "task" else by_thread
            await task

        with pytest.raises(asyncio.CancelledError if way == "task" else CompactionCancelled):
            asyncio.run(run())
        last, again = kinds[-1], asyncio.run(looped.acompact(messages))
    assert (last, again.summary_source) == ("failed", "model")
    assert messages == raw_turns(6, 200)


@pytest.mark.parametrize("in_loop", [False, True], ids=["thread", "event loop"])
def test_a_compactor_waits_by_itself_before_the_next_attempt(monkeypatch: Any, in_loop: bool) -> None:
    """As long as the provider asks, where no sleep is given (CMP_08)."""
    monkeypatch.setattr("brim.summary.attempts.WAITS_MS", (0, 1, 2))
    script = [SummaryAnswer(failure="transient", reason="overloaded", retry_after=50), GOOD]
    began = time.monotonic()
    if in_loop:
        made = asyncio.run(Compactor(summarizer=ScriptedSummarizer(script)).acompact(raw_turns(6, 200)))
    else:
        made = Compactor(summarizer=ScriptedSummarizer(script)).compact(raw_turns(6, 200))
    assert made.summary_source == "model"
    assert time.monotonic() - began >= 0.05


@pytest.mark.parametrize("in_loop", [False, True], ids=["thread", "event loop"])
def test_a_warning_names_the_line_that_called_brim(in_loop: bool) -> None:
    """However many of brim's own stand between."""
    limits = {"small": ModelLimits(context_window=3_000, max_output_tokens=100)}
    compactor = Compactor(limits=limits, policy=CompactionPolicy(threshold=5_000))

    async def run() -> None:
        await compactor.acompact([], model="small")

    with pytest.warns(UserWarning, match="threshold") as warned:
        if in_loop:
            asyncio.run(run())
        else:
            compactor.compact([], model="small")
    assert [one.filename for one in warned] == [__file__]


def test_every_entry_point_refuses_a_part_for_event_loops_in_a_thread() -> None:
    """The runner with a compaction control, the adapters' requests and recall as a function too (CMP_08)."""
    control = {"enabled": True}
    given: dict[str, Any] = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [], "tools": []}
    with pytest.raises(InvalidInput, match="this sleep is for event loops: pass one that is not"):
        tool_runner(Anthropic(api_key="none"), compaction_control=control, sleep=wait, **given)
    with pytest.raises(InvalidInput, match="this listener is for event loops: pass one that is not"):
        recall_tool(Conversation(Compactor()), on_event=listen)
    adapter: Any = CompactionMiddleware(sleep=wait)
    with pytest.raises(InvalidInput, match="this sleep is for event loops: pass one that is not"):
        adapter.wrap_model_call(None, None)
    keeper: Any = backend(None, "claude-opus-5-5", sleep=wait)
    with pytest.raises(InvalidInput, match="this sleep is for event loops: call aprepare"):
        keeper.prepare({"messages": []})
