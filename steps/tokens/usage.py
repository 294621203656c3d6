"""Steps of features/tokens/usage.feature."""

from __future__ import annotations

import json

from pytest_bdd import given, then, when

from brim.tokens.usage import TokenUsage, billed, completed
from brim.tokens.usage import normalize as normalize_usage
from brim.tokens.window import WindowAccount
from steps.vocabulary import attempt, phrase, tokens


@given(phrase('a response that reports an input of "{count:Quoted}"'), target_fixture="usage")
def reported_input(count):
    return {"input": int(count)}


@given(phrase("a response for which {provider} reports"), target_fixture="reported")
def reported_by(provider, docstring):
    return {"provider": provider, "usage": json.loads(docstring)}


@given("responses that report", target_fixture="usages")
def several_reported(datatable):
    names, *rows = datatable
    return [read_usage(names, row) for row in rows]


@given(phrase('a response of the model "{model:Quoted}" that reports'), target_fixture="response")
def reported_of_model(model, datatable):
    return {"usage": read_usage(*datatable), "model": model}


@given(phrase("a text of its own that is estimated at {count:Tokens} tokens"), target_fixture="text_tokens")
def own_text(count):
    return count


@given("it gave no stop reason", target_fixture="finished")
def unfinished():
    return False


@given("it gave a stop reason", target_fixture="finished")
def well_finished():
    return True


@when("its tokens are added up", target_fixture="outcome")
def add_up(implementation, usage):
    return implementation("token_total", usage=usage)


@when("its usage is normalized", target_fixture="outcome")
def normalize(implementation, reported):
    return implementation("normalize_usage", **reported)


@when("its usage is read", target_fixture="outcome")
def read(reported):
    return attempt(normalize_usage, reported["provider"], reported["usage"])


@when("the window is measured after them", target_fixture="account")
def measure_after_all(usages):
    account = WindowAccount()
    for usage in usages:
        account.record(usage)
    return account


@when("the window is measured after it", target_fixture="measured")
def measure_after(response):
    return WindowAccount().record(**response)


@when("they are billed", target_fixture="bill")
def bill(usages):
    return billed(usages)


@when("its output count is completed", target_fixture="whole")
def complete(usage, text_tokens, finished):
    return completed(TokenUsage(**usage), text_tokens, finished=finished)


@then(phrase("they come to {total:Tokens}"))
def check_total(outcome, total):
    assert outcome == total


@then("it is normalized to")
def check_normalized(outcome, datatable):
    """What the table does not name is 0."""
    names, counts = datatable
    told = {name.replace(" ", "_"): tokens(count) for name, count in zip(names, counts, strict=True)}
    assert outcome == dict.fromkeys(outcome, 0) | told


@then(phrase("it holds {held:Tokens} tokens"))
def check_held(account, held):
    assert account.held == held


@then("the bill reads")
def check_bill(bill, datatable):
    assert bill == read_usage(*datatable)


@then("it is a measurement")
def check_measured(measured):
    assert measured is True


@then("it is a placeholder")
def check_placeholder(measured):
    assert measured is False


@then(phrase("{output:Tokens} tokens of output are counted"))
def check_output(whole, output):
    assert whole.output == output


@then(phrase("its tokens come to {total:Tokens}"))
def check_whole(whole, total):
    assert whole.total == total


def read_usage(names, counts):
    """The usage that a row of a table tells."""
    return TokenUsage(**{name.replace(" ", "_"): tokens(count) for name, count in zip(names, counts, strict=True)})
