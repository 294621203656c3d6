"""The running account of a conversation: what it knows at any time is what one would find out from the beginning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brim.compaction.context_window import ContextWindow, Request
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import Message, Thinking, read_message, sendable
from brim.conversation.thinking import loop_needs_thinking, thinking_indices
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import turn_starts
from brim.errors import InvalidInput
from brim.pruning.tool_outputs import Pruning, ToolOutputs, apply_pruning
from brim.tokens.estimation import measure, measure_extras
from tests.compaction.strategies import Case, cases, conversations, steady
from tests.conversation.cutting import legal_cuts
from tests.strict_api import complaints

SMALL = {"protect": 3_000, "minimum": 100}
SMALL_POLICY = CompactionPolicy(prune_protect=3_000, prune_minimum=100)


def known(window: ContextWindow) -> dict[str, Any]:
    """All that a window has found out of its messages."""
    return {
        "weights": window.weights,
        "cuts": window.cuts,
        "pins": window.pins,
        "summaries": window.summaries,
        "starts": window.turns.starts,
        "closed": window.turns.closed,
        "going on": window.turns.current(),
        "whole": window.is_sendable,
        "estimated": window.estimated,
        "prunable": window.prunable(),
    }


@steady
@given(case=cases())
def test_message_by_message_or_at_once(case: Case) -> None:
    """A window that grew knows what one knows that was given everything; asking it on the way changed nothing."""
    grown = case.empty()
    for position, message in enumerate(case.messages):
        grown.append(message)
        assert grown.verdict().held == grown.held
        if position in case.usages:
            grown.record(case.usages[position], model="model")
        if position % 20 == 7:
            ask(grown)
    assert known(grown) == known(case.empty().with_messages(case.messages))
    assert (grown.held, grown.verdict()) == (case.window().held, case.window().verdict())


def ask(window: ContextWindow) -> None:
    """Ask a window everything that changes nothing."""
    window.verdict()
    window.sendable()
    known(window)


@steady
@given(case=cases())
def test_dictionaries_or_messages(case: Case) -> None:
    """Plain dictionaries are as good as the messages that are read from them."""
    raws = [message.raw for message in case.messages]
    one = ContextWindow(case.limits, messages=raws)
    other = ContextWindow(case.limits, messages=[read_message(raw) for raw in raws])
    assert known(one) == known(other)


@steady
@given(case=cases())
def test_what_is_held(case: Case) -> None:
    """Held is the last usage, and what came after its response at 4 characters a token; without one, everything."""
    window = case.window()
    profile = window.trigger.profile
    reports = [n for n, usage in case.usages.items() if usage.total > 0]
    last = max(reports, default=None)
    tail = [measure(message) for message in case.messages[0 if last is None else last + 1 :]]
    if last is None:
        tail.append(measure_extras(case.system, case.tools))
    base = 0 if last is None else profile.measure(case.usages[last])
    characters = sum(size.characters for size in tail)
    estimate = (characters + 3) // 4 + sum(size.media_tokens for size in tail)
    assert window.held == (base + estimate if profile.counts_appended else base)


@steady
@given(messages=conversations)
def test_what_it_knows_of_the_messages(messages: tuple[Message, ...]) -> None:
    """Weights are running totals, cuts the legal ones within, pins, summaries and turns those that are there."""
    window = ContextWindow(messages=messages)
    sizes = [measure(message) for message in messages]
    weights = [size.characters + 4 * size.media_tokens for size in sizes]
    assert window.weights == [sum(weights[:n]) for n in range(len(weights) + 1)]
    assert window.cuts == legal_cuts(messages)[1:-1]
    assert window.pins == [n for n, message in enumerate(messages) if message.marks.pinned]
    assert window.summaries == [n for n, message in enumerate(messages) if message.marks.summary]
    assert window.turns.starts == turn_starts(messages)


@steady
@given(messages=conversations)
def test_what_can_be_sent(messages: tuple[Message, ...]) -> None:
    """It is whole exactly where neither rule has anything to do; else the window of what can be sent is."""
    window = ContextWindow(messages=messages)
    repaired = pair_tools(sendable(messages).messages)
    form, sources = window.sendable()
    assert window.is_sendable == (repaired.messages == messages)
    assert (form is window) == window.is_sendable
    assert form.is_sendable
    assert tuple(form.messages) == repaired.messages
    assert len(sources) == len(repaired.messages)
    kept = [(message, source) for message, source in zip(form.messages, sources, strict=True) if source is not None]
    assert all(message.role == messages[source].role for message, source in kept)


@steady
@given(case=cases())
def test_what_can_be_sent_of_a_window_that_grows(case: Case) -> None:
    """It is the same as of a window that was asked for the first time, whatever was asked, recorded or sent before."""
    grown = case.empty()
    for position, message in enumerate(case.messages):
        grown.append(message)
        if position in case.usages:
            grown.record(case.usages[position], model="model")
        if position % 5 == 2:
            grown.set_request(Request(system="Be brief." * position, tools=case.tools))
        form, sources = grown.sendable()
        new = grown.with_messages(grown.messages).sendable()
        assert (known(form), list(sources)) == (known(new[0]), list(new[1]))


@steady
@given(case=cases(), ratio=st.sampled_from(["4", "2.5", "7"]))
def test_after_a_pruning(case: Case, ratio: str) -> None:
    """A window that was pruned has the messages, the weights and the estimate of one made of the pruned messages."""
    assume(not loop_needs_thinking(case.messages))
    window = ContextWindow(
        case.limits, SMALL_POLICY, system=case.system, characters_per_token=ratio, messages=case.messages
    )
    pruning = window.prunable()
    wanted = forgetful(apply_pruning(case.messages, pruning), pruning)
    outputs = ToolOutputs()
    for message in case.messages:
        outputs.append(message)
    assert pruning == outputs.decide(**SMALL)
    assert window.prune() == pruning
    assert window.messages == wanted
    fresh = window.with_messages(wanted)
    assert (window.weights, window.estimated, window.held) == (fresh.weights, fresh.estimated, fresh.held)
    assert set(window.cuts) <= set(fresh.cuts)
    assert complaints(sent(window)) == complaints(sent(fresh))
    assert window.prune().outputs == ()


def forgetful(messages: Sequence[Message], pruning: Pruning) -> list[Message]:
    """The messages without the thinking behind the first output that was cleared."""
    first = pruning.outputs[-1].message if pruning.outputs else len(messages)
    return [
        message.without_kind(Thinking) if n >= first and thinking_indices([message]) else message
        for n, message in enumerate(messages)
    ]


def sent(window: ContextWindow) -> list[Any]:
    """What a window would send."""
    return [message.raw for message in window.sendable()[0].messages]


def nested(depth: int) -> dict[str, Any]:
    """A dictionary in a dictionary, and so on."""
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"deeper": value}
    return value


@pytest.mark.parametrize(
    "message",
    [
        "words",
        {"role": "critic", "content": "Not so."},
        {"role": "user"},
        {"role": "user", "content": [{"type": "text"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "Bash", "input": nested(100_000)}]},
    ],
    ids=["no object", "another role", "no content", "no text", "too deep"],
)
def test_what_is_refused_leaves_no_trace(message: Any) -> None:
    """A message that cannot be read or measured is refused, and the window is as it was."""
    window = ContextWindow(messages=[{"role": "user", "content": "Go."}])
    before = known(window)
    with pytest.raises(InvalidInput):
        window.append(message)
    assert known(window) == before
    assert len(window.messages) == 1
