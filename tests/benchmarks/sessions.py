"""Sessions beside the plainest work on the same bytes: resuming from the end, and adding a message that lasts."""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console

from brim.sessions.file_store import FileStore
from brim.sessions.ids import new_id
from brim.sessions.lines import encode
from brim.sessions.log import FileLog
from brim.sessions.paths import system_clock
from brim.sessions.records import CompactionRecord, Copy, MessageRecord, SessionRecord, SummaryRecord
from brim.sessions.session import Session
from brim.sessions.store import SessionStore
from tests.benchmarks.conversation import conversation
from tests.benchmarks.measures import once
from tests.benchmarks.tables import print_table

VISIBLE = 200
"""Messages that are visible when a session is resumed, its summary among them."""
THOUSAND = 1_000
RESUMES = 50
APPENDS = 300
BATCH = 1_000
"""Messages that are added together while a log is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """Seconds and bytes for a session of one length; resuming is the fastest of some, adding the median."""

    messages: int
    size: int
    """Bytes of its log."""
    visible: int
    """Messages of the view."""
    bytes_read: int
    """Bytes read until the view was there."""
    resume: float
    """Opening it to write and making its view."""
    walk: float
    """The same without the store: the log and the view alone."""
    tail: float
    """The plainest work on the same messages: their lines split off the end, and decoded as JSON."""
    whole_log: float
    """Every line of the log decoded as JSON, once."""
    append: float
    """One message added, and on the disk."""
    bare: float
    """The same bytes written and synced, and nothing else; measured in turn with the appends."""


def measure_sessions(messages: int) -> SessionRow:
    """Every measurement for a session of so many messages, of which the last are visible."""
    with tempfile.TemporaryDirectory(prefix="brim-bench-") as folder:
        store = FileStore(Path(folder) / "home")
        name = made(store, messages)
        path = next(store.root.glob(f"sessions/*/{name}.jsonl"))
        size, resumes, walks = path.stat().st_size, [], []
        for _ in range(RESUMES):
            seconds, visible, bytes_read = resumed(lambda: store.open(name))
            resumes.append(seconds)
            walks.append(resumed(lambda: over_the_log(path))[0])
        appends, bares = appended(store, name, Path(folder) / "bare.jsonl")
        return SessionRow(
            messages=messages,
            size=size,
            visible=visible,
            bytes_read=bytes_read,
            resume=min(resumes),
            walk=min(walks),
            tail=min(once(lambda: plain_tail(path, size, bytes_read)) for _ in range(RESUMES)),
            whole_log=once(lambda: plain_whole(path)),
            append=statistics.median(appends),
            bare=statistics.median(bares),
        )


def made(store: SessionStore, messages: int) -> str:
    """A session of so many messages, compacted so that the last of them are visible behind a summary; its id."""
    with store.create(project="/work/benchmark") as session:
        ids: list[str] = []
        said = iter(conversation(messages))
        while batch := list(islice(said, BATCH)):
            ids += session.extend(batch)
        if messages >= VISIBLE:
            summary = SummaryRecord(content="Parts were changed.", generated=0, summarized=messages, tokens_before=9)
            copy = Copy(message={"role": "user", "content": "What was done so far: parts were changed."})
            session.write(CompactionRecord, summary=summary, opening=(copy,), tail=ids[1 - VISIBLE])
    os.sync()
    return session.id


def resumed(opening: Callable[[], Session]) -> tuple[float, int, int]:
    """Seconds until the view of a session is there, how many messages it has, and how many bytes were read."""
    gc.collect()
    begun = time.perf_counter()
    session = opening()
    view = session.view()
    seconds = time.perf_counter() - begun
    bytes_read = session.journal.bytes_read
    session.journal.close()
    return seconds, len(view.messages), bytes_read


def over_the_log(path: Path) -> Session:
    """A session to be read, over its log alone."""
    return Session(path.stem, FileLog(path), FileStore(path.parents[2]), is_writable=True)


def plain_tail(path: Path, size: int, count: int) -> list[Any]:
    """The lines in the last so many bytes, as JSON."""
    with path.open("rb") as handle:
        handle.seek(max(0, size - count))
        lines = handle.read().split(b"\n")[1:-1]
    return [json.loads(line) for line in lines[-VISIBLE:]]


def plain_whole(path: Path) -> int:
    """How many lines there are, each of them read as JSON."""
    with path.open("rb") as handle:
        return sum(1 for line in handle if json.loads(line))


def appended(store: FileStore, name: str, beside: Path) -> tuple[list[float], list[float]]:
    """Seconds of each of some appends, and of writing the very same bytes bare; which comes first takes turns."""
    appends, bares = [], []
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    session = store.open(name)
    for number, raw in enumerate(conversation(APPENDS, seed=2)):
        now = system_clock()
        line = encode(MessageRecord(id=new_id(now), time=now, message=raw))
        acts = [(appends, partial(session.append, raw)), (bares, partial(bare, file, line))]
        for seconds, act in acts if number % 2 else reversed(acts):
            seconds.append(once(act))
    session.journal.close()
    os.close(file)
    return appends, bares


def bare(file: int, data: bytes) -> None:
    """What is left of an append without brim."""
    os.write(file, data)
    os.fsync(file)


COLUMNS: dict[str, Callable[[SessionRow], str]] = {
    "messages": lambda row: f"{row.messages:,}",
    "log MB": lambda row: f"{row.size / 1e6:.1f}",
    "visible": lambda row: f"{row.visible:,}",
    "read KB": lambda row: f"{row.bytes_read / 1e3:.0f}",
    "resume ms": lambda row: f"{row.resume * 1e3:.2f}",
    "log and view ms": lambda row: f"{row.walk * 1e3:.2f}",
    "bare tail ms": lambda row: f"{row.tail * 1e3:.2f}",
    "whole log ms": lambda row: f"{row.whole_log * 1e3:.1f}",
    "append ms": lambda row: f"{row.append * 1e3:.3f}",
    "write + sync ms": lambda row: f"{row.bare * 1e3:.3f}",
    "× bare": lambda row: f"{row.append / row.bare:.2f}",
}


def show_sessions(rows: Sequence[SessionRow], console: Console) -> None:
    """The table, and how resuming and adding grow."""
    print_table("sessions beside the plainest work on the same bytes, in one run", COLUMNS, rows, console)
    for name, times in growth_of_sessions(rows).items():
        console.print(f"{name}: {times:.2f}")


def growth_of_sessions(rows: Sequence[SessionRow]) -> dict[str, float]:
    """The longest session against the one of 1,000 messages, and an append there against one in the shortest."""
    longest, shortest = rows[-1], rows[0]
    thousand = next((row for row in rows if row.messages == THOUSAND), shortest)
    return {
        "bytes read to resume, longest against 1,000 messages": longest.bytes_read / thousand.bytes_read,
        "time to resume, longest against 1,000 messages": longest.resume / thousand.resume,
        "whole log against resuming, longest": longest.whole_log / longest.resume,
        "append, longest against shortest": longest.append / shortest.append,
        "write + sync, longest against shortest": longest.bare / shortest.bare,
    }


FEW, MANY = 100, 5_000
ACTS = 50
"""How often each act is measured in a store."""
IMPORTED = 40_000
"""Messages of the transcript that is imported meanwhile: 61 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRow:
    """Seconds of the processor for an act in a store of so many sessions; the median of some."""

    sessions: int
    create: float
    rename: float
    close: float
    find: float
    listed: float
    """A listing that reads no log, for each session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """Seconds on the clock to create a session, alone and while another process imports a large transcript."""

    alone_median: float
    alone_99: float
    beside_median: float
    beside_99: float
    created: int
    """How many sessions were created meanwhile."""


def measure_store(sessions: int) -> StoreRow:
    """Every measurement in a store of so many sessions."""
    with tempfile.TemporaryDirectory(prefix="brim-bench-") as folder:
        store = FileStore(Path(folder) / "home")
        for number in range(sessions):
            log = store.root / "sessions" / f"p-{number % 20}" / f"s-{number}.jsonl"
            log.parent.mkdir(parents=True, exist_ok=True)
            about = {"session": log.stem, "project": "/p", "title": "t" * 40}
            log.write_bytes(encode(SessionRecord(id=new_id(number), time=number, **about)))
        store.sessions()
        made: list[Session] = []
        creates = [processor(lambda: made.append(store.create(project="/p"))) for _ in range(ACTS)]
        renames = [processor(partial(one.rename, "Another")) for one in made]
        for one in made:
            one.append({"role": "user", "content": "more"})
        closes = [processor(one.close) for one in made]
        finds = [processor(partial(store.info, f"s-{number * sessions // ACTS}")) for number in range(ACTS)]
        listings = [processor(store.sessions) / (sessions + ACTS) for _ in range(5)]
    return StoreRow(
        sessions=sessions,
        create=statistics.median(creates),
        rename=statistics.median(renames),
        close=statistics.median(closes),
        find=statistics.median(finds),
        listed=min(listings),
    )


def processor(work: Callable[[], Any]) -> float:
    """Seconds of the processor for one run."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measure_import() -> ImportRow:
    """How long it takes to create a session while another process imports 61 MB into the same store."""
    with tempfile.TemporaryDirectory(prefix="brim-bench-") as folder:
        store, transcript = FileStore(Path(folder) / "home"), Path(folder) / "large.json"
        transcript.write_text(json.dumps(conversation(IMPORTED)))
        store.create().close()
        alone = [created(store) for _ in range(ACTS * 2)]
        command = [sys.executable, "-m", "brim", "sessions", "import", transcript, "--store", store.root]
        beside = []
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as importing:
            while importing.poll() is None:
                beside.append(created(store))
    return ImportRow(
        alone_median=statistics.median(alone),
        alone_99=statistics.quantiles(alone, n=100)[-1],
        beside_median=statistics.median(beside),
        beside_99=statistics.quantiles(beside, n=100)[-1],
        created=len(beside),
    )


