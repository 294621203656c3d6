"""Steps of features/selection/recent_turns.feature."""

import pytest
from pytest_bdd import given, parsers, then, when

from steps.conversation_table import names
from steps.vocabulary import phrase


@pytest.fixture
def options():
    """What is set or known besides the number of turns; nothing, until a step says so."""
    return {"anchors": []}


@given(parsers.parse("{total:d} turns to choose from"), target_fixture="total")
def turns(total):
    return total


@given(phrase('anchors at the turns "{anchors:Quoted}"'), target_fixture="options")
def anchored(options, anchors):
    return options | {"anchors": [int(turn) for turn in names(anchors)]}


@given(phrase("the last {recent:Count} turns count as recent"), target_fixture="options")
def recent_turns(options, recent):
    return options | {"recent": recent}


@when("the turns to keep are chosen", target_fixture="outcome")
def choose(implementation, total, options):
    return implementation("select_turns", total_turns=total, **options)


@then(phrase('the turns kept are "{expected:Quoted}"'))
def check_kept(outcome, expected):
    assert outcome["kept"] == [int(turn) for turn in names(expected)]


@then(phrase('the turns summarized are "{expected:Quoted}"'))
def check_summarized(outcome, expected):
    assert outcome["summarized"] == [int(turn) for turn in names(expected)]


@then(phrase("the conversation is kept from turn {first:Count} on, for the anchor at {anchor:Count}"))
def check_anchored(outcome, first, anchor):
    assert (outcome["kept"][0], outcome["anchor"]) == (first, anchor)


@then(phrase("the conversation is kept from turn {first:Count} on, for no anchor"))
def check_not_anchored(outcome, first):
    assert (outcome["kept"][0], outcome["anchor"]) == (first, None)
