"""Steps of features/summary/compression.feature."""

from __future__ import annotations

from decimal import Decimal

from pytest_bdd import given, then, when

from steps.vocabulary import phrase


@given(phrase("a conversation that held {before} tokens before"), target_fixture="before")
def held_before(before):
    return int(before.replace(",", ""))


@given(phrase("holds {after} tokens after"), target_fixture="after")
def holds_after(after):
    return int(after.replace(",", ""))


@when("the compression is worked out", target_fixture="outcome")
def work_out(implementation, before, after):
    return implementation("compression", before=before, after=after)


@then(phrase("the compression is {expected:Number}"))
def check_ratio(outcome, expected):
    assert round(Decimal(str(outcome["ratio"])), 9) == expected


@then(phrase('the warning reads "{expected:Quoted}"'))
def check_warning(outcome, expected):
    assert outcome["warning"] == expected


@then("there is no warning")
def check_no_warning(outcome):
    assert outcome["warning"] is None
