"""What tells of tests, runner by runner, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.turns import ToolUse
from brim.evidence.reports import LONGEST
from brim.evidence.reports import read_test_report as outcome
from brim.selection.anchors import detect
from tests.evidence.corpora import read_rows, turn

REPORTS = read_rows("test_reports.tsv")


@pytest.mark.parametrize(("told", "text"), REPORTS)
def test_reports(told, text):
    """A text tells of passing tests, of failing ones however many passed, or of neither (ANC_06)."""
    assert (outcome(text) or "silent") == told
    changed = turn(ToolUse("Edit", {}, "", succeeded=True), ToolUse("Bash", {}, text, succeeded=True))
    assert (detect(changed, previous_error=False) is not None) is (told == "passing")


@given(passed=st.integers(1, 9999), failed=st.integers(0, 9999), swap=st.booleans())
def test_counts(passed, failed, swap):
    """Whatever the counts, a single failure makes it failing, in either order."""
    counts = [f"{passed:,} passed", f"{failed:,} failed"]
    text = ", ".join(reversed(counts) if swap else counts)
    assert outcome(text) == ("failing" if failed else "passing")


@given(st.text())
def test_any_text(text):
    """No text makes it stumble, and letters of either case read the same."""
    assert outcome(text) in {"passing", "failing", None}
    if text.isascii():
        assert outcome(text.upper()) == outcome(text.lower())


def test_long_lines():
    """A line longer than any report is data, and tells nothing; lines before and after it do (ANC_06)."""
    assert outcome("12 passed" + "x" * (LONGEST - 9)) is None
    assert outcome("12 passed" + " " * (LONGEST - 9)) == "passing"
    assert outcome("12 passed" + " " * (LONGEST - 8)) is None
    assert outcome("12 passed" + " " * LONGEST + "\n3 passed") == "passing"
    assert outcome("12 passed\n" + "x" * (LONGEST + 1) + "\nx") == "passing"
