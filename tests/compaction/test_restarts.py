"""Twenty compactions in a row of a growing conversation: the user's words survive, with state and after restarts."""

from __future__ import annotations

from itertools import chain, cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brim import Compactor, Conversation, ModelLimits
from brim.evidence.failures import on_one_line
from brim.summary.previous_summary import CARRIED
from brim.testing import ScriptedSummarizer
from steps.prerequisites import sized
from tests.strict_api import complaints

pytestmark = pytest.mark.timeout(900)

LIMITS = ModelLimits(context_window=14_000, max_output_tokens=2_000)
COMPACTIONS = 20
CONSTRAINT = "Never touch the file invoices.sql."
LONGEST = 4 * 14_000 // 3
"""Characters of a summary: 16,000 at most, and what the user's words exceed half of that by."""

LINES = st.sampled_from(
    ["Required facts:", "From the earlier summary:", "## Pending Tasks", "- a", "1. Files:", "é👩‍👩‍👧"]
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
"""Without what a summary replaces."""
WORDS = st.lists(LINES | TEXT, max_size=2).map("\n".join)
MESSAGES = st.tuples(WORDS, st.integers(0, 150))
"""What is asked for besides: odd lines, and how often more words; three messages fit the limit of the words."""
GO_ON = ("Go on.", 0)
ROUNDS = st.lists(st.lists(MESSAGES, min_size=1, max_size=3), min_size=COMPACTIONS, max_size=COMPACTIONS)
WRITERS = {"the template": None, "a useless model": "All went well, and things were done."}
EXAMPLES = sized(2, nightly=60)


def compactor(words):
    """A compactor without a model, or with one that always says the same."""
    return Compactor(limits=LIMITS, summarizer=None if words is None else ScriptedSummarizer([words], repeat=True))


def restarting(words):
    """Compacts each list by a new compactor, which knows the messages alone."""
    return lambda messages: compactor(words).compact(messages)


def remembering(words):
    """Compacts each list by the same compactor, which remembers the facts."""
    return compactor(words).compact


def turns(number, asked):
    """A round of the conversation: what the user asks, and a long answer to each."""
    for index, (words, more) in enumerate(asked):
        text = (
            f"Build pier {number}.{index}. {words}{' and its rail' * more}"
            if number or index
            else f"Port the parser.\n\n{CONSTRAINT}"
        )
        yield {"role": "user", "content": text}
        yield {"role": "assistant", "content": f"Pier {number}.{index} stands. " + "It is of oak and stone. " * 300}


def check(messages, asked, summary):
    """The constraint and the last requests stand there word for word, and the summary is bounded."""
    assert complaints(messages) == []
    text = on_one_line("\n".join(message["content"] for message in messages))
    assert [words for words in [CONSTRAINT, *asked[-3:]] if on_one_line(words) not in text] == []
    assert summary.split("\n").count(CARRIED) <= 1
    assert len(summary) <= LONGEST


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("way", [restarting, remembering])
@settings(max_examples=EXAMPLES)
@given(ROUNDS)
def test_the_first_constraint_and_the_last_requests_survive(way, writer, rounds):
    """After each compaction of a list, and nothing is left to compact."""
    compact = way(WRITERS[writer])
    messages, asked = [], []
    for number, words in enumerate(rounds):
        new = [*turns(number, [*words, GO_ON])]
        asked += [message["content"] for message in new[::2]]
        made = compact([*messages, *new])
        messages = made.messages
        assert made.plan.summarizes
        check(messages, asked, made.summary)
        assert restarting(WRITERS[writer])(messages).messages == messages


@pytest.mark.parametrize("writer", WRITERS)
@settings(max_examples=EXAMPLES)
@given(ROUNDS)
def test_they_survive_in_a_conversation(writer, rounds):
    """After each compaction of a conversation that is compacted when it is due."""
    conversation = Conversation(compactor(WRITERS[writer]))
    asked, compacted = [], 0
    for message in chain.from_iterable(turns(number, [*words, GO_ON]) for number, words in enumerate(cycle(rounds))):
        conversation.append(message)
        if message["role"] == "assistant":
            continue
        asked.append(message["content"])
        out = conversation.prepare()
        if out.compaction is not None:
            check(out.messages, asked, out.compaction.summary)
            compacted += 1
        if compacted == COMPACTIONS:
            return
