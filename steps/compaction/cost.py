"""Steps of features/compaction/cost.feature."""

import json
from dataclasses import MISSING, fields, replace
from decimal import Decimal
from typing import Any

import pytest
from parse import with_pattern
from pytest_bdd import given, then, when

from brim.compaction.cost import Prices, Traffic, cost_of, price_traffic, traffic_of
from brim.compaction.plan import plan_compaction
from brim.engine.compactor import Compactor
from brim.errors import InvalidInput, Refused
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryRequest
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import filler, raw_turns
from steps.vocabulary import attempt, number, phrase, tokens

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=8_000)
READ_ON_TOP = 1_000
"""Tokens of an instruction."""


@with_pattern(r"never|after [\d,]+ calls")
def pays(text):
    """After how many calls it pays: after 5 calls, never."""
    return None if text == "never" else tokens(text.split()[1])


OWN = {"Pays": pays}


def read_prices(datatable):
    """The prices of a table, in the order of its columns."""
    names = [field.name for field in fields(Prices) if field.default is MISSING]
    return attempt(Prices, **dict(zip(names, map(Decimal, datatable[1]), strict=True)))


@pytest.fixture
def summary_prices():
    """None, which means the prices of the conversation's model."""
    return


@pytest.fixture
def request_of_summary():
    """None, which means that no model writes the summary."""
    return


@given("prices in dollars per million tokens of", target_fixture="prices")
def some_prices(datatable):
    return read_prices(datatable)


@given("prices of the summary's model in dollars per million tokens of", target_fixture="summary_prices")
def other_prices(datatable):
    return read_prices(datatable)


@given("no prices", target_fixture="prices")
def no_prices():
    return


@given(
    phrase("{before:Tokens} tokens that become {after:Tokens}, of which the first {unchanged:Tokens} stay as they are"),
    target_fixture="traffic",
)
def traffic_of_numbers(before, after, unchanged):
    return Traffic(before=before, after=after, unchanged=unchanged)


@given(
    phrase("a summary call on the warm prefix that reads {read:Tokens} tokens more and writes {written:Tokens}"),
    target_fixture="traffic",
)
@given(
    phrase("a summary call on the warm prefix that reads {read:Tokens} token more and writes {written:Tokens}"),
    target_fixture="traffic",
)
def warm_call(traffic, read, written):
    return replace(traffic, form="warm", instruction=read, summary=written)


@given(
    phrase("a rendered summary call that reads {read:Tokens} tokens and writes {written:Tokens}"),
    target_fixture="traffic",
)
def rendered_call(traffic, read, written):
    return replace(traffic, form="rendered", instruction=read, summary=written)


@given("no summary call", target_fixture="traffic")
def no_call(traffic):
    return replace(traffic, form=None)


@given(phrase("{cached:Tokens} tokens are still cached"), target_fixture="traffic")
def still_cached(traffic, cached):
    return replace(traffic, cached=cached)


@given("a manual plan", target_fixture="plan")
def a_plan(window):
    return plan_compaction(window)


@given(
    phrase("its summary call is on the warm prefix and writes at most {longest:Tokens} tokens"),
    target_fixture="request_of_summary",
)
def a_request(plan, longest):
    held = plan.tokens_before
    sizes = {"max_tokens": longest, "tokens": held + READ_ON_TOP, "replaces_tokens": held}
    return SummaryRequest(model="a model", messages=(), form="warm", **sizes)


@when("the cost is calculated", target_fixture="outcome")
def work_out(traffic, prices, summary_prices):
    return price_traffic(traffic, prices, summary_prices)


@when("the cost of the plan is calculated", target_fixture="outcome")
def work_out_plan(plan, request_of_summary, prices):
    return attempt(cost_of, plan, request_of_summary, prices)


@when(phrase("a model reads a million tokens for {price}"), target_fixture="outcome")
def some_price(price):
    named: dict[str, Any] = {"the float 0.5": 0.5, "no number": Decimal("NaN"), "endless dollars": Decimal("Infinity")}
    value = named[price] if price in named else Decimal(price.split()[0])
    return attempt(Prices, input=value, output=Decimal(1), cache_read=Decimal(1), cache_write=Decimal(1))


@when(
    phrase("{before} tokens become {after}, of which {unchanged} stay and {cached} are cached"),
    target_fixture="outcome",
)
def some_traffic(before, after, unchanged, cached):
    given = {"before": before, "after": after, "unchanged": unchanged, "cached": cached}
    return attempt(Traffic, **{name: int(count) for name, count in given.items()})


@then("it is accepted")
def check_accepted(outcome):
    assert isinstance(outcome, Prices | Traffic)


@then(phrase('it is refused: "{words:Quoted}"'))
def check_refused(outcome, words):
    assert isinstance(outcome, InvalidInput)
    assert str(outcome) == words


PRICES = Prices(input=Decimal(10), output=Decimal(1_000), cache_read=Decimal(1), cache_write=Decimal(100))
"""In dollars per million tokens: each part of a cost shows its tokens."""
BESIDES: dict[str, dict[str, Any]] = {
    "nothing besides": {},
    "a summary of 500 tokens": {"summary_tokens": 500},
    "a summary of 5,000 tokens": {"summary_tokens": 5_000},
    "4,000 tokens cached": {"cached": 4_000},
    "400,000 tokens cached": {"cached": 400_000},
    "the summary at a tenth of them": {
        "summary_prices": Prices(
            input=Decimal(1), output=Decimal(100), cache_read=Decimal("0.1"), cache_write=Decimal(10)
        )
    },
}


