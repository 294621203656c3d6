"""Preserved facts: what a summary lacks of the facts is appended to it, the weightiest first, within a limit.

Specified by features/summary/preserved_facts.feature (SUM_14).
"""

from __future__ import annotations

from collections.abc import Sequence

from brim.summary.facts import WEIGHTIEST_FIRST, Fact, fidelity
from brim.summary.previous_summary import PRESERVED
from brim.summary.template import choose_facts, sections


def preserve_facts(summary: str, facts: Sequence[Fact], *, held_elsewhere: str = "", characters_max: int) -> str:
    """The summary, with the facts that it lacks behind it; the very same where it lacks none.

    Args:
        summary: an accepted summary, as it will stand in the new context.
        facts: what has to survive, each kind in the order of time.
        held_elsewhere: the text of what else the new context holds; what stands there is not lacking.
        characters_max: the length of what is appended at most. What there is no room for is counted in it; where
            there is no room even for the count, nothing is appended.
    """
    lacking = fidelity(facts, f"{summary}\n{held_elsewhere}").missing
    told = _within(lacking, characters_max) if lacking else ""
    return f"{summary.rstrip()}{told}" if told else summary


def _within(facts: Sequence[Fact], characters_max: int) -> str:
    """The section of these facts, with as many of them as there is room for."""
    room = characters_max
    while room > 0:
        chosen = choose_facts(facts, room)
        told = "\n".join(["", "", PRESERVED, *sections(chosen, WEIGHTIEST_FIRST)])
        if len(told) <= characters_max:
            return told
        room -= len(told) - characters_max
    told = f"\n\n{PRESERVED} … {len(facts):,} left out"
    return told if len(told) <= characters_max else ""
