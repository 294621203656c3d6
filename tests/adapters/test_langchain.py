"""The LangChain middleware in a real agent, whose model plays a script."""

import asyncio

import pytest
from langchain.agents import create_agent
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from brim.adapters.langchain import CompactionMiddleware
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import CONTINUATION_OPENING, SUMMARY_OPENING
from brim.errors import CompactionStalled, ContextOverflow, InvalidInput, SummaryFailed, UnknownLimits
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.testing import AsyncScriptedSummarizer, MessagesServer, ScriptedSummarizer
from tests.adapters.langchain_agents import LIMITS, PAGE, Scripted, faults, read, reading

TASK = "Read every file, and never change one."
LONG = {"recursion_limit": 300}


def run(model, middleware, messages=TASK, **options):
    """The messages of the state after a run."""
    agent = create_agent(model, [read], system_prompt="Be careful.", middleware=[middleware], **options)
    return agent.invoke({"messages": messages}, LONG)["messages"]


def summaries(messages):
    """The summaries among messages."""
    return [message for message in messages if message.text.startswith(SUMMARY_OPENING)]


def test_a_tool_loop_that_overflows_in_mid_turn_goes_on():
    """Compaction comes between two calls of one turn, and every list that is sent has whole pairs and the request."""
    model, events = Scripted(reading(30)), []
    messages = run(model, CompactionMiddleware(limits=LIMITS, on_event=events.append))
    assert messages[-1].text == "All files are read."
    assert [fault for sent in model.sent for fault in faults(sent)] == []
    assert all(any(message.text == TASK for message in sent) for sent in model.sent)
    assert [event.kind for event in events].count("compacted") >= 3
    assert max(len(sent) for sent in model.sent) < 30


def test_summaries_do_not_pile_up():
    """After several compactions one summary is sent, and it tells of what the first of them stood for."""
    model = Scripted(reading(40))
    run(model, CompactionMiddleware(limits=LIMITS))
    assert all(len(summaries(sent)) <= 1 for sent in model.sent)
    assert "file_0.py" in summaries(model.sent[-1])[0].text


def test_the_state_keeps_the_whole_conversation():
    """Nothing leaves the agent's state: it holds every message, with the ids it always had."""
    model = Scripted(reading(30))
    messages = run(model, CompactionMiddleware(limits=LIMITS))
    assert len(messages) == 1 + 30 * 2 + 1
    assert summaries(messages) == []


def test_kept_messages_are_the_very_messages():
    """What is kept is the object that stands in the state; new are the summary and what sends the model on."""
    model = Scripted(reading(30))
    messages = run(model, CompactionMiddleware(limits=LIMITS))
    ids = {message.id: message for message in messages}
    kept = [message for message in model.sent[-1] if message.id in ids]
    new = [message for message in model.sent[-1] if message.id not in ids and not isinstance(message, SystemMessage)]
    assert len(kept) >= 3
    assert all(message == ids[message.id] for message in kept)
    assert [message.text.splitlines()[0] for message in new] == [SUMMARY_OPENING, CONTINUATION_OPENING]


def test_what_the_model_reported_is_the_measure():
    """A response that reports a full window starts compaction, however little its text comes to (TOK_08)."""
    full = {"input_tokens": 40_100, "output_tokens": 10, "total_tokens": 40_110}
    model = Scripted(reading(5, usage=lambda n: full if n == 3 else None))
    run(model, CompactionMiddleware(limits=LIMITS))
    assert [len(summaries(sent)) for sent in model.sent] == [0, 0, 0, 0, 1, 1]


def test_a_usage_that_cannot_be_read_is_estimated():
    """The agent goes on, with one warning."""
    wrong = {"input_tokens": 40_100, "output_tokens": -1, "total_tokens": 40_110}
    model = Scripted(reading(5, usage=lambda _: wrong))
    with pytest.warns(UserWarning, match="output_tokens is -1") as told:
        run(model, CompactionMiddleware(limits=LIMITS))
    assert len(told) == 1
    assert [len(summaries(sent)) for sent in model.sent] == [0] * 6


