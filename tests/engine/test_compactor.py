"""What a compactor does besides its rules: several at once, cancelled in silence, answers that are none."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from brim.compaction.plan import Cause
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.compactor import Compactor
from brim.engine.driving import THREAD
from brim.errors import CompactionCancelled, InvalidInput
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import (
    MessagesServer,
    ScriptedSummarizer,
    complaints,
    hang_midstream,
    text_block,
    thinking_block,
    tool_call,
)
from brim.testing.strictness import THOUGHTS, loop_faults, turns_of
from steps.compaction_windows import filler, raw_turns
from steps.conversation_table import read_table
from steps.policies import with_policy
from steps.prerequisites import sized
from tests.compaction.strategies import Case, cases
from tests.engine.agents import AsyncGiving, Giving
from tests.signals import handled

MODEL = "claude-opus-5-5"
SMALL = ModelLimits(context_window=20_000, max_output_tokens=2_000)
LARGE = ModelLimits(context_window=200_000, max_output_tokens=32_000)
LONG = 60
"""Seconds that nobody in these tests waits."""
TOOLS = [{"name": "bash", "description": "Runs a command.", "input_schema": {"type": "object"}}]
GONE = SummaryAnswer(failure="permanent", reason="the key is not known")


def asked(request: str, number: int = 0, tokens: int = 600) -> list[Any]:
    """A turn: a request, a call with its output, an answer."""
    call = {"type": "tool_use", "id": f"call_{number}", "name": "Bash", "input": {"command": f"make {number}"}}
    result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": filler(tokens)}
    return [
        {"role": "user", "content": request},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": f"Pier {number} stands."},
    ]


def session(words: str, count: int, start: int = 0, tokens: int = 600) -> list[Any]:
    """So many turns about something."""
    return [message for n in range(start, start + count) for message in asked(f"{words} {n}.", n, tokens)]


def through_a_file(messages: list[Any]) -> list[Any]:
    """The messages as they come out of a file that they were written to."""
    again: list[Any] = json.loads(json.dumps(messages))
    return again


# Again and again


def test_facts_last_through_many_compactions_of_plain_lists() -> None:
    """A list that was written and read in between keeps one summary and every fact, whoever wrote the summary."""
    compactor = Compactor(limits=SMALL, summarizer=ScriptedSummarizer(["It went on.", GONE] * 9, repeat=True))
    messages: list[Any] = []
    for number in range(4):
        messages += session("Never touch harbour", 20, 20 * number)
        made = compactor.compact(through_a_file(messages))
        messages = through_a_file(made.messages)
        assert made.fidelity.missing == ()
        assert str(messages).count(SUMMARY_OPENING) == 1
    assert all(f"Never touch harbour {number}." in str(messages) for number in range(80))


def test_conversations_do_not_know_each_others_facts() -> None:
    """What stands in place of a summary reads the same in both; the facts behind it are those of one."""
    compactor = Compactor(
        limits=SMALL,
        summarizer=ScriptedSummarizer([GONE, GONE, "It went on."], repeat=True),
        policy=CompactionPolicy(on_failure="fallback"),
    )
    one, _ = (compactor.compact(session(words, 30)) for words in ("Alice wants pier", "Bob wants pier"))
    made = compactor.compact([*one.messages, *session("Alice wants pier", 30, 30)])
    assert made.summary_source == "model"
    assert "Alice wants pier 3." in str(made.messages)
    assert "Bob" not in str(made.messages)


def test_facts_last_through_a_pruning() -> None:
    """A compaction that only clears outputs hands on what it knew: a model's own words hide it from the next one."""
    request = "Never break pier 0."
    summarizer = ScriptedSummarizer([f"So far: {request}", "It went on."])
    compactor = Compactor(limits=LARGE, summarizer=summarizer)
    messages = compactor.compact(session("Never break pier", 60, tokens=2_500)).messages
    messages += session("Go on with", 11, 60, tokens=15_000)
    pruned = compactor.compact(messages, cause="automatic")
    assert (pruned.plan.summarizes, pruned.plan.changes_anything) == (False, True)
    made = compactor.compact([*pruned.messages, *session("Go on with", 9, 80, tokens=15_000)])
    assert made.summary_source == "model"
    assert request in str(made.messages)


# Called off


@contextmanager
def silent(failure: Any, **options: Any) -> Iterator[tuple[Compactor, list[str], threading.Event]]:
    """A compactor whose provider is silent, what it told, and whether it was asked by now."""
    told: list[str] = []
    reached = threading.Event()
    last = "summary_delta" if failure.after else "summarizing"

    def listen(event: Any) -> None:
        told.append(event.kind)
        if event.kind == last:
            reached.set()

    with MessagesServer([failure] * 9) as server, server.client(timeout=LONG) as client:
        yield Compactor(client, MODEL, limits=LARGE, on_event=listen, **with_policy(options)), told, reached


