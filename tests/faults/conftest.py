"""Writers that may be killed, and a store in a database that is not there yet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brim.sessions.sql import SqlStore
from steps.postgres import Database, database
from tests.faults.test_sessions_killed import Writers

__all__ = ["database"]


@pytest.fixture
def writers() -> Iterator[Writers]:
    """Writers in processes of their own."""
    made = Writers()
    yield made
    made.close()


@pytest.fixture
def url(database: Database) -> str:
    """The URL of a store that is not there yet."""
    return database.new_store()


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    """A store with nothing in it yet."""
    made = SqlStore(url)
    yield made
    made.close()
