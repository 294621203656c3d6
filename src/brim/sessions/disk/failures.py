"""Failures of the operating system, told in one line."""

from __future__ import annotations

from errno import EROFS
from types import TracebackType
from typing import Final

from brim.errors import StoreFailed

REACH: Final = "see that it can be reached, and that there is room"
PERMISSION: Final = "give yourself permission, or name another folder"


class telling:  # noqa: N801  it is read as a word of the sentence
    """Tells a failure of the operating system in one line: what was tried, what was met and what would cure it."""

    __slots__ = ("_cure", "_what")

    def __init__(self, what: str, cure: str = "") -> None:
        self._what, self._cure = what, cure

    def __enter__(self) -> None:
        """Nothing is done: most of what is tried goes well."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: TracebackType | None) -> None:
        """Raises StoreFailed for what the system met; whatever else went wrong goes its way."""
        if isinstance(error, OSError):
            denied = isinstance(error, PermissionError) or error.errno == EROFS
            cure = self._cure or (PERMISSION if denied else REACH)
            raise StoreFailed(f"{self._what}: {_words(error)}; {cure}") from error


def _words(error: OSError) -> str:
    return error.strerror or str(error)
