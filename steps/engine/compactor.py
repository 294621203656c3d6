"""Steps of features/engine/compactor.feature."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from typing import Any

from pytest_bdd import given, then, when

from brim.engine.compactor import AsyncCompactor, Compactor
from brim.errors import BrimError, CompactionCancelled
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import AsyncScriptedSummarizer, ScriptedSummarizer
from steps.compaction_windows import filler
from steps.policies import with_policy
from steps.providers import *  # noqa: F403  the provider that fails
from steps.vocabulary import attempt, phrase

GOOD = "All went well."
BUSY = SummaryAnswer(failure="transient", reason="overloaded")


@dataclass
class Noted:
    """What a compactor asked, waited and told, and what it gave."""

    requests: list[Any] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    gave: Any = None


def fail_to_wait(_seconds):
    """A wait that fails."""
    raise OSError("no clock")


FAULTS = {
    "summariser": ([RuntimeError("the summarizer is broken")], None),
    "summariser, without words": ([RuntimeError()], None),
    "waiting": ([BUSY], fail_to_wait),
    "key": ([SummaryAnswer(failure="permanent", reason="the key is not known")], None),
}


@given(phrase("a compactor whose {part} fails"), target_fixture="faulty")
def faulty(part):
    return FAULTS[part]


@given(phrase('a compactor that is told to dwell on "{focus:Quoted}"'), target_fixture="options")
def dwelling(options, focus):
    return options | {"focus": focus}


@when("the faulty compactor is asked for the summary of a conversation", target_fixture="compaction")
def ask_faulty(faulty, options, handed_in):
    script, sleep = faulty
    summarizer = ScriptedSummarizer(script, repeat=True)
    compactor = Compactor(summarizer=summarizer, sleep=sleep or (lambda _: None), **with_policy(options))
    try:
        return compactor.compact(handed_in)
    except (BrimError, OSError) as error:
        return error


@when(
    phrase('the summary of a conversation is asked of it with the focus "{focus:Quoted}"'), target_fixture="compaction"
)
def ask_with_focus(compactor, handed_in, focus):
    return compactor.compact(handed_in, focus=focus or None)


@then("there is no new conversation")
def check_none(compaction):
    assert isinstance(compaction, Exception)


@then(phrase('the summariser is told "{words:Quoted}"'))
def check_told(summarizer, words):
    assert words in str(summarizer.requests[0].messages)


@then("the messages that leave are replaced by a summary")
def check_replaced(compaction):
    assert compaction.summary_source == "model"


@then("the new conversation is the very one that was handed in")
def check_same(compaction, conversation):
    assert all(one is other for one, other in zip(compaction.conversation, conversation, strict=True))


@when("both compactors are asked for the summary of a conversation", target_fixture="both")
def ask_both(script, options, handed_in):
    one, other = Noted(), Noted()
    summarizer, twin = ScriptedSummarizer(script, repeat=True), AsyncScriptedSummarizer(script, repeat=True)

    async def note(seconds):
        other.waits.append(seconds)

    plain = Compactor(summarizer=summarizer, sleep=one.waits.append, on_event=one.events.append, **with_policy(options))
    other_one = AsyncCompactor(summarizer=twin, sleep=note, on_event=other.events.append, **with_policy(options))
    one.gave = attempt(plain.compact, handed_in)
    other.gave = attempt(lambda: asyncio.run(other_one.compact(handed_in)))
    one.requests, other.requests = summarizer.requests, twin.requests
    return one, other


@then("they made the same requests")
def check_requests(both):
    assert both[0].requests == both[1].requests


@then("they waited for the same times")
def check_waits(both):
    assert both[0].waits == both[1].waits


@then("they told the same events")
def check_events(both):
    assert both[0].events == both[1].events


@then("they gave the same")
def check_gave(both):
    one, other = (noted.gave for noted in both)
    assert repr(one) == repr(other)


class Silent:
    """A summarizer that answers nothing at first, and then as another does. `reached` is called when it was asked."""

    def __init__(self, other: Any, reached: Any) -> None:
        self.other, self.reached, self.over = other, reached, threading.Event()

    def summarize(self, request: Any, on_text: Any) -> Any:
        """Nothing, until it is over."""
        if self.reached is None:
            return self.other.summarize(request, on_text)
        reached, self.reached = self.reached, None
        reached()
        self.over.wait()
        return None


class SilentInLoop(Silent):
    """The same in an event loop."""

    async def summarize(self, request: Any, on_text: Any) -> Any:
        """Nothing, for as long as it is waited for."""
        if self.reached is None:
            return await self.other.summarize(request, on_text)
        reached, self.reached = self.reached, None
        reached()
        return await asyncio.get_running_loop().create_future()


MOMENTS = {
    "when it has started": ("started", [GOOD]),
    "while nothing comes": ("nothing", [GOOD]),
    "when the first words are written": ("summary_delta", [GOOD]),
    "while it waits for the next attempt": ("attempt_rejected", [BUSY, GOOD]),
}


@dataclass
class CalledOff:
    """A compaction that is called off at the first event of a kind, and the compactor that runs it."""

    kind: str
    script: list[Any]
    events: list[Any]

    def listen(self, event: Any) -> None:
        """Call it off when the moment has come, once."""
        self.events.append(event)
        if event.kind == self.kind:
            self.kind = ""
            self.call_off()

    def call_off(self) -> None:
        """Replaced by what calls it off."""

    def cancelled(self) -> None:
        """Call it off, by whatever has been put in that place."""
        self.call_off()

    def run(self, handed_in: list[Any]) -> Any:
        """In a thread."""
        summarizer: Any = ScriptedSummarizer(self.script, repeat=True)
        summarizer = Silent(summarizer, self.cancelled) if self.kind == "nothing" else summarizer
        compactor = Compactor(summarizer=summarizer, on_event=self.listen, sleep=lambda _: None)
        self.call_off = compactor.cancel
        self.again = lambda: compactor.compact(handed_in)
        return attempt(compactor.compact, handed_in)


class CalledOffTask(CalledOff):
    """The same in an event loop, where the task is cancelled."""

    def run(self, handed_in: list[Any]) -> Any:
        """In an event loop of its own."""
        summarizer: Any = AsyncScriptedSummarizer(self.script, repeat=True)
        summarizer = SilentInLoop(summarizer, self.cancelled) if self.kind == "nothing" else summarizer
        compactor = AsyncCompactor(summarizer=summarizer, on_event=self.listen, sleep=lambda _: asyncio.sleep(0))
        self.again = lambda: asyncio.run(compactor.compact(handed_in))
        try:
            return asyncio.run(self._cancelled(compactor, handed_in))
        except asyncio.CancelledError as error:
            return error

    async def _cancelled(self, compactor: AsyncCompactor, handed_in: list[Any]) -> Any:
        task = asyncio.ensure_future(compactor.compact(handed_in))
        self.call_off = task.cancel
        return await task


PLACES = {"a thread": CalledOff, "an event loop": CalledOffTask}


@given(
    phrase("a compaction in {place:Place} that is called off {moment}", {"Place": PLACES.__getitem__}),
    target_fixture="called_off",
)
def to_be_called_off(place, moment, events):
    kind, script = MOMENTS[moment]
    return place(kind, script, events)


@when("it runs", target_fixture="compaction")
def run(called_off, handed_in):
    return called_off.run(handed_in)


@then("it ends as called off")
def check_called_off(compaction):
    assert isinstance(compaction, CompactionCancelled | asyncio.CancelledError)


@then("the last event is that it failed")
def check_failed(events):
    assert events[-1].kind == "failed"


@then("the next compaction goes on as if nothing had been")
def check_next(called_off):
    assert called_off.again().summary_source == "model"


@dataclass
class Session:
    """A session that is compacted whenever that is due."""

    compactor: Compactor
    messages: list[Any] = field(default_factory=list)
    compactions: int = 0
    fullest: int = 0

    def turn(self, request: str, number: int) -> None:
        """A user's request, a call with its result, and an answer."""
        self.messages += [
            {"role": "user", "content": request},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": f"call_{number}", "name": "Bash", "input": {"command": "make"}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": f"call_{number}", "content": filler(300)}],
            },
            {"role": "assistant", "content": f"Pier {number} stands."},
        ]
        self.judge()

    def judge(self) -> None:
        """Compact where that is due."""
        window = self.compactor.window(self.messages)
        self.fullest = max(self.fullest, window.held)
        if window.verdict().due:
            self.messages = self.compactor.compact(window, automatic=True).messages
            self.compactions += 1


@when(phrase("a session of {count:Count} turns is compacted whenever that is due"), target_fixture="session")
def long_session(count, limits):
    session = Session(Compactor(summarizer=ScriptedSummarizer("It went on."), limits=ModelLimits(**limits)))
    for number in range(count):
        session.turn(f"Build pier {number}." if number else "Build the harbour.", number)
    return session


@then(phrase("it was compacted at least {count:Count} times"))
def check_compactions(session, count):
    assert session.compactions >= count


@then("the window never held more than it can")
def check_fullest(session):
    assert session.fullest <= session.compactor.limits_of().context_window


@then(phrase('the last conversation says "{words:Quoted}"'))
def check_last_conversation(session, words):
    assert words in str(session.messages)


@then("one summary is in it")
def check_one_summary(session):
    assert len(session.compactor.window(session.messages).summaries) == 1
