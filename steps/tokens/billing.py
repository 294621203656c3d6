"""Steps of features/tokens/billing.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from steps.vocabulary import phrase


@given(phrase("a response that read {count:Tokens} tokens"), target_fixture="reading")
def read(count):
    return {"input_with_cache": count}


@given(
    phrase("a response that read {count:Tokens} tokens, of which {cached:Tokens} came from the cache"),
    target_fixture="reading",
)
def read_from_cache(count, cached):
    return {"input_with_cache": count, "cache_read": cached}


@when("its billing equivalent is worked out", target_fixture="outcome")
def work_out(implementation, reading):
    return implementation("billing_equivalent", **reading)


@then(phrase("it is {expected:Tokens} tokens"))
def check_equivalent(outcome, expected):
    assert outcome == expected
