"""Summaries: the facts that one has to hold, a summary from before, and the text of the new one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import pytest
from pytest_bdd import given, parsers, then, when

from brim.compaction.context_window import ContextWindow
from brim.conversation.turns import Response, ToolUse, Turn
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.selection.anchors import Anchor, AnchorKind
from brim.summary.facts import Fact, collect_facts, fidelity
from brim.summary.template import template_summary
from brim.testing import ScriptedSummarizer
from steps.policies import with_policy
from steps.turn_table import read_text
from steps.vocabulary import phrase, tokens
from steps.worlds.tables import agrees, of

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


ANCHORS = {
    "a task completed": AnchorKind.TASK_COMPLETION,
    "an error resolved": AnchorKind.ERROR_RESOLUTION,
    "a checkpoint": AnchorKind.USER_CHECKPOINT,
}


class Facts(tuple[SimpleNamespace, ...]):  # noqa: SLOT001  it has the summary besides
    """Facts as rows, and those of each kind under its name."""

    summary = ""
    """The summary that was written with them."""

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> Facts:
        """Return facts as the page shows them; what is cut ends in an ellipsis."""
        return cls(
            SimpleNamespace(
                kind=KINDS[fact.kind],
                fact=fact.text,
                turn=fact.turn + 1,
                why=fact.detail,
                characters=len(fact.text),
                cut=fact.text.endswith("…"),
            )
            for fact in facts
        )

    @property
    def facts(self) -> list[str]:
        """Return the texts of all."""
        return [one.fact for one in self]

    def __getattr__(self, name: str) -> list[str]:
        """Return the texts of a kind of facts."""
        if name.replace("_", " ") not in KINDS.values():
            raise AttributeError(name)
        return [one.fact for one in self if one.kind == name.replace("_", " ")]


@pytest.fixture
def facts():
    """The facts that were kept; those of the turns, until a step gives others."""
    return


@pytest.fixture
def earlier():
    """An earlier summary; none, until a step gives one."""
    return ""


@pytest.fixture
def anchors():
    """The anchors; none, until a step gives some."""
    return []


@given("the anchors", target_fixture="anchors")
def anchors_of(datatable):
    return [(int(turn) - 1, ANCHORS[kind], tokens(more or "0")) for turn, kind, more in datatable[1:]]


@given("the facts", target_fixture="facts")
def facts_in_a_table(datatable):
    """With a number, so many facts of a kind, each of so many characters."""
    columns, *lines = datatable
    kinds = {words: kind for kind, words in KINDS.items()}
    found = []
    for row in [dict(zip(columns, line, strict=True)) for line in lines]:
        texts = [row["fact"]] if "fact" in row else _texts(row, len(found) + 1)
        found += [Fact(kinds[row["kind"]], text, 0, row.get("why", "")) for text in texts]
    return found


def _texts(row: dict[str, str], first: int) -> list[str]:
    numbers = range(first, first + tokens(row.get("number", "1")))
    return [f"{number} {row['kind']} ".ljust(tokens(row["characters"]), "x") for number in numbers]


@given(phrase('the changed files "{paths:Quoted}"'), target_fixture="facts")
def changed_files(paths):
    return [Fact("modified_file", path, 0) for path in paths.split(", ") if path]


@given(phrase('an earlier summary "{text:Quoted}"'), target_fixture="earlier")
def earlier_summary(text):
    return read_text(text)


@given("an earlier summary", target_fixture="earlier")
def earlier_summary_below(docstring):
    return docstring


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


@when(parsers.re(r"the template is written(?: in at most (?P<limit>[\d,]+) characters)?"), target_fixture="outcome")
def write(turns, facts, earlier, anchors, limit):
    """From the turns alone, and with the facts of them that were kept."""
    more = {turn: length for turn, _, length in anchors}
    told = [replace(one, responses=_longer(one.responses, more.get(one.index, 0))) for one in turns]
    found = {
        "facts": facts,
        "previous_summary": earlier,
        "anchors": [Anchor(n, kind, Decimal(1)) for n, kind, _ in anchors],
    }
    room = {"max_chars": tokens(limit)} if limit else {}
    summary = template_summary(told, **found, **room)
    kept = facts or collect_facts(told)
    assert template_summary(told, **found | {"facts": kept}, **room) == summary
    held = fidelity(kept, summary)
    return SimpleNamespace(
        summary=summary,
        characters=len(summary),
        facts_held=[KINDS[fact.kind] for fact in kept if fact.text in summary],
        anchors_in_full=re.findall(r"^\[ANCHOR\] Wrote part (\d+)\..*[^…]$", summary, re.MULTILINE),
        fidelity=f"{held.facts.share}, {held.words.share}",
    )


def _longer(responses, length):
    """Return the responses with so many more characters in the last."""
    return (*responses[:-1], *(Response(one.text + " x" * (length // 2), one.tool_uses) for one in responses[-1:]))


@when("the conversation is compacted without a model", target_fixture="outcome")
def compact_without_model(conversation, limits, settings):
    known = ModelLimits(**limits)
    marked = any(one.marks.summary for one in conversation)
    messages = ContextWindow(known, messages=conversation) if marked else [one.raw for one in conversation]
    compaction = Compactor(limits=known, **with_policy(settings)).compact(messages)
    assert compaction.plan.changes_anything
    assert compaction.plan.facts
    return SimpleNamespace(
        summary=compaction.summary,
        characters=len(compaction.summary),
        constraints=[fact.text for fact in compaction.plan.facts if fact.kind == "constraint"],
        previous_summary=compaction.plan.previous_summary,
        text=compaction.text,
    )


@when(phrase('a model that says "{words:Quoted}" summarizes the conversation'), target_fixture="outcome")
def compact_with_model(conversation, limits, words):
    known = {"limits": ModelLimits(**limits)} if limits else {}
    compactor = Compactor(summarizer=ScriptedSummarizer([words], repeat=True), **known)
    compaction = compactor.compact([one.raw for one in conversation])
    return SimpleNamespace(summary=compaction.summary, strategy=compaction.plan.call.strategy, text=compaction.text)


@then("the summary is")
def check_summary(outcome, docstring):
    assert agrees(of(outcome, "summary"), docstring), of(outcome, "summary")


@then(phrase("the characters are from {least:Tokens} to {most:Tokens}"))
def check_characters(outcome, least, most):
    assert least <= of(outcome, "characters") <= most, of(outcome, "characters")
