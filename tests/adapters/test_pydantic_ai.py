"""The history processor in a real agent of pydantic-ai's, whose model plays a script."""

import asyncio

import pytest
from pydantic_ai import Agent, RunContext, RunUsage
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ImageUrl,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage

from brim.adapters.pydantic_ai import RECORDS, CompactHistory
from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import CONTINUATION_OPENING, SUMMARY_OPENING
from brim.errors import UnknownLimits
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.testing import MessagesServer
from tests.adapters.pydantic_ai_agents import LIMITS, PAGE, Script, agent_of, faults, reading, texts

TASK = "Read every file, and never change one."


def summaries(messages):
    """The summaries among messages."""
    return [text for text in texts(messages) if isinstance(text, str) and text.startswith(SUMMARY_OPENING)]


def run(agent, *prompt, **options):
    """A run in an event loop of its own, as it leaves none behind."""
    return asyncio.run(agent.run(*prompt, **options))


def compactions(events):
    """How many compactions were told of."""
    return [event.kind for event in events].count("compacted")


def test_a_tool_loop_that_overflows_in_mid_run_goes_on():
    """Compaction comes between two requests of one run, and each has whole pairs, the request and the system prompt."""
    script, events = Script(reading(30)), []
    agent = agent_of(script, CompactHistory(limits=LIMITS, on_event=events.append), system_prompt="Be careful.")
    result = run(agent, TASK)
    assert result.output == "All files are read."
    assert [fault for sent in script.sent for fault in faults(sent)] == []
    assert all(TASK in texts(sent) for sent in script.sent)
    assert {sent[0].parts[0].content for sent in script.sent} == {"Be careful."}
    assert compactions(events) >= 2
    assert all(len(summaries(sent)) <= 1 for sent in script.sent)
    assert "file_0.py" in summaries(script.sent[-1])[0]


def history_of(files):
    """A conversation in which files were read, of about 4,050 tokens each."""
    messages = [ModelRequest([SystemPromptPart("Be careful."), UserPromptPart(TASK)])]
    for n in range(files):
        messages.append(ModelResponse([ToolCallPart("read", {"path": f"{n}.py"}, f"call-{n}")], usage=RequestUsage()))
        messages.append(ModelRequest([ToolReturnPart("read", PAGE, f"call-{n}")]))
    return [*messages, ModelResponse([TextPart("Read.")])]


def context(**fields):
    """What a processor is told of a run."""
    return RunContext(deps=None, model=TestModel(), usage=RunUsage(), **fields)


def test_a_model_writes_the_summary():
    """A model of pydantic-ai's is asked, with brim's own system prompt, and its words stand in the summary."""
    writer, script = Script(["<summary>The model read many files.</summary>"] * 9), Script(reading(15))
    run(agent_of(script, CompactHistory(writer.model, limits=LIMITS)), TASK)
    assert "The model read many files." in summaries(script.sent[-1])[0]
    assert [part.part_kind for part in writer.sent[0][0].parts] == ["system-prompt", "user-prompt"]


def test_an_agent_writes_the_summary():
    """An agent of pydantic-ai's is run, with its own instructions besides."""
    writer, script = Script(["<summary>The agent read many files.</summary>"] * 9), Script(reading(15))
    agent = Agent(writer.model, instructions="Write short.")
    run(agent_of(script, CompactHistory(agent, limits=LIMITS)), TASK)
    assert "The agent read many files." in summaries(script.sent[-1])[0]


@pytest.mark.parametrize(
    "said",
    [
        "Error generating summary: the model is overloaded.",
        ModelResponse([TextPart("<summary>The model had read")], finish_reason="length"),
        ModelHTTPError(529, "scripted", "Overloaded"),
    ],
)
def test_an_error_text_never_becomes_the_summary(said):
    """What is no summary is asked for again, three times in all, and then the template stands in (SUM_08)."""
    writer, script, waits, events = Script([said] * 3), Script(reading(20)), [], []
    compact = CompactHistory(writer.model, limits=LIMITS, sleep=waits.append, on_event=events.append)
    run(agent_of(script, compact), TASK)
    assert len(writer.sent) == 3
    assert waits == [1, 2]
    assert "verloaded" not in summaries(script.sent[-1])[0]
    assert [event.summary_source for event in events if event.kind == "compacted"] == ["template"]


def test_a_streamed_run_compacts_too():
    """Runs that are streamed go through the same processor."""
    model = TestModel(custom_output_text="Done.")
    whole = history_of(12)

    async def stream():
        async with Agent(model, capabilities=[ProcessHistory(CompactHistory(limits=LIMITS))]).run_stream(
            "Now?", message_history=whole
        ) as run:
            await run.get_output()
            return run.all_messages()

    assert len(summaries(asyncio.run(stream()))) == 1


def test_thinking_goes_where_the_history_before_it_went():
    """No kept response carries thinking behind a summary, nor an id that names it to the provider (CNV_06)."""
    whole = history_of(12)
    thought = ModelResponse(
        [ThinkingPart("Let me see.", signature="s", provider_name="x"), TextPart("Fine.", id="msg_1")]
    )
    whole = [*whole, ModelRequest([UserPromptPart("And?")]), thought, ModelRequest([UserPromptPart("Now?")])]
    compacted = asyncio.run(CompactHistory(limits=LIMITS)(context(), whole))
    [kept] = [message for message in compacted if message.kind == "response" and message.text == "Fine."]
    assert [part.part_kind for part in kept.parts] == ["text"]
    assert kept.parts[0].id is None
    assert len(thought.parts) == 2


