"""Strands' `context_manager="auto"`, after a request was refused as too long."""

import asyncio

from contract import Parts, timed
from messages.strands_agent import agent_with, written
from strands.experimental.context_manager import ContextManager, Offload


def compact(messages, *, summarize=None, window=None, pinned=(), manager="auto"):
    """Shorten outputs above 1,500 tokens, and summarize all but the newest four messages."""
    parts = Parts(messages)
    agent = agent_with(messages, parts, summarize, window, pinned, context_manager=manager)
    with timed():
        asyncio.run(agent.context_manager._run_strategies(agent, overflow=True))
    return [made for one in agent.messages for made in parts.split(one["role"], one["content"], written)]


def best(messages, *, summarize=None, window=None, pinned=()):
    """Shorten outputs, and summarize all but the newest twenty messages."""
    shorter = Offload.truncate("tool_results", {"preview_tokens": 750}).when(threshold=1_500)
    summary = Offload.summarize("*").when(utilization=0.85, preserve_recent=20)
    manager = ContextManager(strategies=[shorter, summary])
    return compact(messages, summarize=summarize, window=window, pinned=pinned, manager=manager)
