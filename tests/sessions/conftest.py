"""What the tests of sessions share: a store in a folder, and a clock that goes on by itself."""

import itertools

import pytest

from brim.sessions.disk.store import FileStore


@pytest.fixture
def clock():
    """A clock that is a second further each time it is asked."""
    return itertools.count(1_700_000_000_000, 1_000).__next__


@pytest.fixture
def store(tmp_path, clock):
    """A store in a folder that is not there yet."""
    return FileStore(tmp_path / "home", clock=clock)


@pytest.fixture
def session(store):
    """A session of it, held to be written."""
    with store.create(project="/home/dev/parser", title="The parser", model="some-model") as made:
        yield made
