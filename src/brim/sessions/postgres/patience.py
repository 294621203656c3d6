"""Patience: how long a server may say nothing before that is told, however many addresses its host has."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import Any, Final, TypeVar

from sqlalchemy import URL

Outcome = TypeVar("Outcome")

PATIENCE_S: Final = 3
"""Seconds within which a server has to answer, unless the URL or the environment says how long."""
LEAST_S: Final = 2
"""Seconds that are given to one of several addresses; the driver takes no fewer."""
MOST_S: Final = PATIENCE_S + 1
"""Seconds that are given to a single one, so that it is told here what went wrong, and not there."""
GIVEN: Final = "PGCONNECT_TIMEOUT"
"""The variable by which whoever uses PostgreSQL says how long."""


def patience_for(url: URL) -> float | None:
    """Seconds for an answer from this address, all of them together; None where somebody else has set a time."""
    return None if "connect_timeout" in url.query or os.environ.get(GIVEN) else PATIENCE_S


def within(seconds: float | None, act: Callable[[], Outcome], undo: Callable[[Outcome], object]) -> Outcome:
    """What an act comes to. Raises TimeoutError where it takes longer; what it comes to later is undone.

    It runs in a thread of its own: looking up a name and shaking hands know no time that would end them.
    """
    if seconds is None:
        return act()
    outcome: Future[Outcome] = Future()
    Thread(target=_run, args=(outcome, act, undo), daemon=True).start()
    try:
        return outcome.result(seconds)
    finally:
        outcome.cancel()


def _run(outcome: Future[Outcome], act: Callable[[], Outcome], undo: Callable[[Outcome], object]) -> None:
    try:
        result = act()
    except BaseException as error:  # noqa: BLE001  whoever waits is told
        with suppress(InvalidStateError):
            outcome.set_exception(error)
        return
    try:
        outcome.set_result(result)
    except InvalidStateError:
        with suppress(Exception):
            undo(result)


def hurry(_dialect: object, _record: object, _given: object, options: dict[str, Any]) -> None:
    """Share out the seconds among the addresses, so that one that is dead leaves time for the next."""
    if os.environ.get(GIVEN):
        return
    hosts = str(options.get("host") or "").split(",")
    ports = str(options.get("port") or "").split(",")
    addresses = sum(_addresses(host, ports[n] if n < len(ports) else ports[0]) for n, host in enumerate(hosts))
    options.setdefault("connect_timeout", MOST_S if addresses <= 1 else LEAST_S)


def _addresses(host: str, port: str) -> int:
    """How many addresses a host has; a socket in a folder is one."""
    if not host or host.startswith("/"):
        return 1
    with suppress(OSError, UnicodeError):
        return len(socket.getaddrinfo(host, port or None, type=socket.SOCK_STREAM))
    return 1
