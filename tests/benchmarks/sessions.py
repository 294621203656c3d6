"""Sessions and commands beside the plainest work on the same bytes: a durable append, resuming, and reading a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from brim.sessions.file_store import FileStore
from brim.sessions.ids import new_id
from brim.sessions.lines import encode
from brim.sessions.paths import system_clock
from brim.sessions.records import CompactionRecord, Copy, MessageRecord, SummaryRecord
from brim.sessions.session import Session
from tests.benchmarks.conversation import conversation
from tests.benchmarks.figures import Figure, in_turns, same

VISIBLE: Final = 200
"""Messages that are visible when a session is resumed, its summary among them."""
BATCH: Final = 1_000
"""Messages that are added together while a log is made."""
FILE: Final = Path(__file__).parents[2] / "docs" / "examples" / "recorded-session.jsonl"
"""The transcript that the commands read."""
READS: Final = "import json, sys; [json.loads(line) for line in open(sys.argv[1])]"


def measure_sessions(messages: int) -> Iterator[Figure]:
    """Measure an append to a session of so many messages, and resuming it."""
    with tempfile.TemporaryDirectory(prefix="brim-bench-") as folder:
        store, size = FileStore(Path(folder) / "home"), f"{messages:,} messages"
        name = _made(store, messages)
        path = next(store.root.glob(f"sessions/*/{name}.jsonl"))
        beside = os.open(f"{folder}/bare.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with store.open(name) as session:
            said, lines = iter(conversation(50_000, seed=2)), iter(conversation(50_000, seed=2))
            ways = {
                "brim": lambda: partial(session.append, next(said)),
                "limit: write and fsync": lambda: partial(_write, beside, _line(next(lines))),
            }
            yield from in_turns("a session's append, on the disk", size, ways, 30)
        os.close(beside)
        read = _resumed(partial(store.open, name))
        ways = {
            "brim, to write": same(lambda: _resumed(partial(store.open, name))),
            "brim, to read": same(lambda: _resumed(partial(store.read, name))),
            "limit: json.loads of the same lines": same(lambda: _tail(path, read)),
        }
        yield from in_turns("resuming a session", size, ways)


def _made(store: FileStore, messages: int) -> str:
    """Make a session of so many messages, compacted so that the last of them are visible; return its id."""
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


def _resumed(opening: Callable[[], Session]) -> int:
    """Make the view of a session; return how many bytes were read for it."""
    session = opening()
    session.view()
    session.journal.close()
    return session.journal.bytes_read


def _tail(path: Path, count: int) -> list[Any]:
    """Read the lines in the last so many bytes."""
    with path.open("rb") as handle:
        handle.seek(max(0, path.stat().st_size - count))
        return [json.loads(line) for line in handle.read().split(b"\n")[1:-1]]


def _line(raw: Any) -> bytes:
    now = system_clock()
    return encode(MessageRecord(id=new_id(now), time=now, message=raw))


def _write(file: int, data: bytes) -> None:
    os.write(file, data)
    os.fsync(file)


def measure_commands() -> Iterator[Figure]:
    """Measure commands on the recorded session, each a process of its own, beside Python that reads it as JSON."""
    read = same(partial(_process, "-c", READS, str(FILE)))
    for command in ("--version", "inspect", "compact"):
        options = ["--window", "32000", "--max-output", "4096"] if command == "compact" else []
        asked = [command, *([] if command == "--version" else [str(FILE)]), *options]
        ways = {"brim": same(partial(_process, "-m", "brim", *asked)), "limit: python, json.loads of the file": read}
        yield from in_turns(f"`brim {command}{'' if command == '--version' else ' FILE'}`", "", ways)


def _process(*arguments: str) -> None:
    command: Sequence[str] = [sys.executable, *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