def when(reached: threading.Event, act: Callable[[], object]) -> threading.Thread:
    """A thread that acts when a moment has come, and a little after it."""

    def run() -> None:
        reached.wait(LONG)
        act()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.timeout(20)
def test_the_stream_of_a_summary_that_is_called_off_is_closed() -> None:
    """Nobody goes on reading: the thread that did ends with the stream, in the middle of the provider's silence."""
    reading: list[threading.Thread] = []
    with silent(hang_midstream()) as (compactor, _, reached):

        def call_off() -> None:
            reading.extend(thread for thread in threading.enumerate() if thread.name == THREAD)
            compactor.cancel()

        caller = when(reached, call_off)
        with pytest.raises(CompactionCancelled):
            compactor.compact(raw_turns(6, 200))
        caller.join()
        reading[-1].join()


@pytest.mark.timeout(20)
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself this signal there")
def test_an_interrupt_ends_it_at_once() -> None:
    """Ctrl-C is not swallowed, and a listener is told that nothing came of it."""
    main = threading.main_thread().ident
    assert main is not None
    ends = handled(signal.SIGINT, signal.default_int_handler)
    with ends, silent(hang_midstream()) as (compactor, told, reached):
        caller = when(reached, lambda: signal.pthread_kill(main, signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            compactor.compact(raw_turns(6, 200))
        caller.join()
    assert told[-1] == "failed"


@pytest.mark.timeout(20)
def test_the_next_call_of_the_client_is_not_disturbed() -> None:
    """The connection that was shut is not used again."""
    with MessagesServer([hang_midstream(), "All went well."]) as server, server.client(timeout=LONG) as client:
        reached = threading.Event()
        listen = lambda event: event.kind == "summary_delta" and reached.set()  # noqa: E731
        compactor = Compactor(client, MODEL, limits=LARGE, on_event=listen)
        caller = when(reached, compactor.cancel)
        with pytest.raises(CompactionCancelled):
            compactor.compact(raw_turns(6, 200))
        caller.join()
        assert compactor.compact(raw_turns(6, 200)).summary_source == "model"


@pytest.mark.timeout(20)
def test_a_wait_between_attempts_can_be_called_off() -> None:
    """The provider asked for a minute; nobody waits for it."""
    reached = threading.Event()
    busy = SummaryAnswer(failure="transient", reason="busy", retry_after=60_000)
    compactor = Compactor(
        summarizer=ScriptedSummarizer(busy), on_event=lambda event: event.kind == "attempt_rejected" and reached.set()
    )
    caller = when(reached, compactor.cancel)
    with pytest.raises(CompactionCancelled):
        compactor.compact(raw_turns(6, 200))
    caller.join()


def test_one_that_begins_does_not_undo_the_calling_off_of_another() -> None:
    """Both go through one compactor, in two threads; only the running one is cancelled."""
    asked_of_it, go_on = threading.Event(), threading.Event()

    def answer(request: Any) -> str:
        if "Alice" in str(request.messages):
            asked_of_it.set()
            go_on.wait(LONG)
        return "All went well."

    compactor = Compactor(summarizer=ScriptedSummarizer(answer))
    came: list[Any] = []

    def run() -> None:
        try:
            came.append(compactor.compact(session("Alice wants pier", 9)))
        except CompactionCancelled as error:
            came.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    asked_of_it.wait(LONG)
    compactor.cancel()
    other = compactor.compact(session("Bob wants pier", 9))
    go_on.set()
    thread.join()
    assert (type(came[0]), other.summary_source) == (CompactionCancelled, "model")


def test_many_threads_share_a_compactor() -> None:
    """What it remembers of one conversation is written while another is looked up."""
    compactor, faults = Compactor(summarizer=ScriptedSummarizer("All went well.")), []

    def run(name: str) -> None:
        for number in range(sized(15, nightly=60)):
            try:
                messages = [{"role": "user", "content": f"{name} {number}"}, *raw_turns(6, 200)[1:]]
                compactor.plan([*compactor.compact(messages).messages, *asked("Go on.")])
            except RuntimeError as fault:
                faults.append(fault)

    former = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(name,)) for name in "ABCDEF"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(former)
    assert faults == []


# What is handed in


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "answered with NoneType"),
        (SummaryAnswer(text=None), "text is None; it should be a valid string"),  # type: ignore[arg-type]
        (SummaryAnswer(failure="transient", retry_after=1.5), "retry_after is 1.5; it should be a valid integer"),  # type: ignore[arg-type]
        (SummaryAnswer(failure="bad luck"), "failure is 'bad luck'; it should be 'transient'"),  # type: ignore[arg-type]
    ],
)
def test_an_answer_that_is_none(answer: Any, told: str) -> None:
    """It counts as no summary, the attempt says why, and whoever wants errors gets one of brim's own."""
    messages = raw_turns(6, 200)
    for policy in ("template", "raise"):
        plain = Compactor(summarizer=Giving(answer), policy=CompactionPolicy(on_failure=policy))
        looped = Compactor(summarizer=AsyncGiving(answer), policy=CompactionPolicy(on_failure=policy))
        for run in (plain.compact, lambda given, of=looped: asyncio.run(of.acompact(given))):
            if policy == "raise":
                with pytest.raises(InvalidInput, match=told):
                    run(messages)
            else:
                with pytest.warns(
                    UserWarning, match=rf"Giving: the summarizer .*{told}.*; on_failure=template stood in"
                ):
                    made = run(messages)
                assert made.summary_source == "template"
                assert re.search(told, made.attempts[0].reason)
    assert messages == raw_turns(6, 200)


