"""An agent of hundreds of turns through `brim.compacting`, against the strict server: thinking, parallel calls, images.

The agent moves its one cache mark, and streams every other response. `make nightly` runs 300 turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from anthropic import Anthropic

import brim
from brim.conversation.messages import without_cache_marks
from brim.testing import MessagesServer, asks_for_summary, thinking_block, tool_call
from brim.testing.messages_api.exchange import Received
from steps.compaction_windows import filler
from steps.prerequisites import sized

pytestmark = pytest.mark.peers

TURNS = sized(40, nightly=300)
PINNED = 2
"""The number of the question that is pinned."""
WINDOW = 48_000
MAX_OUTPUT = 16_000
MAX_TOKENS = 2_000
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
REQUEST: Mapping[str, Any] = {
    "model": "m",
    "max_tokens": MAX_TOKENS,
    "thinking": {"type": "enabled", "budget_tokens": 1_024},
    "system": [{"type": "text", "text": "You read notes. " * 300}],
    "tools": [{"name": name, "input_schema": {"type": "object"}} for name in ("read", "look")],
}
SUMMARY = "<summary>All notes up to here were read, and nothing is open.</summary>"


def model(body: Mapping[str, Any]) -> Any:
    """Thinks, calls two tools at once for a question, and answers their results at some length."""
    if asks_for_summary(body):
        return SUMMARY
    last = body["messages"][-1]["content"]
    if any(block["type"] == "tool_result" for block in last if isinstance(last, list)):
        return [thinking_block("Both are read."), {"type": "text", "text": filler(600)}]
    return [thinking_block("Two at once."), tool_call("read"), tool_call("look")]


def result(call: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a call; to look gives an image."""
    content = [{"type": "text", "text": filler(200)}, *[IMAGE] * (call["name"] == "look")]
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content}


class Agent:
    """Keeps one list that only grows, and one cache mark on its last block."""

    def __init__(self, client: Anthropic) -> None:
        self.client, self.messages, self.count = client, list[dict[str, Any]](), 0

    def turn(self, question: str) -> None:
        """Ask a question, and answer calls until the model calls nothing."""
        content: list[Any] = [{"type": "text", "text": question}]
        while content:
            self.messages.append({"role": "user", "content": content})
            content = [result(block) for block in self.ask() if block["type"] == "tool_use"]

    def ask(self) -> list[dict[str, Any]]:
        """One request, every other one streamed; the content of its response."""
        for message in self.messages:
            message["content"] = [{**block, "cache_control": None} for block in message["content"]]
            for block in message["content"]:
                del block["cache_control"]
        self.messages[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        self.count += 1
        if self.count % 2:
            with self.client.messages.stream(**REQUEST, messages=self.messages) as stream:
                response = stream.get_final_message()
        else:
            response = self.client.messages.create(**REQUEST, messages=self.messages)
        content = [block.model_dump(exclude_none=True) for block in response.content]
        self.messages.append({"role": "assistant", "content": content})
        return content


@pytest.fixture(scope="module")
def requests() -> tuple[Received, ...]:
    """What the server received; it raises what it refuses."""
    with MessagesServer(default=model, models={"m": (WINDOW, MAX_OUTPUT)}) as server, server.client() as plain:
        agent = Agent(brim.compacting(plain, pinned=lambda message: question(PINNED) in str(message["content"])))
        for number in range(TURNS):
            agent.turn(question(number))
        return tuple(one for one in server.requests if one.body)


def question(number: int) -> str:
    """A question of the user."""
    return f"Question {number}: what do the notes of day {number} say?"


def test_every_request_stays_within_the_window_and_holds_the_newest_question(requests):
    """The server refuses a longer one, and an error of the API would have ended the agent."""
    own = [one.body for one in requests if not asks_for_summary(one.body)]
    assert len(own) >= 2 * TURNS
    number = -1
    for body in own:
        number += question(number + 1) in str(body["messages"])
        assert question(number) in str(body["messages"])
        assert len(str(body["messages"])) // 4 < WINDOW
    assert number == TURNS - 1


def test_every_request_holds_the_pinned_question_word_for_word(requests):
    """From the turn that asks it on, through all compactions, in a message of its own."""
    own = [unmarked(one.body["messages"]) for one in requests if not asks_for_summary(one.body)]
    first = next(index for index, messages in enumerate(own) if question(PINNED) in str(messages))
    pinned = {"role": "user", "content": [{"type": "text", "text": question(PINNED)}]}
    assert len(own) - first >= 2 * (TURNS - PINNED)
    assert all(pinned in messages for messages in own[first:])


def test_every_summary_is_written_over_the_warm_prefix(requests):
    """Each repeats the request before it, with its system prompt, tools and thinking, and with at most four marks."""
    bodies = [one.body for one in requests]
    summaries = [index for index, body in enumerate(bodies) if asks_for_summary(body)]
    assert len(summaries) >= TURNS // 30
    for index in summaries:
        before, body = bodies[index - 1], bodies[index]
        assert not asks_for_summary(before)
        assert unmarked(body["messages"][: len(before["messages"])]) == unmarked(before["messages"])
        assert [body.get(name) for name in ("system", "tools", "thinking")] == [
            before.get(name) for name in ("system", "tools", "thinking")
        ]
        assert str(body).count("cache_control") <= 4


def unmarked(messages: list[Any]) -> list[Any]:
    """The messages without cache marks."""
    return [without_cache_marks(message) for message in messages]
