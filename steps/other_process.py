"""Other processes, which act on the sessions and checkpoints of this one: forked from a server that has imported brim.

A server forks faster than Python starts; what it forks shares nothing with the process that asks, nor with the last.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

SERVER = get_context("forkserver")
SERVER.set_forkserver_preload(
    ["__main__", __name__, "brim.checkpoints", "brim.cli.checkpoints", "brim.sessions.file_store", "brim.sessions.sql"]
)
SAYS = {"role": "user", "content": "Go on."}


def _started(act: Callable[..., None], *arguments: str) -> tuple[BaseProcess, Connection]:
    """Start an act in a process with the folder and the environment of this one; it gets an end of a connection."""
    ours, its_own = SERVER.Pipe()
    process = SERVER.Process(target=_run, args=(os.getcwd(), dict(os.environ), act, its_own, *arguments))  # noqa: PTH109
    process.start()
    its_own.close()
    return process, ours


def _run(folder: str, environment: dict[str, str], act: Callable[..., None], *arguments: Any) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    act(*arguments)


def ended(act: Callable[..., None], *arguments: str) -> int:
    """Wait for the end of an act in another process; return its exit code, below 0 for the signal that ended it."""
    process, connection = _started(act, *arguments)
    with connection:
        process.join()
    return int(process.exitcode or 0)


@contextmanager
def holding(act: Callable[..., None], *arguments: str) -> Iterator[BaseProcess]:
    """Go on once another process has reported that it holds what it was asked to hold; it is killed in the end."""
    process, connection = _started(act, *arguments)
    with connection:
        connection.recv()  # raises EOFError if it failed before
        yield process
        process.kill()
        process.join()


def _holds(connection: Connection) -> None:
    connection.send("held")
    with suppress(EOFError):  # whoever asked is gone
        connection.recv()


def hold_session(connection: Connection, store: str, name: str, since: str = "") -> None:
    """Hold a session, since a time by a clock of its own."""
    import freezegun  # noqa: PLC0415  it looks at every module that was imported

    from brim.sessions.store import open_store  # noqa: PLC0415  as all below: the server imports them

    freezegun.configure(default_ignore_list=[])  # multiprocessing, which calls this
    with freezegun.freeze_time(since) if since else nullcontext():
        session = open_store(store).open(name)
    _holds(connection)
    session.close()


def add_to_session(_: Connection, store: str, name: str) -> None:
    """Append a message to a session."""
    from brim.sessions.store import open_store  # noqa: PLC0415

    with open_store(store).open(name) as session:
        session.append(SAYS)


def be_killed_restoring(_: Connection, name: str) -> None:
    """Restore a checkpoint by the command, which is killed while it changes files."""
    from brim.checkpoints.worktree import WorkTree  # noqa: PLC0415
    from brim.cli import main  # noqa: PLC0415

    WorkTree.move = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign]
    sys.exit(main(["checkpoints", "restore", name]))
