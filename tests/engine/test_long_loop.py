"""One turn of many tool calls through `brim.compacting`, against the strict server: several compactions in one loop."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

import brim
from brim.conversation.messages import CLOSING, CONTINUATION_OPENING
from brim.testing import MessagesServer, thinking_block, tool_call
from steps.compaction_windows import filler

pytestmark = pytest.mark.peers

CALLS = 60
MAX_TOKENS = 2_000
REQUEST: Mapping[str, Any] = {
    "model": "m",
    "max_tokens": MAX_TOKENS,
    "thinking": {"type": "enabled", "budget_tokens": 1_024},
    "tools": [{"name": "read", "input_schema": {"type": "object"}}],
}
ASKED = {"role": "user", "content": "Read all sixty notes, and delete none."}


class Reader:
    """A model that thinks and reads one note after the other, and the agent that lets it."""

    def __init__(self) -> None:
        self.read = 0
        self.messages: list[Any] = [ASKED]

    def answer(self, body: Mapping[str, Any]) -> Any:
        """What the model answers to a request."""
        if body["max_tokens"] != MAX_TOKENS:
            return "<summary>Notes were read one by one; the next one is to be read.</summary>"
        if self.read == CALLS:
            return [thinking_block("All are read."), {"type": "text", "text": "Done."}]
        self.read += 1
        return [thinking_block(f"Now note {self.read}."), tool_call("read", {"path": f"/note-{self.read}"})]

    def step(self, client: Any) -> bool:
        """One request and the results of its calls; whether there were any."""
        response = client.messages.create(**REQUEST, messages=self.messages)
        content = [block.model_dump(exclude_none=True) for block in response.content]
        self.messages.append({"role": "assistant", "content": content})
        results = [
            {"type": "tool_result", "tool_use_id": one["id"], "content": one["input"]["path"] + filler(1_000)}
            for one in content
            if one["type"] == "tool_use"
        ]
        if results:
            self.messages.append({"role": "user", "content": results})
        return bool(results)


def own(body: Mapping[str, Any], text: str) -> int:
    """How often a line of brim's is in a request."""
    return str(body["messages"]).count(text)


def test_several_compactions_in_one_loop() -> None:
    """Each keeps the newest calls and results, the request and one pair of brim's lines; no request is refused."""
    reader = Reader()
    with MessagesServer(default=reader.answer, models={"m": (30_000, 8_000)}) as server, server.client() as plain:
        client = brim.compacting(plain)
        while reader.step(client):
            pass
        bodies = [one.body for one in server.requests if one.body]
    compacted = [after for one, after in pairwise(bodies) if one["max_tokens"] != MAX_TOKENS]
    assert len(compacted) == 3
    for body in compacted:
        paths = [block["input"]["path"] for one in body["messages"][2:-2] for block in calls(one)]
        newest = int(paths[-1].removeprefix("/note-"))
        assert paths == [f"/note-{number}" for number in range(newest - len(paths) + 1, newest + 1)]
        assert len(paths) >= 4
        assert ASKED in body["messages"]
        assert body["messages"][-2]["content"] == CLOSING
    for body in bodies[bodies.index(compacted[0]) :]:
        assert (own(body, CLOSING), own(body, CONTINUATION_OPENING)) == (1, 1)


def calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of a message."""
    content = message["content"]
    return [] if isinstance(content, str) else [block for block in content if block["type"] == "tool_use"]


@pytest.mark.parametrize("back", [1, 2, 3, 4])
def test_an_agent_that_goes_back_into_a_compacted_loop(back: int) -> None:
    """It drops its last messages and asks again, as after a retry: the request is accepted, whatever was dropped."""
    reader = Reader()
    with MessagesServer(default=reader.answer, models={"m": (30_000, 8_000)}) as server, server.client() as plain:
        client = brim.compacting(plain)
        while all(one.body["max_tokens"] == MAX_TOKENS for one in server.requests if one.body):
            reader.step(client)
        del reader.messages[-2 * back :]
        assert reader.step(client)
        assert reader.step(client)
