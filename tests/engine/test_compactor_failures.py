"""What fails or is cancelled in a compaction: the caller's conversation is as it was (CMP_04, CMP_08)."""

from __future__ import annotations

import asyncio
import threading
import time
from copy import deepcopy
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic

from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.conversation import AsyncConversation, Conversation
from brim.engine.middleware import compaction
from brim.errors import BrimError, CompactionCancelled, InvalidInput
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import AsyncScriptedSummarizer, ScriptedSummarizer
from steps.compaction_windows import raw_turns
from steps.policies import with_policy
from steps.providers import ANSWERS, BREAKS, answering, in_a_thread, in_an_event_loop, serving
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


@pytest.mark.parametrize("run", [in_a_thread, in_an_event_loop])
@pytest.mark.parametrize(
    ("failure", "waits", "outcome"),
    [
        ("an internal error", [0, 1_000, 2_000], "transient"),
        ("no content", [0, 1_000, 2_000], "empty"),
        ("words before a tool call", [0, 0, 1_000, 2_000], "cut off"),
        ("an answer without its end", [0, 1_000, 2_000], "transient"),
        ("a summary larger than its source", [0, 1_000, 2_000], "too large"),
        ("an overload in mid-answer", [0, 1_000, 2_000], "transient"),
    ],
)
def test_if_every_attempt_fails_the_template_writes_the_summary(
    run: Any, failure: str, waits: list[int], outcome: str
) -> None:
    """The attempts, the waits between them and what is told of each (CMP_04)."""
    messages = raw_turns(6, 200)
    before = deepcopy(messages)
    provider = answering([ANSWERS[failure]] * 9) if failure in ANSWERS else serving([BREAKS[failure]] * 9)
    made = run(provider, messages)
    assert (made.waits, {*made.outcomes}, made.compaction.summary_source) == (waits, {outcome}, "template")
    assert [one.waited for one in made.compaction.attempts] == waits
    assert messages == before


async def wait(_seconds: float) -> None:
    """Sleep in an event loop."""


async def listen(_event: Any) -> None:
    """Listen in an event loop."""


class Listening:
    """An object that is called as a listener in an event loop."""

    async def __call__(self, event: Any) -> None:
        """Listen."""


def plain(**given: Any) -> Any:
    """Make a compactor."""
    return Compactor(model="claude-opus-5-5", **given)


def asking(kind: Any) -> Any:
    """Return what makes one request of a client of a kind with a compactor."""

    def ask(compactor: Any) -> Any:
        client = kind(api_key="none", middleware=[compaction(compactor)])
        asked = [{"role": "user", "content": "Go."}]
        made = client.messages.create(model="claude-opus-5-5", max_tokens=9, messages=asked)
        return asyncio.run(made) if asyncio.iscoroutine(made) else made

    return ask


@pytest.mark.parametrize(
    ("user", "part", "told"),
    [
        (
            plain,
            {"client": AsyncAnthropic(api_key="none")},
            "this client is for event loops: pass it to an AsyncCompactor",
        ),
        (
            lambda **given: AsyncCompactor(model="claude-opus-5-5", **given),
            {"client": Anthropic(api_key="none")},
            "this client blocks the event loop: pass it to a Compactor",
        ),
        (
            plain,
            {"summarizer": AsyncScriptedSummarizer([GOOD])},
            "this summarizer is for event loops: pass it to an AsyncCompactor",
        ),
        (plain, {"sleep": wait}, "this sleep is for event loops: pass it to an AsyncCompactor"),
        (plain, {"on_event": listen}, "a listener is called and not awaited: pass a plain function"),
        (plain, {"on_event": Listening()}, "a listener is called and not awaited: pass a plain function"),
        (Conversation, {"compactor": AsyncCompactor()}, "a Conversation takes a Compactor, not AsyncCompactor"),
        (AsyncConversation, {"compactor": Compactor()}, "an AsyncConversation takes an AsyncCompactor, not Compactor"),
        (
            asking(Anthropic),
            {"compactor": AsyncCompactor()},
            "this client waits for its responses: make its middleware of a Compactor",
        ),
        (
            asking(AsyncAnthropic),
            {"compactor": Compactor()},
            "this client is for event loops: make its middleware of an AsyncCompactor",
        ),
    ],
)
def test_a_part_for_threads_is_refused_in_an_event_loop_and_the_other_way_round(
    user: Any, part: dict[str, Any], told: str
) -> None:
    """A part for threads is refused in an event loop, and a part for event loops in a thread (CMP_08)."""
    with pytest.raises(InvalidInput) as raised:
        user(**part)
    assert told in str(raised.value)


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
        looped = AsyncCompactor(summarizer=summarizer, on_event=lambda event: kinds.append(event.kind))

        async def run() -> None:
            task = asyncio.ensure_future(looped.compact(messages))
            by_thread = lambda: threading.Thread(target=looped.cancel).start()  # noqa: E731
            summarizer.reached = task.cancel if way == "task" else by_thread
            await task

        with pytest.raises(asyncio.CancelledError if way == "task" else CompactionCancelled):
            asyncio.run(run())
        last, again = kinds[-1], asyncio.run(looped.compact(messages))
    assert (last, again.summary_source) == ("failed", "model")
    assert messages == raw_turns(6, 200)


@pytest.mark.parametrize("in_loop", [False, True], ids=["thread", "event loop"])
def test_a_compactor_waits_by_itself_before_the_next_attempt(in_loop: bool) -> None:
    """As long as the provider asks, where no sleep is given (CMP_08)."""
    script = [SummaryAnswer(failure="transient", reason="overloaded", retry_after=20), GOOD]
    began = time.monotonic()
    if in_loop:
        made = asyncio.run(AsyncCompactor(summarizer=AsyncScriptedSummarizer(script)).compact(raw_turns(6, 200)))
    else:
        made = Compactor(summarizer=ScriptedSummarizer(script)).compact(raw_turns(6, 200))
    assert made.summary_source == "model"
    assert time.monotonic() - began >= 0.02
