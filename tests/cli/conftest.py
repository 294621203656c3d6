"""The command as a user calls it, and small conversations for it."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from brim.cli import main
from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.sessions.file_store import FileStore
from steps.policies import SMALL_TARGET
from tests.cli.conversations import LIMITS, RECORDING, conversation

NOBODY = 65_534


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
def somebody(brim, monkeypatch):
    """The home of a user who may do no more than files say; root becomes that one meanwhile."""
    for command in ("inspect", "compact"):  # what they import is read before nobody may
        brim(command, RECORDING)
    me = os.geteuid()
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="brim-") as place:
        home = Path(place)
        if me == 0:
            os.chown(home, NOBODY, -1)
            os.seteuid(NOBODY)
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "BRIM_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.chdir(home)
        yield home
        os.seteuid(me)
        subprocess.run(["chmod", "-R", "u+rwX", home], check=True)
        monkeypatch.chdir("/")


@pytest.fixture
def talk(tmp_path):
    """Writes messages, or whatever else, as JSON; the path."""

    def write(value, name="talk.json"):
        path = tmp_path / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder where sessions live unless another is named; it is not there yet."""
    monkeypatch.setenv("BRIM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def compacted(home):
    """A session of 12 turns that was compacted, and one of its project that was not; the first one's id."""
    with FileStore(home).create(project="/home/dev/parser", title="The parser", model="gpt-4-turbo") as session:
        session.extend(conversation(12))
        window = session.view().window(LIMITS, SMALL_TARGET)
        session.compacted(compact_without_model(plan_compaction(window)))
    with FileStore(home).create(project="/home/dev/lexer", title="The lexer") as other:
        other.extend(conversation(1))
    FileStore(home).sessions()  # what is known of them is in the index
    return session.id


@pytest.fixture
def written(tmp_path):
    """Writes a file of another tool; the path."""

    def write(text):
        path = tmp_path / "session"
        path.write_text(text, encoding="utf-8")
        return path

    return write
