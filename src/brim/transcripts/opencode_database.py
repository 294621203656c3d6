"""OpenCode's database `opencode.db`, where its sessions are since 1.2: read as an export is, and never written to.

Version 1 has the tables `session`, `message` and `part`: each row of the latter two is an object of an export. Version
2 leaves them as they are and adds `session_v2` and `session_message`, with one row of some type for each message. A
session that is in both is read from the newer tables, its messages as those of version 1.

A path with an id behind a `#` names one of the sessions: `opencode.db#ses_1`.
"""

from __future__ import annotations

import sqlite3
from base64 import b64decode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from brim.errors import MAX_SHOWN, InvalidInput
from brim.transcripts.blocks import Block, Given, text_of
from brim.transcripts.opencode import ABORTED, EMPTY
from brim.transcripts.source import Json, Source, Undecodable, decode, mapping, objects, string
from brim.transcripts.values import Damaged

MAGIC: Final = b"SQLite format 3\0"
"""How an SQLite database begins."""
IN_WAL: Final = b"\2\2"
"""The bytes at `MODES` of one whose newest changes stand in a file beside it while it is written to."""
MODES: Final = slice(18, 20)
WAIT: Final = 3.0
"""Seconds that a database may be locked."""
INSTEAD: Final = "name a file that opencode export SESSION > session.json writes"
TOLD: Final = ("id", "directory", "time_created", "time_updated")
"""The columns that a table of sessions has in both versions."""
ROWS: Final = {
    "session": TOLD,
    "message": ("id", "session_id", "data"),
    "part": ("id", "message_id", "session_id", "data"),
}
"""The tables of version 1, and the columns that are read."""
ROWS_OF_2: Final = {"session_v2": TOLD, "session_message": ("id", "session_id", "type", "seq", "data")}
CHANGED: Final = ("time_updated", "time_idle")
"""The columns that say when a session was changed; version 2 does not touch the first of them at every answer."""
OTHERS: Final = {"content_json": "goose", "cursorDiskKV": "Cursor", "parts": "Crush"}
"""A column or table of the database of another tool, and the tool."""
SHOWN: Final = 8
"""Tables of a database that an error names."""
Tables: TypeAlias = Mapping[str, Sequence[str]]
"""For each table its columns."""


class StoredParts(NamedTuple):
    """A session in a database."""

    id: str
    directory: str
    updated: float
    """When it was last written to, in milliseconds since 1970."""
    is_child: bool
    """Whether it is that of a sub-agent."""
    is_held: bool
    """Whether it has a message."""
    is_newer: bool
    """Whether its messages are in the tables of version 2."""
    info: Block
    """What an export says of it."""


