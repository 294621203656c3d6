"""Steps of features/engine/middleware.feature."""

from __future__ import annotations

import json
from contextlib import suppress
from copy import deepcopy
from typing import Any

from anthropic import APIStatusError
from pytest_bdd import then, when

from steps.vocabulary import phrase
from steps.worlds.agents import ANSWER, MODEL, ListingAgent, notes_read

REQUESTS: dict[str, dict[str, Any]] = {
    "a text": {"messages": [{"role": "user", "content": "Read on."}]},
    "a cache mark": {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Read.", "cache_control": {"type": "ephemeral"}}]}
        ]
    },
    "a tool call and its result": {"messages": notes_read(1)},
    "a block with a field unknown yet": {
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Read.", "new": [1, 2.5]}]}]
    },
    "a full window, which the provider compacts when due": {
        "extra_body": {"context_management": {"edits": [{"type": "compact_20260112"}]}}
    },
    "a full window to a thread that the server holds": {
        "extra_body": {"thread": {"type": "continue", "id": "thread_1"}}
    },
    "a full window with an unknown role": {"messages": [*notes_read(6), {"role": "critic", "content": "Not so."}]},
}


@when(phrase("{what} is sent with brim and without it"), target_fixture="outcome")
def with_and_without(strict_server, what):
    def create(client: Any) -> None:
        with suppress(APIStatusError):
            asked = {"model": MODEL, "max_tokens": ANSWER, "messages": notes_read(6)}
            client.messages.create(**asked | deepcopy(REQUESTS[what]))

    agent = ListingAgent(strict_server, [])
    with agent.working():
        create(agent.client)
    with strict_server.client() as client:
        create(client)
    return agent


@then("the provider receives the same bytes twice")
def check_bytes(strict_server):
    one, other = strict_server.requests
    assert json.dumps(one.body) == json.dumps(other.body)
