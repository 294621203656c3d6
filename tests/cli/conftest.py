"""The command as a user calls it, and small conversations for it."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from brim.cli import main


@dataclass(frozen=True)
class Answer:
    """What the command answered."""

    code: int
    out: str
    error: str

    @property
    def json(self) -> Any:
        """Standard output as JSON, which has to be all of it."""
        assert self.error == ""
        assert self.code == 0
        return json.loads(self.out)


@pytest.fixture
def brim(capfd, monkeypatch):
    """Runs the command, by default in 80 columns without colour."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments):
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, error = capfd.readouterr()
        return Answer(code, out, error)

    return run


@pytest.fixture
def talk(tmp_path):
    """Writes messages, or whatever else, as JSON; the path."""

    def write(value, name="talk.json"):
        path = tmp_path / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write
