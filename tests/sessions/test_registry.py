"""The registry as an index: what it is handed, what it is not, and what is listed when it or a log is damaged."""

import json
import os
from pathlib import Path

import pytest
from filelock import Timeout

from brim.errors import BrimError, InvalidInput, StoreFailed
from brim.sessions import registry as registry_module
from brim.sessions.file_store import MUCH, FileStore
from brim.sessions.paths import default_root, folder_of
from brim.sessions.registry import with_lines
from brim.sessions.store import open_store
from tests.sessions.memory import user

LONG = "x" * MUCH


@pytest.fixture
def registry(store):
    """The file of the registry."""
    return store.root / "registry.json"


def died(store, name, *texts):
    """A session whose writer died before it told the registry what was said."""
    store.create(name=name).close()
    session = store.open(name)
    session.extend([user(text) for text in texts])
    session.journal.close()


def told(registry):
    """How far the registry knows each log."""
    return {name: one["size"] for name, one in json.loads(registry.read_text(encoding="utf-8"))["sessions"].items()}


def size_of(store, name):
    """Bytes of a log."""
    return next(store.root.glob(f"sessions/*/{name}.jsonl")).stat().st_size


def test_a_long_log_is_read_by_one_listing(store, registry, monkeypatch):
    """What a listing has read at length is not read again by the next one."""
    died(store, "one", LONG)
    listed = store.sessions()
    assert told(registry) == {"one": size_of(store, "one")}
    monkeypatch.setattr(registry_module, "FileLog", None)
    assert FileStore(store.root).sessions() == listed


def test_a_listing_that_read_little_writes_nothing(store, registry):
    """To look is not to write, where it spares little."""
    died(store, "one", "short")
    before = registry.read_bytes()
    assert len(store.sessions()) == 1
    assert registry.read_bytes() == before


def test_the_registry_of_another_user_is_left_alone(store, registry, monkeypatch):
    """An administrator's look does not take it away from its owner."""
    died(store, "one", LONG)
    before = registry.read_bytes()
    monkeypatch.setattr(os, "geteuid", lambda: registry.stat().st_uid + 1)
    assert len(store.sessions()) == 1
    assert registry.read_bytes() == before


def test_a_store_told_in_another_way_knows_its_logs(store, registry, monkeypatch):
    """Opened by a path from where one is, the registry's figures are those of the same logs."""
    died(store, "one", LONG)
    listed = store.sessions()
    monkeypatch.chdir(store.root.parent)
    monkeypatch.setattr(registry_module, "FileLog", None)
    assert FileStore(Path(store.root.name)).sessions() == listed


def test_a_registry_that_another_writes_is_not_waited_for(store, registry, monkeypatch):
    """A listing that cannot tell the registry now lists all the same."""
    died(store, "one", LONG)
    before, waits = registry.read_bytes(), []

    class Held:
        def __init__(self, path, *, timeout, **_):
            waits.append(timeout)
            self.path = str(path)

        def acquire(self):
            raise Timeout(self.path)

    monkeypatch.setattr("brim.sessions.registry.FileLock", Held)
    assert [one.size for one in store.sessions()] == [size_of(store, "one")]
    assert (waits, registry.read_bytes(), store.reports()) == ([0], before, ())


def test_what_was_told_meanwhile_stays(store, monkeypatch):
    """What a writer tells while the others are listed is newer than what the listing read."""
    died(store, "one", LONG)
    learn = store._registry.learn

    def later(*arguments):
        with FileStore(store.root).open("one") as session:
            session.rename("Meanwhile")
        learn(*arguments)

    monkeypatch.setattr(store._registry, "learn", later)
    store.sessions()
    assert store._registry.read().sessions["one"].title == "Meanwhile"


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
    (store.root / "registry.json").unlink()


def test_a_log_whose_first_line_is_damaged_is_listed_with_its_project(store):
    """Its title is known from what follows, its project by the folder it lies in, and it goes on."""
    headless(store, "one", "/home/dev/parser")
    with store.open("one") as session:
        session.append(user("more"))
        session.use_model("other-model")
        assert session.reports[0].startswith("one: the line at 0 was set aside")
    (listed,) = FileStore(store.root).sessions("/home/dev/parser")
    assert (listed.id, listed.title, listed.model) == ("one", "Renamed", "other-model")
    assert store.sessions("/home/dev/lexer") == []
    assert store.sessions("") == []


