"""Recall as a tool of agents of LangChain and pydantic-ai, each with brim's compaction."""

import asyncio

import anthropic
import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.providers.anthropic import AnthropicProvider

from brim.adapters.langchain import CompactionMiddleware
from brim.adapters.pydantic_ai import CompactHistory
from brim.engine.recall import recall_tool
from brim.sessions import open_store
from brim.testing import MessagesServer, text_block, thinking_block, tool_call
from tests.adapters import langchain_agents, pydantic_ai_agents

MODEL = "claude-opus-5-5"
SAID = "The harbour code is XK-4711."
QUERY = {"query": "harbour code"}
THOUGHT = {"type": "thinking", "thinking": "I need it.", "signature": "signed"}
FILES = 15


@pytest.fixture
def recall(tmp_path):
    """The tool of a session in which the code was said."""
    with open_store(tmp_path / "store").create() as session:
        session.append({"role": "user", "content": SAID})
        yield recall_tool(session)


def test_an_agent_of_langchain_recalls_in_mid_turn(recall):
    """After a compaction its model calls recall beside thinking, receives the passage, and goes on to compact again."""
    asks = AIMessage([THOUGHT], tool_calls=[{"id": "recall-1", "name": "recall", "args": QUERY}])
    first, more = langchain_agents.reading(FILES)[:-1], langchain_agents.reading(2 * FILES)[FILES:]
    model, events = langchain_agents.Scripted([*first, asks, *more]), []
    compacts = CompactionMiddleware(limits=langchain_agents.LIMITS, on_event=events.append)
    agent = create_agent(model, [langchain_agents.read, recall], middleware=[compacts])
    messages = agent.invoke({"messages": SAID}, {"recursion_limit": 300})["messages"]
    (result,) = (one for one in messages if isinstance(one, ToolMessage) and one.tool_call_id == "recall-1")
    assert SAID in result.text
    before, after = model.sent[FILES], model.sent[FILES + 1]
    assert after[: len(before)] == before
    assert after[-2].content == [THOUGHT]
    assert SAID in after[-1].text
    assert [fault for sent in model.sent for fault in langchain_agents.faults(sent)] == []
    assert messages[-1].text == "All files are read."
    assert [event.kind for event in events].count("compacted") >= 2


def test_an_agent_of_pydantic_ai_recalls_in_mid_run(recall):
    """The provider accepts every request with the thinking, the call and its result, also after compactions."""
    reads = [[thinking_block("Next."), tool_call("read", {"path": f"/{number}"})] for number in range(2 * FILES)]
    asks = [thinking_block("I need it."), tool_call("recall", QUERY)]
    script = [*reads[:FILES], asks, *reads[FILES:], [thinking_block("Done."), text_block("All files are read.")]]
    events = []
    with MessagesServer(script, models={MODEL: (1_000_000, 64_000)}) as server:

        async def work():
            async with server.async_client() as client:
                assert isinstance(client, anthropic.AsyncAnthropic)
                model = AnthropicModel(MODEL, provider=AnthropicProvider(anthropic_client=client))
                compacts = CompactHistory(limits=pydantic_ai_agents.LIMITS, on_event=events.append)
                settings = AnthropicModelSettings(anthropic_thinking={"type": "adaptive"}, max_tokens=1_000)
                agent = Agent(model, tools=[recall], capabilities=[ProcessHistory(compacts)], model_settings=settings)
                agent.tool_plain(langchain_agents.read.func)
                return await agent.run(SAID)

        result = asyncio.run(work())
        bodies = [one.body for one in server.requests if one.body]
    assert result.output == "All files are read."
    assert len(bodies) == len(script)
    *_, call, answered = bodies[FILES + 1]["messages"]
    assert [block["type"] for block in call["content"]] == ["thinking", "tool_use"]
    assert SAID in str(answered["content"])
    assert [event.kind for event in events].count("compacted") >= 2
