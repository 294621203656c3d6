"""`brim serve` and `brim run`: the proxy, until it or the program behind it is ended."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Final

from brim.cli import complain, one_line
from brim.cli.limits import check_flags
from brim.cli.output import console
from brim.errors import Refused
from brim.sessions.paths import default_root
from brim.settings import Settings

if TYPE_CHECKING:
    from brim.serve.conversations import ServedConversations

MAX_LINES: Final = 10
"""Lines of what happened that are shown once the program has ended, the newest."""
COLLECTED: Final = 50_000
"""New objects after which Python looks for cycles among them: a request's JSON has thousands and no cycle."""
GOES_ON: Final = (
    "go on with this conversation by brim run too: without it the agent sends its whole history, which the model's "
    "window may not hold, and thinking that the provider refuses"
)


def run(*, upstream: str | None, host: str, port: int, window: int | None, shadow: bool, settings: Settings) -> None:
    """Serve. Raises Refused for an address that cannot be served or sent to, or where the extra is missing."""
    server = needed()
    upstreams = server.Upstreams(upstream or "")
    conversations = _conversations(settings, window, once_each(), shadow=shadow)
    listener = server.listen(host, port)
    if not server.is_loopback(host):
        complain(f"everybody who reaches {host} can send requests through this proxy, without TLS")
    address = server.address_of(listener)
    out = console()
    changing = ", changing nothing (--shadow)" if shadow else ""
    out.print(f"brim serve: {address} -> {upstreams}{changing}", soft_wrap=True)
    out.print(f"  ANTHROPIC_BASE_URL={address}  OPENAI_BASE_URL={address}/v1", soft_wrap=True)
    status = server.Status(conversations) if server.is_loopback(host) else None
    if status is not None:
        out.print(f"  {address}{server.PATH}?token={status.token}", soft_wrap=True)
    sys.stdout.flush()
    server.run(upstreams, conversations, listener, status)


def run_program(arguments: Sequence[str], *, window: int | None, shadow: bool, settings: Settings) -> int:
    """Run a program behind a proxy of its own, and return its exit code. Raises as `run` does."""
    server = needed()
    from brim.serve import run as running

    anthropic, openai = running.upstreams_of(os.environ)
    upstreams, lines = server.Upstreams(anthropic=anthropic, openai=openai), dict[str, None]()
    conversations = _conversations(settings, window, lines.setdefault, shadow=shadow)
    listener = server.listen("127.0.0.1", 0)
    launch = running.launch_of(arguments, os.environ, server.address_of(listener))
    try:
        with server.running(upstreams, conversations, listener):
            return running.run_program(launch)
    finally:
        for line in [*lines][-MAX_LINES:]:
            complain(line)
        if conversations.compactions and not shadow:
            complain(GOES_ON)


def needed() -> ModuleType:
    """Return the module of the server. Raises Refused where the extra is missing."""
    try:
        from brim.serve import server
    except ImportError as error:
        cure = "install brim with its extra, as pip install 'brim[serve]'"
        raise Refused(f"the proxy needs more ({error}): {cure}") from error
    return server


def _conversations(
    settings: Settings, window: int | None, tell: Callable[[str], object], *, shadow: bool
) -> ServedConversations:
    from brim.serve.conversations import ServedConversations
    from brim.serve.server import served_policy

    check_flags(window, None)
    gc.set_threshold(COLLECTED)
    policy, folder = served_policy(settings.policy), default_root() / "proxy"
    return ServedConversations(policy, window=window or 0, shadow=shadow, tell=tell, folder=folder)


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
