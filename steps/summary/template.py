"""Steps of features/summary/template.feature."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from pytest_bdd import given, parsers, when

from brim.conversation.turns import Response
from brim.selection.anchors import CERTAIN, Anchor, AnchorKind
from brim.summary.facts import collect_facts, fidelity, turn_work
from brim.summary.template import TurnOutcome, template_summary
from steps.turn_table import portable_turn
from steps.vocabulary import tokens
from steps.worlds.summaries import KINDS

ANCHORS = {
    "a task completed": AnchorKind.TASK_COMPLETION,
    "an error resolved": AnchorKind.ERROR_RESOLUTION,
    "a checkpoint": AnchorKind.USER_CHECKPOINT,
}


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


@when(parsers.re("the turn is told in a line(?P<anchor> as an anchor)?"), target_fixture="outcome")
def tell_turn(implementation, turns, anchor):
    (told,) = turns
    uses = [use for response in told.responses for use in response.tool_uses]
    turn = portable_turn(told.request, uses, "".join(response.text for response in told.responses))
    line = implementation("outcome_line", turn=turn, **({"is_anchor": True} if anchor else {}))
    return SimpleNamespace(line=line, mark=line[0], characters=len(line), cut=line.endswith("…"))


@when(parsers.re("the turns are told in lines(?P<anchors> as anchors)?"), target_fixture="outcome")
def tell_turns(turns, anchors):
    outcomes = [TurnOutcome(turn_work(turn)) for turn in turns]
    if anchors:
        lines = [(*(line for line, _ in one.lines_beside_anchor), one.anchor_line) for one in outcomes]
    else:
        lines = [[line for line, _ in one.lines] for one in outcomes]
    return [{"line": line} for told in lines for line in told]


@when("the build status is asked for", target_fixture="outcome")
def ask_build_status(implementation, turns):
    outputs = [use.output for turn in turns for response in turn.responses for use in response.tool_uses]
    return implementation("build_status", outputs=outputs)


@when(parsers.re(r"the template is written(?: in at most (?P<limit>[\d,]+) characters)?"), target_fixture="outcome")
def write(turns, facts, earlier, anchors, limit):
    """From the turns alone, and with the facts of them that were kept."""
    more = {turn: length for turn, _, length in anchors}
    told = [replace(one, responses=_longer(one.responses, more.get(one.index, 0))) for one in turns]
    found = {
        "facts": facts,
        "previous_summary": earlier,
        "anchors": [Anchor(n, kind, CERTAIN) for n, kind, _ in anchors],
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