def test_a_usage_from_before_a_compaction_measures_nothing():
    """The kept response that reported a full window does not start another compaction (TOK_11)."""
    full = {"input_tokens": 40_100, "output_tokens": 10, "total_tokens": 40_110}
    model, events = Scripted(reading(6, usage=lambda n: full if n == 3 else None)), []
    run(model, CompactionMiddleware(limits=LIMITS, on_event=events.append))
    assert [event.kind for event in events].count("compacted") == 1


@pytest.mark.parametrize(("system", "expected"), [("Be careful.", 0), ("Be careful. " * 8_000, 1)])
def test_the_system_prompt_counts(system, expected):
    """A long system prompt fills the window like messages do, before any usage tells so."""
    model = Scripted(reading(6))
    agent = create_agent(model, [read], system_prompt=system, middleware=[CompactionMiddleware(limits=LIMITS)])
    agent.invoke({"messages": TASK}, LONG)
    assert len(summaries(model.sent[-1])) == expected


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
        AIMessage("<summary>API Error: 529 Overloaded</summary>"),
        AIMessage(""),
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


def test_a_failing_chat_model_can_be_told():
    """Under the policy raise the failure reaches the caller, and nothing has changed."""
    writer = Scripted([ConnectionError("gone")] * 3)
    middleware = CompactionMiddleware(
        writer, limits=LIMITS, sleep=lambda _: None, policy=CompactionPolicy(on_failure="raise")
    )
    with pytest.raises(SummaryFailed, match="gone"):
        run(Scripted(reading(12)), middleware)


def test_a_name_is_read_as_langchain_reads_it():
    """The summarizer may be named as LangChain's own middleware takes it."""
    with pytest.raises(ValueError, match="nobody"):
        CompactionMiddleware("nobody:gpt-5")


def test_an_unknown_argument_is_named():
    """So are the middleware and the arguments that it takes."""
    known = "it takes summarizer, limits, policy, on_event, sleep"
    with pytest.raises(InvalidInput, match=f"CompactionMiddleware has no argument 'whole': {known}"):
        CompactionMiddleware(whole=True)


def test_an_event_loop_does_the_same():
    """The agent compacts in an event loop as it does in a thread."""
    sync, looped = Scripted(reading(30)), Scripted(reading(30))
    run(sync, CompactionMiddleware(limits=LIMITS))
    agent = create_agent(looped, [read], system_prompt="Be careful.", middleware=[CompactionMiddleware(limits=LIMITS)])
    asyncio.run(agent.ainvoke({"messages": TASK}, LONG))
    texts = [[[message.text for message in sent] for sent in model.sent] for model in (sync, looped)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("kind", [ScriptedSummarizer, AsyncScriptedSummarizer])
def test_an_event_loop_takes_either_summarizer(kind):
    """A summarizer that blocks is asked in a thread of its own."""
    summarizer, model = kind("<summary>Read on.</summary>"), Scripted(reading(12))
    agent = create_agent(model, [read], middleware=[CompactionMiddleware(summarizer, limits=LIMITS)])
    asyncio.run(agent.ainvoke({"messages": TASK}, LONG))
    assert "Read on." in summaries(model.sent[-1])[0].text


def test_a_chat_model_writes_in_an_event_loop():
    """A chat model is asked without blocking the event loop."""
    writer, model = Scripted(["<summary>Read on.</summary>"] * 9), Scripted(reading(12))
    agent = create_agent(model, [read], middleware=[CompactionMiddleware(writer, limits=LIMITS)])
    asyncio.run(agent.ainvoke({"messages": TASK}, LONG))
    assert "Read on." in summaries(model.sent[-1])[0].text


def test_a_thread_cannot_wait_for_an_event_loop():
    """A summarizer for event loops is refused where there is none, with the cure."""
    middleware = CompactionMiddleware(AsyncScriptedSummarizer("x"), limits=LIMITS)
    with pytest.raises(InvalidInput, match="for threads"):
        run(Scripted(reading(12)), middleware)


def test_a_checkpointer_keeps_the_compaction():
    """Another process with the thread's checkpoint sends what the last compaction made, without another one."""
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "1"}, **LONG}
    first, second, events = Scripted(reading(12)), Scripted(["Nothing more."]), []
    agent = create_agent(first, [read], middleware=[CompactionMiddleware(limits=LIMITS)], checkpointer=saver)
    agent.invoke({"messages": TASK}, config)
    middleware = CompactionMiddleware(limits=LIMITS, on_event=events.append)
    again = create_agent(second, [read], middleware=[middleware], checkpointer=saver)
    out = again.invoke({"messages": "What now?"}, config)
    assert summaries(second.sent[0]) == summaries(first.sent[-1])
    assert second.sent[0][-1].text == "What now?"
    assert len(out["messages"]) == 1 + 12 * 2 + 1 + 2
    assert events == []


