"""What a compaction by hand leaves: within a target, and of a small conversation."""

from __future__ import annotations

import pytest

from brim import CompactionPolicy, Compactor, ModelLimits
from brim.compaction.context_window import ContextWindow
from brim.conversation.messages import SUMMARY_OPENING
from brim.testing import ScriptedSummarizer

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=8_000)
ASKED = [f"Step {n}: mend the {'lamp and the rail and the ' * 8}pier. Never touch gate {n}." for n in range(20)]
CHAT = [
    message
    for asked in ASKED
    for message in ({"role": "user", "content": asked}, {"role": "assistant", "content": "The tide is high. " * 35})
]
OPENING_TOKENS = 24
"""Tokens of the line above a summary and its first character, at 2.4 characters a token."""
WRITERS = {
    "template": None,
    "short": ScriptedSummarizer(["All went well."], repeat=True),
    "long": ScriptedSummarizer(["The pier was mended. " * 60], repeat=True),
    "failing": ScriptedSummarizer(["Overloaded"], repeat=True),
}


def compacted(target, writer="template", limits=LIMITS, messages=CHAT, **options):
    """The chat, compacted by hand with a target."""
    policy = CompactionPolicy(target_tokens=target)
    compactor = Compactor(limits=limits, policy=policy, summarizer=WRITERS[writer], sleep=lambda _: None)
    return compactor.compact(messages, **options)


@pytest.mark.parametrize("limits", [LIMITS, None], ids=["a window", "no window"])
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("target", [250, 1_000, 3_000])
def test_no_more_is_held_than_the_target(target, writer, limits):
    """Whoever writes the summary, what is held afterwards is at most the target."""
    made = compacted(target, writer, limits)
    assert made.plan.summarizes
    assert made.tokens_after <= target
    assert not made.plan.notices


@pytest.mark.parametrize("percent", [15, 50, 99])
def test_a_conversation_that_is_most_of_all_a_summary_meets_a_target_too(percent):
    """Where an earlier summary is all that would leave, more leaves."""
    summary = f"{SUMMARY_OPENING}\n{'The pier was mended in many places. ' * 400}"
    messages = [{"role": "user", "content": summary}, {"role": "assistant", "content": "Understood."}, *CHAT[:4]]
    held = compacted(0, messages=messages).tokens_before
    made = compacted(held * percent // 100, messages=messages)
    assert (made.plan.changes_anything, made.over_target) == (True, False)


def test_a_larger_target_keeps_more_of_the_words():
    """What a target has room for is used: more of the user's words stay, and under a large one all."""
    kept = [compacted(target).fidelity.words.present for target in (500, 1_000, 2_000, 3_000)]
    assert kept == sorted(kept)
    assert compacted(3_000).fidelity.words.share == 1


@pytest.mark.parametrize("writer", WRITERS)
def test_a_target_that_cannot_be_met_is_named(writer):
    """A system prompt alone is larger: the result says what stays."""
    made = compacted(500, writer, system="Mind the tide. " * 200)
    assert made.over_target
    assert made.warnings == made.notices
    assert made.notices[-1].startswith(f"the target of 500 tokens is not met: {made.plan.tokens_left:,} stay in any ")


@pytest.mark.parametrize("writer", WRITERS)
def test_a_target_that_can_be_met_is_met(writer):
    """From the shortest summary on, also in a conversation of images with 2.4 characters a token."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    messages = [{"role": "user", "content": [image] * 9}, *CHAT[1:]]
    for target in range(300, 700, 20):
        policy = CompactionPolicy(target_tokens=target)
        window = ContextWindow(LIMITS, policy, characters_per_token=2.4, messages=messages)
        compactor = Compactor(limits=LIMITS, policy=policy, summarizer=WRITERS[writer], sleep=lambda _: None)
        made = compactor.apply(compactor.plan(window))
        assert made.plan.tokens_left > 0
        assert made.over_target == (made.plan.tokens_left + OPENING_TOKENS > target)


def test_a_target_is_compared_with_what_the_provider_reported():
    """Its report counts what is in no message; where it counts less than the texts, these have to fit as well."""
    measured = compacted(0).tokens_before
    for reported, target in ((measured + 1_000, measured + 500), (measured - 1_000, measured - 500)):
        usage = {"input_tokens": reported, "output_tokens": 0}
        made = compacted(target, usage=usage)
        assert made.plan.changes_anything
        assert not made.over_target
    assert not compacted(measured, usage={"input_tokens": measured, "output_tokens": 0}).plan.changes_anything


def test_what_is_due_is_compacted_whatever_the_target():
    """By hand as well: a target above what is held does not turn a compaction off."""
    made = compacted(4_500, limits=ModelLimits(context_window=5_000, max_output_tokens=1_000))
    assert made.plan.context.verdict.due
    assert made.plan.summarizes


def test_what_holds_less_than_the_target_stays_as_it_is():
    """There is nothing to compact, and the reason has both numbers."""
    made = compacted(50_000)
    assert made.messages == CHAT
    assert made.plan.reason == f"nothing to compact: {made.tokens_before:,} tokens are held, the target is 50,000"


def test_a_target_does_not_change_when_compaction_is_due():
    """It says what is held afterwards; an automatic compaction waits for the threshold."""
    assert not compacted(500, cause="automatic").plan.changes_anything


def test_a_compaction_that_is_due_meets_the_target_too():
    """An agent's own compactions hold no more either."""
    made = compacted(1_500, limits=ModelLimits(context_window=5_000, max_output_tokens=1_000), cause="automatic")
    assert made.plan.summarizes
    assert made.tokens_after <= 1_500


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("limits", [LIMITS, None], ids=["a window", "no window"])
@pytest.mark.parametrize("turns", [4, 20])
@pytest.mark.parametrize("answer", [1, 35])
def test_a_small_conversation_loses_no_word_of_the_user(writer, limits, turns, answer):
    """Below the threshold all of the user's words stay, or nothing is compacted."""
    talk = [
        {**message, "content": message["content"] if message["role"] == "user" else "The tide is high. " * answer}
        for message in CHAT[: 2 * turns]
    ]
    assert compacted(0, writer, limits, talk).fidelity.words.share == 1


@pytest.mark.parametrize("size", range(145, 400, 15))
def test_a_template_that_does_not_fit_ends_with_a_mark(size):
    """No line of it ends within a word unseen."""
    talk = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "x" * size}]
    talk += [{"role": "user", "content": text} for text in ("One.", "Two.", "Three.")]
    summary = compacted(0, messages=talk).summary
    whole = compacted(0, messages=[talk[0], {"role": "assistant", "content": "x" * 4_000}, *talk[2:]]).summary
    assert summary.endswith("…") or summary.splitlines()[:4] == whole.splitlines()[:4]
