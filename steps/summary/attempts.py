"""Steps of features/summary/attempts.feature."""

from __future__ import annotations

from email.utils import format_datetime

import pytest
from httpx2 import Response
from pytest_bdd import given, then, when

from brim.summary.summarizer_input import SummaryAnswer
from brim.tokens.usage import TokenUsage
from steps.clock import TIMES
from steps.providers import *  # noqa: F403  the provider, and a compaction through its client
from steps.providers import ANSWERS, SUMMARY, WAYS, answering, listed_counts
from steps.vocabulary import phrase


def coming_to(text):
    """Outcomes as operations name them."""
    return [outcome.replace(" ", "_") for outcome in text.split(", ")]


LISTS = WAYS | {"Outcomes": coming_to, "Times": listed_counts}


@pytest.fixture
def outcomes():
    """What attempts come to; nothing, until a step tells it."""
    return []


@given(phrase("attempts that come to {outcomes:Outcomes}", LISTS), target_fixture="outcomes")
def coming(outcomes):
    return outcomes


@given(
    phrase("a provider whose answers to requests for a summary are {answers:Names}", LISTS), target_fixture="provider"
)
def answers_in_order(answers):
    return answering([ANSWERS[name] for name in answers])


@given(
    phrase("a provider that is busy, asks to wait {asked:Count} milliseconds, and then summarizes"),
    target_fixture="provider",
)
def busy_for(asked):
    return answering([Response(429, headers={"retry-after-ms": f"{asked}"}), SUMMARY])


@given(phrase("a provider that is busy until {time:Moment}, and then summarizes", TIMES), target_fixture="provider")
def busy_until(time):
    return answering([Response(429, headers={"retry-after": format_datetime(time, usegmt=True)}), SUMMARY])


@given(
    phrase("a summarizer that is busy, and asks to wait {asked:Count} milliseconds the first time alone"),
    target_fixture="script",
)
def busy_for_once(asked):
    busy = SummaryAnswer(failure="transient", reason="busy")
    return [SummaryAnswer(failure="transient", reason="busy", retry_after=asked), busy, busy]


@given(
    phrase(
        "a summarizer that reports {first:Count} tokens read for an empty answer, and then {second:Count} for a summary"
    ),
    target_fixture="script",
)
def reporting(first, second):
    empty = SummaryAnswer(usage=TokenUsage(input=first))
    return [empty, SummaryAnswer(text="<summary>All went well.</summary>", usage=TokenUsage(input=second))]


@given(
    phrase('a summarizer whose answer names no model, and is empty, and then names "{model:Quoted}"'),
    target_fixture="script",
)
def naming(model):
    return [SummaryAnswer(), SummaryAnswer(text="<summary>All went well.</summary>", model=model)]


@given(phrase('"{model:Quoted}" is the model that is asked'), target_fixture="options")
def asking(options, model):
    return options | {"summary_model": model}


@then(phrase('the attempts of the compaction name "{first:Quoted}" and "{second:Quoted}"'))
def check_models(compaction, first, second):
    assert [attempt.model for attempt in compaction.attempts] == [first, second]


@then(phrase("the attempts of the compaction read {first:Count} and {second:Count} tokens"))
def check_usages(compaction, first, second):
    assert [attempt.usage.input for attempt in compaction.attempts] == [first, second]


@given(phrase('a summarizer that raises "{words:Quoted}"'), target_fixture="script")
def raises(words):
    return [RuntimeError(words)]


@given(phrase('a summarizer that fails with "{words:Quoted}"'), target_fixture="script")
def fails_with(words):
    return [SummaryAnswer(failure="permanent", reason=words)]


@then(phrase('the error contains "{words:Quoted}"'))
def check_error(compaction, words):
    assert words in str(compaction)


@then(phrase('an event contains "{words:Quoted}"'))
def check_event(events, words):
    assert any(words in str(event) for event in events)


@then(phrase('no error and no event contains "{words:Quoted}"'))
def check_none(compaction, events, words):
    assert words not in f"{compaction}{compaction.__cause__!r}{events!r}"


@then(phrase("the compaction waited {waits:Times} milliseconds", LISTS))
def check_waited(compaction, waits):
    assert [attempt.waited for attempt in compaction.attempts] == waits


@when("a summary is asked for", target_fixture="outcome")
def ask(implementation, outcomes, options):
    return implementation("summary_attempts", outcomes=outcomes, **options)


@then(phrase("{count:Count} attempts were made"))
def check_attempts(outcome, count):
    assert outcome["attempts"] == count


@then(phrase("the waits before them were {waits:Times} milliseconds", LISTS))
def check_waits(outcome, waits):
    assert outcome["waits"] == waits


@then(phrase("the history is replaced by the {result}"))
def check_result(outcome, result):
    assert outcome["result"] == result


@then(phrase("the prompt became smaller at requests {numbers:Counts}", LISTS))
def check_smaller(runs, numbers):
    assert [(run.smaller, run.changed) for run in runs] == [(numbers, numbers)] * 2