def created(store: FileStore) -> float:
    """Seconds until a session is there; closing it is not counted."""
    begun = time.perf_counter()
    session = store.create(project="/p")
    seconds = time.perf_counter() - begun
    session.close()
    time.sleep(0.01)
    return seconds


STORE_COLUMNS: dict[str, Callable[[StoreRow], str]] = {
    "sessions": lambda row: f"{row.sessions:,}",
    "create ms": lambda row: f"{row.create * 1e3:.2f}",
    "rename ms": lambda row: f"{row.rename * 1e3:.2f}",
    "close ms": lambda row: f"{row.close * 1e3:.2f}",
    "find ms": lambda row: f"{row.find * 1e3:.2f}",
    "list, µs a session": lambda row: f"{row.listed * 1e6:.1f}",
}


def show_stores(stores: Sequence[StoreRow], importing: ImportRow, console: Console) -> None:
    """The table of stores, and creating a session beside an import."""
    print_table("acts on stores of two sizes, in time of the processor", STORE_COLUMNS, stores, console)
    for name, times in growth_of_stores(stores).items():
        console.print(f"{name}: {times:.2f}")
    console.print(
        f"creating a session: median {importing.alone_median * 1e3:.1f} ms, 99th percentile "
        f"{importing.alone_99 * 1e3:.1f} ms; while 61 MB are imported, {importing.created} times: "
        f"{importing.beside_median * 1e3:.1f} and {importing.beside_99 * 1e3:.1f} ms"
    )


def growth_of_stores(stores: Sequence[StoreRow]) -> dict[str, float]:
    """Each act in the largest store against the smallest."""
    few, many = stores[0], stores[-1]
    acts = ("create", "rename", "close", "find", "listed")
    sizes = f"{many.sessions:,} against {few.sessions:,} sessions"
    return {f"{act}, {sizes}": getattr(many, act) / getattr(few, act) for act in acts}
