"""Faults of brim's, of clients and of upstreams, and input that no client of a provider's writes."""

from __future__ import annotations

import copy
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx2 import URL, Client
from starlette.responses import Response as Answer

from brim.compaction.policy import CompactionPolicy
from brim.errors import Refused
from brim.serve.conversations import ServedConversations
from brim.serve.relay import Relay
from brim.serve.server import Upstreams, application, checked_upstream
from brim.serve.status import Status
from brim.testing import asks_for_summary, complaints, openai_chat_complaints, openai_responses_complaints
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
    listening,
    proxied,
    served,
)

KEY = {"x-api-key": "sk-ant-api03-of-the-caller"}
LONG_CONTEXT = {"anthropic-beta": "context-1m-2025-08-07"}
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
        if kind < 3 or not isinstance(parent, list):
            parent[last] = copy.deepcopy(choose.choice(VALUES))
        elif kind == 3:
            del parent[last]
        else:
            parent.insert(choose.randrange(len(parent) + 1), copy.deepcopy(parent[last]))
    return changed


def chat_body() -> dict[str, Any]:
    """A request for a chat completion."""
    agent = ChatAgent(None)  # type: ignore[arg-type]
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
    agent = ResponsesAgent(None)  # type: ignore[arg-type]
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
    choose, upstream, changed = random.Random(path), Upstream(), 0  # noqa: S311 -- the same in each run
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


@pytest.mark.parametrize("field", ["instructions", "tools"])
def test_a_field_of_another_form_is_the_caller_s_fault(
    upstream: Upstream, client: Client, told: list[str], field: str
) -> None:
    """And is told as that, and no fault of brim's."""
    client.post("/v1/responses", json={**responses_body(), field: ["Be brief."]})
    assert len(upstream.received) == 1
    assert len(told) == 1
    assert told[0].startswith("passed on unchanged: InvalidInput: ")


# -- whose conversation, and where keys go


def test_a_key_follows_no_redirect(monkeypatch: pytest.MonkeyPatch, upstream: Upstream, client: Client) -> None:
    """Neither an agent's request nor one for a summary is sent on to another host."""
    monkeypatch.setattr("brim.serve.conversations.LONGEST_WAIT", 0.5)
    elsewhere = Upstream()
    with listening(elsewhere.app) as other:
        upstream.answer = lambda: Answer(b"", 307, {"location": f"{other}/v1/messages"})
        assert client.post("/v1/messages", json=body(worked(8))).status_code == 307
    assert len(upstream.received) > 1
    assert not elsewhere.received


