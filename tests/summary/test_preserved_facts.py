"""Preserved facts: within the limit, nothing twice, and nothing lost that is not counted."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from brim.summary.facts import fidelity
from brim.summary.preserved_facts import preserve_facts
from tests.summary.test_previous_summary import FACTS

SUMMARIES = st.sampled_from(["", "All went well.", "The task (#2): a, b c.\n\n- none\n"])
LEFT_OUT = re.compile(r"… ([\d,]+) (?:more|left out|messages?,)")
LIMITS = st.integers(-5, 700)


@given(FACTS, SUMMARIES, SUMMARIES)
def test_with_room_for_all_nothing_is_lacking(facts, summary, kept):
    """The summary and the kept part together hold every fact, in whatever signs it is written."""
    told = preserve_facts(summary, facts, held_elsewhere=kept, user_text=kept, max_chars=100_000)
    assert fidelity(facts, told, kept, user_text=kept).missing == ()


@given(FACTS, SUMMARIES, LIMITS)
def test_what_is_appended_keeps_to_its_limit(facts, summary, limit):
    """The summary stays word for word, and what follows it is no longer than the limit."""
    told = preserve_facts(summary, facts, max_chars=limit)
    assert told.startswith(summary.rstrip())
    assert len(told) <= len(summary.rstrip()) + max(limit, 0) or told == summary


@given(FACTS, SUMMARIES, LIMITS)
def test_what_is_left_out_is_counted(facts, summary, limit):
    """Where anything is appended, the facts that are lacking are told there or counted there."""
    plain = [fact for fact in facts if "more" not in fact.text + fact.detail]
    lacking = fidelity(plain, summary).missing
    told = preserve_facts(summary, plain, max_chars=limit).removeprefix(summary.rstrip())
    if told.strip():
        counted = sum(int(number.replace(",", "")) for number in LEFT_OUT.findall(told))
        assert len(fidelity(lacking, told).missing) <= counted <= len(lacking)