def test_the_providers_overflow_starts_compaction():
    """A request that the provider finds too long is sent once again, smaller, and the model is sent on (TRG_18)."""
    script = [*reading(8)[:8], ContextOverflowError("prompt is too long"), "Done."]
    model = Scripted(script)
    messages = run(model, CompactionMiddleware(limits=ModelLimits(context_window=100_000, max_output_tokens=2_000)))
    assert messages[-1].text == "Done."
    assert summaries(model.sent[-2]) == []
    assert len(summaries(model.sent[-1])) == 1
    assert model.sent[-1][-1].text.startswith(CONTINUATION_OPENING)
    assert faults(model.sent[-1]) == []


def test_an_overflow_in_an_event_loop():
    """An event loop tries again as a thread does."""
    model = Scripted([*reading(8)[:8], ContextOverflowError("prompt is too long"), "Done."])
    limits = ModelLimits(context_window=100_000, max_output_tokens=2_000)
    agent = create_agent(model, [read], middleware=[CompactionMiddleware(limits=limits)])
    asyncio.run(agent.ainvoke({"messages": TASK}, LONG))
    assert len(summaries(model.sent[-1])) == 1


def test_an_overflow_that_nothing_helps_reaches_the_caller():
    """Where nothing can be summarized, the error names what fills the window, and the provider's error (TRG_18)."""
    with pytest.raises(ContextOverflow, match="the user's last message") as met:
        run(Scripted([ContextOverflowError("prompt is too long")]), CompactionMiddleware(limits=LIMITS))
    assert isinstance(met.value.__context__, ContextOverflowError)


def test_the_profile_of_the_model_tells_its_limits():
    """What a chat model's profile states need not be handed in."""
    model = Scripted(reading(12), profile={"max_input_tokens": 42_000, "max_output_tokens": 2_000})
    run(model, CompactionMiddleware())
    assert len(summaries(model.sent[-1])) == 1


def test_unknown_limits_are_not_guessed():
    """A model that states nothing is named, with the cure."""
    with pytest.raises(UnknownLimits, match=r"Scripted.*limits="):
        run(Scripted(reading(1)), CompactionMiddleware())


def test_what_has_to_be_kept_and_does_not_fit_ends_in_words():
    """A system prompt that fills the window is named before the model is called (TRG_19)."""
    model = Scripted(reading(20))
    agent = create_agent(
        model, [read], system_prompt="Be careful. " * 14_000, middleware=[CompactionMiddleware(limits=LIMITS)]
    )
    with pytest.raises(ContextOverflow, match="system prompt 42,000"):
        agent.invoke({"messages": TASK}, LONG)
    assert model.sent == []


def test_compactions_that_do_not_help_end_the_run():
    """After three that left the window due, although what must be kept fits, no summary is paid for (TRG_19)."""
    policy = CompactionPolicy(threshold=10_000)
    middleware = CompactionMiddleware(limits=LIMITS, policy=policy)
    agent = create_agent(Scripted(reading(20)), [read], system_prompt="Be careful. " * 4_000, middleware=[middleware])
    with pytest.raises(CompactionStalled, match="3 compactions in a row"):
        agent.invoke({"messages": TASK}, LONG)


