"""Pydantic AI Harness' `SummarizingCompaction`, alone and behind its cheap tiers."""

import asyncio

from contract import Parts, timed
from messages.pydantic_messages import history, model, written
from pydantic_ai_harness.compaction import ClearToolResults, SummarizingCompaction, TieredCompaction, compact_now


def compact(messages, *, summarize=None, window=None, pinned=(), strategy=None):
    """Keep the first of the user's messages and the newest twenty messages, around a summary."""
    parts = Parts(messages)
    held = history(messages, parts, pinned)
    strategy = strategy or SummarizingCompaction(max_fraction=0.9)
    with timed():
        left = asyncio.run(compact_now(strategy, held, model=model(summarize)))
    roles = {"request": "user", "response": "assistant"}
    return [made for one in left for made in parts.split(roles[one.kind], one.parts, written)]


def best(messages, *, summarize=None, window=None, pinned=()):
    """Clear old outputs, and where more than half of the window is left, keep 30% of it and the user's messages."""
    window = window or 200_000
    summary = SummarizingCompaction(max_messages=1, keep_tokens=window * 3 // 10, keep_user_messages=True)
    tiers = [ClearToolResults(max_tokens=1), summary]
    strategy = TieredCompaction(tiers=tiers, target_tokens=window // 2)
    return compact(messages, summarize=summarize, pinned=pinned, strategy=strategy)
