"""Steps of features/cli/output.feature."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_bdd import then, when

from steps.vocabulary import phrase

RECORDED = Path(__file__).parents[2] / "docs" / "examples" / "recorded-session.jsonl"
COLOR = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def ran(command: str, place: str, **variables: str) -> str:
    """What a process of the command writes to a pipe or a terminal; an empty variable is not set."""
    told = {**os.environ, "TERM": "xterm-256color", **variables}
    environ = {name: value for name, value in told.items() if value}
    files = [str(RECORDED), "--window", "32k", "--max-output", "4k"] if command != "settings" else []
    arguments = [sys.executable, "-m", "brim", command, *files]
    if place == "pipe":
        return subprocess.run(  # noqa: S603 - the command itself
            arguments, env=environ, capture_output=True, text=True, check=True
        ).stdout
    ours, theirs = pty.openpty()
    process = subprocess.Popen(arguments, env=environ, stdout=theirs, stderr=subprocess.DEVNULL)  # noqa: S603 - as above
    os.close(theirs)
    written = bytearray()
    try:
        while part := os.read(ours, 65_536):
            written += part
    except OSError:  # a terminal that nobody holds open any more
        pass
    os.close(ours)
    assert process.wait() == 0
    return written.decode().replace("\r\n", "\n")


@pytest.fixture(autouse=True)
def at_home(machine):
    """No settings but the command's own, and a project of a long path."""
    folder = "a-folder-of-a-long-name-that-no-terminal-of-eighty-columns-can-hold-beside-a-value"
    machine.write(machine.project / folder / "brim.toml", '[compaction]\nthreshold = "80%"\n')
    os.chdir(machine.project / folder)


@when(phrase('brim {command} writes its page to a {place} and "COLUMNS" is "{columns:Quoted}"'), target_fixture="page")
def write_page(command, place, columns):
    return ran(command, place, COLUMNS=columns)


@when(phrase('brim {command} writes its page to a {place} and "NO_COLOR" is "{word:Quoted}"'), target_fixture="page")
def write_colored(command, place, word):
    return ran(command, place, NO_COLOR=word, COLUMNS="80")


@then(phrase("its longest line has {bound} {columns:Count} characters"))
def check_longest(page, bound, columns):
    longest = max(map(len, ESCAPE.sub("", page).splitlines()))
    assert (longest > columns) == (bound == "more than")


@then(phrase("it has {color}"))
def check_color(page, color):
    assert bool(COLOR.search(page)) == (color == "color")
