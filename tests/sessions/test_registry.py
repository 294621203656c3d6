"""The registry as an index: what it is handed, what it is not, and what is listed when it or a log is damaged."""

import os

import pytest

from brim.errors import InvalidInput, StoreFailed
from brim.sessions import registry as registry_module
from brim.sessions.file_store import FileStore
from brim.sessions.paths import folder_of
from brim.sessions.records import ModelRecord
from brim.sessions.store import open_store
from tests.sessions.memory import user

LONG = "x" * 65_536


@pytest.fixture
def index(store):
    """The file that the registry lies in."""
    return store.index_path


def said(store, name, *texts):
    """A session in which these texts were said."""
    with store.create(name=name) as session:
        session.extend([user(text) for text in texts])


def told(store):
    """How far the registry knows each log."""
    return {name: info.size for name, info in store._rows().items()}


def size_of(store, name):
    """Bytes of a log."""
    return next(store.root.glob(f"sessions/*/{name}.jsonl")).stat().st_size


def test_a_long_log_is_read_by_one_listing(store, index, monkeypatch):
    """What a listing has read at length is not read again by the next one."""
    said(store, "one", LONG)
    listed = store.sessions()
    assert told(store) == {"one": size_of(store, "one")}
    monkeypatch.setattr(registry_module, "FileLog", None)
    assert FileStore(store.root).sessions() == listed


def test_the_registry_of_another_user_is_left_alone(store, index, monkeypatch):
    """An administrator's look does not take it away from its owner."""
    said(store, "one", LONG)
    store.sessions()
    said(store, "two")
    before = index.read_bytes()
    monkeypatch.setattr(os, "geteuid", lambda: index.stat().st_uid + 1)
    assert len(store.sessions()) == 2
    assert index.read_bytes() == before
    assert {one.name for one in store.root.iterdir()} == {"index.sqlite", "locks", "sessions"}


def headless(store, name, project):
    """A session whose first line is damaged."""
    with store.create(name=name, project=project) as session:
        session.append(user())
        session.rename("Renamed")
    log = next(store.root.glob(f"sessions/*/{name}.jsonl"))
    data = log.read_bytes()
    log.write_bytes(b"#" + data[1:])


def test_a_log_whose_first_line_is_damaged_is_listed(store):
    """Its title is known from what follows, and it goes on."""
    headless(store, "one", "/home/dev/parser")
    with store.open("one") as session:
        session.append(user("more"))
        session.write(ModelRecord, model="other-model")
        assert session.warnings[0].startswith("one: the line at 0 was set aside")
    (listed,) = FileStore(store.root).sessions()
    assert (listed.id, listed.title, listed.model) == ("one", "Renamed", "other-model")


def test_what_is_no_log_of_a_session_is_not_listed(store):
    """A log of records that nobody knows is no session whatever it is called."""
    store.create(name="one").close()
    folder = store.root / "sessions" / folder_of("")
    (folder / "two.jsonl").write_bytes(b"")
    (folder / "three.jsonl").write_bytes(b'{"v":2,"kind":"weather","id":"7","time":1}\n')
    assert [one.id for one in store.sessions()] == ["one"]
    assert len(store.warnings()) == 2


@pytest.mark.parametrize("sign", ["\ud83d", "\udce9", "\0", "\u2028\n"])
def test_any_sign_stands_in_any_field(store, index, sign):
    """Half a sign, a byte that is no UTF-8, a zero byte: it is listed as it was given, with and without a registry."""
    about = {"title": f"Title {sign}", "project": f"/home/{sign}", "model": f"m{sign}"}
    store.create(name="one", **about).close()
    for _ in range(2):
        again = FileStore(store.root)
        (one,) = again.sessions(about["project"])
        assert one.model_dump(include=set(about)) == about
        index.unlink()


@pytest.mark.parametrize("name", ["a\0b", "a\ud83d"])
def test_a_folder_that_cannot_be_is_told_in_one_line(tmp_path, name):
    """It is refused when the store is opened, before anything is looked for."""
    with pytest.raises(InvalidInput, match="holds what no name of a folder can hold") as met:
        open_store(tmp_path / name)
    assert str(met.value).isprintable()


def test_a_disk_that_fails_while_a_log_is_read_is_told(store, monkeypatch):
    """It is told by name and in one line, and the others are listed."""
    for name in ("one", "two"):
        said(store, name, "short")
    real = os.pread
    log = next(store.root.glob("sessions/*/one.jsonl"))

    def read(file, count, place):
        if os.fstat(file).st_ino == log.stat().st_ino:
            raise OSError(5, "Input/output error")
        return real(file, count, place)

    monkeypatch.setattr(os, "pread", read)
    assert [one.id for one in store.sessions()] == ["two"]
    assert store.warnings() == (
        f"cannot read {log}: Input/output error; see that it can be reached, and that there is room",
    )
    with pytest.raises(StoreFailed, match="Input/output error"):
        store.read("one")
