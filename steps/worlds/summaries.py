"""Summaries: the facts that one has to hold, a summary from before, and the text of the new one."""

from __future__ import annotations

from types import SimpleNamespace

from pytest_bdd import given, parsers, then, when

from brim.conversation.turns import Response, ToolUse, Turn
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.summary.facts import Fact
from steps.policies import with_policy
from steps.vocabulary import phrase, tokens
from steps.worlds.tables import agrees

KINDS = {
    "constraint": "constraints",
    "decision": "decisions",
    "request": "messages",
    "failed_command": "failed commands",
    "todo": "to-dos",
    "modified_file": "modified files",
    "created_file": "created files",
    "deleted_file": "deleted files",
    "read_file": "read files",
}
"""Each kind of fact in words."""


@given("the facts", target_fixture="facts")
def facts_in_a_table(datatable):
    columns, *lines = datatable
    kinds = {words: kind for kind, words in KINDS.items()}
    rows = [dict(zip(columns, line, strict=True)) for line in lines]
    return [Fact(kinds[row["kind"]], f"{row['kind']} ".ljust(tokens(row["characters"]), "x"), 0) for row in rows]


@given(phrase('the changed files "{paths:Quoted}"'), target_fixture="facts")
def changed_files(paths):
    return [Fact("modified_file", path, 0) for path in paths.split(", ") if path]


@given(phrase('an earlier summary "{text:Quoted}"'), target_fixture="earlier")
def earlier_summary(text):
    return text


@given(
    parsers.re(r"(?P<count>\d+) turns, each writing a part(?: of (?P<length>[\d,]+) characters)?"),
    target_fixture="turns",
)
def writing_parts(count, length):
    return tuple(part(number, tokens(length) if length else 0) for number in range(1, int(count) + 1))


def part(number: int, length: int = 0) -> Turn:
    """Return a turn that writes a part; with a length it is told in an answer of so many characters."""
    written = ToolUse("Edit", {"file_path": f"/home/me/app/part-{number}.py"}, "", succeeded=True)
    response = Response(f"Wrote part {number}. It works.", (written,))
    if length:
        response = Response(f"Part {number} is {'x' * 160}. ".ljust(length, "y"))
    return Turn(number - 1, number - 1, number, f"Write part {number}.", (response,))


@when("the conversation is compacted without a model", target_fixture="outcome")
def compact_without_model(conversation, limits, settings):
    messages = [one.raw for one in conversation]
    compaction = Compactor(limits=ModelLimits(**limits), **with_policy(settings)).compact(messages)
    return SimpleNamespace(summary=compaction.summary, characters=len(compaction.summary))


@then("the summary is")
def check_summary(outcome, docstring):
    assert agrees(outcome.summary, docstring), outcome.summary


@then(phrase("the characters are from {least:Tokens} to {most:Tokens}"))
def check_characters(outcome, least, most):
    assert least <= outcome.characters <= most, outcome.characters
