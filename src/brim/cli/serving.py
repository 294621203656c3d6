"""`brim serve`: the proxy, until it is ended."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from brim.cli import complain, one_line
from brim.cli.limits import check_flags
from brim.cli.output import console
from brim.errors import Refused
from brim.sessions.paths import default_root
from brim.settings import Settings


def run(*, upstream: str | None, host: str, port: int, window: int | None, shadow: bool, settings: Settings) -> None:
    """Serve. Raises Refused for an address that cannot be served or sent to, or where the extra is missing."""
    try:
        from brim.serve import server
        from brim.serve.conversations import ServedConversations
        from brim.serve.relay import Relay
    except ImportError as error:
        raise Refused(
            f"the proxy needs more ({error}): install brim with its extra, as pip install 'brim[serve]'"
        ) from error

    check_flags(window, None)
    base = server.checked_upstream(upstream) if upstream else None
    listener = server.listen(host, port)
    if not server.is_loopback(host):
        complain(f"everybody who reaches {host} can send requests through this proxy, without TLS")
    policy = server.served_policy(settings.policy)
    conversations = ServedConversations(
        policy, window=window or 0, shadow=shadow, tell=once_each(), folder=default_root() / "proxy"
    )
    relay = Relay((lambda _: base) if base else server.upstream_of, conversations)
    server.run(relay, listener, partial(_ready, base, shadow))


def _ready(upstream: str | None, shadow: bool, address: str) -> None:
    out = console()
    where = upstream or "api.anthropic.com and api.openai.com"
    out.print(f"brim serve: {address} -> {where}{', changing nothing (--shadow)' if shadow else ''}", soft_wrap=True)
    out.print(f"  ANTHROPIC_BASE_URL={address}  OPENAI_BASE_URL={address}/v1", soft_wrap=True)
    sys.stdout.flush()


def once_each() -> Callable[[str], None]:
    """Return what writes a line on standard error, and leaves out one that is the same as the last."""
    last = ""

    def tell(text: str) -> None:
        nonlocal last
        if text != last:
            last = text
            sys.stderr.write(f"brim serve: {one_line(text)}\n")
            sys.stderr.flush()

    return tell
