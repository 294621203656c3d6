"""What says that something was built, compiled or installed, and what takes it back."""

from __future__ import annotations

import pytest

from brim.conversation.turns import ToolUse
from brim.evidence.reports import LONGEST, says_it_built
from brim.selection.anchors import detect
from tests.evidence.corpora import read_rows, turn


@pytest.mark.parametrize(("told", "text"), read_rows("build_reports.tsv"))
def test_build_reports(told, text):
    """A text says that something was built, or does not, or takes it back; so is the command an anchor (ANC_11)."""
    assert says_it_built(text) is (told == "yes")
    made = turn(ToolUse("Bash", {"command": "make"}, text, succeeded=True))
    assert (detect(made, previous_error=False) is not None) is (told == "yes")


def test_long_lines():
    """A line longer than any report is data."""
    assert not says_it_built("Successfully installed " + "x" * LONGEST)
