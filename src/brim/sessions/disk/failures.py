"""Failures of the operating system, told in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from brim.errors import StoreFailed


@contextmanager
def telling(what: str, cure: str = "see that it can be reached, and that there is room") -> Iterator[None]:
    """Tell a failure of the operating system in one line: what was tried, what was met and what would cure it."""
    try:
        yield
    except PermissionError as error:
        raise StoreFailed(f"{what}: {_words(error)}; give yourself permission, or name another folder") from error
    except OSError as error:
        raise StoreFailed(f"{what}: {_words(error)}; {cure}") from error


def _words(error: OSError) -> str:
    return error.strerror or str(error)
