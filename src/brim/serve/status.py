"""Status: what the proxy did, in figures and without a text of any conversation, for who has its token.

It is served on loopback alone, as JSON and as a page.
Specified by features/serve/status.feature (SRV_06, SRV_07).
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from brim.replay.charts import element
from brim.replay.page import DETAILED, FIGURES, cost_bar, cost_chart, data_table, document, dollars
from brim.serve.conversations import ServedConversations
from brim.serve.spending import outcome

PATH: Final = "/brim"
PAGE: Final = "/"
SECURE: Final = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
}
NOTE: Final = (
    "Sent is what the provider reported; the summaries are part of it. Without brim the agents would send their whole "
    "histories, read from the cache where these were. Prices are today's list prices."
)
BOTH: Final = ("with_brim", "without_brim")
SHADOW: Final = "Nothing was changed (--shadow): with brim is what would have been. "


class Status:
    """Answers requests for the figures of conversations that name its token (SRV_06)."""

    def __init__(self, conversations: ServedConversations) -> None:
        self._conversations = conversations
        self.token = secrets.token_urlsafe(16)
        """Whoever names it may see them."""

    async def __call__(self, request: Request) -> Response:
        """Answer one request."""
        given = request.query_params.get("token") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return PlainTextResponse("brim serve: name the token that it printed at its start, /?token=…", 403)
        figures = await self._conversations.figures()
        if request.url.path == PATH:
            return JSONResponse(figures, headers=SECURE)
        return HTMLResponse(_page(figures), headers=SECURE)


COLUMNS: Final = ("messages", "compactions", "held", "threshold", "window", "removed")


def _page(figures: dict[str, Any]) -> str:
    """Write the figures as a page (SRV_07); of the conversations the most recently used."""
    sums = {name.replace("_", " "): figures[name] for name in BOTH}
    every = [
        (name, f"{one['requests']:,}", dollars(one["cost"]), *(f"{one[key]:,}" for key in FIGURES))
        for name, one in sums.items()
    ]
    rows = []
    for number, one in enumerate(figures["conversations"][: -DETAILED - 1 : -1], 1):
        costs = [figure for name in BOTH for figure in (f"{one[name]['sent']:,}", dollars(one[name]["cost"]))]
        rows.append((f"{number}: {one['model']}", *(f"{one[column]:,}" for column in COLUMNS), *costs))
    columns = ("conversation", *COLUMNS, "sent with brim", "cost with brim", "sent without", "cost without")
    parts = (
        element("h3", "Cost"),
        cost_chart([cost_bar(name, one) for name, one in sums.items()], "cost", "The cost, by parts"),
        data_table("costs", "All requests", ("all", "requests", "cost", *FIGURES.values()), every),
        element("p", SHADOW * figures["shadow"] + NOTE, class_="note"),
        element("h3", "Conversations"),
        data_table("conversations", "The most recently used first", columns, rows)
        if rows
        else element("p", "There is none yet."),
    )
    header = element("header", element("h1", "brim serve"), element("p", f"{outcome(figures)}."))
    return document("brim serve", (header, element("main", element("section", *parts, class_="session"))))