@given(
    phrase(
        "a plan of {count:Count} turns, each with a tool output of {size:Tokens} tokens, "
        "behind a system prompt of {system:Tokens}"
    ),
    target_fixture="plan",
)
def plan_of_turns(count, size, system):
    return Compactor(limits=LIMITS).plan(raw_turns(count, size), system=filler(system))


@given("its first turn is pinned", target_fixture="plan")
def pinned_plan(plan):
    given = [message.raw for message in plan.messages]
    return Compactor(limits=LIMITS).plan(given, system=filler(10_000), pinned=range(4))


@given(phrase("its summary call is {form}, at most {longest:Tokens} tokens long"), target_fixture="request_of_summary")
def a_call(plan, form, longest):
    if form == "no call":
        return None
    tokens_sent = plan.tokens_before + READ_ON_TOP if form == "warm" else 30_000
    sizes = {"max_tokens": longest, "tokens": tokens_sent, "replaces_tokens": plan.tokens_before}
    return SummaryRequest(model="a model", messages=(), form=form, **sizes)


@given("a plan whose summary a model writes", target_fixture="plan")
def plan_of_a_model(summarizer):
    return Compactor(limits=LIMITS, summarizer=summarizer).plan(raw_turns(10, 5_000))


@pytest.fixture
def summarizer():
    return ScriptedSummarizer("All went well.")


@when("the plan is carried out", target_fixture="result")
def carry_out(plan, summarizer):
    return Compactor(limits=LIMITS, summarizer=summarizer).apply(plan)


@then("its first request is the one that the summarizer received")
def check_first_request(plan, summarizer):
    assert [plan.call.first_request] == [*summarizer.requests]


@then(phrase('the plan in the result refuses to name it: "{words:Quoted}"'))
def check_forgotten(result, words):
    with pytest.raises(Refused, match=words):
        _ = result.plan.call.first_request


@when(phrase("the cost of the plan is calculated with {besides}"), target_fixture="outcome")
def work_out_with(plan, request_of_summary, besides):
    return cost_of(plan, request_of_summary, PRICES, **BESIDES[besides])


@then(
    phrase(
        "the summary costs {summary:Number} dollars, the cache write {write:Number}, "
        "and calls {before:Number} and {after:Number}"
    )
)
def check_costs(outcome, summary, write, before, after):
    assert (outcome.summary, outcome.cache_write, outcome.call_before, outcome.call_after) == (
        summary,
        write,
        before,
        after,
    )


@when("the tokens that the plan moves are counted", target_fixture="outcome")
def count_tokens(plan, request_of_summary):
    return traffic_of(plan, request_of_summary)


@then("the cost is")
def check_cost(outcome, datatable):
    shown = [outcome.summary, outcome.cache_write, outcome.call_before, outcome.call_after, outcome.pays_after]
    *money, calls = datatable[1]
    assert shown == [*map(number, money), None if calls == "never" else tokens(calls)]


@then(phrase("writing to the cache costs {dollars:Number} dollars"))
def check_write(outcome, dollars):
    assert outcome.cache_write == dollars


@then(phrase("it pays {calls:Pays}", OWN))
def check_calls(outcome, calls):
    assert outcome.pays_after == calls


@then(phrase("{count:Tokens} tokens stay as they are"))
def check_unchanged(outcome, count):
    assert outcome.unchanged == count


@then(phrase("the summary call writes {count:Tokens} tokens"))
def check_written(outcome, count):
    assert outcome.summary == count


@then(phrase('it is refused because no price is known of "{model:Quoted}"'))
def check_no_price(outcome, model):
    assert isinstance(outcome, Refused)
    assert f"no price is known of {model}: give it with prices=Prices(" in str(outcome)


@given(phrase("a transcript of {count:Count} long turns in which {model} answers"), target_fixture="transcript")
def write_transcript(machine, count, model):
    machine.set("ANTHROPIC_API_KEY", "sk-ant-test")
    said = [{**one, "model": model} if one["role"] == "assistant" else one for one in raw_turns(count, 5_000)]
    return machine.write("talk.json", json.dumps(said))


@when(phrase('brim compacts it in a dry run with "{flags:Quoted}"'), target_fixture="answer")
def run_dry(machine, transcript, flags):
    limits = ("--window", "200k", "--max-output", "64k")
    return machine.run("compact", transcript, *limits, "--dry-run", "--json", *flags.split()).json


@then(
    phrase(
        "its price is {summary:Number} dollars for the summary and {write:Number} to write the cache, "
        "and it pays after {calls:Count} calls"
    )
)
def check_price(answer, summary, write, calls):
    told = answer["cost"]
    assert [Decimal(str(told[name])) for name in ("summary", "cache_write")] == [summary, write]
    assert told["pays_after"] == calls


@then("its price is unknown")
def check_unknown(answer):
    assert answer["cost"] is None
