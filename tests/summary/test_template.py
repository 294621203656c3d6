"""The template's room, character by character, and what comes from outside in lines of its own (SUM_07)."""

import re
from decimal import Decimal

import pytest

from brim.conversation.turns import Response, Turn
from brim.selection.anchors import Anchor, AnchorKind
from brim.summary.facts import Fact
from brim.summary.previous_summary import CARRIED
from brim.summary.template import template_summary

CONSTRAINTS = [Fact("constraint", f"{n} ".ljust(96, "x"), 0) for n in range(9)]
FAILED = [Fact("failed_command", f"{n} ".ljust(46, "x"), 0, "y" * 50) for n in range(100)]


def answered(count, length):
    """Turns that are answered in so many characters, each in other ones."""
    return tuple(Turn(n, n, n + 1, "", (Response(f"{n}".ljust(length, "x")),)) for n in range(count))


def held(summary, facts):
    """How many of the facts a summary has."""
    return sum(fact.text in summary for fact in facts)


@pytest.mark.parametrize(("limit", "count"), [(499, 2), (500, 3)])
def test_a_fact_takes_its_characters_and_four(limit, count):
    """Those that have no room are counted (SUM_07)."""
    summary = template_summary((), facts=CONSTRAINTS[:5], max_chars=limit)
    assert held(summary, CONSTRAINTS) == count
    assert f"\n- … {5 - count} more\n" in summary


@pytest.mark.parametrize(("limit", "count"), [(499, 2), (500, 3)])
def test_the_line_that_says_why_a_command_failed_takes_its_characters_too(limit, count):
    """A command of 46 characters and 50 more take as many as a constraint of 96 (SUM_07)."""
    assert held(template_summary((), facts=FAILED[:5], max_chars=limit), FAILED) == count


@pytest.mark.parametrize(("limit", "oldest", "left"), [(1_009, "f-0048", 47), (1_010, "f-0047", 46)])
def test_a_common_folder_takes_its_characters_once(limit, oldest, left):
    """A hundred files of six characters below a folder of twelve (SUM_07)."""
    files = [Fact("read_file", f"/home/me/app/f-{number:04}", 0) for number in range(1, 101)]
    summary = template_summary((), facts=files, max_chars=limit)
    assert f" {oldest}," in summary
    assert f"… {left} more" in summary


def test_no_kind_takes_more_than_half_of_what_is_left_before_the_others_have_room():
    """Ten constraints, one of every other kind, and a file (SUM_07)."""
    kinds = ["request", "constraint", "decision", "failed_command", "todo", "created_file", "deleted_file", "read_file"]
    each = [Fact(kind, f"{kind} ".ljust(96, "x"), 0) for kind in [*kinds, "modified_file"]]
    facts = [*CONSTRAINTS, *each, Fact("modified_file", "f".ljust(56, "x"), 0)]
    summary = template_summary((), facts=facts, max_chars=1_301)
    kept = [fact.kind for fact in facts if fact.text in summary]
    assert sorted(kept) == ["constraint"] * 4 + ["decision", "failed_command", "request", "todo"]


@pytest.mark.parametrize(
    ("limit", "count", "note"),
    [(240, 2, "3 earlier outcomes"), (241, 3, "2 earlier outcomes"), (252, 4, "1 earlier outcome")],
)
def test_an_outcome_takes_its_characters_and_a_line_break(limit, count, note):
    """Five answers of eight characters (SUM_07)."""
    summary = template_summary(answered(5, 8), max_chars=limit)
    assert len(re.findall(r"^✓ \dx+$", summary, re.MULTILINE)) == count
    assert f"\n… {note} left out\n" in summary


@pytest.mark.parametrize(("limit", "lengths"), [(828, [309]), (827, [201]), (410, [201]), (409, [])])
def test_a_long_anchor_is_whole_in_half_of_the_room_else_shortened_else_left_out(limit, lengths):
    """One that is left out is counted (SUM_07)."""
    anchor = Anchor(0, AnchorKind.TASK_COMPLETION, Decimal(1))
    summary = template_summary(answered(1, 300), anchors=[anchor], max_chars=limit)
    assert [len(line) for line in re.findall(r"^\[ANCHOR\] .*$", summary, re.MULTILINE)] == lengths
    assert ("… 1 earlier outcome left out" in summary) is not bool(lengths)


@pytest.mark.parametrize(("limit", "count", "full"), [(242, 1, 1), (249, 2, 1), (250, 2, 2)])
def test_each_anchor_takes_room_from_the_next(limit, count, full):
    """One without room for its mark is told like any other turn (SUM_07)."""
    anchors = [Anchor(n, AnchorKind.TASK_COMPLETION, Decimal(1)) for n in range(2)]
    summary = template_summary(answered(2, 11), anchors=anchors, max_chars=limit)
    assert len(re.findall(r"^(?:✓|\[ANCHOR\]) \dx+$", summary, re.MULTILINE)) == count
    assert summary.count("[ANCHOR]") == full


@pytest.mark.parametrize(("facts", "least", "most"), [(0, 2_700, 3_100), (100, 300, 800)])
def test_an_earlier_summary_takes_what_the_facts_leave_but_for_a_fifth_for_the_outcomes(facts, least, most):
    """A fifth of 4,000 characters is for the outcomes, with and without facts (SUM_07)."""
    summary = template_summary(answered(100, 60), facts=FAILED[:facts], previous_summary="x" * 8_000, max_chars=4_000)
    earlier, _, outcomes = summary.partition(f"{CARRIED}\n")[2].partition("\nWhat was done:\n")
    assert least <= len(earlier) <= most
    assert 700 <= len(outcomes) <= 1_000
