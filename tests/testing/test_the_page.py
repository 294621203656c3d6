"""The page about testing runs: each of its programs prints what its comments say."""

import contextlib
import io
import re
from pathlib import Path

import pytest

import brim.testing

PAGE = (Path(__file__).parent.parent.parent / "docs" / "testing.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PRINTED = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_prints_what_it_says(program):
    """Each line that prints something says in its comment what."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "docs/testing.md", "exec"), {})  # noqa: S102 - it is what a reader would run
    assert printed.getvalue().splitlines() == PRINTED.findall(program)
    assert PRINTED.findall(program)


def test_every_public_name_is_on_the_page():
    """What is public is told about, types that only come back apart."""
    told = set(re.findall(r"\w+", PAGE))
    assert sorted(set(brim.testing.__all__) - told) == ["Failure", "Received"]
