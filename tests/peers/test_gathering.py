"""What the server tells of lines without sending them is what whoever reads a file finds in them."""

import json
from contextlib import closing
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, insert, select, text

from brim.errors import BrimError
from brim.sessions.file_store import FileStore
from brim.sessions.postgres.gathering import HEAD, telling
from brim.sessions.postgres.tables import RECORDS, SESSIONS
from brim.sessions.sql import SqlStore
from steps.clock import frozen
from steps.prerequisites import sized
from tests.sessions.memory import user

pytestmark = pytest.mark.peers
BEGAN, LATER = 1_700_000_000_000, 1_800_000_000_000
BEGINNING = datetime.fromtimestamp(BEGAN / 1_000, UTC)
ID = "7" * 26


COUNTS = range(HEAD - 72, HEAD - 57, sized(7, nightly=1))


def written(**fields):
    """A line with these fields, in this order."""
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()


def line(kind, *, v=2, name=ID, time=LATER, **fields):
    """A line as brim writes it."""
    return written(v=v, kind=kind, id=name, time=time, **fields)


SAID = line("message", message=user("Go on."))
SOON = line("message", time=BEGAN + 500_000, message=user("Soon."))
MISLEADING = {"role": "user", "content": "b", "a": 'x","time":7', "b": "c", "time": 5}
LINES = {
    "a message": [SAID],
    "the time behind the message": [written(v=2, kind="message", message=MISLEADING, id=ID, time=LATER)],
    "the id behind the time": [written(v=2, kind="message", time=LATER, id=ID, message=user())],
    "something between kind and id": [written(v=2, kind="usage", mood="b", time=5, id=ID, usage={})],
    "something between id and time": [written(v=2, kind="usage", id=ID, mood="b", time=5, usage={})],
    "the first of two times": [SAID[:-1] + b',"time":5}'],
    "a kind that nobody knows": [line("weather", sky="grey")],
    "a kind of other signs": [line("of_2", sky="grey")],
    "a kind of no signs": [line("", sky="grey")],
    "a kind with a quote": [line('a","id":"b","time":5', sky="grey")],
    "an id with a quote": [line("weather", name='a","time":5', sky="grey")],
    "an id of other letters": [line("weather", name="é日", sky="grey")],
    "nothing behind the time": [line("weather")],
    "a blank behind the time": [line("weather").replace(b"0}", b"0 }")],
    "a negative time": [line("weather", time=-5)],
    "a broken time": [line("weather", time=LATER + 0.5)],
    "a time as text": [line("weather", time=str(LATER))],
    "a time of 18 digits": [line("weather", time=10**17)],
    "a time of 19 digits": [line("weather", time=10**18)],
    "a time that is cut off": [SAID[: SAID.index(b"time") + 9]],
    "no time": [written(v=2, kind="weather", id=ID)],
    "a title": [line("rename", title="The lexer")],
    "a title of the first version": [line("rename", v=1, title="The lexer")],
    "a kind that begins like a title": [line("renamed", title="The lexer")],
    "a title that is none": [line("rename", title=5), line("model", model="other-model")],
    "spaces": [json.dumps({"v": 2, "kind": "rename", "id": ID, "time": LATER, "title": "The lexer"}).encode()],
    "a torn line": [SAID[:-3]],
    "a newer version": [line("message", v=3)],
    "a newer title": [line("rename", v=3, title="The lexer")],
    "a newer line of another form": [written(kind="message", v=3, id=ID, time=LATER)],
    "no version": [written(kind="weather", id=ID, time=LATER)],
    "no JSON": [b"{"],
} | {f"a kind of {count} letters": [line("k" * count, sky="grey")] for count in COUNTS}
"""Lines as they may stand in a log."""


def told(store, name):
    """What is known of a session, or the refusal to tell it."""
    try:
        info = store.info(name)
    except BrimError as error:
        return type(error).__name__, str(error)
    return info.title, info.model, info.last_active


def in_both(stores, lines, name="one"):
    """What both stores tell of a session of this name whose log goes on with these lines."""
    with frozen(BEGINNING):
        for store in stores:
            with store.create(name=name) as session:
                session.append(user())
    files, tables = stores
    (log,) = files.root.glob(f"sessions/*/{name}.jsonl")
    log.write_bytes(log.read_bytes() + b"".join(line + b"\n" for line in lines))
    add(tables, lines, name)
    return [told(store, name) for store in stores]


def add(store, lines, name):
    """Add lines to the session in the tables behind the back of its store."""
    with store.server.asked("add lines") as connection:
        number = connection.scalar(select(SESSIONS.c.number).where(SESSIONS.c.name == name))
        first = connection.scalar(select(func.count()).select_from(RECORDS).where(RECORDS.c.session == number))
        rows = [{"session": number, "position": first + n, "line": one + b"\n"} for n, one in enumerate(lines)]
        connection.execute(insert(RECORDS), rows)


def told_differently(stores, *behind):
    """What both stores tell, for each kind of line after which, and after what stands behind it, they do not agree."""
    told = {what: in_both(stores, [*lines, *behind], f"s{n}") for n, (what, lines) in enumerate(LINES.items())}
    return {what: both for what, both in told.items() if both[0] != both[1]}


@pytest.fixture
def stores(database, tmp_path):
    """A store in files and one in a database, with nothing in them."""
    files, url = FileStore(tmp_path), database.lend()
    with closing(SqlStore(url)) as tables:
        yield files, tables
    database.take_back(url)


def test_a_line_at_the_end_tells_what_it_tells_in_a_file(stores):
    """Whatever stands there last, it is read, or passed over, or refused, as in a file."""
    assert told_differently(stores) == {}


@pytest.mark.nightly
def test_a_line_before_others_tells_what_it_tells_in_a_file(stores):
    """Whatever stands there before another line, it is read, or passed over, or refused, as in a file."""
    assert told_differently(stores, SOON) == {}


def test_a_line_tells_the_same_where_the_row_was_lost(stores):
    """Gathered from its first line on, a session is what it is in a file."""
    _, tables = stores
    in_files = {f"s{n}": in_both(stores, [*lines, SOON], f"s{n}")[0] for n, lines in enumerate(LINES.values())}
    with tables.server.asked("lose what is known") as connection:
        connection.execute(text("UPDATE brim_sessions SET about = NULL"))
    assert {name: told(tables, name) for name in in_files} == in_files


def test_a_newer_line_before_others_hides_no_session(stores):
    """A session with a line of a newer version in it is listed with what is understood."""
    in_both(stores, [line("message", v=3), SOON])
    for store in stores:
        (one,) = store.sessions()
        assert (one.last_active, store.reports()) == (LATER, ())


def test_of_many_lines_only_the_first_is_sent(stores):
    """What brim writes is told by its head, however much of it there is; the very first says what the session is."""
    _, tables = stores
    in_both(stores, [SOON] * 500)
    with tables.server.asked("gather") as connection:
        number = connection.scalar(select(SESSIONS.c.number))
        rows = connection.execute(telling(), {"session": [number], "start": [0]}).all()
    assert [(row.position, row.time) for row in rows if row.line is None] == [(501, BEGAN + 500_000)]
    assert [row.position for row in rows if row.line is not None] == [0]
