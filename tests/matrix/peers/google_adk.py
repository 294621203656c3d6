"""The Agent Development Kit's compaction of events before a call of the model."""

import asyncio
from functools import partial

from contract import Parts, timed
from google.adk.apps._configs import EventsCompactionConfig
from google.adk.apps.compaction import _run_compaction_for_token_threshold_config as run
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.flows.llm_flows.context._contents import _get_contents
from google.adk.sessions import InMemorySessionService
from messages.adk_events import Summarizer, payload, session_of, written


async def compacted(messages, summarize, kept):
    """Return the messages of the next request."""
    parts, service = Parts(messages), InMemorySessionService()
    session = await session_of(messages, parts, service)
    summarizer = LlmEventSummarizer(llm=Summarizer(model="none", summarize=summarize))
    config = EventsCompactionConfig(summarizer=summarizer, token_threshold=1, event_retention_size=kept)
    with timed():
        await run(config=config, session=session, session_service=service, agent=None, agent_name="agent")
        contents = _get_contents(None, session.events, "agent")
    roles = {"model": "assistant", "user": "user"}
    found = []
    for one in contents:
        of = {id(payload(part)): part for part in one.parts}
        found += parts.split(roles[one.role], map(payload, one.parts), lambda value, of=of: written(of[id(value)]))
    return found


def compact(messages, *, summarize=None, kept=10):
    """Keep the newest ten events, for there is no default, behind a summary in the agent's own voice."""
    return asyncio.run(compacted(messages, summarize, kept))


best = partial(compact, kept=30)
