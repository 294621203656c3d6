"""Agents that work through the proxy in front of strict servers, and single requests."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from anthropic import BadRequestError
from httpx2 import Client, codes
from openai import BadRequestError as OpenAIBadRequestError

from brim.engine.compactor import Compactor
from brim.errors import Refused
from brim.serve.server import checked_upstream
from brim.testing import asks_for_summary
from steps.vocabulary import tokens
from tests.serve import openai_agents, proxies

KEYS = (f"Bearer {openai_agents.KEY}", "Bearer sk-ant-test")
MESSAGE = '{"role": "user", "content": "Hello."}'
TOKENS = {"its own": "token-of-the-status", "another": "token-of-another", "": ""}
PAGES = {"page": "/", "JSON": "/brim"}
TEXTS = (proxies.TASK, "x = 1", "read_file", "ported in part", "coding agent", "sk-ant-test")
"""What an agent and its model say, and the key."""
LINES = {
    "compacted": ": compacted,",
    "without_a_model": "the model wrote no summary",
    "waits": "waits for the end of the tool loop",
    "held": "nothing was compacted",
    "goes_on": "goes on from a compaction",
}
"""What the proxy says, by a part of each line."""


def work(folder: Path, row: Mapping[str, str]) -> dict[str, Any]:
    """Let an agent work, and return what came of it."""
    turns, again, failing = (tokens(row.get(name, "").removeprefix("after ") or "0") for name in TIMES)
    is_anthropic, agent, sent = row["API"] == "Messages", None, list[int]()
    options = {"window": tokens(row.get("window") or "60,000"), "shadow": row.get("shadow") == "yes", "folder": folder}
    options["token"], errors, shown, lines = TOKENS["its own"], 0, "", list[str]()
    options |= {
        "max_output": tokens(row["longest answer"]) if row.get("longest answer") else None,
        "tell": lines.append,
    }
    longest = tokens(row.get("provider's longest") or "8,000")
    with _provider(longest, is_anthropic=is_anthropic) as (url, asked), ExitStack() as faults:
        for count in (again, turns - again):
            with proxies.proxied(url, **options) as proxy, _connected(row["API"], proxy, agent) as agent:
                for _ in range(count):
                    if row.get("plans fail") == f"after {len(sent)}":
                        faults.enter_context(patch.object(Compactor, "planning", _broken))
                    try:
                        agent.turn(streamed=row.get("streamed") == "yes")
                    except (BadRequestError, OpenAIBadRequestError):
                        errors += 1
                        break
                    sent.append(len(asked()) - 1)
                if row.get("status"):
                    shown = _shown(proxy, PAGES[row["status"]])
            if again and count == again:
                _change(folder, row.get("store", ""))
        requests = asked()
    own = [request for request in requests if not request[2]]
    at = again or failing
    before, after = (requests[sent[n]][0] for n in (at - 1, at)) if 0 < at < len(sent) else ([], [])
    return {
        "errors": errors,
        "summaries": len(requests) - len(own),
        "holds_the_user's_words": all(proxies.TASK in str(messages) for messages, _, _ in own),
        "other_keys": sum(key not in KEYS for _, key, _ in requests),
        "shows_the_window": any(window in shown for window in ("60,000", "60000")),
        "shows_a_text": any(text in shown for text in TEXTS),
        **{name: sum(text in line for line in lines) for name, text in LINES.items()},
        "begins_as_before": bool(before) and json.dumps(after[: len(before)]) == json.dumps(before),
    }


def _shown(proxy: str, path: str) -> str:
    """What the status of a proxy shows."""
    with Client(base_url=proxy) as client:
        response = client.get(path, params={"token": TOKENS["its own"]})
    assert response.status_code == codes.OK
    return response.text


TIMES = ("turns", "starts again", "plans fail")


def _broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a fault of brim's")


@contextmanager
def _provider(longest: int, *, is_anthropic: bool) -> Iterator[tuple[str, Any]]:
    """The address of a strict provider, and what gives its accepted requests: messages, key, whether for a summary.

    An answer of Anthropic's has so many tokens at most.
    """
    if is_anthropic:
        with proxies.served(longest=longest) as server:
            yield (
                server.url,
                lambda: [
                    (one.body["messages"], one.headers["authorization"], asks_for_summary(one.body))
                    for one in server.requests
                ],
            )
    else:
        with openai_agents.providing() as (provider, url):
            yield (
                url,
                lambda: [
                    (
                        one.body.get("messages") or one.body["input"],
                        one.headers["authorization"],
                        asks_for_summary(one.body),
                    )
                    for one in provider.requests
                ],
            )


@contextmanager
def _connected(api: str, url: str, former: Any) -> Iterator[Any]:
    """An agent of an API, which goes on from what a former one has."""
    if api == "Messages":
        agent = former or proxies.Agent(url)
        agent.connect(url)
        yield agent
        return
    with openai_agents.connected(url) as client:
        agent = (openai_agents.ChatAgent if api == "chat" else openai_agents.ResponsesAgent)(client)
        agent.items = former.items if former else agent.items
        yield agent


def _change(folder: Path, store: str) -> None:
    """Change the files of a proxy that has ended."""
    files: Sequence[Path] = [*folder.glob("*.json")]
    assert files
    if store == "another key's":
        (folder / "key").unlink()
    for file in files:
        if store == "thirty days old":
            os.utime(file, (0, 0))
        elif store == "damaged":
            file.write_bytes(b"{")
        elif store == "lost":
            file.unlink()


def ask(row: Mapping[str, str]) -> dict[str, Any]:
    """Send one request, and return what came of it."""
    upstream, told = proxies.Upstream(), list[str]()
    body = "{" + row["body"].replace("…", MESSAGE) + "}" if "body" in row else ""
    if '"model"' not in body:
        body = body.replace("{", f'{{"model": "{proxies.MODEL}", ', 1)
    options = {"host": row.get("listens on") or "127.0.0.1", "token": TOKENS["its own"]}
    headers = {"host": row["host"]} if row.get("host") else {}
    with (
        proxies.listening(upstream.app) as url,
        proxies.proxied(url, window=0, tell=told.append, **options) as proxy,
        Client(base_url=proxy) as client,
    ):
        path, method = f"/{row['path'].removeprefix('/')}", "POST" if body else "GET"
        query = {"token": TOKENS[row["token"]]} if row.get("token") else None
        response = client.request(method, path, content=body.encode() or None, headers=headers, params=query)
    return {
        "passed_unchanged": [one[3].decode() for one in upstream.received] == [body],
        "reason": "".join(told).removeprefix("passed on unchanged: "),
        "status": response.status_code,
    }


def refusal(upstream: str) -> dict[str, str]:
    """Judge an upstream."""
    try:
        checked_upstream(upstream)
    except Refused as error:
        return {"refused": str(error)}
    return {"refused": ""}
