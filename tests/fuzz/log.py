"""A session's log: what the store reads of it, shows, finds and appends to it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

from brim.errors import BrimError
from brim.sessions.file_store import FileStore
from brim.sessions.search import SearchIndex, search
from brim.sessions.view import replay_from_end, view_of
from tests.faults import session_writer
from tests.faults.test_sessions_hostile import LOGS

ROOT = Path(tempfile.mkdtemp())
LOG = ROOT / "sessions" / "p" / "hostile.jsonl"
SAID = {"role": "user", "content": "The parser."}


def seeds() -> Iterator[bytes]:
    """Yield logs of some acts each, and hostile ones of moderate length."""
    session_writer.tell, session_writer.WORDS = (lambda **_: None), "Words. "
    for number in range(12):
        store = FileStore(ROOT / str(number))
        with store.create(name="hostile") as session:
            author = session_writer.Author(store, session, Random(number))  # noqa: S311 -- the same in each run
            for _ in range(15):
                author.act()
        yield next(store.root.glob("sessions/*/*")).read_bytes()
    yield from (b"\n".join(lines) + b"\n" for lines in LOGS.values() if sum(map(len, lines)) < 16_000)


def once(data: bytes) -> None:
    """Read a log: each whole line is a record or damaged, from both ends the same, and what is appended follows."""
    shutil.rmtree(ROOT)
    LOG.parent.mkdir(parents=True)
    LOG.write_bytes(data)
    store, written = FileStore(ROOT), sum(bool(one) for one in data.split(b"\n")[:-1])
    if len(data) % 4 == 0:  # the index takes half of the time
        store.sessions()
        with suppress(BrimError):
            search(SearchIndex(store), "parser")
    with suppress(BrimError), store.read("hostile") as session:
        records = [*session.records()]
        assert len(records) + len(session.damaged) == written
        assert session.view() == view_of(replay_from_end(reversed(records)))
        store.info("hostile")
        with store.open("hostile") as writer:
            writer.append(SAID)
        assert [one.id for one in session.records()][:-1] == [one.id for one in records]
        assert session.view().messages[-1].raw == SAID
