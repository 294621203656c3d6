"""What the proxy tells of its work, and whom."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from time import sleep
from typing import Any

import pytest
from httpx2 import Client

from brim.anthropic.prices import prices_of
from brim.compaction.policy import CompactionPolicy
from brim.serve.conversations import ServedConversations
from brim.serve.relay import Relay
from brim.serve.server import Upstreams, application, served_policy
from brim.serve.spending import Last, outcome, spent
from brim.serve.status import Status
from brim.testing import MessagesServer
from brim.tokens.usage import TokenUsage
from tests.serve.proxies import MODEL, TASK, Agent, listening, served

TURNS = 22


@contextmanager
def shown(server: MessagesServer, *, shadow: bool = False) -> Iterator[tuple[Client, Status]]:
    """A client of a proxy that shows its status."""
    policy = served_policy(CompactionPolicy(threshold="50%"))
    conversations = ServedConversations(policy, window=60_000, shadow=shadow)
    status = Status(conversations)
    app = application(Relay(Upstreams(server.url), conversations), status=status)
    with listening(app) as url, Client(base_url=url) as client:
        yield client, status


def figures_of(client: Client, status: Status, requests: int) -> Any:
    """Return the figures once all requests are counted, which is after the last byte of a response."""
    for _ in range(500):
        figures = client.get("/brim", params={"token": status.token}).json()
        if figures["without_brim"]["requests"] == requests:
            break
        sleep(0.01)
    return figures


def test_the_status_has_figures_and_no_text_for_who_names_the_token() -> None:
    """As JSON, and as a page."""
    with served() as server, shown(server) as (client, status):
        agent = Agent(str(client.base_url))
        for n in range(12):
            agent.turn(streamed=n % 2 == 0)
        figures = figures_of(client, status, 12)
        page = client.get("/", headers={"authorization": f"Bearer {status.token}"})
        refused = [client.get(path, params={"token": "another"}) for path in ("/", "/brim")]
    (row,) = figures["conversations"]
    assert figures["compactions"] == row["compactions"] == 1
    assert row["window"] == 60_000
    assert 0 < row["held"] < row["threshold"] + 5_000
    assert row["removed"] > 10_000
    assert row["messages"] == 23
    assert row["with_brim"] == figures["with_brim"]
    assert '<td data-label="window">60,000</td>' in page.text
    assert TASK not in page.text + str(figures)
    assert {(one.status_code, "conversations" in one.text) for one in refused} == {(403, False)}
    assert all(one.path not in ("/brim", "/") for one in server.requests)


def sums(figures: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What came to with brim and without."""
    return figures["with_brim"], figures["without_brim"]


def test_what_was_sent_is_what_the_provider_reported_and_costs_what_the_lists_say() -> None:
    """Without brim the agent would have sent its whole history each time; a shadow says about the same."""
    found = []
    for shadow in (False, True):
        with served(window=400_000 if shadow else 60_000) as server, shown(server, shadow=shadow) as (client, status):
            agent, reported = Agent(str(client.base_url)), 0
            for _ in range(TURNS):
                reported += agent.turn().usage.input_tokens
            found.append(figures_of(client, status, TURNS))
            page = client.get("/", params={"token": status.token}).text
        assert outcome(found[-1]) in unescape(page)
        assert [one["requests"] for one in sums(found[-1])] == [TURNS + found[-1]["compactions"], TURNS]
    (ours, theirs), (would, were) = map(sums, found)
    assert were["sent"] == reported  # of the shadow, which sent everything
    assert theirs["sent"] == pytest.approx(were["sent"], rel=0.01)
    assert would["sent"] == pytest.approx(ours["sent"], rel=0.01)
    assert would["cost"] == pytest.approx(ours["cost"], rel=0.01)
    prices = prices_of(MODEL)
    assert theirs["cost"] == pytest.approx(
        float(theirs["sent"] * prices.input + theirs["output"] * prices.output) / 1e6
    )
    assert found[0]["too_long_without_brim"] == found[1]["too_long_without_brim"] > 0


@pytest.mark.parametrize(
    ("removed", "last", "shadow", "counts"),
    [
        (0, None, False, (1_000, 9_000, 1_000)),
        (5_000, Last(9_000, 5_000, caches=True), False, (1_000, 14_000, 1_000)),
        (5_000, Last(9_000, 5_000, caches=True), True, (1_000, 4_000, 1_000)),
        (5_000, Last(14_500, 0, caches=True), False, (500, 14_500, 500)),  # it was compacted in this request
        (5_000, Last(9_000, 0, caches=True), True, (5_000, 0, 5_000)),
        (50_000, Last(9_000, 50_000, caches=True), True, (0, 0, 0)),
    ],
)
def test_what_is_removed_is_cached_as_the_rest(
    removed: int, last: Last | None, shadow: bool, counts: tuple[int, ...]
) -> None:
    """And after a compaction all is new to the cache with brim, and without brim what was said since."""
    usage = TokenUsage(input=1_000, cache_read=9_000, cache_write=1_000, output=10)
    spending, _ = spent("unknown", usage, removed, last, window=9_999, shadow=shadow)
    same, other = (spending.without_brim, spending.with_brim) if shadow else (spending.with_brim, spending.without_brim)
    assert same.usage == usage
    assert (other.usage.input, other.usage.cache_read, other.usage.cache_write) == counts
    assert spending.too_long == (spending.without_brim.sent > 9_999)
    assert other.cost is None


@pytest.mark.parametrize("given", ["é", "x" * 10_000])
def test_another_token_is_refused(given: str) -> None:
    """Whatever its form."""
    conversations = ServedConversations(CompactionPolicy())
    app = application(Relay(Upstreams("http://127.0.0.1:9"), conversations), status=Status(conversations))
    with listening(app) as url, Client(base_url=url) as client:
        assert client.get("/brim", params={"token": given}).status_code == 403