def test_old_outputs_are_cleared_before_anything_is_summarized():
    """Where clearing old outputs is enough, requests with them are copies, and every other message is the same."""
    whole = history_of(30)
    for said in ("Thanks.", "And?"):
        whole += [ModelRequest([UserPromptPart(said)]), ModelResponse([TextPart("Yes.")])]
    whole.append(ModelRequest([UserPromptPart("And now?")]))
    limits = ModelLimits(context_window=120_000, max_output_tokens=2_000)
    pruned = asyncio.run(CompactHistory(limits=limits)(context(), whole))
    assert len(pruned) == len(whole)
    changed = [new for new, old in zip(pruned, whole, strict=True) if new.parts is not old.parts]
    assert len(changed) > 5
    assert {part.content for message in changed for part in message.parts} == {PLACEHOLDER}


def test_tool_searches_are_kept():
    """What a search made known is read from the history again, so the search stays with its answer."""
    search = ToolCallPart("search_tools", {"queries": ["files"]}, "search", tool_kind="tool-search")
    found = ToolReturnPart("search_tools", {"discovered_tools": []}, "search", tool_kind="tool-search")
    whole = [ModelRequest([UserPromptPart("Begin.")]), ModelResponse([search]), ModelRequest([found])]
    whole += [ModelResponse([TextPart("Found.")]), *history_of(12), ModelRequest([UserPromptPart("Now?")])]
    compacted = asyncio.run(CompactHistory(limits=LIMITS)(context(), whole))
    assert summaries(compacted)
    assert [any(message is one for one in compacted) for message in whole[:4]] == [False, True, True, False]


def test_a_call_that_was_never_answered_is_answered():
    """An interrupted call in the kept part gets the error result, with the name of its tool (CNV_04)."""
    whole = [*history_of(12), ModelRequest([UserPromptPart("Go on.")])]
    whole += [ModelResponse([ToolCallPart("read", {}, "lost")]), ModelRequest([UserPromptPart("Stop.")])]
    compacted = asyncio.run(CompactHistory(limits=LIMITS)(context(), whole))
    assert faults(compacted) == []
    answers = [part for message in compacted for part in message.parts if part.part_kind == "tool-return"]
    assert [part.tool_name for part in answers if part.outcome == "interrupted"] == ["read"]


def test_the_model_tells_its_limits():
    """What pydantic-ai knows of a model need not be handed in, and what it does not know is not guessed."""
    whole = [*history_of(12), ModelRequest([UserPromptPart("Now?")])]
    known = TestModel(profile={"context_window": 42_000})
    run = context(model_settings={"max_tokens": 2_000})
    run.model = known
    assert len(summaries(asyncio.run(CompactHistory()(run, whole)))) == 1
    with pytest.raises(UnknownLimits, match="limits="):
        asyncio.run(CompactHistory()(context(), whole))


def test_what_an_older_version_recorded_is_known_again():
    """A record names a request that brim's own parts were merged into by what each of its messages was."""
    own = [f"{SUMMARY_OPENING}\n\nBefore.", CONTINUATION_OPENING]
    merged = ModelRequest(
        [
            ToolReturnPart("read", ["See.", ImageUrl("https://x.org/y.png")], "a"),
            *map(UserPromptPart, ["Go on.", *own, "Read."]),
        ]
    )
    assert RECORDS.digest(merged) == "cb23d076923638d2950f469021528200"


def test_each_message_is_read_into_one_window_once(monkeypatch):
    """A request costs what is new in it, in a run and in the next one (ADP_05)."""
    appended, append = [], ContextWindow.append
    monkeypatch.setattr(ContextWindow, "append", lambda window, one: appended.append(one) or append(window, one))
    script = Script([*reading(6), *reading(6, first=6)])
    agent = agent_of(script, CompactHistory(limits=LIMITS))
    result = run(agent, TASK)
    run(agent, "Once more.", message_history=result.new_messages())
    assert len(script.sent) == 14
    assert len(appended) == len(script.sent[-1])


def test_an_anthropic_client_writes_the_summary():
    """A client of the SDK is asked for the model that was named, one that blocks in a thread of its own."""
    said = "<summary>The server wrote this.</summary>"
    whole = [*history_of(12), ModelRequest([UserPromptPart("Now?")])]

    async def both(server):
        async with server.async_client() as waiting:
            first = await CompactHistory(waiting, policy=CompactionPolicy(summary_model="small"), limits=LIMITS)(
                context(), whole
            )
        with server.client() as blocking:
            second = await CompactHistory(blocking, policy=CompactionPolicy(summary_model="small"), limits=LIMITS)(
                context(), whole
            )
        return first, second

    with MessagesServer([said] * 2, models={"small": (200_000, 8_000)}) as server:
        for messages in asyncio.run(both(server)):
            assert "The server wrote this." in summaries(messages)[0]


@pytest.mark.parametrize(
    ("last", "compacts"),
    [
        (ModelRequest([UserPromptPart("question 13")]), True),
        (ModelResponse([TextPart("Wait.")], state="suspended"), False),
    ],
)
def test_a_history_that_is_due_is_left_as_it_is_behind_a_paused_response(last, compacts):
    """A response that the provider paused is sent back with the history as it is (ADP_05)."""
    exchange = [ModelRequest([UserPromptPart("question")]), ModelResponse([TextPart("done " * 700)])]
    history = [*exchange * 12, last]
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    limits = ModelLimits(context_window=8_000, max_output_tokens=1_000)
    kept = asyncio.run(CompactHistory(limits=limits)(context, history))
    assert (len(kept) < len(history)) if compacts else kept == history
