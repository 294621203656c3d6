"""The README runs: its program prints what its comments say, and its picture is what the command prints."""

import contextlib
import io
import re
from pathlib import Path

from tests.pictures import FOLDER, demo, picture_of_demo

README = Path(__file__).parent.parent / "README.md"
PROGRAM = re.compile(r"```python\n(.*?)```", re.DOTALL)
PRINTED = re.compile(r"^print\(.*?\)  # (.*)$", re.MULTILINE)


def test_the_program_prints_what_it_says():
    """Each line that prints something says in its comment what."""
    client, program = PROGRAM.findall(README.read_text(encoding="utf-8"))
    assert client.splitlines()[-1] == "client = brim.compacting(anthropic.Anthropic())"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, str(README), "exec"), {})  # noqa: S102 - it is what a reader would run
    assert printed.getvalue().splitlines() == PRINTED.findall(program)


def test_every_link_leads_somewhere():
    """A link to the project's own files names one that is there."""
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert [link for link in links if not (README.parent / link).exists()] == []


def test_the_picture_is_what_the_command_prints():
    """The SVG is drawn from the command's own output; `python -m tests.pictures` draws it again."""
    assert (FOLDER / "demo.svg").read_text(encoding="utf-8") == picture_of_demo()


def test_the_words_of_the_picture_have_its_figures():
    """Who does not see the picture reads the same tokens and facts."""
    words = re.search(r"!\[(.*)\]", README.read_text(encoding="utf-8"))[1]
    assert len(figures := re.findall(r"\d[\d,]*(?: of \d+)?", words)) == 3
    assert all(figure in demo() for figure in figures)
