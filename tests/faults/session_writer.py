"""The process that is killed: it forks a writer at each order, and the writer tells each act that was acknowledged.

An order is a line of JSON on the standard input: the name of a function below and its arguments. What a writer tells is
a line of JSON on the standard output; it is told once the act has returned. "born" comes first, "ended" last.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random
from traceback import format_exc
from typing import Any

from sqlalchemy import Engine, event

from brim.compaction.plan import plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import compact_without_model
from brim.errors import InvalidInput, Refused, SessionHeld
from brim.models import ModelLimits
from brim.sessions.file_store import FileStore
from brim.sessions.records import ModelRecord
from brim.sessions.session import Session
from brim.sessions.store import SessionStore, open_store
from brim.tokens.usage import TokenUsage

LIMITS = ModelLimits(context_window=3_000, max_output_tokens=500)
WORDS = "Words that do not matter — but take room. "
CALLS = ("write", "fsync", "ftruncate", "replace", "unlink", "link", "open")
"""The calls of the operating system at which a writer may strike itself down."""
_write = os.write


def tell(**told: Any) -> None:
    """Pass a line on in one piece, past whatever the writer does to its own calls."""
    _write(1, json.dumps(told).encode() + b"\n")


def main() -> None:
    """Take orders until there are none."""
    while line := sys.stdin.readline():
        orders = json.loads(line)
        writers = [begin(**order) for order in orders]
        for writer in writers:
            tell(ended=os.waitpid(writer, 0)[1])
        tell(done=True)


def begin(act: str, **arguments: Any) -> int:
    """Fork a writer that carries out an order; its process id."""
    writer = os.fork()
    if writer == 0:
        try:
            tell(born=os.getpid())
            {"write": write, "contend": contend}[act](**arguments)
        except BaseException:  # noqa: BLE001 - whatever it is, the test is told
            tell(broke=format_exc())
        finally:
            os._exit(0)
    return writer


def write(root: str, session: str, seed: int, strike: int = 0, when: str = "before") -> None:
    """Write one session, in any order of acts, until killed."""
    chance, store = Random(seed), open_store(root)  # noqa: S311 - chance, not a secret
    if seed % 3 == 0:
        os.link = no_links  # as on a disk on which each file has one name
    if strike and isinstance(store, FileStore):
        strike_at(strike, when)
    elif strike:
        strike_at_statement(strike, when)
    try:
        held = store.open(session)
    except InvalidInput:
        held = store.create(project="/home/dev/parser", name=session)
        tell(created=session)
    author = Author(store, held, chance)
    while True:
        author.act()


def no_links(*_: object) -> None:
    """What a disk says that knows no hard links."""
    raise OSError(errno.ENOTSUP, "Operation not supported")


def strike_at(count: int, when: str) -> None:
    """End this process at one of its calls of the operating system: before it, halfway through a write, or after it."""
    calls = itertools.count(1)
    for name in CALLS:
        setattr(os, name, _struck(getattr(os, name), name, calls, count, when))


def strike_at_statement(count: int, when: str) -> None:
    """End this process at one of the statements that it sends to a database: before it, or once it was carried out."""
    statements = itertools.count(1)

    def strike(*_: object) -> None:
        if next(statements) == count:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, f"{when}_cursor_execute", strike)


def _struck(real: Callable[..., Any], name: str, calls: Iterator[int], count: int, when: str) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        if next(calls) != count:
            return real(*args, **options)
        try:
            if when == "after":
                real(*args, **options)
            elif when == "halfway" and name == "write":
                real(args[0], args[1][: len(args[1]) // 2])
        finally:
            os.kill(os.getpid(), signal.SIGKILL)

    return call


class Author:
    """Someone who does with a session whatever can be done, and tells what was acknowledged."""

    def __init__(self, store: SessionStore, session: Session, chance: Random) -> None:
        self.store, self.session, self.chance = store, session, chance
        self.known = [record.id for record in session.records()]
        self.count = len(self.known)
        acts = {self.say: 6, self.work: 4, self.measure: 2, self.compact: 2, self.prune: 1, self.rewind: 1}
        acts |= {self.undo: 1, self.redo: 1, self.rename: 1, self.use_model: 1, self.break_off: 1}
        self.acts = list(itertools.chain(*([act] * often for act, often in acts.items())))

    def act(self) -> None:
        """Do one thing."""
        self.count += 1
        with suppress(Refused):  # there may be nothing to undo
            self.chance.choice(self.acts)()

    def added(self, record: str | None, **more: Any) -> None:
        """Tell that a record was acknowledged; None where nothing was to be done."""
        if record is not None:
            self.known.append(record)
            tell(record=record, session=self.session.id, **more)

    def say(self) -> None:
        """A message, with a text that is known again."""
        said = f"Message {self.session.id} {os.getpid()} {self.count}. " + WORDS * self.chance.choice((1, 5, 80))
        self.added(self.session.append({"role": "user", "content": said}), said=said[:60])
        answer = [{"type": "text", "text": WORDS}]
        if self.chance.random() < 0.5:
            answer.insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "signed"})
        self.added(self.session.append({"role": "assistant", "content": answer}))

    def work(self) -> None:
        """A call and its result, in one write or in two."""
        name = f"call-{os.getpid()}-{self.count}"
        call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": name, "content": WORDS * self.chance.choice((1, 200))}
        both = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        self.added(self.session.append({"role": "user", "content": "Look."}))
        if self.chance.random() < 0.5:
            together = self.session.extend(both)
            for record in together:
                self.added(record)
        else:
            for one in both:
                self.added(self.session.append(one))

    def measure(self) -> None:
        """What the API counted."""
        self.added(self.session.record(TokenUsage(input=self.chance.randrange(1, 3_000)), model="some-model"))

    def compact(self) -> None:
        """A compaction."""
        share = self.chance.choice((Fraction(1, 5), Fraction(1, 2)))
        window = self.session.view().window(LIMITS, CompactionPolicy(keep_share=share))
        self.added(self.session.compacted(compact_without_model(plan_compaction(window))))

    def prune(self) -> None:
        """A pruning."""
        window = self.session.view().window(LIMITS, CompactionPolicy(prune_protect=100, prune_minimum=10))
        self.added(self.session.pruned(window.prune()))

    def rewind(self) -> None:
        """Back to one of the last records."""
        if len(self.known) > 1:
            self.added(self.session.rewind(self.chance.choice(self.known[-8:])))

    def undo(self) -> None:
        """The newest compaction counts no more."""
        self.added(self.session.undo())

    def redo(self) -> None:
        """The last undo is taken back."""
        self.added(self.session.redo())

    def break_off(self) -> None:
        """A compaction that came to nothing."""
        self.added(self.session.failed("no answer"))

    def rename(self) -> None:
        """Another title; the registry has to know."""
        title = f"Title {self.count}"
        self.added(self.session.rename(title), title=title)

    def use_model(self) -> None:
        """Another model; the registry has to know."""
        self.added(self.session.write(ModelRecord, model=f"model-{self.count}"))


def contend(root: str, sessions: list[str], seed: int, seconds: float, beside: str = "") -> None:
    """Write whichever session can be had, against others who do the same, for so many seconds."""
    chance, store = Random(seed), open_store(root)  # noqa: S311 - chance, not a secret
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        name = chance.choice(sessions)
        try:
            held = store.open(name)
        except SessionHeld as error:
            tell(held=str(error), session=name)
            continue
        with held, _witness(Path(beside or root) / f"{name}.witness"):
            author = Author(store, held, chance)
            for _ in range(chance.randrange(1, 12)):
                author.act()
        if chance.random() < 0.05:
            with store.create(project=f"/home/dev/{seed}") as made:
                tell(created=made.id)
                Author(store, made, chance).say()
        if chance.random() < 0.1:
            listed = {info.id for info in store.sessions()}
            tell(listed=len(listed), missing=sorted(set(sessions) - listed))
    tell(warnings=store.warnings())


class _witness:  # noqa: N801 - reads as what it is where it is used
    """Notes who writes, apart from the lock of the session; tells where another one is met."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            tell(two_writers=self.path.stem)

    def __exit__(self, *_: object) -> None:
        self.path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
