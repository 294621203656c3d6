"""Steps of features/engine/compactor.feature."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from anthropic import Anthropic, AsyncAnthropic
from pytest_bdd import given, then, when

from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.conversation import AsyncConversation, Conversation
from brim.engine.middleware import compaction
from brim.errors import BrimError, CompactionCancelled, InvalidInput
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
class Recorded:
    """The requests, waits, events and result of one compactor."""

    requests: list[Any] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    result: Any = None


def fail_to_wait(_seconds):
    """A wait that fails."""
    raise OSError("no clock")


@dataclass
class Odd:
    """A summarizer whose answer is not a valid one."""

    answer: Any

    def summarize(self, _request: Any, _on_text: Any) -> Any:
        """Return the invalid answer."""
        return self.answer


async def answer_later() -> SummaryAnswer:
    """An answer that has to be awaited."""
    return SummaryAnswer(text=GOOD)


ODD = {
    "answer, which waits": None,
    "summarizer's answer": 7,
    "answer's text": SummaryAnswer(text=7),  # type: ignore[arg-type]
    "answer's failure": SummaryAnswer(failure="hopeless"),  # type: ignore[arg-type]
}
FAULTS = {
    "summarizer": ([RuntimeError("the summarizer is broken")], None),
    "summarizer, without words": ([RuntimeError()], None),
    "waiting": ([BUSY], fail_to_wait),
    "key": ([SummaryAnswer(failure="permanent", reason="the key is not known")], None),
}


@given(phrase("a compactor whose {part} fails"), target_fixture="faulty")
def faulty(part):
    if part == "answer, which waits":
        return Odd(answer_later()), None
    return (Odd(ODD[part]), None) if part in ODD else FAULTS[part]


@dataclass
class Ending:
    """A summarizer that raises what ends a program."""

    error: BaseException

    def summarize(self, _request: Any, _on_text: Any) -> Any:
        """Raise it."""
        raise self.error


ENDS = {
    "an interrupt by the user": KeyboardInterrupt(),
    "the end of the program": SystemExit(1),
    "a cancellation of its own": CompactionCancelled("the summarizer was cancelled"),
}


@given(phrase("a compactor whose summarizer raises {error}"), target_fixture="faulty")
def ending(error):
    return Ending(ENDS[error]), None


@then(phrase("{error} is raised"))
def check_raised(compaction, error):
    assert compaction is ENDS[error]


@given(phrase("a provider that is busy for {wait:Count} milliseconds"), target_fixture="script")
def busy_for(wait):
    return [SummaryAnswer(failure="transient", reason="overloaded", retry_after=wait), GOOD]


@when(
    phrase("a compactor without a sleep compacts a conversation of 6 turns {where}"), target_fixture="timed_compaction"
)
def compact_without_sleep(script, caller_messages, where):
    began = time.monotonic()
    if where == "in a thread":
        compaction = Compactor(summarizer=ScriptedSummarizer(script)).compact(caller_messages)
    else:
        compaction = asyncio.run(AsyncCompactor(summarizer=AsyncScriptedSummarizer(script)).compact(caller_messages))
    return compaction, time.monotonic() - began


@then(phrase("a model writes the summary, at the earliest after {wait:Count} milliseconds"))
def check_waited(timed_compaction, wait):
    compaction, seconds = timed_compaction
    assert compaction.summary_source == "model"
    assert seconds >= wait / 1_000


@given(phrase('a compactor with the focus "{focus:Quoted}"'), target_fixture="options")
def with_focus(options, focus):
    return options | {"focus": focus}


@when("the faulty compactor compacts a conversation of 6 turns", target_fixture="compaction")
def ask_faulty(faulty, options, caller_messages):
    script, sleep = faulty
    summarizer = ScriptedSummarizer(script, repeat=True) if isinstance(script, list) else script
    compactor = Compactor(summarizer=summarizer, sleep=sleep or (lambda _: None), **with_policy(options))
    try:
        return compactor.compact(caller_messages)
    except (BrimError, OSError, KeyboardInterrupt, SystemExit) as error:
        return error


@when(
    phrase('the compactor compacts a conversation of 6 turns with the focus "{focus:Quoted}"'),
    target_fixture="compaction",
)
def ask_with_focus(compactor, caller_messages, focus):
    return compactor.compact(caller_messages, focus=focus or None)


@when(
    phrase(
        'the compactor plans a compaction of 6 turns with the focus "{planned:Quoted}", '
        'and carries it out with the focus "{now:Quoted}"'
    ),
    target_fixture="compaction",
)
def plan_and_apply(compactor, caller_messages, planned, now):
    return compactor.apply(compactor.plan(caller_messages, focus=planned or None), focus=now or None)


@given("a summarizer whose answers are cut off", target_fixture="script")
def cut_off_answers():
    return [SummaryAnswer(text="All went", stop_reason="length")]


@when("the compactor compacts it, a conversation of 6 turns", target_fixture="compaction")
def compact_within(summarizer, limits, caller_messages):
    return Compactor(summarizer=summarizer, limits=ModelLimits(**limits), sleep=lambda _: None).compact(caller_messages)


@then(phrase("the summary requests allow answers of {limits} tokens"))
def check_limits(summarizer, limits):
    assert [f"{request.max_tokens:,}" for request in summarizer.requests] == limits.split(", ")


@then("there is no new conversation")
def check_none(compaction):
    assert isinstance(compaction, Exception)


@then(phrase('the summary request contains "{words:Quoted}"'))
def check_request_contains(summarizer, words):
    assert words in str(summarizer.requests[0].messages)


@then("a summary replaces the older messages")
def check_replaced(compaction):
    assert compaction.summary_source == "model"


@when("both compactors compact a conversation of 6 turns", target_fixture="both")
def ask_both(script, options, caller_messages):
    one, other = Recorded(), Recorded()
    summarizer, twin = ScriptedSummarizer(script, repeat=True), AsyncScriptedSummarizer(script, repeat=True)

    async def note(seconds):
        other.waits.append(seconds)

    plain = Compactor(summarizer=summarizer, sleep=one.waits.append, on_event=one.events.append, **with_policy(options))
    other_one = AsyncCompactor(summarizer=twin, sleep=note, on_event=other.events.append, **with_policy(options))
    options_of_call = {"focus": "the API", "system": "You build piers.", "pinned": [0]}
    one.result = attempt(plain.compact, caller_messages, **options_of_call)
    other.result = attempt(lambda: asyncio.run(other_one.compact(caller_messages, **options_of_call)))
    one.requests, other.requests = summarizer.requests, twin.requests
    return one, other


@when("both compactors plan a compaction of 6 turns after an overflow error", target_fixture="both")
def plan_both(caller_messages):
    one, other = Recorded(), Recorded()
    one.result = Compactor().plan(caller_messages, cause="overflow")
    other.result = asyncio.run(AsyncCompactor().plan(caller_messages, cause="overflow"))
    return one, other


@then("the plan keeps fewer messages than without the error")
def check_fewer(both, caller_messages):
    assert both[1].result.cut > Compactor().plan(caller_messages).cut


@then("they send the same requests")
def check_requests(both):
    assert both[0].requests == both[1].requests


@then("they wait equally long")
def check_waits(both):
    assert both[0].waits == both[1].waits


@then("they emit the same events")
def check_events(both):
    assert both[0].events == both[1].events


@then("they return the same result")
def check_result(both):
    assert repr(both[0].result) == repr(both[1].result)


async def wait(_seconds: float) -> None:
    """A sleep for event loops."""


async def listen(_event: Any) -> None:
    """A listener for event loops."""


PARTS: dict[str, Any] = {
    "a client for loops": ("client", lambda: AsyncAnthropic(api_key="none")),
    "a client for threads": ("client", lambda: Anthropic(api_key="none")),
    "a summarizer for loops": ("summarizer", lambda: AsyncScriptedSummarizer([GOOD])),
    "a sleep for loops": ("sleep", lambda: wait),
    "a listener for loops": ("on_event", lambda: listen),
    "an async compactor": ("compactor", AsyncCompactor),
    "a compactor": ("compactor", Compactor),
}


def ask(client: Any) -> Any:
    """One request of a client."""
    made = client.messages.create(model="claude-opus-5-5", max_tokens=9, messages=[{"role": "user", "content": "Go."}])
    return asyncio.run(made) if asyncio.iscoroutine(made) else made


USERS: dict[str, Any] = {
    "a compactor": lambda **given: Compactor(model="claude-opus-5-5", **given),
    "an async compactor": lambda **given: AsyncCompactor(model="claude-opus-5-5", **given),
    "a conversation": Conversation,
    "an async conversation": AsyncConversation,
    "a client": lambda compactor: ask(Anthropic(api_key="none", middleware=[compaction(compactor)])),
    "a client for loops": lambda compactor: ask(AsyncAnthropic(api_key="none", middleware=[compaction(compactor)])),
}


@when(phrase("{part} is given to {user}"), target_fixture="refusal")
def give(part, user):
    name, made = PARTS[part]
    return attempt(USERS[user], **{name: made()})


@then(phrase('it is refused: "{words:Quoted}"'))
def check_refused(refusal, words):
    assert isinstance(refusal, InvalidInput)
    assert words in str(refusal)


class Silent:
    """A summarizer whose first request stays unanswered, after a call of `reached`; then another summarizer answers."""

    def __init__(self, other: Any, reached: Any) -> None:
        self.other, self.reached, self.over = other, reached, threading.Event()

    def summarize(self, request: Any, on_text: Any) -> Any:
        """Block at the first request, until `over` is set."""
        if self.reached is None:
            return self.other.summarize(request, on_text)
        reached, self.reached = self.reached, None
        reached()
        self.over.wait()
        return None


class SilentInLoop(Silent):
    """The same summarizer for an event loop."""

    async def summarize(self, request: Any, on_text: Any) -> Any:
        """Wait for ever at the first request."""
        if self.reached is None:
            return await self.other.summarize(request, on_text)
        reached, self.reached = self.reached, None
        reached()
        return await asyncio.get_running_loop().create_future()


MOMENTS = {
    "when it has started": ("started", [GOOD]),
    "while the model is silent": ("nothing", [GOOD]),
    "when the first words arrive": ("summary_delta", [GOOD]),
    "while it waits for the next attempt": ("attempt_rejected", [BUSY, GOOD]),
}


@dataclass
class CancelledCompaction:
    """A compaction that is cancelled at the first event of a kind, and the compactor that runs it."""

    kind: str
    script: list[Any]
    events: list[Any]

    def listen(self, event: Any) -> None:
        """Cancel it at the first event of its kind."""
        self.events.append(event)
        if event.kind == self.kind:
            self.kind = ""
            self.cancel()

    def cancel(self) -> None:
        """Replaced by the method of the compactor or of the task."""

    def cancel_now(self) -> None:
        """Cancel it by the method that `run` has set since."""
        self.cancel()

    def run(self, caller_messages: list[Any]) -> Any:
        """In a thread."""
        summarizer: Any = ScriptedSummarizer(self.script, repeat=True)
        summarizer = Silent(summarizer, self.cancel_now) if self.kind == "nothing" else summarizer
        compactor = Compactor(summarizer=summarizer, on_event=self.listen, sleep=lambda _: None)
        self.cancel = compactor.cancel
        self.again = lambda: compactor.compact(caller_messages)
        return attempt(compactor.compact, caller_messages)


class CancelledTask(CancelledCompaction):
    """The same in an event loop, where the task is cancelled."""

    def run(self, caller_messages: list[Any]) -> Any:
        """In a new event loop."""
        summarizer: Any = AsyncScriptedSummarizer(self.script, repeat=True)
        summarizer = SilentInLoop(summarizer, self.cancel_now) if self.kind == "nothing" else summarizer
        compactor = AsyncCompactor(summarizer=summarizer, on_event=self.listen, sleep=lambda _: asyncio.sleep(0))
        self.again = lambda: asyncio.run(compactor.compact(caller_messages))
        try:
            return asyncio.run(self._cancelled(compactor, caller_messages))
        except (asyncio.CancelledError, CompactionCancelled) as error:
            return error

    async def _cancelled(self, compactor: AsyncCompactor, caller_messages: list[Any]) -> Any:
        task = asyncio.ensure_future(compactor.compact(caller_messages))
        self.cancel = task.cancel
        return await task


class CancelledByThread(CancelledTask):
    """The same, cancelled by a thread that does not run the event loop."""

    async def _cancelled(self, compactor: AsyncCompactor, caller_messages: list[Any]) -> Any:
        self.cancel = lambda: threading.Thread(target=compactor.cancel).start()
        return await compactor.compact(caller_messages)


PLACES = {
    "a thread": CancelledCompaction,
    "an event loop": CancelledTask,
    "the event loop of another thread": CancelledByThread,
}


@given(
    phrase("a compaction in {place:Place} that is cancelled {moment}", {"Place": PLACES.__getitem__}),
    target_fixture="cancelled",
)
def to_be_cancelled(place, moment, events):
    kind, script = MOMENTS[moment]
    return place(kind, script, events)


@when("it runs", target_fixture="compaction")
def run(cancelled, caller_messages):
    return cancelled.run(caller_messages)


@then("it ends as cancelled")
def check_cancelled(compaction):
    assert isinstance(compaction, CompactionCancelled | asyncio.CancelledError)


@then("the last event is a failure")
def check_failed(events):
    assert events[-1].kind == "failed"


@then(phrase("the last event counts {attempts:Count} attempt"))
def check_attempts(events, attempts):
    assert events[-1].attempts == attempts


@then("the next compaction succeeds")
def check_next(cancelled):
    assert cancelled.again().summary_source == "model"


class Session:
    """A session of an agent that prepares each of its requests."""

    def __init__(self, compactor: Compactor) -> None:
        self.compactor, self.conversation = compactor, Conversation(compactor)
        self.sent: list[Any] = []
        self.compactions, self.fullest = 0, 0

    def turn(self, request: str, number: int) -> None:
        """A user's request, a call with its result, and an answer."""
        call = {"type": "tool_use", "id": f"call_{number}", "name": "Bash", "input": {"command": "make"}}
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": filler(300)}
        self.conversation.append({"role": "user", "content": request})
        self.conversation.append({"role": "assistant", "content": [call]})
        self.conversation.append({"role": "user", "content": [result]})
        outgoing = self.conversation.prepare()
        self.conversation.append({"role": "assistant", "content": f"Pier {number} stands."})
        self.sent = [*outgoing.messages]
        self.fullest = max(self.fullest, outgoing.window.held)
        self.compactions += outgoing.compaction is not None


@when(phrase("a session of {count:Count} turns is compacted whenever compaction is due"), target_fixture="session")
def long_session(count, limits):
    session = Session(Compactor(summarizer=ScriptedSummarizer("It went on."), limits=ModelLimits(**limits)))
    for number in range(count):
        session.turn(f"Build pier {number}." if number else "Build the harbour.", number)
    return session


@then(phrase("it was compacted at least {count:Count} times"))
def check_compactions(session, count):
    assert session.compactions >= count


@then("the session never exceeded the context window")
def check_fullest(session):
    assert session.fullest <= session.compactor.limits_of().context_window


@then(phrase('the last conversation contains "{words:Quoted}"'))
def check_last_conversation(session, words):
    assert words in str(session.sent)


@then("it contains one summary")
def check_one_summary(session):
    assert str(session.sent).count(SUMMARY_OPENING) == 1
