"""What the tests of the store in a database share: its server, and the features of sessions that run on it."""

from steps.implementation import implementation, portable_program
from steps.postgres import database
from steps.shared import *  # noqa: F403  the phrases that features share
from steps.stored_sessions import pytest_configure
from tests.peers.sessions_on_postgres import SessionsOnPostgres

__all__ = ["database", "implementation", "portable_program", "pytest_configure"]


def pytest_collect_file(file_path, parent):
    """Every feature of sessions is collected once more, to run on the database."""
    if file_path.name == "sessions_on_postgres.py":
        return SessionsOnPostgres.from_parent(parent, path=file_path)
    return None
