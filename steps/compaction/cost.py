"""Steps of features/compaction/cost.feature."""

from __future__ import annotations

import json
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_bdd import given, when

from brim.compaction.cost import Cost, Prices, Traffic, cost_of, price_traffic, traffic_of
from brim.compaction.plan import plan_compaction
from brim.errors import BrimError
from brim.summary.summarizer_input import SummaryRequest
from steps.compaction_windows import raw_turns
from steps.vocabulary import attempt, phrase, tokens
from steps.worlds.notation import Notation
from steps.worlds.values import count, read_settings

READ_ON_TOP = 1_000
"""Tokens of an instruction."""
RENDERED = 30_000
"""Tokens of a rendered summary call."""


def price(cell: str) -> Any:
    """Return a price: 0.50 exactly, `float 0.5`, or what is none."""
    cell = {"no number": "NaN", "endless": "Infinity"}.get(cell, cell)
    return float(cell.removeprefix("float ")) if cell.startswith("float ") else Decimal(cell.replace(",", ""))


PRICES = {
    "read": ("input", price),
    "written": ("output", price),
    "from the cache": ("cache_read", price),
    "to the cache": ("cache_write", price),
}
FORM = {"warm": "warm", "rendered": "rendered", "none": None}.__getitem__
TRAFFIC = {
    "before": ("before", count),
    "after": ("after", count),
    "unchanged": ("unchanged", count),
    "call": ("form", FORM),
    "read": ("instruction", tokens),
    "written": ("summary", tokens),
}
CALL = {
    "call": ("form", FORM),
    "longest": ("longest", tokens),
    "summary": ("summary_tokens", tokens),
}


@pytest.fixture
def prices():
    """None that is known."""
    return


@given(Notation("the prices {line}", lambda line: read_settings(line, PRICES)), target_fixture="prices")
def given_prices(line):
    return attempt(Prices, **read_settings(line, PRICES))


@given(Notation("the tokens {line}", lambda line: read_settings(line, TRAFFIC)), target_fixture="traffic")
def given_tokens(line):
    return Traffic(**read_settings(line, TRAFFIC))


@when("the cost is calculated", target_fixture="outcome")
def work_out(traffic, prices):
    """A price that cannot be is refused."""
    return prices if isinstance(prices, BrimError) else told(price_traffic(traffic, prices), traffic)


@when(
    Notation("the cost of the plan is calculated with {line}", lambda line: read_settings(line, CALL)),
    target_fixture="outcome",
)
def work_out_plan(window, line, prices):
    """By hand, for a call as long as is said."""
    asked = {"form": None, "longest": 0} | read_settings(line, CALL)
    plan, form, longest = plan_compaction(window), asked.pop("form"), asked.pop("longest")
    sent = plan.context.tokens_before + READ_ON_TOP if form == "warm" else RENDERED
    sizes = {"max_tokens": longest, "tokens": sent, "replaces_tokens": plan.context.tokens_before}
    request = SummaryRequest(model="a model", messages=(), form=form, **sizes) if form else None
    cost = attempt(cost_of, plan, request, prices, **asked)
    return cost if isinstance(cost, BrimError) else told(cost, traffic_of(plan, request))


def told(cost: Cost, traffic: Traffic) -> SimpleNamespace:
    """Return a cost in the words of the feature, in dollars without zeros at their end."""
    names = {"summary": "summary_call", "cache_write": "cache_write", "call_before": "before", "call_after": "after"}
    dollars = {name: f"{getattr(cost, field).normalize():f}" for field, name in names.items()}
    pays_after = "never" if cost.pays_after is None else f"{cost.pays_after:,}"
    return SimpleNamespace(**dollars, pays_after=pays_after)


@given(phrase("a transcript of 16 long turns in which {model} answers"))
def write_transcript(machine, model):
    machine.set("ANTHROPIC_API_KEY", "sk-ant-test")
    said = [{**one, "model": model} if one["role"] == "assistant" else one for one in raw_turns(16, 5_000)]
    machine.write("talk.json", json.dumps(said))
