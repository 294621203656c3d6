"""Steps of features/summary/preserved_facts.feature."""

from __future__ import annotations

import re

import pytest
from pytest_bdd import given, then, when

from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.compactor import Compactor
from brim.summary import user_words
from brim.summary.facts import Fact
from brim.summary.preserved_facts import preserve_facts
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import filler
from steps.counted import TERMS
from steps.vocabulary import phrase

PLENTY = 8_000
"""Characters, where a scenario speaks of no limit."""


@pytest.fixture
def kept():
    """What else the new context holds; nothing, until a step says so."""
    return ""


@pytest.fixture
def said():
    """What the user says in it."""
    return ""


@given("the facts", target_fixture="facts")
def the_facts(datatable):
    columns, *rows = datatable
    return [read_fact(dict(zip(columns, row, strict=True))) for row in rows]


def read_fact(row):
    kind = row["kind"].replace("to-do", "todo").replace(" ", "_")
    return Fact(kind, row["fact"], 0, row.get("why", ""))


@given("no facts", target_fixture="facts")
def no_facts():
    return []


@given(phrase("{count:Count} constraints, each of {length:Count} characters"), target_fixture="facts")
def constraints(count, length):
    return [Fact("constraint", f"{number} ".ljust(length, "x"), 0) for number in range(count)]


@given(phrase("{count:Count} messages of the user, each of {length:Count} characters"), target_fixture="facts")
def messages(count, length):
    return [Fact("request", f"{number} ".ljust(length, "x"), 0) for number in range(1, count + 1)]


@given(phrase('a summary that reads "{text:Quoted}"'), target_fixture="summary")
def a_summary(text):
    return text


@given(phrase('a kept part that reads "{text:Quoted}"'), target_fixture="kept")
def a_kept_part(text):
    return text


@given(phrase('a kept message of the user that reads "{text:Quoted}"'), target_fixture="said")
def a_kept_message(text):
    return text


@given(
    phrase(
        'a conversation whose first turn edits "{first:Quoted}" and "{second:Quoted}", '
        'and whose last answer names "{named:Quoted}"'
    ),
    target_fixture="conversation",
)
def edits(first, second, named):
    edited = {"A": first, "B": second}
    calls = [
        {"type": "tool_use", "id": call, "name": "Edit", "input": {"file_path": path}} for call, path in edited.items()
    ]
    results = [{"type": "tool_result", "tool_use_id": call, "content": filler(500)} for call in edited]
    said = [("user", "Two."), ("user", "Three."), ("assistant", f"I looked at {named}."), ("user", "Four.")]
    return [
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
        *({"role": role, "content": text} for role, text in said),
    ]


@given(
    phrase('a conversation that begins with a summary of the user\'s words "{words:Quoted}", and ends "{last:Quoted}"'),
    target_fixture="conversation",
)
def with_earlier_words(words, last):
    earlier = f"{SUMMARY_OPENING}\n\n{user_words.HEADING}\n- {words}"
    said = [earlier, "Mend it.", filler(500), "Two.", "Done.", "Three.", "Done.", last]
    roles = ["user", *("user", "assistant") * 3, "user"]
    return [{"role": role, "content": text} for role, text in zip(roles, said, strict=True)]


@given(
    phrase(
        "a conversation that begins with a summary of {count:Count} messages of {length:Count} characters, "
        "and whose first turn edits {files:Count} files"
    ),
    target_fixture="conversation",
)
def with_words_and_files(count, length, files):
    words = "\n- ".join(f"{number} ".ljust(length, "x") for number in range(count))
    edits = [{"file_path": f"src/{number}/".ljust(100, "y")} for number in range(files)]
    calls = [{"type": "tool_use", "id": f"A{n}", "name": "Edit", "input": edit} for n, edit in enumerate(edits)]
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "ok"} for call in calls]
    said = [("assistant", filler(40_000)), ("user", "Two."), ("user", "Three."), ("user", "Four.")]
    return [
        {"role": "user", "content": f"{SUMMARY_OPENING}\n\n{user_words.HEADING}\n- {words}"},
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
        *({"role": role, "content": text} for role, text in said),
    ]


@when(phrase('a model that says "{says:Quoted}" summarizes its first turn'), target_fixture="compaction")
def summarize(conversation, says):
    return Compactor(summarizer=ScriptedSummarizer(says)).compact(conversation)


@then(phrase('the summary names "{named:Quoted}", and not "{unnamed:Quoted}"'))
def check_named(compaction, named, unnamed):
    assert (named in compaction.summary, unnamed in compaction.summary) == (True, False)


@then(phrase('the summary has "{words:Quoted}" {count:Times}', TERMS))
def check_times(compaction, words, count):
    assert compaction.summary.count(words) == count


@then(phrase("the summary has the {count:Count} messages, and names the {files:Count} files"))
def check_words_and_files(compaction, count, files):
    summary = compaction.summary
    assert sum(f"- {number} x" in summary for number in range(count)) == count
    assert sum(f"src/{number}/y" in summary for number in range(files)) == files


@then(phrase('the plan asked for it by the strategy "{strategy:Quoted}"'))
def check_strategy(compaction, strategy):
    assert compaction.plan.call.strategy == strategy


@when("what it lacks is preserved", target_fixture="told")
def preserve(summary, facts, kept, said):
    return preserve_facts(summary, facts, held_elsewhere=f"{kept}{said}", said=said, max_chars=PLENTY)


@when(phrase("what it lacks is preserved in at most {limit:Count} characters"), target_fixture="told")
def preserve_within(summary, facts, limit):
    return preserve_facts(summary, facts, max_chars=limit)


@when("what it lacks is preserved twice", target_fixture="told_twice")
def preserve_twice(summary, facts):
    once = preserve_facts(summary, facts, max_chars=PLENTY)
    return once, preserve_facts(once, facts, max_chars=PLENTY)


@then("the summary reads")
def check_text(told, docstring):
    assert told == docstring


@then(phrase('the summary reads "{expected:Quoted}"'))
def check_short_text(told, expected):
    assert told == expected


@then("the summary is the very same")
def check_same(told, summary):
    assert told == summary


@then(phrase('it ends "{end:Quoted}"'))
def check_end(told, end):
    assert told.endswith(end), told


@then(phrase("{count:Count} facts are appended"))
def check_count(told, facts, count):
    assert sum(fact.text in told for fact in facts) == count


@then(phrase("the messages appended are {numbers}"))
def check_messages(told, numbers):
    assert re.findall(r"^- (\d+) x", told, re.MULTILINE) == re.findall(r"\d+", numbers)


@then("both summaries are the same")
def check_twice(told_twice):
    once, twice = told_twice
    assert twice == once
