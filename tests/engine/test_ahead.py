"""Ahead: what is found in the background is what the due request would find itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import with_identifiers
from brim.conversation.messages import read_message
from brim.engine.ahead import first_kept
from brim.models import ModelLimits
from brim.summary.identifiers import collect_identifiers
from steps.compaction_windows import filler

LIMITS = ModelLimits(context_window=40_000, max_output_tokens=10_000)


def say(turn):
    """A turn of the user's that names a file, and the model's work on it."""
    call = {"type": "tool_use", "id": f"call-{turn}", "name": "read", "input": {"path": f"src/pier_{turn}.py"}}
    result = {
        "type": "tool_result",
        "tool_use_id": f"call-{turn}",
        "content": f"E{turn:03} {filler(1_500)} PIER-{turn}",
    }
    yield {"role": "user", "content": f"See docs/pier_{turn}.md and SHOP-{turn % 3}."}
    yield {"role": "assistant", "content": [call]}
    yield {"role": "user", "content": [result]}
    yield {"role": "assistant", "content": f"Done in commit abc{turn:04}, as SHOP-{turn % 5} asks."}


def window_of(turns):
    """A window of so many turns, each message with its index as its key."""
    window = ContextWindow(LIMITS, CompactionPolicy(keep_share="0.2"))
    for message in (one for turn in range(turns) for one in say(turn)):
        window.append(read_message(message, key=len(window.messages)))
    return window


@pytest.mark.parametrize("turns", [24, 30, 42])
def test_identifiers_found_ahead_are_those_that_the_due_request_finds(turns, monkeypatch):
    """Whatever came meanwhile, and only what leaves besides is read again."""
    early = window_of(24)
    ahead = with_identifiers(plan_compaction(early))
    plan = plan_compaction(window_of(turns), cause="automatic", first_kept=first_kept(ahead, 96))
    whole = with_identifiers(plan)
    read = []

    def reading(texts, *known, **turns):
        read.extend(texts := [*texts])
        return collect_identifiers(texts, *known, **turns)

    monkeypatch.setattr("brim.compaction.result.collect_identifiers", reading)
    assert len(whole.identifiers.found) > 50
    assert with_identifiers(plan, ahead).identifiers == whole.identifiers
    assert len(read) <= 1
    read.clear()
    other = replace(ahead, inherited_identifiers=whole.identifiers)
    assert with_identifiers(plan, other).identifiers == whole.identifiers
    assert len(read) > 1
