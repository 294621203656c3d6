"""Steps of features/engine/progress.feature."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pytest_bdd import given, then, when

from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation, Outgoing
from brim.engine.progress import Progress
from brim.errors import CompactionStalled, ContextOverflow
from brim.models import ModelLimits
from brim.trigger.overflow import Verdict
from steps.compaction_windows import definition, filler, turns
from steps.counted import TERMS
from steps.vocabulary import attempt, phrase, tokens

LIMITS = ModelLimits(context_window=20_000, max_output_tokens=1_000)
OUTPUT = 2_000
"""Tokens of the tool output of each turn."""
NEW_TURNS = 3
FIRST_TURNS = 300


def short_turn(number: int) -> list[Any]:
    """A turn of some 40 tokens, in which the user says what a summary keeps."""
    return [
        {"role": "user", "content": f"Mend the file src/part_{number}.py, and never touch src/old_{number}.py."},
        {"role": "assistant", "content": f"Done: I mended src/part_{number}.py, and src/old_{number}.py is as it was."},
    ]


class Agent:
    """An agent that keeps one list, and the outcomes of its requests."""

    def __init__(self, limits: ModelLimits, summarizer: Any) -> None:
        self.limits, self.summarizer, self.policy = limits, summarizer, CompactionPolicy()
        self.system: str | None = None
        self.tools: list[Any] = []
        self.beginning: list[Any] = []
        self.pinned: list[int] = []
        self.question = ""
        self.pins_question = False
        self.outcomes: list[Outgoing | Exception] = []

    @cached_property
    def conversation(self) -> Conversation:
        """Its messages."""
        conversation = Conversation(Compactor(limits=self.limits, policy=self.policy, summarizer=self.summarizer))
        conversation.extend(self.beginning)
        return conversation

    def goes_on(self, count: int) -> None:
        """So many turns more."""
        self.conversation.extend(message.raw for message in turns(count, OUTPUT))

    def makes_a_request(self) -> None:
        """The next request is prepared, with the newest question in its list."""
        if self.question:
            self.conversation.append({"role": "user", "content": self.question})
        pinned = [*self.pinned, len(self.conversation.messages) - 1] if self.pins_question else self.pinned
        options = {"system": self.system, "tools": self.tools, "pinned": pinned}
        self.outcomes.append(attempt(self.conversation.prepare, **options))


@given(phrase("a compaction that covered {seen:Count} messages"), target_fixture="progress")
def has_seen(seen):
    return Progress(messages_seen=seen)


@when(phrase("a request of {sent:Count} messages is checked"), target_fixture="news")
def look_at(progress, sent):
    return progress.has_news(sent)


@then("there is something new to compact")
def check_new(news):
    assert news


@then("there is nothing new to compact")
def check_nothing_new(news):
    assert not news


@given("an agent whose window is overfull", target_fixture="agent")
def overfull(summarizer):
    agent = Agent(LIMITS, summarizer)
    agent.goes_on(12)
    return agent


@given(phrase("an agent with a usable context of {usable:Tokens} tokens"), target_fixture="agent")
def agent_of(usable, summarizer):
    return Agent(ModelLimits(context_window=usable + 1_000, max_output_tokens=1_000), summarizer)


@given(phrase("a threshold of {threshold:Tokens} tokens for its compactions"))
def lower_threshold(agent, threshold):
    agent.policy = CompactionPolicy(threshold=threshold)


@given(phrase("its system prompt takes {count:Tokens} tokens"))
def with_system_prompt(agent, count):
    agent.system = filler(count)


@given(phrase("its tool takes {count:Tokens} tokens"))
def with_tool(agent, count):
    agent.tools = [definition(count)]


@given(phrase("its pinned message takes {count:Tokens} tokens"))
def with_pin(agent, count):
    agent.beginning = [{"role": "user", "content": filler(count)}, {"role": "assistant", "content": "I see."}]
    agent.pinned = [0]


@given(phrase("its system prompt beside a pinned message takes {count:Tokens} tokens"))
def with_system_prompt_and_pin(agent, count):
    with_pin(agent, 100)
    agent.system = filler(count)


@given(phrase("its result of a pinned call takes {count:Tokens} tokens"))
def with_pinned_call(agent, count):
    call = {"type": "tool_use", "id": "read_chart", "name": "Read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "read_chart", "content": filler(count)}
    agent.beginning = [
        {"role": "user", "content": "Read the chart."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "I see."},
    ]
    agent.pinned = [1]


@given(phrase("its newest message takes {count:Tokens} tokens"))
def with_question(agent, count):
    agent.question = filler(count)


@given(phrase("its pinned newest message takes {count:Tokens} tokens"))
def with_pinned_question(agent, count):
    agent.question, agent.pins_question = filler(count), True


@given("it has no summarizer")
def without_summarizer(agent):
    agent.summarizer = None


@given(phrase("a summarizer that writes summaries of {count:Tokens} tokens"), target_fixture="script")
def writes(count):
    return [filler(count)]


@given("its first request failed")
def has_failed(agent):
    new_requests(agent, 1)
    assert isinstance(agent.outcomes[-1], ContextOverflow)


@then("the last request fails with no error")
def check_no_error(agent):
    assert isinstance(agent.outcomes[-1], Outgoing)


@then(phrase('the last request fails with a context overflow of "{parts:Quoted}"'))
def check_overflow(agent, parts):
    assert isinstance(agent.outcomes[-1], ContextOverflow)
    assert f": {parts}. " in str(agent.outcomes[-1])


@then(phrase('the error says "{words:Quoted}"'))
def check_says(agent, words):
    assert words in str(agent.outcomes[-1])


@given("it was refused at its third request, after 3 summaries")
def was_refused(agent):
    new_requests(agent, 3)


@when(phrase("it makes another request {how}"))
def another_request(agent, how):
    if how == "with a short system prompt":
        agent.system = "Be brief."
    if how == "without the pin":
        agent.pinned = []
    new_requests(agent, 1)


@then("that request is sent")
def check_request_sent(agent):
    assert isinstance(agent.outcomes[-1], Outgoing)


@then("that request is refused")
def check_request_refused(agent):
    assert isinstance(agent.outcomes[-1], (CompactionStalled, ContextOverflow))


@when(phrase("it makes the same request {times:Times}", TERMS))
def same_request(agent, times):
    agent.goes_on(NEW_TURNS)
    for _ in range(times):
        agent.makes_a_request()


@when(phrase("it makes {count:Requests}, with new turns each time", TERMS))
def new_requests(agent, count):
    for _ in range(count):
        agent.goes_on(NEW_TURNS)
        agent.makes_a_request()


@then(phrase("{count:Summaries} {:Is} written", TERMS))
def check_summaries(summarizer, count):
    assert len(summarizer.requests) == count


@when(phrase("it makes {count:Requests}, with short turns each time", TERMS))
def short_requests(agent, count):
    agent.conversation.extend(message for n in range(FIRST_TURNS) for message in short_turn(n))
    for number in range(count):
        agent.conversation.extend(short_turn(FIRST_TURNS + number))
        agent.makes_a_request()


@then("each request was sent")
def check_each_sent(agent):
    assert all(isinstance(outcome, Outgoing) for outcome in agent.outcomes)


@then(phrase("it compacted once, with a summary by the {writer}"))
def check_compacted_once(agent, writer):
    made = [outcome.compaction for outcome in agent.outcomes if outcome.compaction is not None]
    assert [compaction.summary_source for compaction in made] == [writer]


@then("each request sent the same messages")
def check_same(agent):
    first, *others = agent.outcomes
    assert isinstance(first.compaction, Compaction)
    assert all(outcome.messages == first.messages for outcome in others)


@then(phrase("{count:Requests} can be sent", TERMS))
def check_sent(agent, count):
    stalled = [outcome for outcome in agent.outcomes if isinstance(outcome, CompactionStalled)]
    assert len(agent.outcomes) - len(stalled) == count


@given(phrase("it has had {count:Count} turns"))
def has_had(agent, count):
    agent.goes_on(count)


@when(phrase("it reads a file of {count:Tokens} tokens"))
def read_file(agent, count):
    read_file_often(agent, count, 1)


@when(phrase("it reads a file of {count:Tokens} tokens, {times:Count} times"))
def read_file_often(agent, count, times):
    agent.conversation.append({"role": "user", "content": "Read the file."})
    for number in range(times):
        call = {"type": "tool_use", "id": f"read_{number}", "name": "Read", "input": {"file_path": "tides.txt"}}
        result = {"type": "tool_result", "tool_use_id": f"read_{number}", "content": filler(count)}
        agent.conversation.extend([{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}])
        agent.makes_a_request()


@then(phrase("the result is {fate}"))
def check_result(agent, fate):
    assert ("read_0" in str(agent.outcomes[-1].messages)) == (fate == "sent")


@then(phrase('the last request fails with a stall that says "{words:Quoted}"'))
def check_stall(agent, words):
    assert isinstance(agent.outcomes[-1], CompactionStalled)
    assert words in str(agent.outcomes[-1])


@given(phrase("a threshold of {threshold:Tokens} tokens"), target_fixture="threshold")
def lies_at(threshold):
    return threshold


def left_tokens(text: str) -> list[int]:
    """Tokens that were left, one number after the other: 190,000 and 180,000."""
    return [tokens(held) for held in text.split(" and ")]


@given(
    phrase("compactions that left {left:Left} tokens", {"Left": left_tokens}),
    target_fixture="progress",
)
def compactions_left(threshold, left):
    progress = Progress()
    for messages, held in enumerate(left, 1):
        verdict = Verdict(due=held > threshold, reason="", held=held, threshold=threshold)
        progress = progress.compacted(verdict, messages)
    return progress


@when("the next compaction is checked", target_fixture="outcome")
def ask_for_another(progress):
    return attempt(progress.check)


@then("it is made")
def check_made(outcome):
    assert outcome is None
