"""The LangChain middleware in a real agent, whose model plays a script."""

import asyncio

import pytest
from anthropic import Anthropic
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from brim.adapters.langchain import CompactionMiddleware
from brim.adapters.pydantic_ai import CompactHistory
from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import SUMMARY_OPENING
from brim.errors import InvalidInput, Refused, UnknownLimits
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import MessagesServer
from tests.adapters.langchain_agents import LIMITS, PAGE, Scripted, faults, read, reading
from tests.engine.agents import AsyncGiving, Giving

TASK = "Read every file, and never change one."
LONG = {"recursion_limit": 300}


def run(model, middleware, messages=TASK, **options):
    """The messages of the state after a run."""
    agent = create_agent(model, [read], system_prompt="Be careful.", middleware=[middleware], **options)
    return agent.invoke({"messages": messages}, LONG)["messages"]


def arun(agent, *given):
    """The state after a run in an event loop."""
    return asyncio.run(agent.ainvoke(*given))


def summaries(messages):
    """The summaries among messages."""
    return [message for message in messages if message.text.startswith(SUMMARY_OPENING)]


def test_the_state_keeps_the_whole_conversation():
    """Nothing leaves the agent's state: it holds every message, with the ids it always had."""
    model = Scripted(reading(30))
    messages = run(model, CompactionMiddleware(limits=LIMITS))
    assert len(messages) == 1 + 30 * 2 + 1
    assert summaries(messages) == []


def test_what_the_model_reported_is_the_measure():
    """A response that reports a full window starts compaction, however little its text comes to (TOK_08)."""
    full = {"input_tokens": 40_100, "output_tokens": 10, "total_tokens": 40_110}
    model = Scripted(reading(5, usage=lambda n: full if n == 3 else None))
    run(model, CompactionMiddleware(limits=LIMITS))
    assert [len(summaries(sent)) for sent in model.sent] == [0, 0, 0, 0, 1, 1]


def test_a_chat_model_writes_the_summary():
    """The summary is what the chat model wrote, with the facts that it left out behind it."""
    writer = Scripted(["<summary>The model read many files and found nothing.</summary>"] * 9)
    model = Scripted(reading(15))
    run(model, CompactionMiddleware(writer, limits=LIMITS))
    [summary] = summaries(model.sent[-1])
    assert "The model read many files and found nothing." in summary.text
    assert isinstance(writer.sent[0][0], SystemMessage)
    assert PAGE not in writer.sent[0][-1].text


@pytest.mark.parametrize(
    "said",
    [
        "Error generating summary: the model is overloaded.",
        AIMessage("<summary>The model had read", response_metadata={"finish_reason": "length"}),
        AIMessage("", tool_calls=[{"id": "1", "name": "read", "args": {}}]),
    ],
)
def test_an_error_text_never_becomes_the_summary(said):
    """What is no summary is asked for again, three times in all, and then the template stands in (SUM_08)."""
    writer, model, waits, events = Scripted([said] * 3), Scripted(reading(12)), [], []
    run(model, CompactionMiddleware(writer, limits=LIMITS, sleep=waits.append, on_event=events.append))
    assert len(writer.sent) == 3
    assert waits == [1, 2]
    assert "verloaded" not in summaries(model.sent[-1])[0].text
    assert [event.summary_source for event in events if event.kind == "compacted"] == ["template"]


@pytest.mark.parametrize("kind", [Giving, AsyncGiving])
def test_an_event_loop_takes_either_summarizer(kind):
    """A summarizer that blocks is asked in a thread of its own."""
    summarizer, model = kind(SummaryAnswer(text="<summary>Read on.</summary>")), Scripted(reading(12))
    agent = create_agent(model, [read], middleware=[CompactionMiddleware(summarizer, limits=LIMITS)])
    arun(agent, {"messages": TASK}, LONG)
    assert "Read on." in summaries(model.sent[-1])[0].text


def test_each_message_is_read_into_one_window_once(monkeypatch):
    """A request costs what is new in it (ADP_01)."""
    appended, append = [], ContextWindow.append
    monkeypatch.setattr(ContextWindow, "append", lambda window, one: appended.append(one) or append(window, one))
    model = Scripted(reading(8))
    run(model, CompactionMiddleware(limits=LIMITS))
    assert len(appended) == len(model.sent[-1]) - 1  # the system prompt


@pytest.mark.parametrize("take", [CompactionMiddleware, CompactHistory])
def test_settings_that_cannot_work_are_refused_at_once(take):
    """Not with the first request (TRG_07)."""
    with pytest.raises(InvalidInput, match="limits are 20000; they are a ModelLimits"):
        take(limits=20_000)
    with pytest.raises(Refused, match="no room beside the answer: window 10, reserved 40"):
        take(limits=ModelLimits(context_window=10, max_output_tokens=40))
    with pytest.raises(InvalidInput, match=r"writes summaries: policy=CompactionPolicy\(summary_model=…\)"):
        take(Anthropic(api_key="k"))


def test_unknown_limits_are_not_guessed():
    """A model that states nothing is named, with the cure."""
    with pytest.raises(UnknownLimits, match=r"Scripted.*limits="):
        run(Scripted(reading(1)), CompactionMiddleware())


