"""Windows and conversations that the features of compaction share."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_bdd import given

from brim.compaction.context_window import ContextWindow
from brim.conversation.messages import Message, read_message
from brim.conversation.turns import Turn
from brim.models import NO_LIMIT, ModelLimits
from brim.tokens.usage import TokenUsage
from steps.conversation_table import read_table
from steps.policies import with_policy
from steps.vocabulary import phrase

FILLER = "text"
"""A token's worth of characters."""


def filler(tokens: int) -> str:
    """A text of so many tokens."""
    return FILLER * tokens


def turn(output: int = 1, *, thinking: bool = False, call: str = "A") -> list[list[str]]:
    """The rows of a turn with a tool output of so many tokens."""
    return [
        ["user", "", "Please go on.", "", "", ""],
        ["assistant", "Hm." if thinking else "", "", call, "", ""],
        ["tool", "", "", "", call, str(output)],
        ["assistant", "", "Done.", "", "", ""],
    ]


def turns(count: int, output: int = 1, *, thinking: bool = False) -> tuple[Message, ...]:
    """A conversation of so many turns."""
    columns = ["speaker", "thinks", "says", "calls", "answers", "tokens"]
    return read_table([columns, *[row for _ in range(count) for row in turn(output, thinking=thinking)]])


def raw_turns(count: int, output: int) -> list[Any]:
    """The same as dictionaries that the API accepts: each call has a different id."""
    columns = ["speaker", "thinks", "says", "calls", "answers", "tokens"]
    rows = [row for number in range(count) for row in turn(output, call=f"A{number}")]
    return [message.raw for message in read_table([columns, *rows])]


def spoken(told: Turn) -> list[dict[str, Any]]:
    """A turn that was read from a table, as the messages it came in."""
    messages = [{"role": "user", "content": told.request}] if told.request else []
    for number, response in enumerate(told.responses):
        ids = [f"{told.index}-{number}-{place}" for place, _ in enumerate(response.tool_uses)]
        called = list(zip(ids, response.tool_uses, strict=True))
        text = [{"type": "text", "text": response.text}] if response.text else []
        calls = [{"type": "tool_use", "id": name, "name": use.name, "input": dict(use.input)} for name, use in called]
        results = [
            {"type": "tool_result", "tool_use_id": name, "content": use.output, "is_error": not use.succeeded}
            for name, use in called
        ]
        messages.append({"role": "assistant", "content": [*text, *calls]})
        messages += [{"role": "user", "content": results}] if results else []
    return messages


def definition(tokens: int) -> dict[str, str]:
    """The definition of a tool that takes so many tokens, written compactly."""
    empty = len('{"description":""}')
    return {"description": filler(tokens)[empty:]}


@pytest.fixture
def limits() -> dict[str, Any]:
    """No limits; a step can state some."""
    return {}


@pytest.fixture
def usage() -> dict[str, int]:
    """What the last response reported; nothing where it did not."""
    return {}


@pytest.fixture(name="turns")
def no_turns() -> tuple[Turn, ...]:
    """No turns; a step can give some."""
    return ()


@pytest.fixture
def conversation(turns) -> tuple[Message, ...]:
    """The messages of the turns that a step gave; none by default."""
    return tuple(read_message(raw) for told in turns for raw in spoken(told))


@given(phrase("a conversation of {count:Count} turns"), target_fixture="conversation")
def small_turns(count):
    return turns(count)


@pytest.fixture
def window(limits, settings, conversation, usage) -> ContextWindow:
    """The running account of the conversation, on the model and the profile that were chosen."""
    known = ModelLimits(**limits) if limits else NO_LIMIT
    account = ContextWindow(known, messages=conversation, **with_policy(settings))
    if usage:
        account.record(TokenUsage(**usage))
    return account
