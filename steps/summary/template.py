"""Steps of features/summary/template.feature."""

from __future__ import annotations

from types import SimpleNamespace

from pytest_bdd import parsers, when

from brim.summary.facts import turn_work
from brim.summary.template import TurnOutcome
from steps.turn_table import portable_turn


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
        lines = [(*(line.short for line in one.lines_beside_anchor), one.anchor_line) for one in outcomes]
    else:
        lines = [[line.short for line in one.lines] for one in outcomes]
    return [{"line": line} for told in lines for line in told]


@when("the build status is asked for", target_fixture="outcome")
def ask_build_status(implementation, turns):
    outputs = [use.output for turn in turns for response in turn.responses for use in response.tool_uses]
    return implementation("build_status", outputs=outputs)
