"""Steps of features/engine/backends.feature."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_bdd import given, parsers, when

from brim.engine.backends import backend
from brim.errors import BrimError, Refused
from brim.models import ModelLimits
from brim.testing import MessagesServer, overloaded
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase, tokens
from steps.worlds.agents import MODEL, Agent, ListingAgent
from steps.worlds.notation import Unread

ROOM = {"context_window": 200_000, "max_output_tokens": 64_000}
READ = {"name": "read", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}
LONGEST = 1_000
"""The longest answer of the agent's own requests, in tokens."""
FILES = "files-api-2025-04-14"
REQUESTS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "another beta": {"betas": [FILES]},
    "the same beta": {"betas": ["compact-2026-01-12"]},
    "another beta in its headers": {"extra_headers": {"Anthropic-Beta": FILES}},
    "a compaction": {"context_management": {"edits": [{"type": "compact_20260112"}]}},
    "a compaction on demand": {"compaction": {"type": "summarize"}},
    "a clearing of results": {"context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]}},
    "a clearing of thinking": {"context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}},
}
FAILURES = {", whose provider gives no summary": None, ", whose provider is busy": overloaded()}
ASKED = {"role": "user", "content": "Hello."}


def request(messages: list[Any], **values: Any) -> dict[str, Any]:
    """Return a request of these messages."""
    return {"model": MODEL, "max_tokens": LONGEST, "messages": messages, **values}


class BackEndAgent(ListingAgent):
    """An agent whose requests a back end prepares, and whose answers it reads."""

    def __init__(self, server: MessagesServer, agent: Any, name: str) -> None:
        super().__init__(server, agent.messages if isinstance(agent, ListingAgent) else agent.new)
        self.name, self.applied, self.refusal, self.answered = name, [], "", ""
        self.prepared: dict[str, Any] = {}

    @contextmanager
    def working(self) -> Iterator[None]:
        """Open a client, and its back end."""
        heard: list[Any] = []
        with Agent.working(self), self.server.client() as client:
            options = with_policy(self.settings)
            self.client = client
            self.keeper = backend(
                client, MODEL, self.name, limits=ModelLimits(**ROOM), on_event=heard.append, **options
            )
            yield
        self.events += [event.kind for event in heard if event.kind != "summary_delta"]

    def sends(self, how: str | None) -> None:
        """Prepare a request, make it, and read its answer; a request that is refused is not made."""
        del how
        prepared = attempt(self.keeper.prepare, request(self.messages, tools=[READ]))
        if isinstance(prepared, BrimError):
            self.refusal = str(prepared)
            return
        self.prepared = prepared
        response = self.client.beta.messages.create(**self.prepared)
        reading = self.keeper.read(self.prepared, response)
        self.answered = response.content[-1].text
        self.applied += reading.applied
        self.messages = [*reading.messages, {"role": "user", "content": "And?"}]

    def compacts_by_hand(self) -> None:
        """Compact the conversation now."""
        reading = attempt(self.keeper.compact, request(self.messages))
        if isinstance(reading, BrimError):
            self.refusal = str(reading)
        else:
            self.applied += reading.applied
            self.messages = reading.messages

    @property
    def done(self) -> list[str]:
        """What was done to its context, each once."""
        return [*dict.fromkeys(one.outcome for one in self.applied)]

    @property
    def by(self) -> list[str]:
        """Which back ends did it."""
        return [*dict.fromkeys(one.backend for one in self.applied)]

    @property
    def saves(self) -> bool:
        """Whether all of it made room."""
        return bool(self.applied) and all(one.saved > 0 for one in self.applied)

    @property
    def edits(self) -> Any:
        """The edits of its last request."""
        return self.prepared.get("context_management")

    @property
    def summaries(self) -> int:
        """How many summaries of brim's the provider wrote."""
        return sum(one.body["max_tokens"] != LONGEST for one in self.server.requests)

    @property
    def compactions(self) -> int:
        """How many compactions on demand reached the provider."""
        return sum("compaction" in one.body for one in self.server.requests)

    @property
    def message_count(self) -> int:
        """How many messages its list holds."""
        return len(self.messages)

    @property
    def last_message(self) -> str:
        """The words of its last message."""
        content = self.messages[-1]["content"]
        return content if isinstance(content, str) else content[-1].get("text") or content[-1]["type"]


@pytest.fixture
def servers() -> Iterator[ExitStack]:
    """The providers of a scenario, until it ends."""
    with ExitStack() as stack:
        yield stack


@given(
    parsers.re(f'the agent has the back end "(?P<name>[^"]*)"(?P<provider>{"|".join(FAILURES)})?'),
    target_fixture="agent",
)
def has_back_end(strict_server, servers, agent, name, provider):
    if provider:
        failing = servers.enter_context(MessagesServer(compactions=[FAILURES[provider]] * 9))
        return BackEndAgent(failing, agent, name)
    return BackEndAgent(strict_server, agent, name)


@when(
    parsers.re(r'the back end "(?P<name>[^"]*)" is created(?: for the model "(?P<model>.*)")?'),
    target_fixture="outcome",
)
def create(limits, settings, name, model):
    known = {"limits": ModelLimits(**limits)} if limits else {}
    keeper = attempt(backend, None, model or MODEL, name, **known, **with_policy(settings))
    if isinstance(keeper, BrimError):
        return keeper
    (edit,) = keeper.prepare(request([ASKED]))["context_management"]["edits"]
    return SimpleNamespace(trigger=edit["trigger"]["value"])


@when(phrase('the back end "{name:Quoted}" prepares a request with {what}'), target_fixture="outcome")
def prepare(settings, name, what):
    """The caller's request is unchanged, and what brim does not add is sent as it is."""
    asked = request([ASKED], **REQUESTS[what])
    before = deepcopy(asked)
    prepared = attempt(backend(None, MODEL, name, limits=ModelLimits(**ROOM), **with_policy(settings)).prepare, asked)
    assert asked == before
    if isinstance(prepared, BrimError):
        assert type(prepared) is Refused
        return prepared
    own = {"betas", "context_management", "extra_headers"}
    assert {one: prepared[one] for one in prepared if one not in own} == {
        one: before[one] for one in before if one not in own
    }
    edits = prepared.get("context_management", {}).get("edits", [])
    assert edits or prepared == before
    added = edits[-1] if edits else {}
    header = prepared.get("extra_headers", {}).get("Anthropic-Beta", "")
    return SimpleNamespace(
        betas=prepared.get("betas") or header.split(","),
        edits=[edit["type"] for edit in edits],
        pauses=added.get("pause_after_compaction", False),
        instructions=added.get("instructions"),
        results_kept=added.get("keep", {}).get("value"),
        tools_left_out=added.get("exclude_tools"),
        least_cleared=added.get("clear_at_least", {}).get("value"),
    )


PIECES: dict[str, Any] = {
    'summary "([^"]*)"': lambda words: {"content": [{"type": "compaction", "content": words}]},
    "no summary": lambda: {"content": [{"type": "compaction", "content": None}]},
    "thinking": lambda: {"content": [{"type": "thinking", "thinking": "So.", "signature": "s"}]},
    "words": lambda: {"content": [{"type": "text", "text": "Go on."}]},
    r"usage ([\d,]+)": lambda read: {
        "usage": {"input_tokens": 40_000, "cache_read_input_tokens": tokens(read) - 40_000, "output_tokens": 5}
    },
    r"(\d+) results of ([\d,]+) cleared": lambda count, size: {
        "context_management": {
            "applied_edits": [
                {
                    "type": "clear_tool_uses_20250919",
                    "cleared_tool_uses": int(count),
                    "cleared_input_tokens": tokens(size),
                }
            ]
        }
    },
}


def read_answer(line: str) -> dict[str, Any]:
    """Return an answer of the provider: `summary "So far.", thinking, words, usage 150,000`. Raises Unread."""
    answer: dict[str, Any] = {
        "role": "assistant",
        "content": [],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 100, "output_tokens": 5},
    }
    for piece in line.split(", "):
        found = next(((one, re.fullmatch(one, piece)) for one in PIECES if re.fullmatch(one, piece)), None)
        if found is None:
            raise Unread(f"{piece!r} is none of {', '.join(PIECES)}")
        told = PIECES[found[0]](*found[1].groups())  # type: ignore[union-attr]
        answer |= told | ({"content": [*answer["content"], *told["content"]]} if "content" in told else {})
    return answer


@when(parsers.re(r'the back end "(?P<name>[^"]*)" reads (?P<line>.+)'), target_fixture="outcome")
def read(conversation, name, line):
    heard: list[Any] = []
    keeper = backend(None, "own-model", name, on_event=heard.append)
    reading = keeper.read(keeper.prepare(request([one.raw for one in conversation])), read_answer(line))
    assert len(heard) == len(reading.applied) <= 1
    event, applied = next(zip(heard, reading.applied, strict=True), (None, None))
    content = reading.messages[-1]["content"]
    return SimpleNamespace(
        messages=len(reading.messages),
        last_message=[block["type"] for block in content],
        event=event and event.kind,
        author=getattr(event, "summary_source", None),
        failed=reading.failed,
        outputs=applied and applied.tool_uses,
        tokens_before=applied and applied.tokens_before,
        tokens_after=applied and applied.tokens_after,
    )
