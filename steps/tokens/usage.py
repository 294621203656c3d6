"""Steps of features/tokens/usage.feature."""

from __future__ import annotations

import json
from types import SimpleNamespace

from pytest_bdd import given, parsers, then, when

from brim.tokens.usage import TokenUsage, billed, completed
from brim.tokens.window import WindowAccount
from steps.vocabulary import tokens
from steps.worlds.usages import read_usage

HOW = {"without a stop reason": False, "with a stop reason": True}


@given(parsers.re(r"a response for which (?P<provider>[a-z]+) reports “(?P<usage>.*)”"), target_fixture="reported")
def reported_by(provider, usage):
    return {"provider": provider, "usage": json.loads(usage)}


@given("responses that report", target_fixture="usages")
def several_reported(datatable):
    names, *rows = datatable
    return [TokenUsage(**read_usage(zip(names, row, strict=True))) for row in rows]


@when("its tokens are added up", target_fixture="outcome")
def add_up(implementation, usage):
    return implementation("token_total", usage=usage)


@when("its usage is normalized", target_fixture="outcome")
def normalize(implementation, reported):
    return implementation("normalize_usage", **reported)


@when("the responses are counted", target_fixture="outcome")
def count(usages):
    """What the window holds after them, and what they cost together."""
    account = WindowAccount()
    for usage in usages:
        account.record(usage)
    bill = billed(usages)
    return SimpleNamespace(held=account.held, **{name: getattr(bill, name) for name in TokenUsage.model_fields})


@when(
    parsers.re(
        rf'the response ends(?:, of the model "(?P<model>[^"]*)"| (?P<how>{"|".join(HOW)}), with a text of '
        r"(?P<text>[\d,]+) tokens)"
    ),
    target_fixture="outcome",
)
def end(usage, model, how, text):
    reported = TokenUsage(**usage)
    if how:
        return completed(reported, tokens(text), finished=HOW[how])
    return {"measures_the_window": WindowAccount().record(reported, model=model)}


@then("it is normalized to")
def check_normalized(outcome, datatable):
    """What the table does not name is 0."""
    names, counts = datatable
    assert outcome == dict.fromkeys(outcome, 0) | read_usage(zip(names, counts, strict=True))
