"""Microsoft Agent Framework's `SummarizationStrategy`, applied before a call of the model."""

import asyncio
from functools import partial

from agent_framework import SummarizationStrategy, apply_compaction
from contract import Parts, timed
from messages.framework_messages import Client, held, written


def compact(messages, *, summarize=None, **settings):
    """Keep the newest four messages behind a summary in the agent's own voice."""
    parts = Parts(messages)
    given = held(messages, parts)
    strategy = SummarizationStrategy(client=Client(summarize), **settings)
    with timed():
        left = asyncio.run(apply_compaction(given, strategy=strategy))
    return parts.back(left, written)


best = partial(compact, target_count=20, max_summary_input_tokens=None)
