"""Strands' `SummarizingConversationManager`, after a request was refused as too long."""

from functools import partial

from contract import Parts, timed
from messages.strands_agent import Overflow, agent_with, written
from strands.agent.conversation_manager import SummarizingConversationManager


def compact(messages, *, summarize=None, window=None, pinned=(), **settings):
    """Summarize the oldest three tenths of the messages."""
    parts, manager = Parts(messages), SummarizingConversationManager(**settings)
    agent = agent_with(messages, parts, summarize, window, pinned, conversation_manager=manager)
    with timed():
        manager.reduce_context(agent, Overflow("prompt is too long"))
    return [made for one in agent.messages for made in parts.split(one["role"], one["content"], written)]


best = partial(compact, summary_ratio=0.8)
