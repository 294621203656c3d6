"""Faults of brim's, of clients and of upstreams, and input that no client of a provider's writes."""

from __future__ import annotations

import copy
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from httpx2 import URL, Client
from starlette.responses import Response as Answer

from brim.cli.serving import once_each
from brim.compaction.policy import CompactionPolicy
from brim.errors import Refused
from brim.serve.conversations import ServedConversations
from brim.serve.relay import Relay
from brim.serve.requests import NO_PROXY
from brim.serve.server import Upstreams, application, checked_upstream
from brim.serve.status import Status
from brim.testing import complaints, openai_chat_complaints, openai_responses_complaints
from steps.prerequisites import sized
from tests.serve import openai_agents
from tests.serve.openai_agents import ChatAgent, ResponsesAgent
from tests.serve.proxies import (
    ANSWER,
    MAX_TOKENS,
    MODEL,
    TOOLS,
    Agent,
    Upstream,
    is_summary,
    listening,
    proxied,
    served,
)

KEY = {"x-api-key": "sk-ant-api03-of-the-caller"}
REFUSED = json.dumps({"type": "error", "error": {"type": "authentication_error", "message": "no"}}).encode()


def worked(turns: int, name: str = "0", result: str = "x = 1  # filler\n" * 1_125) -> list[Any]:
    """The messages of an agent that has read so many files."""
    messages: list[Any] = [{"role": "user", "content": "Port the parser."}]
    for n in range(turns):
        call = {"type": "tool_use", "id": f"toolu_{name}_{n}", "name": "read_file", "input": {"path": f"{n}.py"}}
        done = {"type": "tool_result", "tool_use_id": f"toolu_{name}_{n}", "content": result}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [done]}]
    return messages


def body(messages: list[Any], **fields: Any) -> dict[str, Any]:
    """A request to the Messages API."""
    return {"model": MODEL, "max_tokens": MAX_TOKENS, "messages": messages, "tools": TOOLS, **fields}


@pytest.fixture
def upstream() -> Upstream:
    """An upstream whose model writes no summary: brim asks once."""
    made = Upstream()
    made.answer = lambda: Answer(REFUSED, 401, media_type="application/json")
    return made


@pytest.fixture
def told() -> list[str]:
    """What the proxy tells."""
    return []


@pytest.fixture
def client(upstream: Upstream, told: list[str]) -> Iterator[Client]:
    """A client of the proxy in front of it."""
    with (
        listening(upstream.app) as direct,
        proxied(direct, tell=told.append) as url,
        Client(base_url=url, timeout=30, headers=KEY) as made,
    ):
        yield made


def sent(upstream: Upstream) -> list[bytes]:
    """The agents' bodies that arrived, without those by which brim asks for a summary."""
    return [raw for *_, raw in upstream.received if json.loads(raw).get("max_tokens") == MAX_TOKENS]


