"""Runs of commands: what terminals and shells put around the words that matter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brim.evidence.failures import failure_line, subject_of


@given(st.text())
def test_a_failure_line_is_one_line_of_the_output(output):
    """What is told stands on one line and keeps to the length of an opening."""
    line = failure_line(output)
    assert "\n" not in line
    assert len(line) <= 200


@given(st.text(alphabet="ab -", min_size=1).filter(str.strip), st.sampled_from([" 2>&1", " | tail -5", " > out.txt"]))
def test_clipping_makes_no_other_command(command, clipping):
    """A plain command has one subject, however its output is clipped."""
    assert subject_of(command + clipping) == subject_of(command)
