"""The page about transcripts runs: its commands print what stands below them, its program what its comments say."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from brim.transcripts.formats import FORMATS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "transcripts.md").read_text(encoding="utf-8")
CONSOLES = re.findall(r"```console\n\$ brim (.*?)\n(.*?)```", PAGE, re.DOTALL)
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PRINTED = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)
TABLES = [re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) for table in PAGE.split("\n## ")]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder that holds the project's documents, and where a command may write."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)


def test_the_commands_print_what_stands_below_them(brim, elsewhere):
    """Every line is there, in this order, and nothing is left out but where the page says so."""
    assert len(CONSOLES) == 3
    for asked, told in CONSOLES:
        answer = brim(*asked.split())
        assert (answer.code, answer.error) == (0, "")
        shown = ".*\n".join(re.escape(part) for part in told.split("…\n"))
        assert re.fullmatch(shown, answer.out, re.DOTALL)


def test_the_program_prints_what_it_says(elsewhere):
    """Each line that prints something says in its comment what."""
    (program,) = PROGRAMS
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "docs/transcripts.md", "exec"), {})  # noqa: S102 - it is what a reader would run
    assert printed.getvalue().splitlines() == PRINTED.findall(program)


def test_every_format_is_told_of():
    """Both tables have a row for every format that is read, in the order in which most will look for them."""
    tables = [table for table in TABLES if table]
    assert len(tables) == 2
    assert [sorted(table) for table in tables] == [sorted(form.NAME for form in FORMATS)] * 2
    assert tables[0] == tables[1]
