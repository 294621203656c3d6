"""Steps of features/cli/output.feature."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
from pathlib import Path
from threading import Thread

import pytest
from pytest_bdd import given, then, when

from brim.cli import main
from brim.conversation.messages import SUMMARY_OPENING
from brim.testing import MessagesServer
from steps.command_line import WINDOW, read_all
from steps.compaction_windows import filler, raw_turns
from steps.vocabulary import phrase

RECORDED = Path(__file__).parents[2] / "docs" / "examples" / "recorded-session.jsonl"
COLOR = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def page_of(monkeypatch):
    """What the command writes to a pipe or a terminal; an empty variable is not set."""

    def ran(command: str, place: str, **variables: str) -> str:
        ours, theirs = pty.openpty() if place == "terminal" else os.pipe()
        written = bytearray()
        reader = Thread(target=read_all, args=(ours, written))
        reader.start()
        with os.fdopen(theirs, "w", encoding="utf-8") as stdout, monkeypatch.context() as patch:
            for name, value in {"TERM": "xterm-256color", **variables}.items():
                patch.setenv(name, value)
                if not value:
                    patch.delenv(name)
            patch.setattr(sys, "stdout", stdout)
            files = (
                [str(RECORDED), "--window", "32k", "--max-output", "4k"] if command in {"inspect", "compact"} else []
            )
            code = main([*command.split(), *files])
        reader.join()
        assert code == 0
        return written.decode().replace("\r\n", "\n")

    return ran


@pytest.fixture(autouse=True)
def at_home(machine):
    """No settings but the command's own, and a project of a long path."""
    folder = "a-folder-of-a-long-name-that-no-terminal-of-eighty-columns-can-hold-beside-a-value"
    machine.write(machine.project / folder / "brim.toml", '[compaction]\nthreshold = "80%"\n')
    os.chdir(machine.project / folder)


@when(phrase('brim {command} writes its page to a {place} and "COLUMNS" is "{columns:Quoted}"'), target_fixture="page")
def write_page(page_of, command, place, columns):
    return page_of(command, place, COLUMNS=columns)


@when(phrase('brim {command} writes its page to a {place} and "NO_COLOR" is "{word:Quoted}"'), target_fixture="page")
def write_colored(page_of, command, place, word):
    return page_of(command, place, NO_COLOR=word, COLUMNS="80")


@then(phrase("its longest line has {bound} {columns:Count} characters"))
def check_longest(page, bound, columns):
    longest = max(map(len, ESCAPE.sub("", page).splitlines()))
    assert (longest > columns) == (bound == "more than")


@then(phrase('its headings are "{headings:Quoted}"'))
def check_headings(page, headings):
    assert ", ".join(re.findall(r"(?m)^(\w.*):$", page)) == headings


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
    flags = ("--keep-tokens", target, "--keep-share", "100%")
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
