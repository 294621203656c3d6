"""The registry as an index: what it is handed, what it is not, and what is listed when it or a log is damaged."""

import os

import pytest

from brim.errors import InvalidInput, StoreFailed
from brim.sessions import registry as registry_module
from brim.sessions.file_store import FileStore
from brim.sessions.paths import default_root, folder_of
from brim.sessions.records import ModelRecord
from brim.sessions.registry import with_lines
from brim.sessions.store import open_store
from tests.sessions.memory import user

LONG = "x" * 65_536


@pytest.fixture
def index(store):
    """The file that the registry lies in."""
    return store.index_path


def died(store, name, *texts):
    """A session whose writer died before it told the registry what was said."""
    store.create(name=name).close()
    session = store.open(name)
    session.extend([user(text) for text in texts])
    session.journal.close()


def told(store):
    """How far the registry knows each log."""
    return {name: info.size for name, info in store._rows().items()}


def size_of(store, name):
    """Bytes of a log."""
    return next(store.root.glob(f"sessions/*/{name}.jsonl")).stat().st_size


def test_a_long_log_is_read_by_one_listing(store, index, monkeypatch):
    """What a listing has read at length is not read again by the next one."""
    died(store, "one", LONG)
    listed = store.sessions()
    assert told(store) == {"one": size_of(store, "one")}
    monkeypatch.setattr(registry_module, "FileLog", None)
    assert FileStore(store.root).sessions() == listed


def test_no_message_writes_the_index(store, index):
    """What is said is in the log alone until the session is renamed, compacted or closed."""
    with store.create(name="one") as session:
        session.publish()
        before = index.read_bytes()
        session.extend([user()] * 3)
        assert index.read_bytes() == before


def test_the_registry_of_another_user_is_left_alone(store, index, monkeypatch):
    """An administrator's look does not take it away from its owner."""
    died(store, "one", LONG)
    before = index.read_bytes()
    monkeypatch.setattr(os, "geteuid", lambda: index.stat().st_uid + 1)
    assert len(store.sessions()) == 1
    assert index.read_bytes() == before
    assert {one.name for one in store.root.iterdir()} == {"index.sqlite", "locks", "sessions"}


def test_what_is_added_while_a_log_is_read_is_found_later(store, monkeypatch):
    """The registry is told how far a log was read, and not how long it is by then."""
    died(store, "one", LONG)

    def read_and_then_renamed(info, lines):
        known = with_lines(info, lines)
        with FileStore(store.root).open("one") as session:
            session.publish = lambda: None
            session.rename("Meanwhile")
        return known

    monkeypatch.setattr(registry_module, "with_lines", read_and_then_renamed)
    store.sessions()
    monkeypatch.undo()
    assert [one.title for one in FileStore(store.root).sessions()] == ["Meanwhile"]


def headless(store, name, project):
    """A session whose first line is damaged, and no registry that knows it."""
    with store.create(name=name, project=project) as session:
        session.append(user())
        session.rename("Renamed")
    log = next(store.root.glob(f"sessions/*/{name}.jsonl"))
    data = log.read_bytes()
    log.write_bytes(b"#" + data[1:])
    store.index_path.unlink()


def test_a_log_whose_first_line_is_damaged_is_listed_with_its_project(store):
    """Its title is known from what follows, its project by the folder it lies in, and it goes on."""
    headless(store, "one", "/home/dev/parser")
    with store.open("one") as session:
        session.append(user("more"))
        session.write(ModelRecord, model="other-model")
        assert session.warnings[0].startswith("one: the line at 0 was set aside")
    (listed,) = FileStore(store.root).sessions("/home/dev/parser")
    assert (listed.id, listed.title, listed.model) == ("one", "Renamed", "other-model")
    assert store.sessions("/home/dev/lexer") == []
    assert store.sessions("") == []


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


ODD = {
    "a title": lambda store: store.create(title=None),
    "a project": lambda store: store.create(project=7),
    "a parent": lambda store: store.create(parent=7),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_text_is_told_in_one_line(store, what):
    """No session is made of it."""
    with pytest.raises(InvalidInput) as met:
        ODD[what](store)
    assert "\n" not in str(met.value)
    assert store.sessions() == []


@pytest.mark.parametrize("name", ["a\0b", "a\ud83d"])
def test_a_folder_that_cannot_be_is_told_in_one_line(tmp_path, name):
    """It is refused when the store is opened, before anything is looked for."""
    with pytest.raises(InvalidInput, match="holds what no name of a folder can hold") as met:
        open_store(tmp_path / name)
    assert str(met.value).isprintable()


def test_the_folder_of_a_user_who_is_not_there(monkeypatch):
    """The variable is named, with what it says."""
    monkeypatch.setenv("BRIM_HOME", "~nobody-here/brim")
    with pytest.raises(InvalidInput, match="BRIM_HOME names ~nobody-here/brim, and there is no such user"):
        default_root()


def test_a_disk_that_fails_while_a_log_is_read_is_told(store, monkeypatch):
    """It is told by name and in one line, and the others are listed."""
    for name in ("one", "two"):
        died(store, name, "short")
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
