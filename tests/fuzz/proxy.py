"""Bodies: what `brim serve` makes of those of a conversation's requests, and of the upstream's answers to them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import httpx2

from brim.compaction.policy import CompactionPolicy
from brim.serve import conversations
from brim.serve.relay import Relay
from brim.serve.server import Upstreams, application, served_policy
from brim.testing import complaints, openai_chat_complaints, openai_responses_complaints
from tests.fuzz import SEPARATOR
from tests.serve.proxies import ANSWER, MODEL, SUMMARY
from tests.serve.test_faults import BOUND, OVERFLOW, chat_body, messages_body, responses_body
from tests.serve.test_late_refusals import written

PATHS = (
    ("/v1/messages", "messages", messages_body, complaints),
    ("/v1/chat/completions", "messages", chat_body, openai_chat_complaints),
    ("/v1/responses", "input", responses_body, openai_responses_complaints),
)
STATUSES, TYPES = (200, 400, 529), ("application/json", "text/event-stream")
FAULT = re.compile(r"(passed on unchanged|nothing is planned|.* estimated): \w+Error\b")
LOOP, NUMBERS, TOLD = asyncio.new_event_loop(), count(), list[str]()
ANSWERED: tuple[int, str, bytes] = 200, TYPES[0], ANSWER
RECEIVED = list[bytes]()


async def upstream(_transport: Any, request: httpx2.Request) -> httpx2.Response:
    """Answer in place of the network."""
    RECEIVED.append(await request.aread())
    return httpx2.Response(ANSWERED[0], headers={"content-type": ANSWERED[1]}, stream=httpx2.ByteStream(ANSWERED[2]))


async def _at_once(_seconds: float) -> None:
    """Wait for nothing."""


httpx2.AsyncHTTPTransport.handle_async_request = upstream  # type: ignore[method-assign]
conversations._sleep = _at_once
SERVED = conversations.ServedConversations(
    served_policy(CompactionPolicy(threshold="50%")), window=1_500, tell=TOLD.append
)
APP = application(Relay(Upstreams("http://127.0.0.1"), SERVED))
CLIENT = httpx2.AsyncClient(transport=httpx2.ASGITransport(APP), base_url="http://127.0.0.1")


def seeds() -> Iterator[bytes]:
    """Yield a conversation of each API, with the answers that there are."""
    start = {"type": "message_start", "message": {"model": MODEL, "usage": {"input_tokens": 9, "output_tokens": 1}}}
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SUMMARY}}
    for kind, (path, _, build, _) in enumerate(PATHS):
        body = json.dumps(build()).encode()
        stream = b"".join(b"data: %s\n\n" % json.dumps(one).encode() for one in (start, text, {"type": "message_stop"}))
        refusals = [written(path, error).encode() for error in (OVERFLOW, BOUND)]
        answers = [(0, 0, ANSWER), (0, 1, stream), *((0, 1, one) for one in refusals)]
        answers += [(1, 0, json.dumps({"type": "error", "error": one}).encode()) for one in (OVERFLOW, BOUND)]
        yield from (SEPARATOR.join((b"%d%d%d" % (kind, *how), told, body, body)) for *how, told in answers)


def once(data: bytes) -> None:
    """Ask for one body after another: the upstream gets it, or one as valid; its answer comes back byte for byte."""
    global ANSWERED  # noqa: PLW0603 -- what the upstream says
    head, answer, *bodies = (data + SEPARATOR).split(SEPARATOR)
    path, field, _, check = PATHS[sum(head[:1]) % 3]
    ANSWERED = STATUSES[sum(head[1:2]) % 3], TYPES[sum(head[2:3]) % 2], answer
    key = str(next(NUMBERS))
    for body in filter(None, bodies[:3]):
        RECEIVED.clear()
        TOLD.clear()
        response = LOOP.run_until_complete(CLIENT.post(path, content=body, headers={"x-api-key": key}))
        assert (response.status_code, response.content) == (ANSWERED[0], answer)
        assert RECEIVED
        assert not [one for one in TOLD if FAULT.match(one)], TOLD
        for raw in RECEIVED:
            if raw != body and b'"stream":true' not in raw:  # the latter asks for a summary
                asked, sent = json.loads(body), json.loads(raw)
                assert str({**asked, field: 0}) == str({**sent, field: 0})
                assert check(asked[field]) or not check(sent[field]), check(sent[field])
