"""Status: what the proxy did, in figures and without a text of any conversation, for who has its token.

It is served on loopback alone, as JSON, or as a page to a browser.
"""

from __future__ import annotations

import secrets
from html import escape
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from brim.serve.conversations import ServedConversations

PATH: Final = "/brim"
STYLE: Final = "body{font:15px system-ui;margin:2em}td,th{padding:.2em .8em;text-align:right}table{margin-top:1em}"
SECURE: Final = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "no-store",
}


class Status:
    """Answers requests for the figures of conversations."""

    def __init__(self, conversations: ServedConversations) -> None:
        self._conversations = conversations
        self.token = secrets.token_urlsafe(16)
        """Whoever names it may see them."""

    async def __call__(self, request: Request) -> Response:
        """Answer one request."""
        given = request.query_params.get("token") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return PlainTextResponse("brim serve: name the token that it printed at its start, /brim?token=…", 403)
        figures = await self._conversations.figures()
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(_page(figures), headers=SECURE)
        return JSONResponse(figures, headers=SECURE)


def _page(figures: dict[str, Any]) -> str:
    """Write the figures as a page."""
    rows = figures["conversations"]
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in (rows[0] if rows else ()))
    cells = ("".join(f"<td>{_shown(value)}</td>" for value in row.values()) for row in rows)
    lines = "".join(f"<tr>{one}</tr>" for one in cells)
    totals = f"{len(rows):,} conversations, {figures['compactions']:,} compactions"
    table = f"<table><tr>{head}</tr>{lines}</table>"
    return f"<!doctype html><html lang=en><title>brim serve</title><style>{STYLE}</style><h1>brim</h1>{totals}{table}"


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else escape(str(value))
