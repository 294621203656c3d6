"""Steps of features/selection/recent_turns.feature."""

from __future__ import annotations

from pytest_bdd import given, parsers, when

from steps.conversation_table import names


@given(
    parsers.re(r'(?P<total>\d+) turns to choose from(?:, with anchors at "(?P<anchors>[^"]*)")?'),
    target_fixture="known",
)
def turns_to_choose_from(total, anchors):
    return {"total_turns": int(total), "anchors": [int(turn) for turn in names(anchors or "")]}


@when("the turns to keep are chosen", target_fixture="outcome")
def choose(implementation, known, settings):
    options = {"recent": settings["recent_turns"]} if "recent_turns" in settings else {}
    chosen = implementation("select_turns", **known, **options)
    if not isinstance(chosen, dict):
        return chosen
    return chosen | {f"turns_{name}": chosen[name] for name in ("kept", "summarized")}
