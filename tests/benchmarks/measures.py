"""What is measured: each piece of brim's work beside the plainest work on the same conversation."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from tests.benchmarks.conversation import MESSAGES_A_TURN, conversation

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
REPEATS = 5
CALLS = 10_000
"""Verdicts in one measurement: a single one is too short for the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Seconds for a conversation of one length."""

    messages: int
    verdict: float
    joining: float
    planning: float
    cold: float
    copying: float
    first_pruning: float
    second_pruning: float


def measure(messages: int) -> Row:
    """Every measurement for a conversation of so many messages."""
    raws = conversation(messages)
    window = ContextWindow(LIMITS, messages=raws)
    pruned = [prunings(raws, messages) for _ in range(REPEATS)]
    first, second = (min(seconds) for seconds in zip(*pruned, strict=True))
    return Row(
        messages=messages,
        verdict=fastest(lambda: [window.verdict() for _ in range(CALLS)]) / CALLS,
        joining=fastest(lambda: joined(raws)),
        planning=fastest(lambda: compact_without_model(plan_compaction(window))),
        cold=fastest(lambda: compact_without_model(plan_compaction(ContextWindow(LIMITS, messages=raws)))),
        copying=fastest(lambda: with_placeholders(raws)),
        first_pruning=first,
        second_pruning=second,
    )


def fastest(work: Callable[[], Any]) -> float:
    """Seconds of the fastest of a few runs, each begun with the garbage collected and none collected beforehand."""
    best = float("inf")
    for _ in range(REPEATS):
        gc.collect()
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return best


def prunings(raws: list[dict[str, Any]], messages: int) -> tuple[float, float]:
    """Seconds of a first pruning, and of a second one after one more turn."""
    window = ContextWindow(LIMITS, messages=raws)
    gc.collect()
    first = once(window.prune)
    for raw in conversation(messages + MESSAGES_A_TURN)[messages:]:
        window.append(raw)
    return first, once(window.prune)


def once(work: Callable[[], Any]) -> float:
    """Seconds of one run."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def joined(raws: list[dict[str, Any]]) -> str:
    """All that a conversation says, as one text: what anybody does who shows it to a summarizer."""
    texts: list[str] = []
    for raw in raws:
        content = raw["content"]
        if isinstance(content, str):
            texts.append(content)
            continue
        for block in content:
            kind = block["type"]
            if kind == "text":
                texts.append(block["text"])
            elif kind == "tool_result":
                texts.append(block["content"])
            elif kind == "thinking":
                texts.append(block["thinking"])
            else:
                texts += [block["name"], *block["input"].values()]
    return "\n".join(texts)


def with_placeholders(raws: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The conversation that a pruning gives, in a list of its own: outputs cleared, thinking left out (CNV_06)."""
    copied = []
    for raw in raws:
        content = raw["content"]
        if isinstance(content, str):
            copied.append(raw)
        elif raw["role"] == "user":
            copied.append({**raw, "content": [{**block, "content": PLACEHOLDER} for block in content]})
        elif content[0]["type"] == "thinking":
            copied.append({**raw, "content": [block for block in content if block["type"] != "thinking"]})
        else:
            copied.append(raw)
    return copied
