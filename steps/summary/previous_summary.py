"""Steps of features/summary/previous_summary.feature."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pytest_bdd import given, parsers, when

from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import SUMMARY, SUMMARY_OPENING, read_conversation, user_text
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.summary.previous_summary import CARRIED, carry_over, read_earlier
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import filler, raw_turns, spoken
from steps.turn_table import read_turns
from steps.vocabulary import phrase, tokens
from steps.worlds.summaries import Facts

LIMITS = ModelLimits(context_window=4_000, max_output_tokens=1_000)
SMALL = ModelLimits(context_window=12_000, max_output_tokens=2_000)
FEW_WORDS = CompactionPolicy(words_share=0.01)
"""The least room for the user's words, so that small conversations exceed it."""
GO_ON = "Please go on."


@pytest.fixture
def model():
    """The model that writes the summaries; none, until a step has one."""
    return


@given(phrase('a model whose first summary says "{words:Quoted}"'), target_fixture="model")
def model_that_says(words):
    return ScriptedSummarizer([words, "All went well."], repeat=True)


@when(
    parsers.re(r"(?P<limit>[\d,]+) characters of it(?: and (?P<words>[\d,]+) of the user's words)? are carried along"),
    target_fixture="outcome",
)
def carry(earlier, limit, words):
    """Within the limit, as a summary that no record tells."""
    room = tokens(words or "0")
    carried = carry_over(read_earlier(earlier, is_known=False), tokens(limit) + room, room or tokens(limit))
    assert len(carried) <= tokens(limit) + room
    return {"summary": carried}


@given(
    phrase('a conversation in which {what} is {writer}\'s summary "{text:Quoted}"'),
    target_fixture="conversation",
)
def with_summary(what, writer, text):
    """A summary of another tool is one that a transcript marks."""
    if writer == "another tool":
        return (user_text(text, SUMMARY), *read_conversation(padding("Part")))
    said = f"{SUMMARY_OPENING}\n\n{text}"
    messages = {
        "the first message": [{"role": "user", "content": said}],
        "an answer": [{"role": "user", "content": "Read it."}, {"role": "assistant", "content": said}],
        "a tool's output": [
            {"role": "user", "content": "Read it."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": said}]},
        ],
    }[what]
    return read_conversation([*messages, *raw_turns(8, 200)])


def padding(name):
    """Return turns that ask and do nothing new; an answer of each takes 200 tokens."""
    said = ({"role": "assistant", "content": f"{name} {number} {filler(200)}"} for number in range(8))
    return [message for answer in said for message in ({"role": "user", "content": GO_ON}, answer)]


def messages_of(turns, name):
    """Return turns as messages whose call ids no other turns have, long enough to be worth a summary."""
    messages = [message for one in turns for message in spoken(one)]
    for message in messages:
        for block in message["content"] if isinstance(message["content"], list) else []:
            for key in {"id", "tool_use_id"} & {*block}:
                block[key] = f"{name}-{block[key]}"
            if block["type"] == "tool_result":
                block["content"] += f"\n{filler(800)}"
    return messages


@when("it is compacted, and again after the turns", target_fixture="outcome")
def compact_twice(turns, model, datatable):
    """Both compactions summarize, and the second replaces the summary of the first."""
    compactor = Compactor(limits=LIMITS, summarizer=model)
    first = compactor.compact([*messages_of(turns, "first"), *padding("First")])
    assert first.plan.summarizes
    second = compactor.compact([*first.messages, *messages_of(read_turns(datatable), "then"), *padding("Then")])
    assert second.plan.previous_summary == first.summary
    assert model is None or len(model.requests) == 2
    found = Facts.of(fact for fact in second.plan.facts if fact.text != GO_ON)
    found.summary = second.summary
    return found


@when(
    parsers.re(
        r'a conversation that begins with "(?P<words>[^"]*)" is compacted (?P<count>\d+) times '
        r"by (?P<compactors>one compactor|new compactors)(?P<useless> of a useless model)?"
    ),
    target_fixture="outcome",
)
def compact_often(words, count, compactors, useless):
    """Each time behind what the compaction before it left, with new turns in between; each summarizes."""

    def made():
        model = ScriptedSummarizer(["All is well."], repeat=True) if useless else None
        return Compactor(limits=SMALL, policy=FEW_WORDS, summarizer=model)

    messages = [{"role": "user", "content": words}, {"role": "assistant", "content": f"So be it. {filler(300)}"}]
    compactor, done, newest = made(), [], []
    for number in range(int(count)):
        compactor = compactor if compactors == "one compactor" else made()
        turns = [*growing(number)]
        done.append(compactor.compact([*messages, *turns]))
        assert done[-1].plan.summarizes
        messages = done[-1].messages
        newest.append(all(one["content"] in str(messages) for one in turns[-6::2]))
    return SimpleNamespace(
        summaries=sum(message.marks.summary for message in done[-1].conversation),
        replaces_the_one_before=done[-1].plan.previous_summary == done[-2].summary,
        says_its_beginning_each_time=all(words in str(one.messages) for one in done),
        says_the_last_3_messages=all(newest),
        carries_an_earlier_one_twice=max(one.summary.count(CARRIED) for one in done) > 1,
        characters=max(len(one.summary) for one in done),
    )


def growing(number):
    """Yield turns of a conversation: the user writes something new in each."""
    for turn in range(8):
        yield {"role": "user", "content": f"Build pier {number}.{turn}, with its {('rail', 'deck', 'lamp')[turn % 3]}."}
        yield {"role": "assistant", "content": f"Pier {number}.{turn} stands. {filler(2_000)}"}