def located(path: Path) -> tuple[Path, str | None]:
    """The database that a path names, and the id of the session behind the `#`; another path as it is."""
    file, mark, session = str(path).rpartition("#")
    return (Path(file), session) if mark and not path.exists() and is_database(Path(file)) else (path, None)


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, of whatever tool."""
    if path.is_file():
        with suppress(OSError), path.open("rb") as handle:
            return handle.read(len(MAGIC)) == MAGIC
    return False


def kept_sessions(file: Path) -> list[StoredParts]:
    """The sessions with a message, without those of sub-agents, the newest first. Raises InvalidInput."""
    with _opened(file) as (database, tables):
        return _roots(_kept(database, tables))


def gather(path: Path) -> Source:
    """The one session of a database, or that of the id behind the `#`, put together as an export is.

    Raises InvalidInput where there is none, or several and no id, or the database cannot be read.
    """
    file, name = located(path)
    with _opened(file) as (database, tables):
        kept = _kept(database, tables)
        one = _named(file, kept, name) if name else _only(file, kept)
        reader = _DatabaseReader(database, one)
        messages = [*(reader.newer_messages() if one.is_newer else reader.messages())]
    document = {"info": one.info, "messages": messages, "left_out": reader.left_out}
    return Source(path, document=document, damaged=reader.damaged)


@contextmanager
def _opened(file: Path) -> Iterator[tuple[sqlite3.Connection, Tables]]:
    """The database as it is at this moment, to be read alone, and its tables. Raises InvalidInput.

    Without a file of newest changes nobody writes to it: it is read without the files that SQLite would put beside it.
    """
    try:
        real = file.resolve()
        with real.open("rb") as handle:
            alone = handle.read(MODES.stop)[MODES] == IN_WAL and not Path(f"{real}-wal").exists()
        uri = f"{real.as_uri()}?mode=ro{'&immutable=1' if alone else ''}"
        with closing(sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None)) as database:
            database.row_factory = sqlite3.Row
            database.text_factory = lambda raw: raw.decode(errors="replace")
            database.execute("BEGIN")
            yield database, _tables(file, database)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a damaged name is part of the former
        raise InvalidInput(f"{file} {_fault(error)}; {INSTEAD}") from error


def _fault(error: sqlite3.Error | UnicodeDecodeError) -> str:
    told = " ".join(str(error).split())[:MAX_SHOWN]
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "is locked by another program: try again when that has ended"
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return f"is a database that is damaged or cut short ({told})"
    return f"is a database that cannot be read ({told})"


def _tables(file: Path, database: sqlite3.Connection) -> Tables:
    """The tables with their columns. Raises InvalidInput where they are none that brim knows of OpenCode."""
    names = [str(row[0]) for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = "SELECT name FROM pragma_table_info(?)"
    tables = {name: [str(row[0]) for row in database.execute(columns, (name,))] for name in names}
    if not tables or _has(tables, ROWS) or _has(tables, ROWS_OF_2):
        return tables
    held = {*tables, *(column for name in tables for column in tables[name])}
    tool = next((tool for mark, tool in OTHERS.items() if mark in held), None)
    if tool is not None:
        raise InvalidInput(f"{file} is a database of {tool}, which brim does not read; it reads OpenCode's alone")
    shown = ", ".join(sorted(tables)[:SHOWN])
    what = "a form of OpenCode's database" if "session" in " ".join(tables) else "a database"
    raise InvalidInput(f"{file} is {what} that brim does not know (its tables: {shown}); {INSTEAD}")


def _has(tables: Tables, wanted: Tables) -> bool:
    """Whether there are tables of these names with these columns, and others."""
    return all({*columns} <= {*tables.get(name, ())} for name, columns in wanted.items())


def _kept(database: sqlite3.Connection, tables: Tables) -> dict[str, StoredParts]:
    """The sessions by their id; those of version 2 last, in the place of older ones."""
    said = "SELECT DISTINCT session_id FROM message"
    older = {name for (name,) in database.execute(said)} if _has(tables, ROWS) else set[str]()
    said = "SELECT DISTINCT session_id FROM session_message WHERE type IN ('user', 'assistant')"
    newer = {name for (name,) in database.execute(said)} if _has(tables, ROWS_OF_2) else set[str]()
    kept: dict[str, StoredParts] = {}
    for table, form in (("session", ROWS), ("session_v2", ROWS_OF_2)):
        for row in database.execute(f"SELECT * FROM {table}") if _has(tables, form) else ():  # noqa: S608  two names
            told, name = dict(row), str(row["id"])
            is_newer = table == "session_v2" and name in newer
            kept[name] = StoredParts(
                name,
                str(told["directory"]),
                max((time for one in CHANGED if isinstance(time := told.get(one), int | float)), default=0),
                bool(told.get("parent_id")),
                is_newer or name in older,
                is_newer,
                _info(told),
            )
    return kept


def _info(told: Given) -> Block:
    """What an export says of a session."""
    info: Block = {name: told.get(column) for name, column in FIELDS.items()}
    for name, columns in GROUPS.items():
        held = {one: told.get(f"{name}_{one}") for one in columns}
        info[name] = {one: value for one, value in held.items() if value is not None}
    for name in ("revert", "permission"):
        with suppress(Undecodable):
            info[name] = decode(str(told.get(name) or "null").encode())
    return {name: value for name, value in info.items() if value not in (None, "", {})}


FIELDS: Final = {
    "id": "id",
    "slug": "slug",
    "projectID": "project_id",
    "directory": "directory",
    "parentID": "parent_id",
    "title": "title",
    "version": "version",
}
"""For each field that an export has of a session: its column."""
GROUPS: Final = {
    "time": ("created", "updated", "compacting", "archived"),
    "summary": ("additions", "deletions", "files"),
    "share": ("url",),
}
"""The fields that hold others, each of which has a column of both names."""


def _roots(kept: Mapping[str, StoredParts]) -> list[StoredParts]:
    """Those with a message that are of no sub-agent, the newest first."""
    roots = (one for one in kept.values() if one.is_held and not one.is_child)
    return sorted(roots, key=lambda one: one.updated, reverse=True)


def _only(file: Path, kept: Mapping[str, StoredParts]) -> StoredParts:
    roots = _roots(kept)
    if not roots:
        raise InvalidInput(f"{file} is a database without a session of OpenCode; name the file of a transcript")
    if len(roots) > 1:
        newest = f"{file}#{roots[0].id}"
        raise InvalidInput(f"{file} holds {len(roots)} sessions of OpenCode; name one of them, such as {newest}")
    return roots[0]


def _named(file: Path, kept: Mapping[str, StoredParts], name: str) -> StoredParts:
    if name not in kept:
        newest = "".join(f", such as {file}#{one.id}" for one in _roots(kept)[:1])
        raise InvalidInput(f"{file} holds no session {name}; name one that it holds{newest}")
    return kept[name]


class _DatabaseReader:
    """The messages of one session, what of them is damaged, and what is none."""

    def __init__(self, database: sqlite3.Connection, one: StoredParts) -> None:
        self.damaged: list[Damaged] = []
        self.left_out: Counter[str] = Counter()
        self._database, self._session = database, one.id

    def messages(self) -> Iterator[Json]:
        """Those of version 1 with their parts, in order."""
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
        """Those of version 2 as those of version 1; rows that are no message are counted."""
        for number, row in enumerate(self._rows("session_message", "seq"), 1):
            for held in self._object(row, number):
                made = [*_as_older(str(row["type"]), held)]
                self.left_out.update([] if made else [f"{row['type']} record"])
                yield from made

    def _rows(self, table: str, order: str) -> list[sqlite3.Row]:
        query = f"SELECT * FROM {table} WHERE session_id = ? ORDER BY {order}"  # noqa: S608  names of this module
        return self._database.execute(query, (self._session,)).fetchall()

    def _object(self, row: sqlite3.Row, number: int, **about: Json) -> list[Block]:
        """The object that a row holds as JSON, with what its columns say; none where it is damaged."""
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
    """A part of an answer of version 2 as one of version 1; one of another type as it is."""
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
    """A file that the user attached: a text of it, an image, or where it is."""
    kind, data, name = string(file.get("mime")) or "", string(file.get("data")), file.get("name") or "without a name"
    if data is None or not kind.startswith(("text/", "application/x-directory")):
        url = file.get("uri") if data is None else f"data:{kind};base64,{data}"
        return {"type": "file", "mime": kind, "url": url, "filename": name}
    with suppress(ValueError):
        data = b64decode(data).decode(errors="replace")
    return {"type": "text", "text": f"Attached file: {name}\n\n{data}", "synthetic": True}