def test_what_has_no_tls_passes_no_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, upstream: Upstream
) -> None:
    """The key would be read there; neither a request nor a summary goes that way."""
    between = Upstream()
    with listening(between.app) as http_proxy, listening(upstream.app) as direct:
        for name in ("HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, http_proxy)
        with proxied(direct) as url, Client(base_url=url, trust_env=False, headers=KEY) as client:
            client.post("/v1/messages", json=body(worked(8)))
    assert len(upstream.received) == 2  # the summary's request, and the agent's
    assert not between.received


@pytest.mark.parametrize("name", ["x-litellm-api-key", "openai-project"])
def test_a_key_of_a_gateway_is_a_credential(upstream: Upstream, client: Client, name: str) -> None:
    """Two users with the same opening messages have a conversation each, whatever their key is called."""
    for user in ("one", "other"):
        client.post("/v1/messages", json=body(worked(8)), headers={name: user})
    assert len(upstream.received) == 4  # a summary is asked for on behalf of each


def test_a_retry_has_the_same_owner(upstream: Upstream, client: Client) -> None:
    """What changes with each request says not who asks."""
    for number in "12":
        client.post("/v1/messages", json=body(worked(8)), headers={"idempotency-key": number, "x-request-id": number})
    assert len(upstream.received) == 3


@pytest.mark.parametrize(
    "url",
    [
        "https://user:secret@gw.example",
        "https://gw.example/?key=secret",
        "https://gw.example/#secret",
        "https://user:secret@gw.example:port",
        "user:secret@gw.example",
    ],
)
def test_an_upstream_with_a_key_in_it_is_refused_without_its_key(url: str) -> None:
    """It would be printed, and replace the agent's own."""
    with pytest.raises(Refused) as refused:
        checked_upstream(url)
    assert "secret" not in str(refused.value)


def test_a_key_is_neither_told_nor_kept_nor_shown(upstream: Upstream, told: list[str], tmp_path: Path) -> None:
    """Also where the upstream repeats it in its error, or the conversation holds it."""
    key = KEY["x-api-key"]
    error = json.dumps({"type": "error", "error": {"type": "authentication_error", "message": f"invalid key {key}"}})
    upstream.answer = lambda: Answer(error, 401, media_type="application/json")
    conversations = ServedConversations(
        CompactionPolicy(threshold="50%"), window=60_000, tell=told.append, folder=tmp_path
    )
    status = Status(conversations)
    with listening(upstream.app) as direct:
        app = application(Relay(Upstreams(direct), conversations), status=status)
        with listening(app) as url, Client(base_url=url, timeout=30, headers=KEY) as client:
            client.post("/v1/messages", json=body(worked(8)))
            odd = {**body([{"role": "user", "content": "x"}]), "model": "half \ud83d"}
            client.post("/v1/messages", content=json.dumps(odd).encode())
            client.post("/v1/messages", json=body([{"role": key, "content": [key]}]))
            shown = [
                client.get("/brim", params={"token": status.token}, headers={"accept": one})
                for one in ("text/html", "*/*")
            ]
    assert any("the model wrote no summary: the provider does not know the key" in line for line in told)
    assert any("passed on unchanged" in line and "[secret]" in line for line in told)
    assert [one.status_code for one in shown] == [200, 200]
    kept = [one.read_text(errors="replace") for one in tmp_path.iterdir()]
    assert len(kept) == 2
    assert key not in str(told) + str(kept) + "".join(one.text for one in shown)


# -- bytes


def raw_answer(url: str, data: bytes) -> bytes:
    """What comes back for bytes on a connection."""
    parts = URL(url)
    with socket.create_connection((parts.host, parts.port), timeout=20) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("//evil.example/v1/files?x=%2F&y", 200),
        ("/v1/files#f", 400),
        (f"/{'a' * 66_000}", 400),
        ("http://evil.example/v1/files", 404),
    ],
    ids=["two slashes", "a fragment", "too long", "of a proxy"],
)
def test_an_odd_path_reaches_this_upstream_or_none(upstream: Upstream, client: Client, path: str, status: int) -> None:
    """And is no fault of the proxy's."""
    upstream.answer = None
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    assert raw_answer(str(client.base_url), head).startswith(b"HTTP/1.1 %d " % status)
    assert [path for _, path, *_ in upstream.received] == (["//evil.example/v1/files"] if status == 200 else [])


def test_half_a_character_goes_out_as_it_came(upstream: Upstream, client: Client) -> None:
    """An agent cuts texts in the middle of an emoji; a compacted body is UTF-8 all the same."""
    messages = worked(8)
    messages[-1]["content"].append({"type": "text", "text": "half \ud83d"})
    client.post("/v1/messages", content=json.dumps(body(messages)).encode())
    (raw,) = sent(upstream)
    assert json.loads(raw.decode())["messages"][-1]["content"][-1]["text"] == "half \ud83d"
    assert len(raw) < 60_000


# -- who leaves


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
def test_whoever_leaves_ends_the_wait_for_the_upstream(path: str) -> None:
    """Before there is a status; also on a path that brim does not read."""
    came, gone = threading.Event(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang() -> None:
            connection, _ = listener.accept()
            with connection:
                while connection.recv(65_536):
                    came.set()
                gone.set()

        threading.Thread(target=hang, daemon=True).start()
        with proxied(f"http://127.0.0.1:{listener.getsockname()[1]}") as url:
            payload = json.dumps(body(worked(0))).encode()
            parts = URL(url)
            with socket.create_connection((parts.host, parts.port)) as connection:
                head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(payload)}\r\n\r\n"
                connection.sendall(head.encode() + payload)
                assert came.wait(10)
            assert gone.wait(10)


