"""Features of sessions, which run on every store but for what is told of files alone."""

from steps.stored_sessions import pytest_configure

__all__ = ["pytest_configure"]
