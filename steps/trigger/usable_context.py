"""Steps of features/trigger/usable_context.feature."""

from __future__ import annotations

from pytest_bdd import then, when

from steps.vocabulary import phrase


@when("the usable context is worked out", target_fixture="outcome")
def work_out(implementation, limits):
    return implementation("usable_context", **limits)


@when(phrase("the usable context is worked out with at most {cap:Tokens} tokens set aside"), target_fixture="outcome")
def work_out_with_cap(implementation, limits, cap):
    return implementation("usable_context", output_cap=cap, **limits)


@then(phrase("{expected:Tokens} tokens are usable"))
def check_usable(outcome, expected):
    assert outcome == expected
