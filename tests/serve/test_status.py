"""What the proxy tells of its work, and whom."""

from __future__ import annotations

import pytest
from httpx2 import Client

from brim.compaction.policy import CompactionPolicy
from brim.serve.conversations import ServedConversations
from brim.serve.relay import Relay
from brim.serve.server import Upstreams, application
from brim.serve.status import Status
from tests.serve.proxies import TASK, Agent, listening, served


def test_the_status_has_figures_and_no_text_for_who_names_the_token() -> None:
    """As JSON, and as a page to a browser."""
    with served() as server:
        conversations = ServedConversations(CompactionPolicy(threshold="50%"), window=60_000)
        status = Status(conversations)
        app = application(Relay(Upstreams(server.url), conversations), status=status)
        with listening(app) as url, Client(base_url=url) as client:
            agent = Agent(url)
            for _ in range(12):
                agent.turn()
            figures = client.get("/brim", params={"token": status.token}).json()
            page = client.get("/brim", headers={"authorization": f"Bearer {status.token}", "accept": "text/html"})
            refused = client.get("/brim", params={"token": "another"})
    (row,) = figures["conversations"]
    assert figures["compactions"] == row["compactions"] == 1
    assert row["window"] == 60_000
    assert 0 < row["held"] < row["threshold"] + 5_000
    assert row["removed"] > 10_000
    assert row["messages"] == 23
    assert "<td>60,000</td>" in page.text
    assert TASK not in page.text + str(figures)
    assert (refused.status_code, "conversations" in refused.text) == (403, False)
    assert all(one.path != "/brim" for one in server.requests)


@pytest.mark.parametrize("given", ["", "é", "x" * 10_000])
def test_another_token_is_refused(given: str) -> None:
    """Whatever its form."""
    conversations = ServedConversations(CompactionPolicy())
    app = application(Relay(Upstreams("http://127.0.0.1:9"), conversations), status=Status(conversations))
    with listening(app) as url, Client(base_url=url) as client:
        assert client.get("/brim", params={"token": given}).status_code == 403