def test_a_window_is_told_nothing_that_it_knows() -> None:
    """What would be left unheard is refused."""
    compactor = Compactor()
    window = compactor.window(raw_turns(6, 200))
    with pytest.raises(InvalidInput, match="a window has its own system, usage"):
        compactor.compact(window, system="Be kind.", usage={"input_tokens": 5})
    assert compactor.compact(window, system=None, parameters={"thinking": {"type": "adaptive"}}).plan.changes_anything


def test_a_plan_of_another_compactor_can_be_carried_out() -> None:
    """It is a value: whoever carries it out brings the summarizer, and the conversation that it was made of stays."""
    plan = Compactor(limits=SMALL).plan(session("Build pier", 30))
    made = Compactor(summarizer=ScriptedSummarizer("All went well.")).apply(plan)
    assert (made.summary_source, made.plan, made.tokens_before) == ("model", plan, plan.context.tokens_before)


# Thinking


@cache
def thoughtful() -> str:
    """A conversation that a server made, each answer thought about, in the middle of its fifth tool loop; as JSON."""
    messages: list[Any] = []

    def answer(body: Any) -> Any:
        number = len(body["messages"])
        return [thinking_block(f"Hm {number}."), tool_call("bash", {"command": "make"}, id=f"call_{number}")]

    with MessagesServer(default=answer, models={MODEL: (200_000, 64_000)}) as server, server.client() as client:
        for turn in range(5):
            messages += [{"role": "assistant", "content": "It stands."}] if turn else []
            messages.append({"role": "user", "content": f"Build pier {turn}."})
            for _ in range(2):
                made = client.messages.create(model=MODEL, max_tokens=999, messages=messages, tools=TOOLS)  # type: ignore[arg-type]
                content = [block.model_dump(mode="json", exclude_unset=True) for block in made.content]
                result = {"type": "tool_result", "tool_use_id": content[-1]["id"], "content": filler(1_500)}
                messages += [{"role": "assistant", "content": content}, {"role": "user", "content": [result]}]
    return json.dumps(messages)


def _beside(messages: list[Any]) -> list[Any]:
    last = messages[-1]
    return [*messages[:-1], last | {"content": [*last["content"], text_block("No, stop.")]}]


ENDINGS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "with a result": lambda messages: messages,
    "with the user's words": lambda messages: [*messages, {"role": "user", "content": "No, stop."}],
    "with the user's words beside a result": _beside,
    "with a call that was interrupted": lambda messages: [*messages[:-1], {"role": "user", "content": "No, stop."}],
    "with words of the harness": lambda messages: [
        *messages,
        {"role": "user", "content": "<system-reminder>Be quick.</system-reminder>"},
    ],
}