@pytest.mark.parametrize("artifact", [object(), b"\xff\xfe"], ids=["an object", "bytes"])
def test_a_cleared_output_may_have_an_artifact_that_is_no_json(artifact):
    """The artifact is in no record, and the output is cleared."""
    turns = [
        message
        for n in range(30)
        for message in (
            HumanMessage(f"Question {n}."),
            AIMessage("", tool_calls=[{"id": f"call-{n}", "name": "read", "args": {"path": "a.py"}}]),
            ToolMessage(PAGE, tool_call_id=f"call-{n}", artifact=artifact),
            AIMessage("Read."),
        )
    ]
    model, policy = Scripted(["Done."]), CompactionPolicy(prune_protect=1_000, prune_minimum=1_000)
    limits = ModelLimits(context_window=100_000, max_output_tokens=2_000)
    messages = run(model, CompactionMiddleware(limits=limits, policy=policy), [*turns, HumanMessage("Go on.")])
    assert messages[-1].text == "Done."
    assert messages[2].artifact is artifact
    assert any(message.text == PLACEHOLDER for message in model.sent[0])


def test_thinking_goes_where_the_history_before_it_went():
    """No kept message carries thinking behind a summary (CNV_06)."""
    thinking = {"type": "thinking", "thinking": "Let me see.", "signature": "abc"}

    def thoughtful(n):
        call = {"id": f"call-{n}", "name": "read", "args": {"path": f"{n}.py"}}
        block = {"type": "tool_use", "id": call["id"], "name": "read", "input": call["args"]}
        return AIMessage([thinking, block], tool_calls=[call])

    script = [*map(thoughtful, range(9)), "Done.", thoughtful(10), "Done again."]
    model = Scripted(script)
    agent = create_agent(model, [read], middleware=[CompactionMiddleware(limits=LIMITS)], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}, **LONG}
    agent.invoke({"messages": TASK}, config)
    agent.invoke({"messages": "Once more."}, config)
    compacted = next(sent for sent in model.sent if summaries(sent))
    assert thinking not in [
        item for message in compacted if isinstance(message.content, list) for item in message.content
    ]
    assert [fault for sent in model.sent for fault in faults(sent)] == []


def test_old_outputs_are_cleared_before_anything_is_summarized():
    """Where clearing old outputs is enough, they are copies under their ids, and every other message is the same."""
    given = [HumanMessage(TASK, id="1")]
    for n in range(30):
        given.append(
            AIMessage("", id=f"a{n}", tool_calls=[{"id": f"c{n}", "name": "read", "args": {"path": f"{n}.py"}}])
        )
        given.append(ToolMessage(PAGE, id=f"t{n}", tool_call_id=f"c{n}"))
    given += [AIMessage("Read.", id="2"), HumanMessage("Thanks.", id="3"), AIMessage("Yes.", id="4")]
    given += [HumanMessage("And now?", id="5")]
    model = Scripted(["Done."])
    run(model, CompactionMiddleware(limits=ModelLimits(context_window=120_000, max_output_tokens=2_000)), given)
    sent = model.sent[0][1:]
    assert [message.id for message in sent] == [message.id for message in given]
    changed = [new for new, old in zip(sent, given, strict=True) if new != old]
    assert len(changed) > 5
    assert {message.text for message in changed} == {PLACEHOLDER}
    assert all(message.text == PAGE for message in given if message.type == "tool")


def test_an_anthropic_client_writes_the_summary():
    """A client of the SDK is asked for the model that was named, in a thread and in an event loop."""
    said = "<summary>The server wrote this.</summary>"
    with MessagesServer([said] * 4, models={"small": (200_000, 8_000)}) as server:
        with server.client() as client:
            middleware = CompactionMiddleware(client, policy=CompactionPolicy(summary_model="small"), limits=LIMITS)
            first, second = Scripted(reading(12)), Scripted(reading(12))
            run(first, middleware)
            agent = create_agent(second, [read], middleware=[middleware])
            arun(agent, {"messages": TASK}, LONG)
    for model in (first, second):
        assert "The server wrote this." in summaries(model.sent[-1])[0].text


@pytest.mark.parametrize("writer", [3, object()])
def test_what_cannot_write_is_refused(writer):
    """Whatever is no model, client or summarizer is named when the middleware is made."""
    with pytest.raises(InvalidInput, match=type(writer).__name__):
        CompactionMiddleware(writer)


@pytest.mark.parametrize("count", [1, 7])
def test_the_compaction_holds_where_the_oldest_messages_are_removed(count):
    """Some of them were kept by it: they are no longer sent, and the summary is (ADP_02)."""
    writer, model = Giving(SummaryAnswer(text="Never change a file.")), Scripted([*reading(12), "Fine."])
    policy = CompactionPolicy(summary_model="m")
    middleware = CompactionMiddleware(writer, limits=LIMITS, policy=policy)
    agent = create_agent(model, [read], middleware=[middleware], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}, **LONG}
    state = agent.invoke({"messages": TASK}, config)["messages"]
    made = summaries(model.sent[-1])
    agent.update_state(config, {"messages": [RemoveMessage(id=message.id) for message in state[:count]]})
    agent.invoke({"messages": "And now?"}, config)
    assert [message.text for message in summaries(model.sent[-1])] == [message.text for message in made] != []
    assert faults(model.sent[-1]) == []