def test_requests_below_the_threshold_break_a_row_of_compactions():
    """Results that leave unseen four times, with small requests between them, end no run (TRG_19)."""

    def calls(*names):
        return AIMessage("", tool_calls=[{"id": name, "name": "fetch", "args": {"size": name}} for name in names])

    @tool
    def fetch(size: str) -> str:
        """Fetch so much."""
        return "row " * (9_000 if "big" in size else 10)

    script = [step for n in range(4) for step in (calls(*(f"big {n} {k}" for k in range(5))), calls(f"small {n}"))]
    events = []
    agent = create_agent(
        Scripted([*script, "Done."]), [fetch], middleware=[CompactionMiddleware(limits=LIMITS, on_event=events.append)]
    )
    assert agent.invoke({"messages": TASK}, LONG)["messages"][-1].text == "Done."
    assert [event.kind for event in events].count("compacted") >= 4


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


def test_the_callers_list_stays_as_it_is():
    """The messages handed in are neither changed nor exchanged."""
    given = [HumanMessage(TASK, id="1")]
    for n in range(12):
        given.append(
            AIMessage("", id=f"a{n}", tool_calls=[{"id": f"c{n}", "name": "read", "args": {"path": f"{n}.py"}}])
        )
        given.append(ToolMessage(PAGE, id=f"t{n}", tool_call_id=f"c{n}"))
    before, dumps = list(given), [message.model_dump() for message in given]
    model = Scripted(["Done."])
    run(model, CompactionMiddleware(limits=LIMITS), given)
    assert len(summaries(model.sent[0])) == 1
    assert all(one is other for one, other in zip(given, before, strict=True))
    assert [message.model_dump() for message in given] == dumps


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


def test_a_call_that_was_never_answered_is_answered():
    """An interrupted call in the kept part gets the error result, and a result without call is left out (CNV_04)."""
    given = [HumanMessage(TASK, id="1"), AIMessage(PAGE * 10, id="2"), HumanMessage("Go on.", id="3")]
    given += [AIMessage("", id="4", tool_calls=[{"id": "lost", "name": "read", "args": {}}])]
    given += [HumanMessage("Stop. Once more.", id="5"), ToolMessage("late", id="6", tool_call_id="nobody")]
    model = Scripted(["Done."])
    run(model, CompactionMiddleware(limits=LIMITS), given)
    assert faults(model.sent[0]) == []
    assert any(message.text == "Stop. Once more." for message in model.sent[0])


def test_an_anthropic_client_writes_the_summary():
    """A client of the SDK is asked for the model that was named, in a thread and in an event loop."""
    said = "<summary>The server wrote this.</summary>"
    with MessagesServer([said] * 4, models={"small": (200_000, 8_000)}) as server:
        with server.client() as client:
            middleware = CompactionMiddleware(client, policy=CompactionPolicy(summary_model="small"), limits=LIMITS)
            first, second = Scripted(reading(12)), Scripted(reading(12))
            run(first, middleware)
            agent = create_agent(second, [read], middleware=[middleware])
            asyncio.run(agent.ainvoke({"messages": TASK}, LONG))
    for model in (first, second):
        assert "The server wrote this." in summaries(model.sent[-1])[0].text


@pytest.mark.parametrize("writer", [3, object()])
def test_what_cannot_write_is_refused(writer):
    """Whatever is no model, client or summarizer is named when the middleware is made."""
    with pytest.raises(InvalidInput, match=type(writer).__name__):
        CompactionMiddleware(writer)


def test_a_client_has_to_name_its_model():
    """An Anthropic client needs the name of the model that it is asked for."""
    from anthropic import Anthropic  # noqa: PLC0415

    with pytest.raises(InvalidInput, match="summary_model"):
        CompactionMiddleware(Anthropic(api_key="none"))
