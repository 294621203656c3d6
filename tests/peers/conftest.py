"""The server of PostgreSQL that tests of the store in a database share."""

from steps.postgres import database

__all__ = ["database"]
