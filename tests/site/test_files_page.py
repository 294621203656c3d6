import re
from pathlib import Path

import pytest

from brim.cli import main
from brim.sessions import open_store
from brim.sessions.search import SearchIndex, search

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
TOLD = re.findall(r"`([^`]+)`", PAGE)
ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


def as_told(path, home):
    """The name of a file as the page has it: the project and the session in general."""
    parts = path.relative_to(home).as_posix()
    return ID.sub("SESSION", re.sub(r"sessions/[^/]+", "sessions/PROJECT", parts))


def files_in(folder):
    """Every file below a folder."""
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder of the sessions, which is not there yet."""
    monkeypatch.setenv("BRIM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def session(home):
    """A store with everything in it: a session that is being written, and an index."""
    store = open_store()
    with store.create(project="/home/me/harbour", title="The piers") as session:
        session.append({"role": "user", "content": "Mind the tide."})
        search(SearchIndex(store), "tide")
        assert store.sessions()
        yield session


def test_every_file_that_brim_makes_is_on_the_page(session, home):
    """While a session is written too; and what is gone afterwards is what the page says is gone."""
    before = {as_told(path, home) for path in files_in(home)}
    assert "locks/SESSION.holder" in before
    assert before <= set(TOLD)
    session.close()
    assert before - {as_told(path, home) for path in files_in(home)} == {"locks/SESSION.holder"}


def test_without_sessions_nothing_is_made(home, capsys):
    """Neither the list nor a search makes a folder."""
    assert main(["sessions", "list"]) == 0
    assert main(["sessions", "search", "tide"]) == 0
    capsys.readouterr()
    assert not home.exists()
