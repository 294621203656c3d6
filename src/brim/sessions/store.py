"""Stores: where sessions live, and what each store does alike; chosen by a path or a URL.

Specified by features/sessions/registry.feature (SES_02) and, past one machine, SES_13.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Final

from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.ids import new_id, safe_id
from brim.sessions.paths import default_place, is_url, system_clock, validated_path
from brim.sessions.records import InitialRecords, Record, SessionRecord, build_record
from brim.sessions.registry import SessionInfo, of_project
from brim.sessions.session import Session

POSTGRESQL: Final = ("postgresql", "postgres", "postgresql+psycopg")


class SessionStore(ABC):
    """A place of sessions. Every refusal is a BrimError of one line."""

    def __init__(self) -> None:
        self._warnings: list[str] = []

    @property
    @abstractmethod
    def index_path(self) -> Path:
        """The file of the search index, where no other is named."""

    def create(
        self,
        *,
        project: str = "",
        title: str = "",
        model: str = "",
        window: int | None = None,
        parent: str | None = None,
        name: str | None = None,
        records: InitialRecords | None = None,
        created: int | None = None,
        head: str | None = None,
    ) -> Session:
        """A new session, held to be written; `name` is its id where brim makes none. Raises Refused, InvalidInput.

        `window` is the number of tokens that the conversation may hold, where that is not its model's.
        `created` is when it began, in milliseconds since 1970, where that is not now; `head` the id of its first record
        where that was made elsewhere. From the first record, `records`
        makes those that follow: the session is there with all of them, or not at all.
        """
        now = system_clock()
        session = safe_id(name) if name is not None else new_id(now)
        time = now if created is None else created
        about = {
            "session": session,
            "project": project,
            "title": title,
            "model": model,
            "window": window,
            "parent": parent,
        }
        first = build_record(SessionRecord, id=head or new_id(time), time=time, **about)
        return self._create(first, records(first) if records is not None else (), now)

    @abstractmethod
    def open(self, name: str) -> Session:
        """A session, held to be written. Raises SessionHeld where another has it, InvalidInput where there is none."""

    @abstractmethod
    def read(self, name: str) -> Session:
        """A session to be read; another may write it meanwhile. Raises InvalidInput."""

    @abstractmethod
    def info(self, name: str) -> SessionInfo:
        """Return what is known of a session. Raises InvalidInput where there is none."""

    def sessions(self, project: str | None = None) -> list[SessionInfo]:
        """The sessions, of one project or of all, the one last active first; see `of_project`."""
        return sorted(of_project(self._listed(), project), key=lambda one: (one.last_active, one.id), reverse=True)

    def warnings(self) -> tuple[str, ...]:
        """Return what was repaired and what could not be read, in sentences."""
        return tuple(self._warnings)

    @abstractmethod
    def close(self) -> None:
        """Release what the store itself holds."""

    @abstractmethod
    def _create(self, first: SessionRecord, following: Sequence[Record], now: int) -> Session:
        """Make a session with these records, whole or not at all, and hold it."""

    @abstractmethod
    def _listed(self) -> Iterable[SessionInfo]:
        """Return what is known of the sessions, in any order."""

    def _warn(self, sentence: str) -> None:
        if sentence not in self._warnings:
            self._warnings.append(sentence)

    @contextmanager
    def _warned(self, name: str) -> Iterator[None]:
        """Report what keeps a session from being listed, so that the others are."""
        try:
            yield
        except (InvalidInput, StoreFailed) as error:
            self._warn(str(error))
        except Refused as error:  # of a newer version
            self._warn(f"session {name} is not listed: {error}")


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
        raise InvalidInput("no store is known for such a URL; name a folder, or postgresql://user@host/database")
    return f"{kind.lower()}://{rest}"
