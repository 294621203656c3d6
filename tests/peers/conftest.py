"""What the tests of the store in a database share: its server, and the features of sessions that run on it."""

from importlib import import_module

from steps.implementation import implementation, portable_program
from steps.postgres import database
from steps.shared import *  # noqa: F403  the phrases that features share
from steps.stored_sessions import pytest_configure
from steps.worlds import MODULES
from tests.peers.sessions_on_postgres import SessionsOnPostgres

__all__ = ["database", "implementation", "portable_program", "pytest_configure"]

for _module in map(import_module, MODULES):
    globals().update({name: one for name, one in vars(_module).items() if not name.startswith("_")})


def pytest_collect_file(file_path, parent):
    """Every feature of sessions is collected once more, to run on the database."""
    if file_path.name == "sessions_on_postgres.py":
        return SessionsOnPostgres.from_parent(parent, path=file_path)
    return None
