"""The README runs: its program prints what its comments say."""

import contextlib
import io
import re
from pathlib import Path

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
