"""Addresses: the URL of a database, read so that no part of a password is ever told."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from brim.errors import InvalidInput

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
SECRETS: Final = ("password", "sslpassword", "oauth_client_secret")
"""Options of a URL that nobody else is to see."""
PORT: Final = 5432
"""Where a server listens, unless the URL says another port."""
PLACE: Final = frozenset({"dbname", "host", "hostaddr", "options", "port", "service", "user"})
"""Options of a URL that say which tables are met."""


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


def mark_of(url: URL) -> str:
    """Eight signs that tell a store from others: by server, database and user, and by nothing that is secret."""
    place = [url.username, url.host, url.port or PORT, url.database]
    told = {name: url.query[name] for name in sorted(PLACE & url.query.keys())}
    return sha256(json.dumps([place, told]).encode()).hexdigest()[:8]


def options_for(url: URL) -> dict[str, Any]:
    """What is asked of every connection to this address; what is secret of the URL's own options among it."""
    secrets = {name: value for name, value in url.query.items() if name in SECRETS}
    return secrets | {name: value for name, value in OPTIONS.items() if name not in url.query}


def without_secrets(url: URL) -> URL:
    """The address with no secret but the password that stands where it is never shown."""
    return url.difference_update_query(SECRETS)
