"""Preserved facts: the facts that a summary lacks are appended to it, the weightiest first, within a limit.

Specified by features/summary/preserved_facts.feature (SUM_14).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from brim.summary.facts import WEIGHTIEST_FIRST, Fact, fidelity
from brim.summary.template import choose_facts

HEADING: Final = "\n\nPreserved facts:"


def preserve_facts(summary: str, facts: Sequence[Fact], *, held_elsewhere: str = "", max_chars: int) -> str:
    """The summary with the facts behind it that it lacks; the same object where it lacks none.

    Args:
        summary: an accepted summary.
        facts: what has to survive, each kind in the order of time.
        held_elsewhere: the other text of the new context; a fact in it is not lacking.
        max_chars: the limit of what is appended. Facts without room are counted in it; without room for the count
            nothing is appended.
    """
    lacking = fidelity(facts, summary, held_elsewhere).missing
    appendix = _appendix(lacking, max_chars) if lacking else ""
    return f"{summary.rstrip()}{appendix}" if appendix else summary


def _appendix(facts: Sequence[Fact], max_chars: int) -> str:
    room = max_chars
    while room > 0:
        chosen = choose_facts(facts, room)
        text = "\n".join([HEADING, *(line for kind in WEIGHTIEST_FIRST for line in chosen.section(kind))])
        if len(text) <= max_chars:
            return text
        room -= len(text) - max_chars
    text = f"{HEADING} … {len(facts):,} left out"
    return text if len(text) <= max_chars else ""
