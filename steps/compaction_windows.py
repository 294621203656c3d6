"""Windows and conversations that the features of compaction share."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_bdd import given

from brim.compaction.context_window import NO_LIMIT, ContextWindow
from brim.conversation.messages import Message
from brim.conversation.turns import turn_starts
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage
from steps.conversation_table import read_table
from steps.vocabulary import phrase

FILLER = "text"
"""A token's worth of characters."""


def filler(tokens: int) -> str:
    """A text of so many tokens."""
    return FILLER * tokens


def turn(output: int = 1, *, thinking: bool = False) -> list[list[str]]:
    """The rows of a turn with a tool output of so many tokens."""
    return [
        ["user", "", "Please go on.", "", "", ""],
        ["assistant", "Hm." if thinking else "", "", "A", "", ""],
        ["tool", "", "", "", "A", str(output)],
        ["assistant", "", "Done.", "", "", ""],
    ]


def turns(count: int, output: int = 1, *, thinking: bool = False) -> tuple[Message, ...]:
    """A conversation of so many turns."""
    columns = ["speaker", "thinks", "says", "calls", "answers", "tokens"]
    return read_table([columns, *[row for _ in range(count) for row in turn(output, thinking=thinking)]])


def sample(end: str) -> tuple[Message, ...]:
    """Four turns that end with a result, an answer or a request."""
    conversation = turns(4)
    return {"answer": conversation, "result": conversation[:-1], "request": (*conversation, conversation[0])}[end]


@pytest.fixture
def limits() -> dict[str, Any]:
    """No limits, until a step states some."""
    return {}


@pytest.fixture
def system() -> str | None:
    """No system prompt, until a step gives one."""
    return None


@pytest.fixture
def reported() -> int | None:
    """What the last response reported; None where it did not."""
    return None


@pytest.fixture
def conversation() -> tuple[Message, ...]:
    """No message, until a step brings some."""
    return ()


@given(
    phrase("a conversation of {count:Count} turns, each with a tool output of {output:Tokens} tokens"),
    target_fixture="conversation",
)
def some_turns(count, output):
    return turns(count, output)


@given(
    phrase("a conversation of {count:Count} turns, each with thinking before a tool output of {output:Tokens} tokens"),
    target_fixture="conversation",
)
def thinking_turns(count, output):
    return turns(count, output, thinking=True)


@given(phrase("a conversation of {count:Count} turns"), target_fixture="conversation")
def small_turns(count):
    return turns(count)


@given("a conversation of nothing", target_fixture="conversation")
def no_messages():
    return ()


@given(phrase("a conversation of a summary and {count:Count} turns"), target_fixture="conversation")
def after_a_summary(count):
    return (*read_table([["speaker", "mark"], ["user", "summary"]]), *turns(count))


@given("a conversation that ends in an unfinished tool loop with thinking", target_fixture="conversation")
def in_a_loop():
    return turns(5, thinking=True)[:-1]


@given(phrase("a system prompt of {count:Tokens} tokens"), target_fixture="system")
def system_prompt(count):
    return filler(count)


@given(phrase("a last response that reports {count:Tokens} tokens"), target_fixture="reported")
def last_response(count):
    return count


@pytest.fixture
def requests(conversation) -> list[int]:
    """Where the user's messages stand."""
    return turn_starts(conversation)


@pytest.fixture
def window(limits, settings, system, conversation, reported) -> ContextWindow:
    """The running account of the conversation, on the model and the profile that were chosen."""
    known = ModelLimits(**limits) if limits else NO_LIMIT
    account = ContextWindow(known, system=system, messages=conversation, characters_per_token=4, **settings)
    if reported is not None:
        account.record(TokenUsage(input=reported))
    return account
