"""Stores: where sessions live, whatever that is made of; chosen by a path or a URL.

Specified by features/sessions/registry.feature (SES_02) and, past one machine, SES_13.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol

from brim.errors import InvalidInput
from brim.sessions.paths import default_place, is_url, validated_path
from brim.sessions.records import InitialRecords, no_records
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session

POSTGRESQL: Final = ("postgresql", "postgres", "postgresql+psycopg")
SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")


class SessionStore(Protocol):
    """Where sessions live. Every refusal is a BrimError of one line."""

    @property
    def index_path(self) -> Path:
        """The file of the search index, where no other is named."""

    def create(
        self,
        *,
        project: str = "",
        title: str = "",
        model: str = "",
        parent: str | None = None,
        name: str | None = None,
        records: InitialRecords = no_records,
        created: int | None = None,
    ) -> Session:
        """A new session, held to be written; `name` is its id where brim makes none. Raises Refused, InvalidInput.

        `created` is when it began, in milliseconds since 1970, where that is not now.

        Told the first record, `records` says which follow: the session is there with all of them, or not at all.
        """

    def open(self, name: str) -> Session:
        """A session, held to be written. Raises SessionHeld where another has it, InvalidInput where there is none."""

    def read(self, name: str) -> Session:
        """A session to be read alone; nobody is kept from writing it. Raises InvalidInput."""

    def info(self, name: str) -> SessionInfo:
        """What is known of a session. Raises InvalidInput where there is none."""

    def sessions(self, project: str | None = None) -> list[SessionInfo]:
        """The sessions, of one project or of all, the one last active first."""

    def reports(self) -> tuple[str, ...]:
        """What was repaired and what could not be read, in sentences."""

    def close(self) -> None:
        """Let go of what the store itself holds."""


def open_store(where: str | Path | None = None) -> SessionStore:
    """The store at a path or a URL, by default the one of the user, whose BRIM_HOME may be a path or a URL.

    Raises InvalidInput for a URL of another kind, or one that is broken.
    """
    place = default_place() if where is None else where
    if isinstance(place, str) and is_url(place):
        address = _address(place)
        store: SessionStore = import_module("brim.sessions.sql").SqlStore(address)
        return store
    files: SessionStore = import_module("brim.sessions.file_store").FileStore(validated_path(place))
    return files


def _address(url: str) -> str:
    """The URL, its kind in small letters. Raises InvalidInput where that is no database that is known."""
    kind, _, rest = url.strip().partition("://")
    if kind.lower() not in POSTGRESQL:
        told = f"{kind}://" if SCHEME.fullmatch(kind) else "such a URL"
        raise InvalidInput(f"no store is known for {told}; name a folder, or postgresql://user@host/database")
    return f"{kind.lower()}://{rest}"
