"""Steps of features/trigger/budget.feature."""

from __future__ import annotations

from pytest_bdd import then, when

from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from steps.compaction_windows import filler, raw_turns
from steps.vocabulary import phrase


@when(phrase("the budget of a window of {window:Tokens} tokens is worked out"), target_fixture="outcome")
def work_out(implementation, window):
    return implementation("summarization_budget", context_window=window)


@when(
    phrase("the budget of a window of {window:Tokens} tokens is worked out with a buffer of {buffer:Tokens}"),
    target_fixture="outcome",
)
def work_out_with_buffer(implementation, window, buffer):
    return implementation("summarization_budget", context_window=window, autocompact_buffer=buffer)


@then(phrase("the budget is {expected:Tokens}"))
def check_budget(outcome, expected):
    assert outcome == expected


@when(phrase("a compaction keeps a last message of {count:Tokens} tokens"), target_fixture="plan")
def compact_with_long_request(limits, count):
    messages = [*raw_turns(6, 5_000), {"role": "user", "content": filler(count)}]
    return Compactor(limits=ModelLimits(**limits)).plan(messages)


@then(phrase('its plan keeps the message, and reports "{words:Quoted}"'))
def check_notice(plan, words):
    assert (plan.kept[-1], plan.notices) == (len(plan.given) - 1, (words,))


@then("its plan keeps the message, and reports no budget")
def check_no_notice(plan):
    assert (plan.kept[-1], plan.notices) == (len(plan.given) - 1, ())
