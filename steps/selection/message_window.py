"""Steps of features/selection/message_window.feature."""

import pytest
from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.selection.message_window import keep_newest
from steps.compaction_windows import raw_turns
from steps.conversation_table import names
from steps.vocabulary import phrase, tokens

TERMS = {
    "Met": TypeBuilder.make_enum({"met": False, "missed": True}),
    "Cause": TypeBuilder.make_enum({"as the program asks": "manual", "after an overflow error": "overflow"}),
    "Tokens": tokens,
    "Count": tokens,
}


@pytest.fixture
def options():
    """What is set; nothing, until a step sets it."""
    return {}


@given(phrase("{count:Count} messages of the user and the agent in turn"), target_fixture="messages")
def in_turn(count):
    return [{"id": f"m{number}", "role": ("user", "assistant")[number % 2]} for number in range(count)]


@given("messages", target_fixture="messages")
def messages_of(datatable):
    return [
        {"id": name, "role": speaker, "calls": names(calls), "results": names(results)}
        for name, speaker, calls, results in datatable[1:]
    ]


@given(parsers.parse("the last {recent:d} messages are to be kept"), target_fixture="options")
def recent_messages(recent):
    return {"recent": recent}


@when("the messages to keep are chosen", target_fixture="outcome")
def choose(implementation, messages, options):
    return implementation("select_messages", messages=messages, **options)


@then(phrase("{kept:Count} messages are kept and {summarized:Count} summarized"))
def check_counts(outcome, kept, summarized):
    assert (len(outcome["kept"]), len(outcome["summarized"])) == (kept, summarized)


@then(phrase('the messages kept are "{expected:Quoted}"'))
def check_kept(outcome, expected):
    assert outcome["kept"] == names(expected)


@given(phrase("{count:Count} messages of {size:Tokens} tokens each"), target_fixture="sizes")
def sizes(count, size):
    return {"totals": range(0, count * size + 1, size), "cuts": range(count + 1)}


@given(phrase('a cut is legal only before the messages "{cuts:Quoted}"'), target_fixture="sizes")
def legal_cuts(sizes, cuts):
    return sizes | {"cuts": [int(cut) - 1 for cut in names(cuts)]}


@given(phrase("only the messages from {first:Count} on may be compacted"), target_fixture="sizes")
def compactable(sizes, first):
    return sizes | {"first": first - 1}


@given("the user wrote none after the first", target_fixture="sizes")
def first_written(sizes):
    return sizes | {"last_user": 0}


@when("the newest messages are kept", target_fixture="fit")
def keep(sizes):
    return keep_newest(**sizes)


@then(parsers.cfparse("{kept:Tokens} tokens are kept, and the target is {missed:Met}", TERMS))
def check_fit(fit, kept, missed):
    assert (fit.kept_tokens, fit.over_target) == (kept, missed)


@then(phrase('they are kept as the "{why:Quoted}"'))
def check_why(fit, why):
    assert fit.reason == why


@then(phrase("the messages from {first:Count} on are kept"))
def check_first(fit, first):
    assert fit.cut + 1 == first


@given(phrase("a policy that keeps the last {count:Count} messages"), target_fixture="policy")
def policy_of(count):
    return CompactionPolicy(keep_messages=count)


@when(
    parsers.cfparse(
        "a compactor plans to compact {count:Count} turns with outputs of {size:Tokens} tokens, {cause:Cause}",
        TERMS,
    ),
    target_fixture="plan",
)
def make_plan(limits, policy, count, size, cause):
    return Compactor(limits=ModelLimits(**limits), policy=policy).plan(raw_turns(count, size), cause=cause)


@then(phrase('{count:Count} messages are kept as the "{why:Quoted}"'))
def check_plan(plan, count, why):
    assert (len(plan.kept), plan.tail_reason) == (count, why)