@pytest.mark.peers
@pytest.mark.parametrize(
    ("policy", "pins"),
    [
        ("template", ()),
        ("fallback", ()),
        ("fallback", (0, 2)),
        ("fallback", (26,)),
    ],
    ids=str,
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_in_the_middle_of_a_tool_loop_with_thinking(ending: str, policy: Any, pins: tuple[int, ...]) -> None:
    """Whatever stands for the history, and however the loop was interrupted, the next request is accepted."""
    messages = ENDINGS[ending](json.loads(thoughtful()))
    before = through_a_file(messages)
    limits = ModelLimits(context_window=20_000, max_output_tokens=8_000)
    compactor = Compactor(
        limits=limits, summarizer=ScriptedSummarizer(GONE), policy=CompactionPolicy(on_failure=policy)
    )
    made = compactor.compact(messages, tools=TOOLS, pinned=pins)
    assert (made.summary_source, messages) == (policy, before)
    with MessagesServer(models={MODEL: (200_000, 64_000)}) as server, server.client() as client:
        for thinking in ({"type": "adaptive"}, {"type": "enabled", "budget_tokens": 1_024}):
            client.messages.create(  # type: ignore[call-overload]
                model=MODEL, max_tokens=2_000, messages=made.messages, tools=TOOLS, thinking=thinking
            )


def behind_thinking(messages: list[Any]) -> set[str]:
    """The calls that were handed out behind thinking: those that are not taken back without it."""
    turns = [turn for turn in turns_of(messages) if any(placed.kind in THOUGHTS for placed in turn)]
    return {placed.block["id"] for turn in turns for placed in turn if placed.kind == "tool_use"}


def told(*rows: list[str]) -> Case:
    """The conversation that these rows tell, for a small model."""
    columns = ["speaker", "thinks", "says", "calls", "answers", "mark"]
    return Case(read_table([columns, *rows]), {}, "usable", SMALL)


def speaks(speaker: str, says: str, mark: str = "") -> list[str]:
    """A row in which somebody says something."""
    return [speaker, "", says, "", "", mark]


FILLED = speaks("user", filler(20_000))
LOOP = (["assistant", "Hm.", "", "A", "", "pinned"], ["tool", "", "", "", "A", ""])
THOUGHT = ["assistant", "So.", "", "", "", ""]
THOUGHT_ALONE = told(FILLED, speaks("user", "Go on."), *LOOP, THOUGHT)
SPOKEN_TO = told(FILLED, speaks("user", "Go on."), *LOOP, THOUGHT, speaks("user", "Stop."))
RULES = speaks("user", "Rules.", "pinned"), speaks("assistant", "I look.", "pinned")
THOUGHT_LATE = told(*RULES, *LOOP, speaks("assistant", "Done."), FILLED, speaks("user", "Go on."))


@example(case=THOUGHT_ALONE, policy="template", cause="manual")
@example(case=SPOKEN_TO, policy="truncate", cause="automatic")
@example(case=THOUGHT_LATE, policy="fallback", cause="manual")
@settings(max_examples=sized(20, nightly=750), suppress_health_check=[HealthCheck.filter_too_much])
@given(
    case=cases(),
    policy=st.sampled_from(["template", "truncate", "fallback"]),
    cause=st.sampled_from(["manual", "automatic"]),
)
@pytest.mark.parametrize("thinking", ["adaptive", "enabled"])
def test_no_loop_is_left_without_its_thinking(thinking: str, case: Case, policy: Any, cause: Cause) -> None:
    """Where a conversation can be sent with its thinking, what a compaction makes of it can be sent too."""
    window = case.window()
    messages = [message.raw for message in window.sendable()[0].messages]
    assume(messages and not complaints(messages))
    calls, mode = behind_thinking(messages), {"type": thinking}
    assume(not list(loop_faults({"messages": messages, "thinking": mode}, calls)))
    compactor = Compactor(
        limits=case.limits, summarizer=ScriptedSummarizer(GONE), policy=CompactionPolicy(on_failure=policy)
    )
    made = compactor.compact(window, cause=cause)
    unchanged = not (made.plan.changes_anything and made.messages)  # the caller's own messages, as they came
    assert unchanged or list(loop_faults({"messages": made.messages, "thinking": mode}, calls)) == []


@pytest.mark.parametrize(("window", "longest"), [(2_000, 500), (2_000, 1), (33_000, 0), (0, 0)])
def test_small_and_unknown_limits(window: int, longest: int) -> None:
    """A request for a summary asks for an answer of one token at least, and for no more than the model gives."""
    summarizer = ScriptedSummarizer("Well.", repeat=True)
    limits = ModelLimits(context_window=window, max_output_tokens=longest)
    compactor = Compactor(model="m", summarizer=summarizer, limits=limits, sleep=lambda _: None)
    made = compactor.compact(raw_turns(30, 60))
    assert made.summary_source == ("template" if longest == 1 else "model")  # two tokens are longer than one
    for request in summarizer.requests:
        assert 1 <= request.max_tokens <= (longest or 8_000)
        assert not window or request.tokens + request.max_tokens <= window
