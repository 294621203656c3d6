"""Template: the summary that needs no model, put together from facts and outcome lines within a size limit.

Specified by features/summary/template.feature (SUM_07).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from brim.conversation.messages import SUMMARY_OPENING
from brim.conversation.turns import Turn
from brim.selection.anchors import Anchor, weightiest_first
from brim.summary.facts import FILES, Fact, collect_facts
from brim.summary.outcomes import TurnOutcome, turn_outcome
from brim.summary.room import Chosen, choose_facts, choose_lines
from brim.summary.sentences import shortened
from brim.summary.work import turn_work

CHARACTERS_MAX: Final = 16_000
"""The length of a template summary at most, unless another is asked for: some 4,000 tokens."""
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
        earlier: the text of an earlier summary that this one replaces; a quarter of the room is its at most.
    """
    chosen = choose_facts(facts, characters_max * 3 // 5)
    context = "\n".join([*_context(chosen, outcomes), *_earlier(earlier, characters_max // 4)])
    told_first = [anchor.turn for anchor in weightiest_first(anchors)]
    lines, left_out = choose_lines(outcomes, told_first, characters_max - len(context) - NOTES)
    done = ["", "What was done:", *_note(left_out), *lines] if lines or left_out else []
    return "\n".join([context, *done])[: max(characters_max, 0)]


def _context(chosen: Chosen, outcomes: Sequence[TurnOutcome]) -> Iterator[str]:
    yield from _files(chosen)
    yield from _section("Goals, as the user put them", chosen.quoted("request")) or ("Goals: none stated",)
    yield from _section("Constraints the user stated", chosen.listed("constraint"))
    yield from _section("Decisions the user marked", chosen.listed("decision"))
    yield from _section("Unresolved errors", chosen.listed("failed_command")) or ("Unresolved errors: none",)
    yield f"Build status: {_build(outcomes)}"
    yield from _section("Open to-dos", chosen.listed("todo"))
    yield f"Last intent: {_intent(outcomes)}"


def _section(title: str, items: Sequence[str]) -> tuple[str, ...]:
    return (f"{title}:", *items) if items else ()


def _files(chosen: Chosen) -> tuple[str, ...]:
    below = f" (paths below {chosen.folder})" if chosen.folder else ""
    rows = [f"- {kind.removesuffix('_file')}: {paths}" for kind in FILES if (paths := chosen.paths(kind))]
    return (f"Active files{below}:", *rows) if rows else ("Active files: none",)


def _build(outcomes: Sequence[TurnOutcome]) -> str:
    report = next((outcome.report for outcome in reversed(outcomes) if outcome.report), None)
    return f"{report[0]} ({shortened(report[1])})" if report else "unknown"


def _intent(outcomes: Sequence[TurnOutcome]) -> str:
    asked = next((outcome.request for outcome in reversed(outcomes) if outcome.request), "")
    return f'"{asked}"' if asked else "none stated"


def _earlier(earlier: str, room: int) -> tuple[str, ...]:
    text = earlier.strip().removeprefix(SUMMARY_OPENING).strip()
    if not text:
        return ()
    return ("", "From the earlier summary:", text if len(text) <= room else f"{text[:room].rstrip()} …")


def _note(left_out: int) -> tuple[str, ...]:
    return (f"… {left_out:,} earlier outcome{'s' if left_out > 1 else ''} left out",) if left_out else ()
