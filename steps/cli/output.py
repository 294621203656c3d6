"""Steps of features/cli/output.feature."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_bdd import given, then, when

from brim.conversation.messages import SUMMARY_OPENING
from brim.testing import MessagesServer
from steps.command_line import WINDOW
from steps.compaction_windows import filler, raw_turns
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


def worked_between(machine, first, last):
    """A transcript of two messages of the user, with long turns between them."""
    answer = {"role": "assistant", "content": "Yes."}
    first, last = ({"role": "user", "content": text} for text in (first, last))
    return machine.write("talk.json", json.dumps([first, answer, *raw_turns(16, 5_000), last, answer]))


@given(
    phrase('a transcript in which the user wrote "{first:Quoted}" before long work and then "{last:Quoted}"'),
    target_fixture="file",
)
def write_messages(machine, first, last):
    return worked_between(machine, first, last)


@given(
    phrase('a transcript in which the user wrote "{first:Quoted}" before long work and then {count:Count} letters'),
    target_fixture="file",
)
def write_letters(machine, first, count):
    return worked_between(machine, first, "x" * count)


@given(
    phrase(
        "a transcript that begins with an earlier summary, and in which the user wrote "
        '"{first:Quoted}" before long work'
    ),
    target_fixture="file",
)
def write_after_summary(machine, first):
    file = worked_between(machine, first, "Go on.")
    summary = {"role": "user", "content": f"{SUMMARY_OPENING}\n\nThe door was painted."}
    file.write_text(json.dumps([summary, *json.loads(file.read_text(encoding="utf-8"))]), encoding="utf-8")
    return file


@given(
    phrase("a transcript with a system prompt of {system:Tokens} tokens and {count:Count} long turns"),
    target_fixture="file",
)
def write_with_system(machine, system, count):
    return machine.write("talk.json", json.dumps({"system": filler(system), "messages": raw_turns(count, 5_000)}))


@pytest.fixture
def shows(machine, file):
    """What the command shows of a compaction of the transcript with some flags."""

    def run(*flags):
        machine.set("COLUMNS", 400)
        answer = machine.run("compact", file, *WINDOW, "--model", "claude-sonnet-5-5", *flags)
        return answer.json if "--json" in flags else answer.out

    return run


@pytest.fixture
def without_summary(machine, monkeypatch):
    """The flags by which the old turns are left out: no summarizer answers."""
    monkeypatch.setattr("brim.summary.attempts.WAITS_MS", (0, 0, 0))
    with MessagesServer(default="") as server:
        machine.set("ANTHROPIC_BASE_URL", server.url)
        machine.set("ANTHROPIC_API_KEY", "sk-ant-test")
        yield ("--summarizer", "anthropic", "--on-failure", "truncate")


@when(
    phrase('a compaction that leaves the old turns out shows its page with "{flags:Quoted}"'),
    target_fixture="found",
)
def show_without_summary(shows, without_summary, flags):
    return shows(*without_summary, *flags.split()), shows(*without_summary, "--json")


@when(phrase("a compaction that keeps at most {target} tokens shows its page"), target_fixture="found")
def show_with_target(shows, target):
    flags = ("--target", target, "--keep-share", "100%")
    return shows(*flags), shows(*flags, "--json")


@then(phrase('the page of compact says "{text:Quoted}"'))
def check_page(found, text):
    assert text in found[0]


@then(phrase('the page of compact does not say "{text:Quoted}", but the JSON does'))
def check_apart(found, text):
    page, told = found
    assert (text in page, text in told["warning"]) == (False, True)


@then(phrase("as JSON the share of the words is {share:Number}, and {missing:Count} characters are missing"))
def check_share(found, share, missing):
    fidelity = found[1]["fidelity"]
    assert str(fidelity["words"]["share"]) == str(share)
    assert sum(one["characters"] for one in fidelity["missing_words"]) == missing
