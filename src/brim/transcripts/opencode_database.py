"""OpenCode's database `opencode.db`, where its sessions are since 1.2: read as an export is, and never written to.

Version 1 has the tables `session`, `message` and `part`: each row of the latter two is an object of an export. Version
2 leaves them as they are and adds `session_v2` and `session_message`, with one row of some type for each message. A
session that is in both is read from the newer tables, its messages as those of version 1.

A path with an id behind a `#` names one of the sessions: `opencode.db#ses_1`.
"""

from __future__ import annotations

import os
import sqlite3
from base64 import b64decode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from brim.errors import MAX_SHOWN, InvalidInput
from brim.transcripts.blocks import Block, Given, text_of
from brim.transcripts.opencode import ABORTED, EMPTY
from brim.transcripts.source import Json, Source, Undecodable, decode, mapping, objects, string
from brim.transcripts.values import Damaged

MAGIC: Final = b"SQLite format 3\0"
"""How an SQLite database begins."""
WAIT: Final = 3.0
"""Seconds that a database may be locked."""
INSTEAD: Final = "name a file that opencode export SESSION > session.json writes"
VERSIONS: Final = (
    ("session", "message", {"session", "message", "part"}),
    ("session_v2", "session_message WHERE type IN ('user', 'assistant')", {"session_v2", "session_message"}),
)
"""Where each version has its sessions and their messages, and the tables that it has."""


class StoredSession(NamedTuple):
    """A session in a database."""

    id: str
    directory: str
    updated: float
    """When it was last written to, in milliseconds since 1970."""
    is_root: bool
    """Whether it has a message and is of no sub-agent."""
    version: int
    """The version of the tables that its messages are in."""
    info: Block
    """What an export says of it."""


def located(path: Path) -> tuple[Path, str | None]:
    """Return the database that a path names, and the id of the session behind the `#`; another path as it is."""
    file, mark, session = str(path).rpartition("#")
    return (Path(file), session) if mark and not path.exists() and is_database(Path(file)) else (path, None)


def is_database(path: Path) -> bool:
    """Return whether a file is an SQLite database, of whatever tool."""
    if path.is_file():
        with suppress(OSError), path.open("rb") as handle:
            return handle.read(len(MAGIC)) == MAGIC
    return False


def kept_sessions(file: Path) -> list[StoredSession]:
    """Return the sessions with a message, without those of sub-agents, the newest first. Raises InvalidInput."""
    with _opened(file) as (database, tables):
        return _roots(_kept(database, tables))


def gather(path: Path) -> Source:
    """Put together the one session of a database, or that of the id behind the `#`, as an export is.

    Raises InvalidInput where there is none, or several and no id, or the database cannot be read.
    """
    file, name = located(path)
    with _opened(file) as (database, tables):
        kept = _kept(database, tables)
        roots = _roots(kept)
        example = f", such as {file}#{roots[0].id}" if roots else ""
        if name and name not in kept:
            raise InvalidInput(f"{file} holds no session {name}; name one that it holds{example}")
        if not (name or roots):
            raise InvalidInput(f"{file} is a database without a session of OpenCode; name the file of a transcript")
        if not name and len(roots) > 1:
            raise InvalidInput(f"{file} holds {len(roots)} sessions of OpenCode; name one of them{example}")
        one = kept[name] if name else roots[0]
        reader = _DatabaseReader(database, one)
        messages = [*(reader.newer_messages() if one.version == 2 else reader.messages())]  # noqa: PLR2004  the newer
    document = {"info": one.info, "messages": messages, "left_out": reader.left_out}
    return Source(path, document=document, damaged=reader.damaged)


