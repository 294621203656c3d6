"""Which store the command means: a folder or a URL, named by the option or by the environment."""

import os
from pathlib import Path

import pytest

from brim.errors import InvalidInput
from brim.sessions import open_store
from brim.sessions.paths import default_root
from steps.postgres import database  # noqa: F401  a fixture
from tests.cli.conversations import conversation
from tests.cli.test_bad_input import refused

SECRET = "geheim"  # noqa: S105  of no server
DOWN = f"://me:{SECRET}@127.0.0.1:9/brim"
"""Nobody listens there."""


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    """An empty folder to be in, and one that is the platform's for data."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def places(monkeypatch, where):
    """The same place by the option and by the environment."""
    yield ("--store", where)
    monkeypatch.setenv("BRIM_HOME", where)
    yield ()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["postgresql", "postgres", "POSTGRESQL", "postgresql+psycopg", " postgresql"])
def test_a_url_is_a_database_wherever_it_is_told(brim, talk, monkeypatch, nowhere, kind):
    """It is asked for sessions, and no folder is made of it; a password is never shown."""
    before = sorted(nowhere.rglob("*"))
    file = talk(conversation(1))
    for store in places(monkeypatch, f"{kind}{DOWN}"):
        for command in (("import", file), ("list",), ("search", "x")):
            answer = brim("sessions", *command, *store)
            refused(answer, 1, "cannot open the store at postgresql://me@127.0.0.1:9/brim", "see that the server runs")
            assert SECRET not in answer.error
    assert sorted(nowhere.rglob("*")) == [*before, file] if file not in before else before


BROKEN = {
    "one slash": f"postgresql:/me:{SECRET}@host/brim",
    "no slash": f"postgres:me:{SECRET}@host/brim",
    "large letters": f"Postgres:/me:{SECRET}@host/brim",
    "a driver": f"postgresql+psycopg:/me:{SECRET}@host/brim",
    "another kind": f"mysql:/me:{SECRET}@host/brim",
    "another kind with both slashes": f"mysql://me:{SECRET}@host/brim",
    "no kind": f"me:{SECRET}@host://brim",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_url(brim, talk, monkeypatch, nowhere, kind):
    """It is no folder: it is refused in a line that repeats no password, and nothing is made."""
    file = talk(conversation(1))
    before = sorted(nowhere.rglob("*"))
    for store in places(monkeypatch, BROKEN[kind]):
        for command in (("import", file), ("list",), ("search", "x")):
            answer = brim("sessions", *command, *store)
            refused(answer, 1, "postgresql://")
            assert SECRET not in answer.error
    with pytest.raises(InvalidInput) as met:
        open_store(BROKEN[kind])
    assert SECRET not in str(met.value)
    assert sorted(nowhere.rglob("*")) == before


def test_a_url_that_was_made_a_path(nowhere):
    """A path has one slash where a URL has two."""
    with pytest.raises(InvalidInput, match="both slashes"):
        open_store(Path(f"postgresql{DOWN}"))


def test_the_index_of_a_database(monkeypatch, nowhere):
    """It lies in the platform's folder where no folder is the user's own."""
    monkeypatch.setenv("BRIM_HOME", f"postgresql{DOWN}")
    assert default_root() == nowhere / "data" / "brim"
    index = open_store().index_path
    assert (index.parent, SECRET in index.name) == (nowhere / "data" / "brim", False)


@pytest.mark.peers
def test_all_of_it_by_the_environment(brim, talk, monkeypatch, nowhere, database):  # noqa: F811
    """A session is imported, listed and shown where BRIM_HOME names a database; outputs keep apart from the index."""
    monkeypatch.setenv("BRIM_HOME", database.new_store())
    made = brim("sessions", "import", talk(conversation(2)), "--json").json["session"]
    assert made in brim("sessions", "list").out
    assert brim("sessions", "search", "module", "--json").json["hits"]
    assert [path.suffix for path in (nowhere / "data" / "brim").glob("*.sqlite")] == [".sqlite"]
    place = nowhere / "data" / "brim" / "next.json"
    refused(brim("sessions", "resume", made, "-o", place), 1, "is where brim keeps sessions")
    assert brim("sessions", "resume", made, "-o", os.devnull).code == 0
