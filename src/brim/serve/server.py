"""Server: what `brim serve` runs, on loopback unless it is told otherwise.

Specified by features/serve/server.feature (SRV_03).
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Final

import uvicorn
from httpx2 import URL, InvalidURL
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.routing import Mount, Route

from brim.compaction.policy import CompactionPolicy
from brim.errors import Refused
from brim.serve.conversations import ServedConversations
from brim.serve.relay import Relay
from brim.serve.status import PAGE, PATH, Status

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]", "::1")
"""The names of this machine; a request for another one was led here by a web page (DNS rebinding)."""
ANTHROPIC: Final = "https://api.anthropic.com"
OPENAI: Final = "https://api.openai.com/v1"
CHATGPT: Final = "https://chatgpt.com/backend-api/codex"
ACCOUNT: Final = "chatgpt-account-id"
"""The header of a request that a ChatGPT account pays for, as Codex sends it."""
KEEP_ALIVE: Final = 300
"""Seconds that a connection without a request stays open: an agent's tools run for minutes, and one that is closed just
as the agent asks again costs a retry."""
AHEAD: Final = 0.8
"""The share of the threshold from which on the summary is written ahead, so that no request waits for it."""


@lru_cache(64)
def _below(base: str, path: bytes) -> URL:
    url = URL(base)
    return url.copy_with(raw_path=url.raw_path.rstrip(b"/") + path)


class Upstreams:
    """Where requests go: to the one upstream that is set, or by what they are.

    Args:
        every: the base URL for all requests; empty to tell Anthropic's from OpenAI's.
        anthropic: that of the former, told by the path or the version that each of its requests names.
        openai: that of the latter, in place of `/v1`; what a ChatGPT account pays for goes to ChatGPT's.
    """

    def __init__(self, every: str = "", anthropic: str = "", openai: str = "") -> None:
        self.every, self.anthropic, self.openai = (
            checked_upstream(one) if one else "" for one in (every, anthropic, openai)
        )

    def __call__(self, request: Request) -> URL:
        """Return the URL that a request is sent on to."""
        path, query = request.scope["raw_path"], request.scope["query_string"]
        base = self.every
        if not base and (path.startswith(b"/v1/messages") or "anthropic-version" in request.headers):
            base = self.anthropic or ANTHROPIC
        elif not base:
            base = self.openai or (CHATGPT if ACCOUNT in request.headers else OPENAI)
            path = path[len("/v1") :] if path.startswith(b"/v1/") else path
        return _below(base, path + (b"?" + query if query else b""))

    def __str__(self) -> str:
        """Name them."""
        return self.every or f"{self.anthropic or ANTHROPIC}, {self.openai or OPENAI}"


def checked_upstream(upstream: str) -> str:
    """Return the address of an upstream. Raises Refused where keys would cross a network in the clear.

    What is no address is not repeated: a piece of it may be a password.
    """
    try:
        url = URL(upstream)
    except InvalidURL:
        raise Refused(f"the upstream is no address, such as {ANTHROPIC}") from None
    if url.userinfo or url.query or url.fragment:
        raise Refused(f"the upstream on {url.host} has more than a path: keys and parameters are the agent's to send")
    if url.scheme not in ("http", "https") or not url.host:
        raise Refused(f"the upstream is no address: it begins with https://, such as {ANTHROPIC}")
    if url.scheme == "http" and not is_loopback(url.host):
        raise Refused(f"the upstream {upstream!r} has no TLS, so keys would cross the network readable; use https://")
    return upstream.rstrip("/")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def served_policy(policy: CompactionPolicy) -> CompactionPolicy:
    """Return the policy by which a proxy compacts: with summaries ahead, unless it says when."""
    return policy.model_copy(update={"ahead": AHEAD}) if policy.ahead is None else policy


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises Refused where the port is taken or the address is not this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=1_024)
    except OSError as error:
        cure = "end what listens there, or name another --port (0 for a free one)"
        raise Refused(f"nothing can listen at {host}:{port} ({error.strerror}); {cure}") from error
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a response's head holds up its body by 40 ms
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the base URL at which a socket listens."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def application(relay: Relay, host: str = LOOPBACK[0], status: Status | None = None) -> Starlette:
    """Build the application: on loopback it answers for names of this machine alone, and shows its status (SRV_03)."""

    @asynccontextmanager
    async def closing(_app: Starlette) -> AsyncIterator[None]:
        yield
        await relay.aclose()

    names = [*LOOPBACK, host] if is_loopback(host) else ["*"]
    checks = [Middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False)]
    own = [Route(path, status.__call__) for path in (PATH, PAGE)] if status and is_loopback(host) else []
    return Starlette(routes=[*own, Mount("/", relay)], middleware=checks, lifespan=closing)


def server(app: Starlette) -> uvicorn.Server:
    """Build the server of an application: `run` with a listening socket runs it until it is to end."""
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def run(upstreams: Upstreams, conversations: ServedConversations, listener: socket.socket, status: Status) -> None:
    """Serve until the process is told to end."""
    host = listener.getsockname()[0]
    server(application(Relay(upstreams, conversations), host, status)).run(sockets=[listener])


@contextmanager
def running(
    upstreams: Upstreams, conversations: ServedConversations, listener: socket.socket, status: Status
) -> Iterator[None]:
    """Serve in a thread, within it."""
    serving = server(application(Relay(upstreams, conversations), status=status))
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]}, name="brim-serve-http")
    thread.start()
    try:
        yield
    finally:
        serving.should_exit = True
        thread.join()
        listener.close()