# -- whatever is sent

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**30, float("nan"), "", "user", "assistant", "\ud83d", "tool_use", "x" * 3_000),
    *(
        [],
        {},
        [[]],
        [None],
        [{}],
        {"type": "text"},
        {"type": "tool_result"},
        {"type": "image", "source": 7},
        {"a": [[]]},
    ),
    *({"type": "thinking", "thinking": 3}, [{"type": "text", "text": "y"}], {"role": "user", "content": "z"}),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a value."""
    found = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in found:
        yield (*path, key)
        yield from places(one, (*path, key))


def mutated(value: Any, choose: random.Random) -> Any:
    """A copy with one to three places that are another value, gone, there twice, or exchanged."""
    changed = copy.deepcopy(value)
    for _ in range(choose.randint(1, 3)):
        path = choose.choice([*places(changed)] or [("x",)])
        parent = changed
        for key in path[:-1]:
            parent = parent[key]
        last, kind = path[-1], choose.randrange(5)
        if kind < 3 or not isinstance(parent, list):  # noqa: PLR2004 -- most often another value
            parent[last] = copy.deepcopy(choose.choice(VALUES))
        elif kind == 3:  # noqa: PLR2004
            del parent[last]
        else:
            parent.insert(choose.randrange(len(parent) + 1), copy.deepcopy(parent[last]))
    return changed


def chat_body() -> dict[str, Any]:
    """A request for a chat completion."""
    agent = ChatAgent(None)  # type: ignore[arg-type] -- it asks nobody
    call = {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    long = {"role": "tool", "tool_call_id": "call_1", "content": "x" * 4_000}
    agent.items += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        long,
        {"role": "user", "content": "Go on."},
    ]
    return {"model": openai_agents.MODEL, "messages": agent.items, "max_completion_tokens": MAX_TOKENS}


def responses_body() -> dict[str, Any]:
    """A request for a response."""
    agent = ResponsesAgent(None)  # type: ignore[arg-type] -- it asks nobody
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file", "arguments": "{}"}
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
    result = {"type": "function_call_output", "call_id": "call_1", "output": "x" * 4_000}
    agent.items += [thought, call, result, {"role": "user", "content": "Go on."}]
    return {
        "model": openai_agents.MODEL,
        "input": agent.items,
        "max_output_tokens": MAX_TOKENS,
        "instructions": "Be brief.",
    }


def messages_body() -> dict[str, Any]:
    """A request to the Messages API with what may stand in one."""
    messages = worked(2, result="x" * 3_000)
    messages[1]["content"].insert(0, {"type": "thinking", "thinking": "Which?", "signature": "c2ln"})
    messages[-1]["content"].append({"type": "text", "text": "Go on.", "cache_control": {"type": "ephemeral"}})
    return body(messages, system=[{"type": "text", "text": "Be brief."}], thinking={"type": "adaptive"})


OVERFLOW = {
    "type": "invalid_request_error",
    "message": "prompt is too long: 9 tokens > 8 maximum",
    "code": "context_length_exceeded",
}
BOUND = {
    "type": "invalid_request_error",
    "message": "messages.1.content.0: `thinking` block is bound to a different conversation",
}
ANSWERS = (
    lambda: Answer(REFUSED, 401, media_type="application/json"),
    lambda: Answer(json.dumps({"type": "error", "error": OVERFLOW}), 400, media_type="application/json"),
    lambda: Answer(json.dumps({"type": "error", "error": BOUND}), 400, media_type="application/json"),
)


@pytest.mark.parametrize(
    ("path", "build", "field", "check"),
    [
        ("/v1/messages", messages_body, "messages", complaints),
        ("/v1/chat/completions", chat_body, "messages", openai_chat_complaints),
        ("/v1/responses", responses_body, "input", openai_responses_complaints),
    ],
)
def test_whatever_is_sent_reaches_the_upstream(
    path: str, build: Callable[[], Any], field: str, check: Callable[[Any], list[str]]
) -> None:
    """Byte for byte, or compacted and as valid as it was; and what else is in it stays as it is."""
    choose, upstream, changed = random.Random(path), Upstream(), 0
    with (
        listening(upstream.app) as direct,
        proxied(direct, window=1_500) as url,
        Client(base_url=url, timeout=30, headers=KEY) as client,
    ):
        for n in range(sized(35, nightly=700)):
            asked = build() if n == 0 else mutated(build(), choose)
            payload = json.dumps(asked, indent=1).encode()
            upstream.received.clear()
            upstream.answer = ANSWERS[n % len(ANSWERS)]
            status = client.post(path, content=payload).status_code
            assert status == upstream.answer().status_code, asked
            for *_, raw in upstream.received:
                if raw == payload or b'"stream":true' in raw:  # the latter asks for a summary
                    continue
                changed += 1
                written = json.loads(raw.decode())
                rest = {name: value for name, value in asked.items() if name != field}
                assert str({name: value for name, value in written.items() if name != field}) == str(rest)
                assert check(asked[field]) or not check(written[field]), asked
            assert upstream.received, asked
    assert changed
