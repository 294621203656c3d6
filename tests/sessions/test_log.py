"""The log on a real disk: torn at every byte, filled, damaged, made by others, and out of reach."""

import gc
import json
import os
import resource
import shutil
import stat
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brim.errors import Refused, StoreFailed
from brim.sessions.file_store import FileStore
from brim.sessions.lines import Unreadable, decode, encode
from brim.sessions.records import CarriedRecord, CompactionRecord, ModelRecord, RenameRecord
from brim.sessions.resume import lines_back, torn_bytes
from steps.prerequisites import sized
from tests.sessions.memory import user


def raws(view):
    """What is shown."""
    return [message.raw for message in view.messages]


def log_of(store, session):
    """The file of a session's log."""
    return next(store.root.glob(f"sessions/*/{session}.jsonl"))


def test_a_reader_leaves_a_torn_line_where_it_is(store, session):
    """A line that is still being written is no damage to a reader."""
    session.append(user("first"))
    path = log_of(store, session.id)
    with path.open("ab") as handle:
        handle.write(b'{"v":2,"kind":"mess')
    before = path.read_bytes()
    reader = store.read(session.id)
    assert raws(reader.view()) == [user("first")]
    assert (reader.warnings, path.read_bytes()) == ((), before)
    reader.close()


def test_a_reader_sees_what_was_added_since(store, session):
    """A reader that stays open sees each acknowledged record."""
    reader = store.read(session.id)
    for text in ("first", "second"):
        session.append(user(text))
        assert reader.view().messages[-1].raw == user(text)
    reader.close()


@settings(max_examples=sized(20, nightly=300))
@given(st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")), max_size=20), st.integers(1, 64))
def test_lines_are_read_backwards_in_blocks_of_any_size(lines, block):
    """Backwards is forwards turned round, blank lines left out, each line at its place."""
    data = b"".join(line + b"\n" for line in lines)
    found = list(lines_back(lambda place, count: data[place : place + count], len(data), block))
    assert [line.data for line in found] == [line for line in reversed(lines) if line]
    assert all(data[line.offset :].startswith(line.data + b"\n") for line in found)
    torn = data + b"torn"
    assert torn_bytes(lambda place, count: torn[place : place + count], len(torn), block) == len(b"torn")


def test_no_disk_space_means_no_record(store, session):
    """A write that fails leaves the log as it was, and the next one that fits is taken."""
    session.append(user("first"))
    path = log_of(store, session.id)
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    for room in (0, 1, 50, 120):
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, limits[1]))
        try:
            with pytest.raises(StoreFailed, match="cannot write"):
                session.append(user("long " * 100))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert path.read_bytes() == before
    session.append(user("second"))
    assert raws(session.view()) == [user("first"), user("second")]


@pytest.fixture
def denied():
    """A folder in which the user of the test may not write; root becomes another user meanwhile."""
    place = Path(f"/tmp/brim-denied-{os.getpid()}")
    place.mkdir(mode=0o755)
    place.chmod(0o555)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65_534)
    yield place
    os.seteuid(me)
    shutil.rmtree(place)


def test_a_folder_without_permission_is_told_in_one_line(denied):
    """Somebody who may not write is told so, and nothing has changed."""
    with pytest.raises(StoreFailed, match="Permission denied") as met:
        FileStore(denied / "home").create()
    assert "\n" not in str(met.value)
    assert not list(denied.iterdir())


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=sized(100, nightly=1_500))
@given(st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_line_brings_the_reading_down(data):
    """Whatever stands on a line, it is a record, set aside, or refused as newer."""
    with suppress(Unreadable, Refused):
        decode(data)


@pytest.mark.parametrize(
    "line",
    [
        b'{"v":2,"kind":"message","id":"1","time":1,"message":{"role":"robot","content":"x"}}',
        b'{"v":2,"kind":"message","id":"1","time":1,"message":[]}',
        b'{"v":2,"kind":"message","id":1,"time":1,"message":{"role":"user","content":"x"}}',
        b'{"v":2,"kind":"compaction","id":"1","time":1,"opening":[{"message":{"role":"user"}}]}',
        b'{"v":"2","kind":"undo","id":"1","time":1,"of":"0"}',
        b'{"v":0,"kind":"undo","id":"1","time":1,"of":"0"}',
        b'{"kind":"compaction","id":"1","time":1,"content":"x","generatedAt":"yesterday"}',
        b"[" * 100_000,
    ],
    ids=lambda line: line[:60].decode(),
)
def test_a_line_of_a_wrong_form_is_damage(line):
    """A line that is JSON and no record is set aside like any other damage."""
    with pytest.raises(Unreadable):
        decode(line)


def test_unknown_fields_and_kinds_are_carried():
    """What this version does not know is read, and kept."""
    known = decode(b'{"v":2,"kind":"rename","id":"1","time":1,"title":"T","mood":"good"}')
    unknown = decode(b'{"v":2,"kind":"weather","id":"1","time":1,"sky":{"blue":true}}')
    assert isinstance(known, RenameRecord)
    assert known.model_extra == {"mood": "good"}
    assert isinstance(unknown, CarriedRecord)
    assert unknown.model_extra == {"sky": {"blue": True}}
    assert decode(encode(unknown)) == unknown


def test_a_damaged_compaction_leaves_the_one_before_it_in_force(store, session):
    """Where the newest compaction cannot be read, the view is what the older one made and all since."""
    ids = session.extend([user("one"), user("two")])
    first = {"generated": 1, "summarized": 1, "tokens_before": 1, "content": "S"}
    session.write(CompactionRecord, summary=first, opening=({"message": user("S")},), tail=ids[1])
    session.append(user("three"))
    session.write(CompactionRecord, summary=first, opening=({"message": user("T")},))
    session.close()
    path = log_of(store, session.id)
    path.write_bytes(path.read_bytes().replace(b'"content":"T"', b'"content":13 '))
    reader = store.read(session.id)
    assert raws(reader.view()) == [user("S"), user("two"), user("three")]
    reader.close()


def test_files_are_private_whatever_the_mask(tmp_path):
    """Folders are 0700 and files 0600 under any umask."""
    old = os.umask(0)
    try:
        store = FileStore(tmp_path / "a" / "b")
        with store.create(project="/p") as session:
            session.append(user())
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a").rglob("*")}
    finally:
        os.umask(old)
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}


@pytest.mark.parametrize("spaced", [False, True])
def test_a_log_is_listed_as_it_reads_however_it_is_spaced(store, session, spaced):
    """Title, model and time of a log are known without a registry, where another program wrote its JSON too."""
    session.rename("Another title")
    session.write(ModelRecord, model="another-model")
    session.append(user("The word rename, and a model."))
    known = session.info
    session.close()
    path = log_of(store, session.id)
    if spaced:
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        path.write_text("".join(json.dumps(dict(reversed(line.items()))) + "\n" for line in lines), encoding="utf-8")
    store.index_path.unlink()
    found = FileStore(store.root).info(session.id)
    assert (found.title, found.model, found.last_active) == ("Another title", "another-model", known.last_active)


def test_a_reader_that_nobody_closes_leaves_no_file_open(store, session):
    """The file of a session that was read goes with the session."""
    session.append(user("first"))
    before = len([*Path("/proc/self/fd").iterdir()])
    for _ in range(50):
        store.read(session.id).view()
    gc.collect()
    assert len([*Path("/proc/self/fd").iterdir()]) <= before
