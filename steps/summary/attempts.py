"""Steps of features/summary/attempts.feature."""

from __future__ import annotations

import re
import warnings
from copy import deepcopy
from email.utils import format_datetime
from types import SimpleNamespace

from httpx2 import Response
from pytest_bdd import given, parsers, when

from brim.engine.compactor import Compactor
from brim.errors import BrimError
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from steps.clock import moment
from steps.policies import with_policy
from steps.providers import ANSWERS, answering, in_a_thread, in_an_event_loop
from steps.vocabulary import attempt, phrase

FAILING = {
    "raises": RuntimeError,
    "answers with": lambda words: SummaryAnswer(retry_after=words),
    "fails with": lambda words: SummaryAnswer(failure="permanent", reason=words),
}


@given(phrase("attempts that come to {outcomes}"), target_fixture="outcomes")
def coming(outcomes):
    return [outcome.replace(" ", "_") for outcome in outcomes.split(", ")]


@when("a summary is asked for", target_fixture="outcome")
def ask(implementation, outcomes, settings):
    return implementation("summary_attempts", outcomes=outcomes, **settings)


def read_answer(name):
    """Return an answer of a provider by its name, or of one that is busy for or until a time."""
    if name.startswith("busy for "):
        return Response(429, headers={"retry-after-ms": name.removeprefix("busy for ").replace(",", "")})
    if name.startswith("busy until "):
        time = moment(name.removeprefix("busy until "))
        return Response(429, headers={"retry-after": format_datetime(time, usegmt=True)})
    return ANSWERS[name]


ANSWER = f"(?:{'|'.join([*ANSWERS, r'busy for [0-9,]+', r'busy until [-0-9]+ [0-9:]+'])})"


@given(parsers.re(rf"a provider that answers (?P<names>{ANSWER}(?:, {ANSWER})*)"), target_fixture="run")
def provider(names):
    provider = answering([read_answer(name) for name in re.findall(f"{ANSWER}(?=, |$)", names)])
    return lambda messages, settings: sent_by(provider, messages, settings)


def sent_by(provider, messages, settings):
    """Compact through the client, in a thread and in an event loop. A request that changed has become smaller."""
    runs = [run(provider, messages, **settings) for run in (in_a_thread, in_an_event_loop)]
    for run in runs:
        assert run.changed == run.smaller
        assert [one.waited for one in run.compaction.attempts] == run.waits
    told = [{"requests": len(run.requests), "waits": run.waits, "smaller": run.smaller} for run in runs]
    assert told[0] == told[1]
    return told[0]


@given(parsers.re(rf'a summarizer that (?P<how>{"|".join(FAILING)}) "(?P<words>[^"]*)"'), target_fixture="run")
def failing(how, words):
    return lambda messages, settings: summarized_by([FAILING[how](words)], messages, settings)


def summarized_by(script, messages, settings):
    """Compact with a summarizer of the caller's, and twice where nobody listens; tell what is heard and returned."""
    events = []
    options = {"summarizer": ScriptedSummarizer(script, repeat=True), "sleep": lambda _: None, **with_policy(settings)}
    made = attempt(Compactor(**options, on_event=events.append).compact, messages)
    unheard = Compactor(**options)
    with warnings.catch_warnings(record=True, action="always") as met:
        attempt(unheard.compact, messages), attempt(unheard.compact, messages)
    warned = [str(one.message) for one in met]
    told = SimpleNamespace(event="\n".join(map(str, events)), error="", new_context="", warned=warned)
    if isinstance(made, BrimError):
        told.error = str(made)
        assert "AAAABBBBCCCC" not in repr(made.__cause__)
        return told
    told.new_context = made.text
    return told


@when("the conversation is compacted", target_fixture="outcome")
def compact(run, conversation, settings):
    messages = [message.raw for message in conversation]
    before = deepcopy(messages)
    outcome = run(messages, settings)
    assert messages == before
    return outcome
