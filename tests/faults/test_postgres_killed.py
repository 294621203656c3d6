"""A writer on a database that is killed, or whose connection is: what was acknowledged is there, and none of it twice.

Specified by features/sessions/sql.feature (SES_13); the writers are those of the store in a folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from threading import Event, Thread
from typing import Any, Self

import pytest

from brim.errors import StoreFailed
from brim.sessions.records import MessageRecord
from brim.sessions.sql import SqlStore
from steps.postgres import Database, database  # noqa: F401  a fixture
from steps.prerequisites import sized
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
ROUNDS_A_SESSION = 10
SECONDS = sized(1, nightly=20)


@pytest.fixture
def writers() -> Iterator[Writers]:
    """Writers in processes of their own."""
    made = Writers()
    yield made
    made.close()


@pytest.fixture
def url(database: Database) -> str:  # noqa: F811
    """The URL of a store that is not there yet."""
    return database.new_store()


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    """A store with nothing in it yet."""
    made = SqlStore(url)
    yield made
    made.close()


def struck_down_at_a_statement(writers: Writers, order: dict[str, Any], chance: Random) -> list[dict[str, Any]]:
    """What a writer told that ended before or after one of the statements it sent."""
    writers.order({**order, "strike": chance.randrange(1, 90), "when": chance.choice(("before", "after"))})
    return list(writers.told())


@pytest.mark.timeout(ROUNDS * 10 + 120)
def test_what_was_acknowledged_outlives_the_writer(
    writers: Writers,
    database: Database,  # noqa: F811
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
def test_a_connection_that_is_ended_again_and_again(database: Database, url: str, store: SqlStore) -> None:  # noqa: F811
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
