"""The command `brim` in a project, with a home folder and an environment of its own."""

from __future__ import annotations

import json
import os
import pty
import sys
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pytest_bdd import then

from brim.cli import main
from steps.vocabulary import phrase

WINDOW = ("--window", "200k", "--max-output", "64k")
"""The limits that most examples state."""


@dataclass(frozen=True)
class Answer:
    """What the command answered."""

    code: int
    out: str
    error: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        assert self.code == 0, self.error
        return json.loads(self.out)


class Machine:
    """A home, a project that is the current folder, and the variables of the environment."""

    def __init__(self, folder: Path, monkeypatch, capfd) -> None:
        self.root, self.home, self.project = folder, folder / "home", folder / "project"
        self._monkeypatch, self._capfd = monkeypatch, capfd
        for name in [name for name in os.environ if name.startswith("BRIM_")]:
            monkeypatch.delenv(name)
        for path in (self.home, self.project / ".git"):
            path.mkdir(parents=True)
        self.set("HOME", self.home)
        self.set("XDG_CONFIG_HOME", self.home / ".config")
        self.set("XDG_DATA_HOME", self.home / ".local" / "share")
        self.set("COLUMNS", 80)
        self.set("NO_COLOR", 1)
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(self.project)

    @property
    def user_file(self) -> Path:
        """The user's file of settings."""
        return self.home / ".config" / "brim" / "brim.toml"

    def set(self, variable: str, value: object) -> None:
        """Set a variable of the environment."""
        self._monkeypatch.setenv(variable, str(value))

    def enter(self, folder: Path) -> None:
        """Make a folder the current one."""
        self._monkeypatch.chdir(folder)

    def write(self, path: Path | str, text: str) -> Path:
        """Write a file, by default in the project."""
        where = self.project / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(text, encoding="utf-8")
        return where

    def run(self, *arguments: object, given: bytes = b"") -> Answer:
        """Run the command."""
        self._capfd.readouterr()
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(given)))
            code = main([str(argument) for argument in arguments])
        return Answer(code, *self._capfd.readouterr())

    def run_in_terminal(self, *arguments: str, typed: str) -> Answer:
        """Run the command in a terminal where something was typed; what it writes is read as it comes."""
        ours, theirs = pty.openpty()
        written = bytearray()
        reader = Thread(target=read_all, args=(ours, written))
        reader.start()
        os.write(ours, typed.encode())
        raw = os.fdopen(theirs, "r+b", buffering=0)
        with TextIOWrapper(raw, write_through=True) as terminal, self._monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", terminal)
            patch.setattr(sys, "stdout", terminal)
            code = main(arguments)
        reader.join()
        return Answer(code, written.decode(), self._capfd.readouterr().err)


def read_all(ours: int, written: bytearray) -> None:
    """Read what is written to a pipe or a terminal until it is closed."""
    with suppress(OSError):  # a terminal that nobody holds open any more
        while part := os.read(ours, 65_536):
            written += part
    os.close(ours)


@pytest.fixture
def machine(tmp_path, monkeypatch, capfd) -> Machine:
    """A machine without any settings."""
    return Machine(tmp_path, monkeypatch, capfd)


def ended(answer: Any) -> tuple[int, str]:
    """The exit code of a command, and what it wrote on standard error; of its figures too."""
    return (answer["exit code"], answer["error"]) if isinstance(answer, dict) else (answer.code, answer.error)


@then(phrase("it ends with {code:Count}"))
def check_code(answer, code):
    assert ended(answer)[0] == code, ended(answer)


@then(phrase('it ends with {code:Count}, and stderr says "{error:Quoted}"'))
def check_error(answer, code, error):
    told, said = ended(answer)
    assert (told, error in said if error else said == "", said.count("\n") <= 1) == (code, True, True), said


@then(phrase('stderr says "{text:Quoted}"'))
def check_stderr(answer, text):
    assert text in ended(answer)[1]
