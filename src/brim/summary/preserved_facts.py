"""Preserved facts: the user's words and the facts that a summary lacks are appended to it, within a limit.

Specified by features/summary/preserved_facts.feature (SUM_14).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from brim.evidence.failures import on_one_line
from brim.summary.facts import WEIGHTIEST_FIRST, Fact, SearchText, fidelity
from brim.summary.previous_summary import Earlier, carry_over, items_of, read_earlier, without_listed
from brim.summary.template import USER_SENTENCES, choose_facts, words_beside
from brim.summary.user_words import listed_messages

HEADING: Final = "\n\nPreserved facts:"


def preserve_facts(
    summary: str,
    facts: Sequence[Fact],
    *,
    held_elsewhere: str | SearchText = "",
    user_text: str = "",
    max_chars: int,
    words_chars: int | None = None,
    previous_summary: str = "",
    has_first: bool = True,
) -> str:
    """Return the summary, and behind it the user's words and the facts that it lacks; the same object if none.

    Args:
        summary: an accepted summary.
        facts: what has to survive, each kind in the order of time.
        held_elsewhere: the other text of the new context; a fact in it is not lacking.
        user_text: the user's own words in that text; a message of the user in them is not lacking.
        max_chars: the limit of what is appended. Facts without room are counted in it; without room for the count
            nothing is appended.
        words_chars: the limit of the user's messages among it; up to half of it is left to constraints and decisions.
            Half of it where none is given.
        previous_summary: the text that the summary replaces; the user's messages that it lists and no record tells are
            appended too, in what the newer ones leave, and a quarter of their limit in any case (SUM_09).
        has_first: whether the facts go back to the user's first message; else it is in that text.
    """
    lacking = fidelity(facts, summary, held_elsewhere, user_text=user_text).missing
    room = max_chars - len(HEADING) - 1
    stated = sum(len(line) + 1 for kind in USER_SENTENCES for line in choose_facts(lacking, room // 2).section(kind))
    limit = room // 2 if words_chars is None else min(words_chars, room - stated)
    asked = [fact.text for fact in lacking if fact.kind == "request"]
    shown = {*map(on_one_line, asked), *items_of(user_text), *items_of(listed_messages(summary))}
    known = without_listed(read_earlier(previous_summary, is_known=has_first), shown)
    words, shared = words_beside(asked, known, limit, has_first=has_first)
    earlier = carry_over(Earlier(known.words), shared, shared)
    others = [fact for fact in lacking if fact.kind != "request"]
    behind = f"\n\n{earlier}" if earlier else ""
    appendix = _appendix(words, others, max_chars - len(behind)) if words or not asked else ""
    appendix = appendix or f"{HEADING} … {len(lacking):,} left out"
    appendix = f"{appendix if lacking else ''}{behind}"
    return f"{summary.rstrip()}{appendix}" if appendix and len(appendix) <= max_chars else summary


def _appendix(words: str, facts: Sequence[Fact], max_chars: int) -> str:
    """Write the words and the facts under the heading; empty without room for a line of each kind."""
    heading, room = f"{HEADING}\n{words}" if words else HEADING, max_chars - len(words)
    while room > 0:
        chosen = choose_facts(facts, room, words)
        text = "\n".join([heading, *(line for kind in WEIGHTIEST_FIRST for line in chosen.section(kind))])
        if len(text) <= max_chars:
            return text
        room -= len(text) - max_chars
    return heading if words else ""
