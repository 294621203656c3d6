"""A writer on a database that is killed, or whose connection is: what was acknowledged is there, and none of it twice.

Specified by features/sessions/sql.feature (SES_13); the writers are those of the store in a folder.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from random import Random
from threading import Event, Thread
from typing import Any, Self

import psutil
import pytest
from sqlalchemy import text

from brim.errors import StoreFailed
from brim.sessions.records import MessageRecord
from brim.sessions.sql import SqlStore
from steps.postgres import NO_DISK, Database
from steps.prerequisites import sized
from steps.running_postgres import start_server
from tests.faults.test_sessions_killed import (
    SEED,
    Acknowledged,
    Writers,
    check,
    killed_from_outside,
)
from tests.sessions.memory import user

pytestmark = [pytest.mark.faults, pytest.mark.peers]

ROUNDS = sized(5, nightly=200)
CRASHES = sized(1, nightly=25)
ROUNDS_A_SESSION = 10
SECONDS = sized(1, nightly=60)


def struck_down_at_a_statement(writers: Writers, order: dict[str, Any], chance: Random) -> list[dict[str, Any]]:
    """What a writer told that ended before or after one of the statements it sent."""
    writers.order({**order, "strike": chance.randrange(1, 90), "when": chance.choice(("before", "after"))})
    return list(writers.told())


@pytest.mark.timeout(ROUNDS * 10 + 120)
def test_what_was_acknowledged_outlives_the_writer(
    writers: Writers,
    database: Database,
    url: str,
    store: SqlStore,
) -> None:
    """Every acknowledged record and title is there, none twice, and the session opens and can be sent."""
    chance = Random(SEED)  # noqa: S311 - chance, not a secret
    acknowledged = 0
    for number in range(ROUNDS):
        if number % ROUNDS_A_SESSION == 0:
            known = Acknowledged(f"session-{number}")
        order = {"act": "write", "root": url, "session": known.session, "seed": chance.randrange(10**9)}
        kill = (killed_from_outside, struck_down_at_a_statement)[number % 2]
        before = len(known.records)
        known.take(kill(writers, order, chance))
        database.miss(url)
        acknowledged += len(known.records) - before
        if not check(store, known):
            known = Acknowledged(f"session-{number}-again")
    print(f"{ROUNDS:,} writers killed, {acknowledged:,} records acknowledged, all of them there")
    assert acknowledged > ROUNDS


@pytest.mark.timeout(SECONDS * 3 + 120)
def test_a_connection_that_is_ended_again_and_again(database: Database, url: str, store: SqlStore) -> None:
    """A writer whose connection the server ends at any moment goes on: all it was told is there, in order, and once."""
    said, ended, refused = [], 0, 0
    with store.create(name="one") as session, ending(database, url) as ends:
        for number in count():
            try:
                said += session.extend([user(f"{number}-{part}") for part in range(number % 3 + 1)])
            except StoreFailed as error:  # ended as often as it is tried: told, and not there later
                assert "try again later" in str(error)
                refused += 1
            if ends.is_over():
                break
        ended = ends.ended
    with store.read("one") as reader:
        assert [record.id for record in reader.records() if isinstance(record, MessageRecord)] == said
        assert reader.view().ids == tuple(said)
    print(f"{ended:,} connections ended, {len(said):,} messages acknowledged, all there, {refused} writes told to fail")
    assert ended > 1
    assert refused < ended / 3


class ending:  # noqa: N801 - reads as what it is where it is used
    """Ends the connection of whoever writes, at moments of chance, for so many seconds."""

    def __init__(self, server: Database, url: str) -> None:
        self._server, self._url, self.ended = server, url, 0
        self._stopped, self._chance = Event(), Random(SEED)  # noqa: S311 - chance, not a secret
        self._thread = Thread(target=self._end)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def is_over(self) -> bool:
        """Whether the time is over."""
        return not self._thread.is_alive()

    def _end(self) -> None:
        spent = 0.0
        while spent < SECONDS / 2 and not self._stopped.is_set():
            pause = self._chance.choice((0.001, 0.01, 0.05)) * self._chance.random()
            self._stopped.wait(pause + 0.02)
            spent += pause + 0.02
            self.ended += sum(ended for (ended,) in self._server.cut(self._url))


@pytest.mark.timeout(CRASHES * 30 + 120)
def test_a_server_that_is_killed(pytestconfig: pytest.Config) -> None:
    """A server killed while a session is written and started again has every acknowledged message, in order, once."""
    running = start_server(pytestconfig)
    own = Database(running)
    for setting in NO_DISK:
        own.ask(f"ALTER SYSTEM SET {setting} = on")
    store = SqlStore(own.new_store())
    said: list[str] = []
    refused = 0
    with store.create(name="one") as session:
        for _ in range(CRASHES):
            crash = Thread(target=kill_server, args=(running,))
            crash.start()
            while crash.is_alive():
                try:
                    said += session.extend([user(f"{len(said)}-{part}") for part in range(2)])
                except StoreFailed as error:
                    refused += 1
                    assert "\n" not in str(error)
                    time.sleep(0.01)  # the server is down
            said.append(session.append(user("The server is back.")))
    with store.read("one") as reader:
        assert [record.id for record in reader.records() if isinstance(record, MessageRecord)] == said
        assert reader.view().ids == tuple(said)
    store.close()
    own.close()
    print(f"{CRASHES} servers killed, {len(said):,} messages acknowledged, all there, {refused:,} writes refused")
    assert len(said) > CRASHES


def kill_server(running: Any) -> None:
    """Kill every process of a server soon, and start it again."""
    time.sleep(0.2)
    server = psutil.Process(running.get_pid())
    processes = [server, *server.children(recursive=True)]
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=30)
    running.ensure_postgres_running()


def test_a_connection_whose_server_hangs(url: str) -> None:
    """A pooled connection that no answer comes on any more is waited for as long as a new one; the next act has one."""
    store = SqlStore(re.sub(r"connect_timeout=\d+", "connect_timeout=2", url))
    with store.server.connected("ask") as connection:
        served_by = psutil.Process(connection.scalar(text("SELECT pg_backend_pid()")))
    served_by.suspend()
    try:
        with pytest.raises(StoreFailed, match="it said nothing for 2 seconds"):
            store.sessions()
        assert store.sessions() == []
    finally:
        served_by.resume()
        store.close()


FAILURES = {
    "a full disk": ("53100", "could not extend file: No space left on device"),
    "an error of the disk": ("58030", "could not read block: Input/output error"),
    "a canceled statement": ("57014", "canceling statement due to user request"),
    "a deadlock": ("40P01", "deadlock detected"),
    "no memory": ("53200", "out of memory"),
}
"""What a server may say of a statement: the SQLSTATE and the message."""


@pytest.mark.parametrize("failure", FAILURES)
def test_a_statement_that_fails(database: Database, url: str, store: SqlStore, failure: str) -> None:
    """The caller gets one line that holds the server's message; nothing is there by half, and the next act succeeds."""
    state, message = FAILURES[failure]
    with store.create(name="one") as session:
        said = [session.append(user("before"))]
        with failing_inserts(database, url, state, message):
            for act in (lambda: session.extend([user("no"), user("no")]), lambda: store.create(name="two")):
                with pytest.raises(StoreFailed, match=message) as met:
                    act()
                assert "\n" not in str(met.value)
        said += session.extend([user("after"), user("after")])
        assert session.view().ids == tuple(said)
    with store.read("one") as reader:
        assert [record.id for record in reader.records() if isinstance(record, MessageRecord)] == said
    assert [info.id for info in store.sessions()] == ["one"]
    store.create(name="two").close()


@contextmanager
def failing_inserts(server: Database, url: str, state: str, message: str) -> Iterator[None]:
    """Every line that is added fails on the server."""
    with server.tables(url) as connection:
        connection.execute(
            text(
                "CREATE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}', MESSAGE = '{message}'; END $$"
            )
        )
        connection.execute(
            text("CREATE TRIGGER failing BEFORE INSERT ON brim_records FOR EACH ROW EXECUTE FUNCTION failing()")
        )
        yield
        connection.execute(text("DROP FUNCTION failing CASCADE"))