def test_nothing_is_sent_for_who_left_while_it_was_prepared(upstream: Upstream, client: Client) -> None:
    """The summary is kept for the retry; nobody pays for an answer that nobody reads."""
    answering = threading.Event()

    def answer() -> Answer:
        answering.wait(10)
        return Answer(REFUSED, 401, media_type="application/json")

    upstream.answer = answer
    payload = json.dumps(body(worked(8))).encode()
    with socket.create_connection((client.base_url.host, client.base_url.port)) as connection:
        head = f"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nx-api-key: {KEY['x-api-key']}\r\n"
        connection.sendall(f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload)
        while not upstream.received:
            time.sleep(0.01)
    answering.set()
    client.post("/v1/messages", json=body(worked(8)))
    assert len(upstream.received) == 2


def test_the_same_request_at_once_is_summarized_once() -> None:
    """Each gets what the first one made."""
    with served() as server, proxied(server.url) as url:
        agents = [Agent(url) for _ in range(16)]
        agents[0].messages = worked(8)
        threads = [threading.Thread(target=agent.turn) for agent in agents]
        for agent in agents:
            agent.messages = [*agents[0].messages]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(asks_for_summary(one.body) for one in server.requests) == 1
        assert len({json.dumps(one.body["messages"]) for one in server.requests if not asks_for_summary(one.body)}) == 1


@pytest.mark.parametrize(("waiting", "window"), [({}, 200_000), (LONG_CONTEXT, 1_000_000)])
def test_a_request_that_waits_keeps_its_window(upstream: Upstream, waiting: dict[str, str], window: int) -> None:
    """Another conversation asks the same model meanwhile, with the beta or without it."""
    summarized = threading.Event()

    def answer() -> Answer:
        summarized.wait(10)
        return Answer(REFUSED, 401, media_type="application/json")

    upstream.answer = answer
    with (
        listening(upstream.app) as direct,
        proxied(direct, window=0, threshold="10%", token="1") as url,  # noqa: S106 -- a test's
        Client(base_url=url, timeout=30, headers=KEY) as client,
    ):

        def ask(messages: list[Any], headers: dict[str, str]) -> None:
            client.post("/v1/messages", json=body(messages, model="claude-sonnet-4-5"), headers=headers)

        other = [{"role": "user", "content": "Port the lexer."}], {} if waiting else LONG_CONTEXT
        threads = [threading.Thread(target=ask, args=one) for one in ((worked(6), {}), (worked(7), waiting), other)]
        for thread in threads:
            thread.start()
            while not upstream.received:
                time.sleep(0.01)
            time.sleep(0.5)  # until it is prepared, or waits
        summarized.set()
        for thread in threads:
            thread.join()
        shown = client.get("/brim?token=1").json()["conversations"]
    assert [one["window"] for one in shown if one["messages"] == len(worked(7))] == [window]


# -- faults of brim's


def broken(*_: Any, **__: Any) -> Any:
    """Raise what no one foresaw."""
    raise RuntimeError("a fault of brim's")


@pytest.mark.parametrize(
    "place",
    [
        "brim.serve.relay.read_call",
        "brim.serve.conversations.served_limits",
        "brim.serve.requests.Call.write",
        "brim.engine.middleware._compared",
        "brim.engine.conversation.ConversationState.preparing",
        "brim.engine.middleware.UsageObserver.feed",
        "brim.engine.middleware.UsageObserver.end",
        "brim.serve.store.StoredConversation.stored",
    ],
)
def test_a_fault_ends_no_request(
    monkeypatch: pytest.MonkeyPatch, upstream: Upstream, client: Client, place: str
) -> None:
    """It passes, and so does each that comes behind it."""
    monkeypatch.setattr("brim.serve.conversations.LONGEST_WAIT", 0.2)
    upstream.answer = None
    monkeypatch.setattr(place, broken)
    for turns in (0, 8, 9):
        response = client.post("/v1/messages", json=body(worked(turns)))
        assert (response.status_code, response.content) == (200, ANSWER)
