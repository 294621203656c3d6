"""`brim serve` and `brim run`: the proxy, until it or the program behind it is ended."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Final

from brim.cli import complain, one_line
from brim.cli.limits import check_flags, with_room
from brim.cli.output import console
from brim.errors import Refused, lacks_extra
from brim.sessions.paths import default_root
from brim.settings import Settings

if TYPE_CHECKING:
    from brim.serve.conversations import ServedConversations

MAX_LINES: Final = 10
"""Lines of what happened that are shown once the program has ended, the newest."""
COLLECTED: Final = 50_000
"""New objects after which Python looks for cycles among them: a request's JSON has thousands and no cycle."""
GOES_ON: Final = (
    "go on with this conversation by brim run too, or begin a new one: without brim the agent sends its whole history, "
    "which the provider refuses where its window does not hold it, or its thinking is bound to what was sent"
)

UNASKED: Final = "no conversation came through the proxy: a program whose own settings name an address asks that one"


def run(
    *,
    upstream: str | None,
    host: str,
    port: int,
    window: int | None,
    max_output: int | None,
    shadow: bool,
    settings: Settings,
) -> None:
    """Serve. Raises Refused for an address that cannot be served or sent to, or where the extra is missing."""
    server = needed()
    upstreams = server.Upstreams(upstream or "")
    conversations = _conversations(settings, window, max_output, once_each(), shadow=shadow)
    listener = server.listen(host, port)
    if not server.is_loopback(host):
        complain(f"everybody who reaches {host} can send requests through this proxy, without TLS")
    address = server.address_of(listener)
    out = console()
    changing = ", changing nothing (--shadow)" if shadow else ""
    out.print(f"brim serve: {address} -> {upstreams}{changing}", soft_wrap=True)
    out.print(f"  ANTHROPIC_BASE_URL={address}  OPENAI_BASE_URL={address}/v1", soft_wrap=True)
    status = server.Status(conversations)
    if server.is_loopback(host):
        out.print(f"  {address}{server.PAGE}?token={status.token}", soft_wrap=True)
    sys.stdout.flush()
    server.run(upstreams, conversations, listener, status)


def run_program(
    arguments: Sequence[str], *, window: int | None, max_output: int | None, shadow: bool, settings: Settings
) -> int:
    """Run a program behind a proxy of its own, and return its exit code. Raises as `run` does."""
    server = needed()
    from brim.serve import run as running
    from brim.serve.spending import outcome

    if shutil.which(arguments[0]) is None:
        raise Refused(f"{arguments[0]} cannot be started: see that it is on the PATH, and may be run")
    anthropic, openai = running.upstreams_of(os.environ)
    upstreams, lines = server.Upstreams(anthropic=anthropic, openai=openai), dict[str, None]()
    conversations = _conversations(settings, window, max_output, lines.setdefault, shadow=shadow)
    listener, status = server.listen("127.0.0.1", 0), server.Status(conversations)
    address = server.address_of(listener)
    launch = running.launch_of(arguments, os.environ, address)
    complain(f"what it does is shown at {address}{server.PAGE}?token={status.token}")
    try:
        with server.running(upstreams, conversations, listener, status):
            return running.run_program(launch)
    finally:
        for line in [*lines][-MAX_LINES:]:
            complain(line)
        if not conversations.calls:
            complain(UNASKED)
        if conversations.compactions:
            complain(outcome(conversations.totals))
        if conversations.compactions and not shadow:
            complain(GOES_ON)


def needed() -> ModuleType:
    """Return the module of the server. Raises Refused where the extra is missing."""
    try:
        from brim.serve import server
    except ImportError as error:
        raise Refused(lacks_extra("the proxy", "serve", error)) from error
    return server


def _conversations(
    settings: Settings, window: int | None, max_output: int | None, tell: Callable[[str], object], *, shadow: bool
) -> ServedConversations:
    from brim.serve.conversations import ServedConversations, served_limits
    from brim.serve.server import served_policy

    check_flags(window, max_output)
    if window is not None:
        with_room(served_limits("", {}, window, max_output))
    warnings.showwarning = lambda message, *_: tell(str(message))  # type: ignore[assignment]
    gc.set_threshold(COLLECTED)
    policy, folder = served_policy(settings.policy), default_root() / "proxy"
    window = window or 0
    return ServedConversations(policy, window=window, max_output=max_output, shadow=shadow, tell=tell, folder=folder)


def once_each() -> Callable[[str], None]:
    """Return what writes a line on standard error, and leaves out one that is the same as the last."""
    last = ""

    def tell(text: str) -> None:
        nonlocal last
        if text != last:
            last = text
            with suppress(OSError, ValueError):  # nobody reads it, or the disk is full
                sys.stderr.write(f"brim serve: {one_line(text)}\n")
                sys.stderr.flush()

    return tell
