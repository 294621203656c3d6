"""An agent: what it does, one thing after another, and what it sends."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_bdd import when

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from steps.policies import with_policy
from steps.worlds.conversation_line import Line
from steps.worlds.notation import Acts, ActsBelow

ROOMY = {"context_window": 1_000_000, "max_output_tokens": 8_000}
"""The model of an agent of which nothing is said."""


class Agent:
    """An agent whose conversation brim keeps."""

    def __init__(self, messages: list[Any], limits: dict[str, Any], settings: dict[str, Any]) -> None:
        self.new = messages
        """What brim has not taken yet."""
        self.pinned: list[int] = []
        self.events: list[str] = []
        self.sent: list[Any] = []
        self.said: list[Any] = []
        """All that was said."""
        self.warned: list[str] = []
        with self.warnings():
            compactor = Compactor(
                limits=ModelLimits(**limits or ROOMY),
                on_event=lambda event: self.events.append(str(event)),
                **with_policy(settings),
            )
        self.conversation = Conversation(compactor)

    @contextmanager
    def warnings(self) -> Iterator[None]:
        """Note the warnings of what runs in it."""
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            yield
        self.warned += [str(one.message) for one in met]

    def sends(self) -> None:
        """Make a request of all that was said."""
        self.conversation.extend(self.new)
        self.said += self.new
        self.new = []
        with self.warnings():
            self.sent = self.conversation.prepare(pinned=self.pinned).messages

    def takes(self, line: str) -> None:
        """Go on by the messages of a line."""
        self.new = self.new + Line.read(line).raws

    def pins(self, index: str) -> None:
        """Pin a message with each request from now on."""
        self.pinned = [int(index)]

    @property
    def outputs_cleared(self) -> list[str]:
        """The calls whose outputs are cleared in its last request, newest first."""
        blocks = [block for message in self.sent for block in message["content"] if isinstance(block, dict)]
        return [block["tool_use_id"] for block in reversed(blocks) if block.get("content") == PLACEHOLDER]

    @property
    def last_request(self) -> str:
        """Whether its last request has all that was said as it was said, or fewer messages."""
        if self.sent == self.said:
            return "unchanged"
        return "compacted" if len(self.sent) < len(self.said) else "changed"

    @property
    def cache_marks(self) -> int:
        """How many cache marks its last request has."""
        return str(self.sent).count("cache_control")

    @property
    def last_event(self) -> str | None:
        """What its listener heard last."""
        return self.events[-1] if self.events else None


@pytest.fixture
def agent(conversation, limits, settings) -> Agent:
    """The agent that has the conversation."""
    return Agent([one.raw for one in conversation], limits, settings)


AGENT = Acts(
    "the agent {acts}",
    {
        "sends": lambda agent: agent.sends(),
        'takes "([^"]*)"': lambda agent, line: agent.takes(line),
        r"pins message (\d+)": lambda agent, index: agent.pins(index),
    },
)


@when(AGENT, target_fixture="outcome")
def act(agent, acts):
    AGENT.perform(agent, [acts])
    return agent


@when(ActsBelow("the agent acts", AGENT), target_fixture="outcome")
def act_in_turn(agent, datatable):
    AGENT.perform(agent, [cell for row in datatable for cell in row])
    return agent


@when("it is compacted automatically", target_fixture="outcome")
def compact(conversation, limits, settings):
    events: list[str] = []
    compactor = Compactor(
        limits=ModelLimits(**limits), on_event=lambda event: events.append(str(event)), **with_policy(settings)
    )
    compaction = compactor.compact([one.raw for one in conversation], cause="automatic")
    return SimpleNamespace(compaction=compaction, events=events)