def test_what_is_no_log_of_a_session_is_not_listed(store):
    """A log of preferences, or of records that nobody knows, is no session whatever it is called."""
    store.prefer("default_model", "some-model")
    store.create(name="one").close()
    folder = store.root / "sessions" / folder_of("")
    (folder / "two.jsonl").write_bytes((store.root / "preferences.jsonl").read_bytes())
    (folder / "three.jsonl").write_bytes(b'{"v":2,"kind":"weather","id":"7","time":1}\n')
    assert [one.id for one in store.sessions()] == ["one"]
    assert len(store.reports()) == 2


@pytest.mark.parametrize("sign", ["\ud83d", "\udce9", "\0", "\u2028\n"])
def test_any_sign_stands_in_any_field(store, registry, sign):
    """Half a sign, a byte that is no UTF-8, a zero byte: it is listed as it was given, with and without a registry."""
    about = {"title": f"Title {sign}", "project": f"/home/{sign}", "model": f"m{sign}"}
    store.create(name="one", **about).close()
    store.prefer("default_model", sign)
    for _ in range(2):
        again = FileStore(store.root)
        (one,) = again.sessions(about["project"])
        assert one.model_dump(include=set(about)) == about
        assert again.preferences() == {"default_model": sign}
        registry.unlink()


NESTED = "[" * 100_000


@pytest.mark.parametrize(
    "text",
    [NESTED, '{"v":2,"sessions":{"one":' + NESTED, '{"v":2,"x":' + "[" * 900 + "]" * 900 + ',"sessions":3}'],
    ids=["a list", "a session", "a field that nobody knows"],
)
def test_a_registry_that_is_nested_deeply_is_damaged(store, registry, text):
    """It is set aside and made anew, like any other that cannot be read."""
    store.create(name="one").close()
    registry.write_text(text, encoding="utf-8")
    assert [one.id for one in store.sessions()] == ["one"]
    (report,) = store.reports()
    assert "rebuilt from 1 sessions, the old one is kept as registry.json.damaged-1" in report
    assert "\n" not in report


def test_fields_that_nobody_knows_are_carried_however_deep(store, registry):
    """What a registry says beside that is written again."""
    store.create(name="one").close()
    deep = '{"mood":' + "[" * 500 + "]" * 500 + "," + registry.read_text(encoding="utf-8").lstrip()[1:]
    registry.write_text(deep, encoding="utf-8")
    store.prefer("default_model", "\ud83d")
    assert json.loads(registry.read_text(encoding="utf-8"))["mood"] == json.loads("[" * 500 + "]" * 500)
    assert store.reports() == ()


ODD = {
    "a title": lambda store: store.create(title=None),
    "a project": lambda store: store.create(project=7),
    "a parent": lambda store: store.create(parent=7),
    "a preference": lambda store: store.prefer("default_model", 5),
    "the name of a preference": lambda store: store.prefer("default-model", "m"),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_text_is_told_in_one_line(store, what):
    """No session and no preference is made of it."""
    with pytest.raises(InvalidInput) as met:
        ODD[what](store)
    assert "\n" not in str(met.value)
    assert (store.sessions(), store.preferences()) == ([], {})


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


def test_one_id_is_made_once_however_many_projects(store, monkeypatch):
    """Whoever makes a session looks for its id and makes it while no other process does."""
    store.create(name="first", project="/p").close()
    other, make = FileStore(store.root), store._make

    def meanwhile(*arguments):
        with pytest.raises(BrimError):
            other._registry.change(lambda registry: registry, patience=0)
        make(*arguments)

    monkeypatch.setattr(store, "_make", meanwhile)
    store.create(name="one", project="/p").close()
    with pytest.raises(InvalidInput, match="already"):
        other.create(name="one", project="/other")
    assert len(list(store.root.glob("sessions/*/one.jsonl"))) == 1


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
    assert store.reports() == (
        f"cannot read {log}: Input/output error; see that it can be reached, and that there is room",
    )
    with pytest.raises(StoreFailed, match="Input/output error"):
        store.read("one")
