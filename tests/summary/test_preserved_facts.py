"""Preserved facts: within the limit, nothing twice, and nothing lost that is not counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.compactor import Compactor
from brim.summary import user_words
from brim.summary.facts import Fact, fidelity
from brim.summary.preserved_facts import preserve_facts
from brim.testing import ScriptedSummarizer
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


def test_a_summary_that_lacks_nothing_is_returned_as_it_is():
    """White space at its end stays too."""
    facts = [Fact("todo", "Tell the team", 0)]
    assert preserve_facts("Tell the team.\n ", facts, max_chars=0) == "Tell the team.\n "


@pytest.mark.parametrize(
    ("summary", "last", "count"),
    [
        ("All went well.", "Go on.", 1),
        ("User requests:\n- Port the parser.", "Go on.", 1),
        ("All went well.", "Port the parser.", 0),
    ],
)
def test_words_of_the_user_in_an_earlier_summary_are_appended_where_no_other_text_has_them(summary, last, count):
    """Neither the new summary nor a message that stays (SUM_14)."""
    earlier = f"{SUMMARY_OPENING}\n\n{user_words.HEADING}\n- Port the parser."
    said = [earlier, "Mend it.", "text" * 500, "Two.", "Done.", "Three.", "Done.", last]
    roles = ["user", *("user", "assistant") * 3, "user"]
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=True)]
    compaction = Compactor(summarizer=ScriptedSummarizer(summary)).compact(messages)
    assert compaction.summary.count("Port the parser.") == count


def test_the_words_of_the_user_in_an_earlier_summary_take_no_room_from_the_facts():
    """Sixty messages of 200 characters, and a turn that edits 150 files (SUM_14)."""
    words = "\n- ".join(f"{number} ".ljust(200, "x") for number in range(60))
    edits = [{"file_path": f"src/{number}/".ljust(100, "y")} for number in range(150)]
    calls = [{"type": "tool_use", "id": f"A{n}", "name": "Edit", "input": edit} for n, edit in enumerate(edits)]
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "ok"} for call in calls]
    said = [("assistant", "text" * 40_000), ("user", "Two."), ("user", "Three."), ("user", "Four.")]
    messages = [
        {"role": "user", "content": f"{SUMMARY_OPENING}\n\n{user_words.HEADING}\n- {words}"},
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
        *({"role": role, "content": text} for role, text in said),
    ]
    summary = Compactor(summarizer=ScriptedSummarizer("All went well.")).compact(messages).summary
    assert all(f"- {number} x" in summary for number in range(60))
    assert all(f"src/{number}/y" in summary for number in range(150))
