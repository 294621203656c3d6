"""Steps of features/summary/acceptance.feature."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pytest_bdd import given, when

from brim.summary.acceptance import judge_summary
from steps.turn_table import read_text
from steps.vocabulary import phrase, tokens
from steps.worlds.notation import Notation
from steps.worlds.values import read_settings, switch

REPLACED = 50_000
ANSWER = {
    "at most": ("longest_tokens", tokens),
    "error mark": ("api_error", switch),
    "left": ("tokens_after", tokens),
    "required facts": ("required_facts", lambda cell: [fact for fact in cell.strip('"').split("; ") if fact]),
    "room to": ("highest", tokens),
    "stop reason": ("stop_reason", lambda cell: cell.strip('"')),
    "tokens": ("summary_tokens", tokens),
}
"""What is known of an answer, besides the text of the summary."""


@pytest.fixture
def text():
    """A summary there is nothing to say against."""
    return "The parser is done. Next comes the report."


@pytest.fixture
def answer():
    """How the answer ended; well, until a step says otherwise."""
    return {"stop_reason": "end_turn", "summary_tokens": 100}


@given(phrase('the summary "{text:Quoted}"'), target_fixture="text")
def summary_reading(text):
    return read_text(text)


@given(Notation("an answer with {line}", lambda line: read_settings(line, ANSWER)), target_fixture="answer")
def answer_with(answer, line):
    return answer | read_settings(line, ANSWER)


@when("the summary is judged", target_fixture="outcome")
def judge(text, answer):
    found = judge_summary(text, replaces_tokens=REPLACED, **answer)
    assert found.accepted is (found.outcome == "ok")
    judgement = "accepted" if found.accepted else found.outcome.replace("_", " ")
    return SimpleNamespace(judgement=judgement, reason=found.reason)
