"""Tables: what a database holds of the sessions.

The lines of a session are rows that are only ever added. Bytes are kept as bytes, and what users say is kept as JSON in
plain ASCII, so that no text is refused, whatever the encoding of the database.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Identity, Integer, LargeBinary, MetaData, Table, Text, func
from sqlalchemy.sql.elements import ColumnElement

FORM: Final = 1
"""The version of the form of these tables; it stands in the comment of the first of them."""
MARK: Final = "brim tables of version "
METADATA: Final = MetaData()

SESSIONS: Final = Table(
    "brim_sessions",
    METADATA,
    Column("number", Integer, Identity(), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("folder", Text, nullable=False, index=True, comment="The project, as a name of a folder."),
    Column("about", Text, comment="What is known of it, as JSON; gathered from its lines, and to be had from them."),
    Column("lines", BigInteger, nullable=False, comment="How many lines that was gathered from."),
    Column("bytes", BigInteger, nullable=False, comment="How many bytes they have."),
    Column("holder", Text, comment="Who wrote it last, as JSON."),
    Column("backend", Integer, comment="The process of the server that served them."),
    comment=f"{MARK}{FORM}",
)
RECORDS: Final = Table(
    "brim_records",
    METADATA,
    Column("session", Integer, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("line", LargeBinary, nullable=False),
)
"""No foreign key: it would write to the row of the session with each line that is added."""


def unhurried() -> ColumnElement[bool]:
    """A condition that always holds, of a statement that need not wait for the disk: it writes an index."""
    return func.set_config("synchronous_commit", "off", True) == "off"  # noqa: FBT003
