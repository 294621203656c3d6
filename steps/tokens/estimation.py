"""Steps of features/tokens/estimation.feature."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from pytest_bdd import given, parsers, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.testing import ScriptedSummarizer
from brim.tokens.estimation import EMPTY_SIZE, measure, tokens_of
from steps.vocabulary import number, quoted, tokens

AT = r"(?: at (?P<ratio>[\d.]+) characters a token)?"
SYSTEM, TOOLS = "x" * 4_000, [{"name": "Bash", "input_schema": {"type": "object"}}]
LIMITS = ModelLimits(context_window=1_000_000, max_output_tokens=64_000)


@given(parsers.re(r'(?:a text of (?P<count>[\d,]+) characters|the text "(?P<words>[^"]*)")'), target_fixture="text")
def a_text(count, words):
    return "x" * tokens(count) if count else quoted(words)


@given(parsers.parse("a token counter that {answers}"), target_fixture="counter")
def counter_that(answers):
    return SimpleNamespace(count=counting(answers))


def counting(answers: str) -> Callable[[str], Any]:
    """Return what a token counter does with a text."""
    if found := re.fullmatch(r"counts a token for each (\d+) characters", answers):
        return lambda text: -(-len(text) // int(found[1]))
    if found := re.fullmatch(r"counts (-?\d+) for every text", answers):
        return lambda _text: int(found[1])
    longest = re.fullmatch(r"fails(?: beyond (\d+) characters)?", answers)[1]  # type: ignore[index]
    return lambda text: 7 if longest and len(text) <= int(longest) else missing_vocabulary()


def missing_vocabulary() -> int:
    """Fail as a tokenizer does that cannot download what it needs."""
    raise OSError("the vocabulary is missing")


@when(parsers.re(f"its tokens are estimated(?P<half_up> as OpenCode does)?{AT}"), target_fixture="outcome")
def estimate(implementation, text, half_up, ratio):
    options = {"rounding": "half_up"} if half_up else {"characters_per_token": number(ratio)} if ratio else {}
    return implementation("estimate_tokens", text=text, **options)


@when(parsers.re(f"the conversation is estimated{AT}"), target_fixture="outcome")
def estimate_conversation(conversation, ratio):
    size = sum((measure(message) for message in conversation), EMPTY_SIZE)
    return tokens_of(size, Fraction(ratio)) if ratio else tokens_of(size)


@when("the sizes of a compaction are asked for without the counter and with it", target_fixture="outcome")
def compact_twice(counter, conversation):
    messages = [one.raw for one in conversation]
    policies = [CompactionPolicy(keep_share=1, keep_tokens=50_000, token_counter=one) for one in (None, counter)]
    return [sizes(policy, messages) for policy in policies]


def sizes(policy: CompactionPolicy, messages: list[Any]) -> dict[str, int]:
    """Return what the values of one compaction say."""
    compactor = Compactor(model="large", limits=LIMITS, policy=policy, summarizer=ScriptedSummarizer("All went well."))
    window = compactor.window(messages, system=SYSTEM, tools=TOOLS)
    plan = compactor.plan(messages, system=SYSTEM, tools=TOOLS)
    by_template = Compactor(limits=LIMITS, policy=policy).compact(messages)
    return {
        "context_window": window.estimated,
        "extras": compactor.window(system=SYSTEM, tools=TOOLS).estimated,
        "size_judged": plan.context.verdict.held,
        "before_the_plan": plan.context.tokens_before,
        "kept_messages": len(plan.kept),
        "compared_with_the_facts": by_template.fidelity.tokens,
        "saved": window.prunable().saved,
        "reread": window.prunable().reread,
        "summary_call": plan.call.tokens,
        "after_the_template": by_template.tokens_after,
    }


@when(parsers.parse("it estimates texts of {lengths} characters"), target_fixture="outcome")
def estimate_all(counter, lengths):
    """By one compactor, which warns once."""
    compactor = Compactor(policy=CompactionPolicy(token_counter=counter))
    texts = [[{"role": "user", "content": "x" * tokens(length)}] for length in lengths.split(", ")]
    with warnings.catch_warnings(record=True, action="always") as caught:
        estimates = [compactor.window(text).estimated for text in texts]
    return SimpleNamespace(estimates=estimates, warned=[str(one.message) for one in caught])
