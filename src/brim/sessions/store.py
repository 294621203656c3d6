"""Stores: where sessions live, whatever that is made of; chosen by a path or a URL.

Specified by features/sessions/registry.feature (SES_02) and, past one machine, SES_13.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol

from brim.errors import InvalidInput
from brim.sessions.places import Clock, default_root, system_clock
from brim.sessions.records.infos import SessionInfo
from brim.sessions.session import Session

POSTGRESQL: Final = ("postgresql", "postgres", "postgresql+psycopg")


class SessionStore(Protocol):
    """Where sessions live. Every refusal is a BrimError of one line."""

    @property
    def index_path(self) -> Path:
        """The file of the search index, where no other is named."""

    def create(
        self, *, project: str = "", title: str = "", model: str = "", parent: str | None = None, name: str | None = None
    ) -> Session:
        """A new session, held to be written; `name` is its id where brim makes none. Raises Refused, InvalidInput."""

    def open(self, name: str) -> Session:
        """A session, held to be written. Raises SessionHeld where another has it, InvalidInput where there is none."""

    def read(self, name: str) -> Session:
        """A session to be read alone; nobody is kept from writing it. Raises InvalidInput."""

    def info(self, name: str) -> SessionInfo:
        """What is known of a session. Raises InvalidInput where there is none."""

    def sessions(self, project: str | None = None) -> list[SessionInfo]:
        """The sessions, of one project or of all, the one last active first."""

    def preferences(self) -> Mapping[str, str]:
        """The preferences of the user, such as default_model and permission_mode."""

    def prefer(self, preference: str, value: str) -> None:
        """Set a preference."""

    def reports(self) -> tuple[str, ...]:
        """What was mended so far, in sentences."""

    def close(self) -> None:
        """Let go of what the store itself holds."""


def open_store(where: str | Path | None = None, *, clock: Clock = system_clock) -> SessionStore:
    """The store at a path or a URL, by default the one of the user. Raises InvalidInput for a URL of another kind."""
    kind, mark, _ = str(where).partition("://") if isinstance(where, str) else ("", "", "")
    if mark and kind in POSTGRESQL:
        store: SessionStore = import_module("brim.sessions.sql").SqlStore(str(where), clock=clock)
        return store
    if mark:
        raise InvalidInput(f"no store is known for {kind}://; name a folder, or postgresql://user@host/database")
    file_store = import_module("brim.sessions.disk.store").FileStore
    files: SessionStore = file_store(Path(where) if where is not None else default_root(), clock=clock)
    return files
