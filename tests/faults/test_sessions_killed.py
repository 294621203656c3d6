"""A writer that is killed, at random points and at each of its calls: what was acknowledged is there."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from brim.cli.app import app
from brim.errors import InvalidInput
from brim.sessions.file_store import FileStore
from brim.sessions.records import MessageRecord, RenameRecord
from brim.sessions.session import Session
from brim.sessions.view import replay_from_end, view_of
from brim.testing import complaints
from steps.prerequisites import sized

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[2]
ROUNDS = sized(6, nightly=1_000)
SEED = int(os.environ.get("BRIM_SEED", "1"))
ROUNDS_A_SESSION = 10
ROUNDS_A_STORE = 100


class Writers:
    """Writers in processes of their own, one after another or together."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.faults.session_writer"]
        paths = {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def order(self, *orders: dict[str, Any]) -> None:
        """Have writers begin."""
        self.process.stdin.write(json.dumps(orders).encode() + b"\n")

    def told(self) -> Iterator[dict[str, Any]]:
        """What they tell, as it comes, until all of them have ended."""
        pending = b""
        while True:
            data = os.read(self.process.stdout.fileno(), 65_536)
            assert data, "the process that forks the writers is gone"
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                told = json.loads(line)
                if "done" in told:
                    return
                yield told

    def wait(self, seconds: float) -> None:
        """Until they tell something, or so long."""
        select.select([self.process.stdout], [], [], seconds)

    def close(self) -> None:
        """No more orders; whoever still writes finds nobody to tell, and ends."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)


def killed_from_outside(writers: Writers, order: dict[str, Any], chance: Random) -> list[dict[str, Any]]:
    """What a writer told that was killed some time after it had acknowledged so many acts."""
    writers.order(order)
    after, moment = chance.randrange(25), chance.random() * chance.choice((0.000_5, 0.003))
    told: list[dict[str, Any]] = []
    writer = 0
    for one in writers.told():
        told.append(one)
        writer = one.get("born", writer)
        if len(told) == after + 1:
            writers.wait(moment)
            os.kill(writer, signal.SIGKILL)
    return told


def struck_down_at_a_call(writers: Writers, order: dict[str, Any], chance: Random) -> list[dict[str, Any]]:
    """What a writer told that ended at one of its calls of the operating system."""
    when = chance.choice(("before", "halfway", "halfway", "after"))
    writers.order({**order, "strike": chance.randrange(1, 90), "when": when})
    return list(writers.told())


class Acknowledged:
    """What the writers of one session were told is done."""

    def __init__(self, session: str) -> None:
        self.session, self.created = session, False
        self.records: dict[str, str] = {}
        """For each record how its message begins; empty where it holds none."""

    def take(self, told: list[dict[str, Any]]) -> None:
        """Take in what one writer told."""
        assert [one["broke"] for one in told if "broke" in one] == []
        assert [one["ended"] for one in told if "ended" in one] == [signal.SIGKILL]
        for one in told:
            self.created = self.created or "created" in one or "record" in one
            if "record" in one:
                assert one["record"] not in self.records
                self.records[one["record"]] = one.get("said", "")


def check(store: FileStore, known: Acknowledged) -> bool:
    """Everything that was acknowledged is there once, and what is there is sound; False where nothing was made yet."""
    try:
        with store.open(known.session) as session:
            check_log(session, known)
            check_view(session)
    except InvalidInput as error:
        assert not known.created, error
        return False
    with store.read(known.session) as session:
        renamed = [one.title for one in session.records() if isinstance(one, RenameRecord)]
    assert store.info(known.session).title == (renamed[-1] if renamed else "")
    assert store.warnings() == ()
    return True


def check_log(session: Session, known: Acknowledged) -> None:
    """Every acknowledged record is there, none twice, each after those made before it, none of them damaged."""
    records = list(session.records())
    ids = [record.id for record in records]
    assert [one for one in known.records if one not in set(ids)] == []
    assert ids == sorted(set(ids))
    assert session.damaged == []
    texts = {one.id: one.value.text for one in records if isinstance(one, MessageRecord)}
    assert [one for one, said in known.records.items() if said and not texts[one].startswith(said)] == []


def check_view(session: Session) -> None:
    """What the model sees can be sent, and is what the whole log gives."""
    view = session.view()
    raws = [message.raw for message in view.messages]
    assert not raws or complaints(raws) == []
    assert view == view_of(replay_from_end(reversed(list(session.records()))))


def check_commands(store: FileStore, known: Acknowledged) -> None:
    """The command lists the session, shows and resumes its view, and finds every acknowledged message."""

    def told(*command: str) -> Any:
        ran = CliRunner().invoke(app, ["sessions", *command, "--store", str(store.root), "--json"])
        assert ran.exit_code == 0, ran.output
        return json.loads(ran.stdout)

    with store.read(known.session) as session:
        view = session.view()
    assert known.session in {one["id"] for one in told("list")["sessions"]}
    assert told("show", known.session)["ids"] == list(view.ids)
    assert told("resume", known.session)["messages"] == [message.raw for message in view.messages]
    hits = told("search", "Message", "--session", known.session, "--limit", "10000")["hits"]
    assert {record for record, said in known.records.items() if said} <= {hit["record"] for hit in hits}


@pytest.mark.timeout(ROUNDS * 5 + 120)
def test_what_was_acknowledged_outlives_the_writer(writers: Writers, tmp_path: Path) -> None:
    """Every acknowledged record and title is there, none twice, and library and command show the session."""
    chance = Random(SEED)  # noqa: S311 - chance, not a secret
    acknowledged = 0
    for number in range(ROUNDS):
        if number % ROUNDS_A_STORE == 0:
            store = FileStore(tmp_path / f"store-{number}")
        if number % ROUNDS_A_SESSION == 0:
            known = Acknowledged(f"session-{number}")
        order = {"act": "write", "root": str(store.root), "session": known.session, "seed": chance.randrange(10**9)}
        kill = (killed_from_outside, struck_down_at_a_call)[number % 2]
        before = len(known.records)
        known.take(kill(writers, order, chance))
        acknowledged += len(known.records) - before
        if check(store, known):
            check_commands(store, known)
        else:
            known = Acknowledged(f"session-{number}-again")
    print(f"{ROUNDS:,} writers killed, {acknowledged:,} records acknowledged, all of them there")
    assert acknowledged > ROUNDS


@pytest.mark.parametrize("when", sized(["halfway"], nightly=["before", "halfway", "after"]))
def test_a_session_is_made_or_not(writers: Writers, tmp_path: Path, when: str) -> None:
    """A writer that ends at any call while it makes a session leaves a whole one or none; its name can be had."""
    store = FileStore(tmp_path / "home")
    store.create(name="another").close()
    for strike in range(1, 26):
        name = f"session-{when}-{strike}"
        known = Acknowledged(name)
        order = {"act": "write", "root": str(store.root), "session": name, "seed": strike}
        writers.order({**order, "strike": strike, "when": when})
        known.take(list(writers.told()))
        known.created = "there is no session" not in refusal(store, name)
        if not check(store, known):
            store.create(name=name).close()
        assert name in {info.id for info in store.sessions()}
        assert store.info(name).id == name


def refusal(store: FileStore, name: str) -> str:
    """What opening a session says where it is refused; empty where it opens."""
    try:
        store.open(name).journal.close()
    except InvalidInput as error:
        return str(error)
    return ""
