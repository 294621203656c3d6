"""Steps of features/trigger/budget.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.trigger.budget import target_for
from steps.compaction_windows import filler, raw_turns
from steps.vocabulary import phrase


@given(phrase("a budget of {budget:Tokens} tokens"), target_fixture="budget")
def chosen_budget(budget):
    return budget


@when(phrase("the budget of a window of {window:Tokens} tokens is worked out"), target_fixture="outcome")
def work_out(implementation, window):
    return implementation("summarization_budget", context_window=window)


@when(
    phrase("the budget of a window of {window:Tokens} tokens is worked out with a buffer of {buffer:Tokens}"),
    target_fixture="outcome",
)
def work_out_with_buffer(implementation, window, buffer):
    return implementation("summarization_budget", context_window=window, autocompact_buffer=buffer)


@when(phrase("{needed:Tokens} tokens are pinned or recent"), target_fixture="target")
def hold_against(budget, needed):
    return target_for(budget, needed)


@then(phrase("the budget is {expected:Tokens}"))
def check_budget(outcome, expected):
    assert outcome == expected


@then(phrase("the compaction aims at {expected:Tokens} tokens"))
def check_target(target, expected):
    assert target.tokens == expected


@then(phrase("it is {shortfall:Tokens} tokens short"))
def check_shortfall(target, shortfall):
    assert target.shortfall == shortfall


@then(phrase('the report reads "{text:Quoted}"'))
def check_report(target, text):
    assert target.warning == text


@then("there is no report")
def check_no_report(target):
    assert target.warning is None


@when(phrase("a compaction keeps a last message of {count:Tokens} tokens"), target_fixture="plan")
def compact_with_long_request(limits, count):
    messages = [*raw_turns(6, 5_000), {"role": "user", "content": filler(count)}]
    return Compactor(limits=ModelLimits(**limits)).plan(messages)


@then(phrase('its plan says "{words:Quoted}"'))
def check_notice(plan, words):
    assert [notice for notice in plan.notices if notice.startswith(words)]


@then("its plan reports no budget")
def check_no_notice(plan):
    assert not [notice for notice in plan.notices if "budget" in notice]
