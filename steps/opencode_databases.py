"""Databases of OpenCode with small sessions, in the tables of its public schema, with the columns that it fills."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

TIMES = "time_created integer NOT NULL, time_updated integer NOT NULL"
SESSION = f"""(id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL,
    directory text NOT NULL, path text, title text, version text NOT NULL, share_url text, revert text, permission text,
    agent text, model text, {TIMES}, time_compacting integer, time_archived integer)"""
TABLES = {
    1: f"""CREATE TABLE IF NOT EXISTS session {SESSION};
        CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text NOT NULL, {TIMES}, data text NOT NULL);
        CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
            {TIMES}, data text NOT NULL);""",
    2: f"""CREATE TABLE IF NOT EXISTS session_v2 {SESSION.removesuffix(")")}, time_idle integer, idle_outcome text);
        CREATE TABLE IF NOT EXISTS session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL,
            seq integer NOT NULL, {TIMES}, data text NOT NULL);""",
}


def connected(path: Path, version: int = 1) -> sqlite3.Connection:
    """An open database with the tables of a version, which writes its changes into a file beside it at first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.executescript(TABLES[version])
    return database


def write_session(
    path: Path, name: str, messages: Iterable[Mapping[str, Any]], *, version: int = 1, **fields: Any
) -> None:
    """Add a session to a database: messages with info and parts, or with a type in version 2."""
    with closing(connected(path, version)) as database, database:
        add_session(database, name, messages, version=version, **fields)


def add_session(
    database: sqlite3.Connection, name: str, messages: Iterable[Mapping[str, Any]], *, version: int = 1, **fields: Any
) -> None:
    """Add a session through an open database."""
    session = {
        "id": name, "project_id": "p", "slug": "s", "directory": "/work", "title": "Tides", "version": f"{version}.4.3",
        "time_created": 1, "time_updated": 1, **fields,
    }  # fmt: skip
    insert(database, "session" if version == 1 else "session_v2", session)
    for number, message in enumerate(messages, 1):
        times = {"time_created": number, "time_updated": number, "session_id": name}
        if version == 2:
            data = {key: value for key, value in message.items() if key not in ("id", "type")}
            row = {"id": f"{name}_msg_{number}", "type": message["type"], "seq": number}
            insert(database, "session_message", {**row, **times, "data": json.dumps(data)})
            continue
        info = dict(message["info"])
        own = f"{name}_{info.pop('id', f'msg_{number}')}"
        insert(database, "message", {"id": own, **times, "data": json.dumps(info)})
        for position, part in enumerate(message["parts"]):
            row = {"id": f"{own}_prt_{position:02}", "message_id": own, **times, "data": json.dumps(part)}
            insert(database, "part", row)


def insert(database: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    marks = ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", [*row.values()])  # noqa: S608


def said(*texts: str) -> list[dict[str, Any]]:
    """Messages of version 1, by the user and the assistant in turn."""
    tokens = {"input": 100, "output": 5, "reasoning": 0, "cache": {"read": 1000, "write": 0}}
    answer = {"role": "assistant", "modelID": "gpt-5", "providerID": "openai", "finish": "stop", "tokens": tokens}
    infos = ({"role": "user"} if number % 2 == 0 else answer for number in range(len(texts)))
    return [{"info": info, "parts": [{"type": "text", "text": text}]} for info, text in zip(infos, texts, strict=False)]
