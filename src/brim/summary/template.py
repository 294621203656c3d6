"""Template: the summary that needs no model, put together from facts and outcome lines within a size limit.

Specified by features/summary/template.feature (SUM_07).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from brim.conversation.turns import Turn
from brim.selection.anchors import Anchor, weightiest_first
from brim.summary.facts import Fact, collect_facts
from brim.summary.succession import (
    BUILD,
    DONE,
    EARLIER,
    INTENT,
    NO_FILES,
    Earlier,
    carried,
    left_out_note,
    own_words,
    read_earlier,
)
from brim.summary.telling.fact_sections import file_section, section
from brim.summary.telling.outcomes import TurnOutcome, turn_outcome
from brim.summary.telling.room import Chosen, choose_facts, choose_lines
from brim.summary.telling.sentences import shortened
from brim.summary.telling.work import turn_work

CHARACTERS_MAX: Final = 16_000
"""Characters of a template summary at most, some 4,000 tokens (SUM_07)."""
NOTES: Final = 100
"""Characters set aside for the heading of the outcomes and the note of how many are left out."""


def template_summary(
    turns: Sequence[Turn],
    anchors: Iterable[Anchor] = (),
    facts: Sequence[Fact] | None = None,
    *,
    characters_max: int = CHARACTERS_MAX,
    earlier: str = "",
) -> str:
    """Summarise turns without a model; facts are collected from the turns where none are given."""
    outcomes = [turn_outcome(turn_work(turn)) for turn in turns]
    found = collect_facts(turns) if facts is None else facts
    return assemble_summary(outcomes, found, anchors, characters_max=characters_max, earlier=earlier)


def assemble_summary(
    outcomes: Sequence[TurnOutcome],
    facts: Sequence[Fact],
    anchors: Iterable[Anchor] = (),
    *,
    characters_max: int = CHARACTERS_MAX,
    earlier: str = "",
) -> str:
    """Put a summary together, never longer than `characters_max`.

    Args:
        outcomes: of the turns that are summarised, in the order of time.
        facts: what has to survive, each kind in the order of time; three fifths of the room are theirs at most.
        anchors: those among the turns; the heaviest, then the newest, are written in full while there is room.
        characters_max: the limit.
        earlier: the text of an earlier summary that this one replaces; a quarter of the room is its at most. Its facts
            are not carried along with it: they are to be among `facts`, where they still hold.
    """
    before = read_earlier(earlier)
    chosen = choose_facts(facts, characters_max * 3 // 5)
    context = "\n".join([*_context(chosen, outcomes, before), *_earlier(before, characters_max // 4)])
    told_first = [anchor.turn for anchor in weightiest_first(anchors)]
    lines, left_out = choose_lines(outcomes, told_first, characters_max - len(context) - NOTES)
    done = ["", DONE, *left_out_note(left_out), *map(own_words, lines)] if lines or left_out else []
    return "\n".join([context, *done])[: max(characters_max, 0)]


def _context(chosen: Chosen, outcomes: Sequence[TurnOutcome], before: Earlier) -> Iterator[str]:
    yield from file_section(chosen) or (NO_FILES,)
    yield from section(chosen, "request") or ("Goals: none stated",)
    yield from section(chosen, "constraint")
    yield from section(chosen, "decision")
    yield from section(chosen, "failed_command") or ("Unresolved errors: none",)
    yield f"{BUILD}{_build(outcomes) or before.build or 'unknown'}"
    yield from section(chosen, "todo")
    yield f"{INTENT}{_intent(outcomes) or before.intent or 'none stated'}"


def _build(outcomes: Sequence[TurnOutcome]) -> str:
    report = next((outcome.report for outcome in reversed(outcomes) if outcome.report), None)
    return f"{report[0]} ({shortened(report[1])})" if report else ""


def _intent(outcomes: Sequence[TurnOutcome]) -> str:
    asked = next((outcome.request for outcome in reversed(outcomes) if outcome.request), "")
    return f'"{asked}"' if asked else ""


def _earlier(before: Earlier, room: int) -> tuple[str, ...]:
    lines = carried(before, room)
    return ("", EARLIER, *lines) if lines else ()
