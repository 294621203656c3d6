"""What the tests of sessions share: a store in a folder."""

import pytest

from brim.sessions.file_store import FileStore


@pytest.fixture
def store(tmp_path):
    """A store in a folder that is not there yet."""
    return FileStore(tmp_path / "home")


@pytest.fixture
def session(store):
    """A session of it, held to be written."""
    with store.create(project="/home/dev/parser", title="The parser", model="some-model") as made:
        yield made
