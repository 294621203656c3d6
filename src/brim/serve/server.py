"""Server: the relay as an application, and what runs it.

Specified by features/serve/server.feature (SRV_03).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Mount

from brim.serve.relay import Relay

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine; a request for another one was led here by a web page (DNS rebinding)."""


def application(relay: Relay, hosts: Sequence[str] = LOOPBACK) -> Starlette:
    """Build the application, which answers requests for these host names alone."""

    @asynccontextmanager
    async def closing(_app: Starlette) -> AsyncIterator[None]:
        yield
        await relay.aclose()

    checks = [Middleware(TrustedHostMiddleware, allowed_hosts=[*hosts], www_redirect=False)]
    return Starlette(routes=[Mount("/", relay)], middleware=checks, lifespan=closing)
