"""Addresses: the URL of a database, read so that no part of a password is ever told."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from brim.errors import InvalidInput

PATIENCE_S: Final = 4
"""Seconds within which a server has to answer a connection."""
FORM: Final = "postgresql://user:password@host:5432/database"
OPTIONS: Final = {
    "application_name": "brim",
    "client_encoding": "utf8",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""What is asked of every connection, unless the URL asks for something else."""


def read_address(text: str) -> URL:
    """The parts of a URL. Raises InvalidInput, and repeats nothing of it then: a piece of it may be a password."""
    try:
        url = make_url(text)
        told = (url.host or "", url.database or "", *url.query)
    except (ArgumentError, ValueError, TypeError):
        told = ("@",)
    if any("@" in piece for piece in told):
        raise InvalidInput(
            f"the URL of the store cannot be read: it reads {FORM}, "
            "and the signs @ : / ? # % of a password are written %40 %3A %2F %3F %23 %25"
        ) from None
    return url.set(drivername="postgresql+psycopg")


def shown(url: URL) -> str:
    """The address as it may be shown: without a password, and without options but for host and port."""
    query = {name: url.query[name] for name in ("host", "port") if name in url.query}
    return URL.create("postgresql", url.username, None, url.host, url.port, url.database, query).render_as_string()


def options_for(url: URL) -> dict[str, Any]:
    """What is asked of every connection to this address."""
    return {name: value for name, value in OPTIONS.items() if name not in url.query}


def hurry(_dialect: object, _record: object, _given: object, options: dict[str, Any]) -> None:
    """Share out the seconds within which a server has to answer among the addresses its host has."""
    addresses = 1
    with suppress(OSError, UnicodeError, TypeError):
        told = socket.getaddrinfo(options.get("host"), options.get("port"), type=socket.SOCK_STREAM)
        addresses = len(told)
    options.setdefault("connect_timeout", max(2, PATIENCE_S // max(1, addresses)))
