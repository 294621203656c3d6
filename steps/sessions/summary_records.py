"""Steps of features/sessions/summary_records.feature."""

from __future__ import annotations

import json
import re

import pytest
from pytest_bdd import given, then, when

from brim.compaction.planning import plan_compaction
from brim.compaction.without_model import compact_without_model
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.sessions.records.kinds import CompactionRecord
from brim.sessions.session import Session
from brim.testing import ScriptedSummarizer
from steps.stored_sessions import LIMITS, tool_turn, turns, user
from steps.vocabulary import phrase

NARROW = ModelLimits(context_window=70_000, max_output_tokens=1_000)
LONG = "text" * 10_000
PROMPTS = {
    "the prompt as it comes": {},
    'the prompt "opencode"': {"prompt": "opencode"},
    "a prompt of one's own": {"prompt": "Tell what was decided."},
}


@pytest.fixture
def record(shelf):
    """The newest record of a compaction."""
    return [one for one in shelf.records() if isinstance(one, CompactionRecord)][-1]


@given("a session whose old outputs can be cleared")
def clearable(shelf):
    shelf.make(message for number in range(10) for message in tool_turn(f"call-{number}", LONG))


@given(phrase('a session that ends with a summary of the first version, generated at "{time:Quoted}"'))
def first_version(shelf, time):
    shelf.make(turns(2))
    told = {"content": "What was done.", "generatedAt": time, "summarizedMessageCount": 4, "originalTokenCount": 900}
    add_line(shelf, {"kind": "compaction", **told})


@given(phrase("a record of version {version:Count} at the end of its log"))
def of_version(shelf, version):
    add_line(shelf, {"v": version, "kind": "message", "message": user()})


def add_line(shelf, fields):
    """Add a line to the log as another brim would have written it."""
    line = {"id": "7" * 26, "time": 1_800_000_000_000, **fields}
    shelf.log.write_bytes(shelf.log.read_bytes() + json.dumps(line).encode() + b"\n")
    shelf.before = shelf.log.read_bytes()


@when(phrase('it is compacted by "{model:Quoted}" with the prompt "{prompt:Quoted}"'))
def compact_by(shelf, model, prompt):
    shelf.compact(model=model, prompt=prompt)


@when(phrase('the model "{model:Quoted}" summarises it, asked with {prompt}'))
def summarised_by(shelf, model, prompt):
    compactor = Compactor(
        limits=LIMITS, model=model, summarizer=ScriptedSummarizer("All went well."), **PROMPTS[prompt]
    )
    shelf.made = compactor.compact(shelf.open().view().window(LIMITS))
    shelf.session.compacted(shelf.made)


@when("it is compacted automatically")
def compact_automatically(shelf):
    window = shelf.open().view().window(NARROW)
    shelf.session.compacted(compact_without_model(plan_compaction(window, automatic=True)))


@when(phrase("{count:Count} more turns follow and it is compacted again"))
def compact_again(shelf, count):
    shelf.open().extend(turns(count))
    shelf.compact()


@then("the record holds the words of the summary")
def check_words(shelf, record):
    assert record.summary.content == shelf.made.summary


@then("it holds the same figures as the compaction")
def check_figures(shelf, record):
    figures = (record.summary.summarised, record.summary.tokens_before, record.summary.tokens_after)
    assert figures == (len(shelf.made.plan.summarised), shelf.made.tokens_before, shelf.made.tokens_after)


@then(phrase('it names "{model:Quoted}" and "{prompt:Quoted}"'))
def check_names(record, model, prompt):
    assert (record.summary.model, record.summary.prompt) == (model, prompt)


@then(phrase('it names "{model:Quoted}" and a prompt that begins with "{name:Quoted}"'))
def check_own_names(record, model, name):
    assert (record.summary.by, record.summary.model) == ("model", model)
    assert re.fullmatch(f"{name}[0-9a-f]{{8}}", record.summary.prompt)


@then("the record names no model")
def check_no_model(record):
    assert record.summary.model == ""


@then("the record holds the facts of the conversation")
def check_facts(shelf, record):
    assert record.facts == shelf.made.plan.facts


@then("the newest record names the compaction before it")
def check_earlier(shelf, record):
    assert record.earlier == next(one.id for one in shelf.records() if isinstance(one, CompactionRecord))


@then("it shows that summary and nothing before it")
def check_first_version(shelf):
    (message,) = shelf.view().messages
    assert message.text.endswith("\n\nWhat was done.")


@then("nobody knows the tokens after it")
def check_unknown(record):
    assert record.summary.tokens_after is None


@then("it opens")
def check_opens(outcome):
    assert isinstance(outcome, Session)
