"""The pages of docs hold programs that run, and print what their comments say."""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
PROGRAM = re.compile(r"```python\n(.*?)```", re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!http)([^)#]+)\)")
PAGES = sorted(DOCS.glob("*.md"))
PROGRAMS = [(page.name, program) for page in PAGES for program in PROGRAM.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "program"), PROGRAMS, ids=[page for page, _ in PROGRAMS])
def test_a_program_of_a_page_runs(page, program):
    """It runs to its end, and what it says that a line prints is what the line prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, page, "exec"), {"__name__": page})  # noqa: S102 - it is what a reader would run
    lines = iter(printed.getvalue().splitlines())
    assert [said for said in PRINTED.findall(program) if said not in lines] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page):
    """A link to the project's own files names one that is there."""
    assert [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()] == []