@contextmanager
def _opened(file: Path) -> Iterator[tuple[sqlite3.Connection, set[str]]]:
    """Open the database as it is at this moment, to be read alone, with the names of its tables. Raises InvalidInput.

    Without a file of newest changes nobody writes to it: it is read without the files that SQLite would put beside it.
    """
    try:
        real = Path(os.path.realpath(file))
        with real.open("rb") as handle:
            in_wal = handle.read(20)[18:] == b"\2\2"  # while it is written to, its newest changes are beside it
        alone = in_wal and not Path(f"{real}-wal").exists()
        uri = f"{real.as_uri()}?mode=ro{'&immutable=1' if alone else ''}"
        with closing(sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None)) as database:
            database.row_factory = sqlite3.Row
            database.text_factory = lambda raw: raw.decode(errors="replace")
            database.execute("BEGIN")
            names = {str(row[0]) for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if names and not any(tables <= names for *_, tables in VERSIONS):
                shown = ", ".join(sorted(names)[:8])
                raise InvalidInput(f"{file} is a database that brim does not know (its tables: {shown}); {INSTEAD}")
            yield database, names
    except (sqlite3.Error, LookupError, UnicodeDecodeError) as error:  # the last of a name that is damaged
        fault = " ".join(str(error).split())[:MAX_SHOWN]
        raise InvalidInput(f"{file} is a database that cannot be read ({fault}); {INSTEAD}") from error


def _kept(database: sqlite3.Connection, tables: set[str]) -> dict[str, StoredSession]:
    """Return the sessions by their id; those of version 2 last, in the place of older ones."""
    kept: dict[str, StoredSession] = {}
    held: set[Json] = set()
    for version, (sessions, messages, names) in enumerate(VERSIONS, 1):
        if not names <= tables:
            continue
        own = {name for (name,) in database.execute(f"SELECT DISTINCT session_id FROM {messages}")}  # noqa: S608  ours
        held |= own
        for row in map(dict, database.execute(f"SELECT * FROM {sessions}")):  # noqa: S608  ours
            # version 2 does not touch the first of these at every answer
            times = (time for one in ("time_updated", "time_idle") if isinstance(time := row.get(one), int | float))
            kept[str(row["id"])] = StoredSession(
                str(row["id"]),
                str(row["directory"]),
                max(times, default=0),
                row["id"] in held and not row.get("parent_id"),
                version if row["id"] in own else 1,
                _info(row),
            )
    return kept


def _info(row: Given) -> Block:
    """Return what an export says of a session: its fields, and those that hold others by the first word of a column."""
    names = {"projectID": "project_id", "parentID": "parent_id"}
    info: Block = {name: row.get(names.get(name, name)) for name in FIELDS}
    for name in ("time", "summary", "share"):
        info[name] = {
            column.removeprefix(f"{name}_"): value
            for column, value in row.items()
            if column.startswith(f"{name}_") and column.removeprefix(f"{name}_") in GROUPED and value is not None
        }
    for name in ("revert", "permission"):
        with suppress(Undecodable):
            info[name] = decode(str(row.get(name) or "null").encode())
    return {name: value for name, value in info.items() if value not in (None, "", {})}


FIELDS: Final = ("id", "slug", "projectID", "directory", "parentID", "title", "version")
GROUPED: Final = ("created", "updated", "compacting", "archived", "additions", "deletions", "files", "url")


def _roots(kept: Mapping[str, StoredSession]) -> list[StoredSession]:
    """Return those with a message that are of no sub-agent, the newest first."""
    return sorted((one for one in kept.values() if one.is_root), key=lambda one: one.updated, reverse=True)


class _DatabaseReader:
    """The messages of one session, what of them is damaged, and what is none."""

    def __init__(self, database: sqlite3.Connection, one: StoredSession) -> None:
        self.damaged: list[Damaged] = []
        self.left_out: Counter[str] = Counter()
        self._database, self._session = database, one.id

    def messages(self) -> Iterator[Json]:
        """Yield those of version 1 with their parts, in order."""
        rows = self._rows("message", "time_created, id")
        numbers = {row["id"]: number for number, row in enumerate(rows, 1)}
        parts = defaultdict[str, list[Json]](list)
        for row in self._rows("part", "id"):
            of = row["message_id"]
            parts[of] += self._object(row, numbers.get(of, 0), messageID=of)
        for row in rows:
            for info in self._object(row, numbers[row["id"]]):
                yield {"info": info, "parts": parts[row["id"]]}

    def newer_messages(self) -> Iterator[Json]:
        """Yield those of version 2 as those of version 1; rows that are no message are counted."""
        for number, row in enumerate(self._rows("session_message", "seq"), 1):
            for held in self._object(row, number):
                made = [*_as_older(str(row["type"]), held)]
                self.left_out.update([] if made else [f"{row['type']} record"])
                yield from made

    def _rows(self, table: str, order: str) -> list[sqlite3.Row]:
        query = f"SELECT * FROM {table} WHERE session_id = ? ORDER BY {order}"  # noqa: S608  names of this module
        return self._database.execute(query, (self._session,)).fetchall()

    def _object(self, row: sqlite3.Row, number: int, **about: Json) -> list[Block]:
        """Return the object that a row holds as JSON, with what its columns say; none where it is damaged."""
        try:
            held = decode(str(row["data"]).encode())
        except Undecodable as error:
            self.damaged.append(Damaged(number, f"{row['id']}: {error}"))
            return []
        return [{"id": row["id"], "sessionID": self._session, **about, **mapping(held)}]


def _as_older(kind: str, held: Given) -> Iterable[Json]:
    """A message of version 2 as one of version 1, a compaction as its marker and its summary; none for no message."""
    about = {name: held.get(name) for name in ("id", "sessionID", "time")}
    if kind == "user":
        texts = [{"type": "text", "text": held.get("text")}] if held.get("text") else []
        yield {"info": {**about, "role": "user"}, "parts": [*texts, *map(_attached, objects(held.get("files")))]}
    elif kind in ("synthetic", "system", "skill", "shell"):
        shown = f"Shell command: {held.get('command')}\n\n{mapping(held.get('output')).get('output') or ''}"
        text = shown if kind == "shell" else held.get("text")
        yield {"info": {**about, "role": "user"}, "parts": [{"type": "text", "text": text, "synthetic": True}]}
    elif kind == "assistant":
        parts = [_part(part) for part in objects(held.get("content"))]
        yield {"info": {**about, **_answer(held, parts)}, "parts": parts}
    elif kind == "compaction" and held.get("status") == "completed" and not held.get("providerContext"):
        marker = {**about, "id": f"{about['id']}_marker", "role": "user"}
        yield {"info": marker, "parts": [{"type": "compaction", "auto": held.get("reason") != "manual"}]}
        texts = [{"type": "text", "text": held[name]} for name in ("summary", "recent") if held.get(name)]
        answer = {**about, **_answer(held, texts), "parentID": marker["id"], "summary": True, "finish": "stop"}
        yield {"info": answer, "parts": texts}


def _answer(held: Given, parts: Sequence[Given]) -> Block:
    """What an answer of version 1 says of itself. Version 2 sends one that failed where it has content, as aborted."""
    model, error = mapping(held.get("model")), mapping(held.get("error"))
    told: Block = {name: held[name] for name in ("agent", "cost", "tokens", "finish") if held.get(name) is not None}
    if error:
        aborted = error.get("type") == "aborted" or any(part.get("type") not in EMPTY for part in parts)
        told["error"] = {"name": ABORTED if aborted else error.get("type"), "data": {"message": error.get("message")}}
    return {"role": "assistant", "modelID": model.get("id"), "providerID": model.get("providerID"), **told}


def _part(part: Given) -> Block:
    """Return a part of an answer of version 2 as one of version 1; one of another type as it is."""
    if part.get("type") == "reasoning":
        return {**part, "metadata": {"anthropic": part.get("native", part.get("state"))}}
    if part.get("type") != "tool":
        return dict(part)
    state = mapping(part.get("state"))
    content = objects(state.get("content"))
    output = text_of([one for one in content if one.get("type") == "text"])
    failure = string(mapping(state.get("error")).get("message"))
    given = state.get("input")
    made: Block = {"status": state.get("status"), "input": given if isinstance(given, Mapping) else {}}
    made |= {"output": output, "error": "\n".join(filter(None, (failure, output)))}
    made["attachments"] = [{**one, "url": one.get("uri")} for one in content if one.get("type") == "file"]
    made["time"] = {"end": mapping(part.get("time")).get("completed")}
    return {"type": "tool", "callID": part.get("id"), "tool": part.get("name"), "state": made}


def _attached(file: Given) -> Block:
    """Return a file that the user attached: a text of it, an image, or where it is."""
    kind, data, name = string(file.get("mime")) or "", string(file.get("data")), file.get("name") or "without a name"
    if data is None or not kind.startswith(("text/", "application/x-directory")):
        url = file.get("uri") if data is None else f"data:{kind};base64,{data}"
        return {"type": "file", "mime": kind, "url": url, "filename": name}
    with suppress(ValueError):
        data = b64decode(data).decode(errors="replace")
    return {"type": "text", "text": f"Attached file: {name}\n\n{data}", "synthetic": True}
