"""What Pydantic AI Harness holds its own compaction to, held against brim's history processor.

Judged are the 280 tests of its tests/compaction/test_compaction.py (pydantic/pydantic-ai-harness at 0e330ab8, of the
time of 0.62.0). 119 are of its own settings, helpers and wording: warnings to the model, receipts, spans, retries that
are left out, a token counted as four characters rounded down. 93 hold for brim too. In 68 brim differs:

- 25: pins, and the user's newest messages, cut to a length, stay as messages. The user's words stand in brim's summary,
  in a share of the context, so that ten compactions leave room (SUM_18). The adapter pins what pydantic-ai reads again
  from the history, a tool search; other pins are a Compactor's (CNV_08).
- 17: long texts and arguments are cut in their middle. What stays, stays whole; what cannot fit is refused with its
  sizes (CMP_03).
- 8: an older read of the same file is cleared, and the arguments of calls. brim clears outputs by age alone (PRN_02):
  an older read may have shown something else. Calls stay (PRN_07).
- 6: a summary says that another model wrote it. Nobody measured that this helps.
- 5: the user's first message stays as a message. Its words do (SUM_18).
- 2: a picture counts nothing. It counts 1,600 tokens (PRN_11).
- 2: the run's model writes the summary, on the run's account. A model that is named does, else the template; the event
  counts its tokens (CMP_06).
- 1 each: the summary is a system prompt (brim's is the user's: it repeats what tools returned); a threshold counts
  messages (tokens alone: TRG_13); an error that is no model's is raised (the template stands in: SUM_06).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from pydantic_ai import RunContext, RunUsage
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryFeedbackPart,
    RetryInfo,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchCallPart,
    ToolSearchReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets._tool_search import parse_discovered_tools
from pydantic_ai.usage import RequestUsage

from brim.adapters.pydantic_ai import CompactHistory
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import SUMMARY_OPENING
from brim.errors import ContextOverflow, SummaryFailed
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from tests.adapters.pydantic_ai_agents import Script, agent_of, faults, texts

LIMITS = ModelLimits(context_window=8_000, max_output_tokens=1_000)
"""A usable context of 7,000 tokens."""
TASK = "Mend the parser, and never touch the lexer."
LONG = "done " * 600
"""750 tokens."""


def user(words: Any, **fields: Any) -> ModelRequest:
    """A message of the user."""
    return ModelRequest([UserPromptPart(words)], **fields)


def model(*parts: Any, tokens: int = 0) -> ModelResponse:
    """A response of the model, for whose request these tokens were reported."""
    return ModelResponse([*parts], usage=RequestUsage(input_tokens=tokens))


def reads(*ids: Any, output: str = LONG) -> list[ModelMessage]:
    """Files that were read at once."""
    calls = [ToolCallPart("read", {"path": f"src/{one}.py"}, f"call {one}") for one in ids]
    return [model(*calls), ModelRequest([ToolReturnPart("read", output, call.tool_call_id) for call in calls])]


def talk(*opening: ModelMessage, steps: int = 12) -> list[ModelMessage]:
    """A conversation that begins like this, with so many answers."""
    answers = [(model(TextPart(LONG)), user(f"And {n}?", run_id=f"run {n}", metadata={"n": n})) for n in range(steps)]
    return [*opening, *(message for pair in answers for message in pair)]


def refused(words: str) -> ModelRequest:
    """What an output validator says."""
    return ModelRequest([RetryFeedbackPart(words, retry=RetryInfo(cause="validation_error"))])


def searched(number: int) -> ModelResponse:
    """A search that the provider made."""
    call = NativeToolCallPart("web_search", {"query": "lexers"}, f"search {number}")
    return model(call, NativeToolReturnPart("web_search", LONG, call.tool_call_id), TextPart("Found."))


CAREFUL, FIRST = SystemPromptPart("Be careful."), UserPromptPart(TASK)
HISTORIES = {
    "texts": talk(user(TASK)),
    "words in several parts": talk(user([TASK, TextContent("Begin with the tests.")])),
    "a system prompt before the task": talk(ModelRequest([CAREFUL, FIRST])),
    "two system prompts": talk(ModelRequest([CAREFUL]), ModelRequest([SystemPromptPart("Be short."), FIRST])),
    "a system prompt further back": talk(user(TASK), model(TextPart("Yes.")), ModelRequest([CAREFUL])),
    "responses alone": [*(model(TextPart(LONG)) for _ in range(12)), user("And now?")],
    "a loop of calls": [user(TASK), *(one for n in range(12) for one in reads(n))],
    "calls made at once": [user(TASK), *(one for n in range(0, 12, 3) for one in reads(n, n + 1, n + 2)), user("And?")],
    "a result without its call": talk(user(TASK), reads("lost")[1]),
    "retries": [user(TASK), *(one for n in range(12) for one in (model(TextPart(LONG)), refused(f"Not {n}.")))],
    "searches of the provider": [user(TASK), *(one for n in range(12) for one in (searched(n), user(f"And {n}?")))],
    "a last request without words": [*talk(user(TASK)), model(TextPart("Yes.")), ModelRequest([], instructions="Go.")],
}


def processed(
    history: Sequence[ModelMessage], *, limits: ModelLimits = LIMITS, **settings: Any
) -> tuple[list[ModelMessage], list[Any]]:
    """What a new processor sends of a history, and its events; the history is not changed."""
    before, events = [*history], list[Any]()
    compact = CompactHistory(limits=limits, on_event=events.append, **settings)
    sent = asyncio.run(compact(RunContext(deps=None, model=TestModel(), usage=RunUsage()), before))
    assert all(one is other for one, other in zip(before, history, strict=True))
    return sent, events


def written(messages: Sequence[ModelMessage], kind: str = "user-prompt") -> list[str]:
    """The texts of all parts of a kind."""
    parts = [part.content for one in messages for part in one.parts if part.part_kind == kind]
    items = [one for content in parts for one in ([content] if isinstance(content, str) else content)]
    return [getattr(one, "content", one) for one in items]


def calls(messages: Sequence[ModelMessage]) -> list[Any]:
    """The calls of tools."""
    return [part for one in messages for part in one.parts if isinstance(part, ToolCallPart)]


def summaries(messages: Sequence[ModelMessage]) -> list[str]:
    """The summaries: texts of the user's, not system prompts."""
    return [one for one in written(messages) if one.startswith(SUMMARY_OPENING)]


@pytest.mark.parametrize("name", HISTORIES)
def test_below_the_threshold_nothing_changes(name: str) -> None:
    """Each message is sent as the object that it is, and nothing is reported."""
    sent, events = processed(HISTORIES[name], limits=ModelLimits(context_window=40_000, max_output_tokens=1_000))
    assert all(one is other for one, other in zip(sent, HISTORIES[name], strict=True))
    assert events == []


@pytest.mark.parametrize("name", HISTORIES)
def test_above_it_the_history_is_smaller_and_valid(name: str) -> None:
    """Pairs, system prompts, the user's words and the last request stay; once is enough, and each time the same."""
    history = HISTORIES[name]
    sent, events = processed(history)
    assert [event.kind for event in events] == ["started", "compacted"]
    assert events[1].tokens_before > 7_000 > events[1].tokens_after
    assert len(sent) < len(history)
    assert [fault for fault in faults(sent) if "lost" not in fault] == []
    assert written(sent, "system-prompt") == written(sent[:1], "system-prompt") == written(history, "system-prompt")
    assert len(summaries(sent)) == 1
    assert "".join(written(sent)).count(TASK) == "".join(written(history)).count(TASK)
    kept, last = sent[-1], history[-1]
    assert isinstance(kept, ModelRequest)
    assert isinstance(last, ModelRequest)
    assert kept.instructions == last.instructions
    assert all(part in kept.parts for part in last.parts)
    assert (kept.run_id, (kept.metadata or {}).get("n")) == (last.run_id, (last.metadata or {}).get("n"))
    assert ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(sent)) == sent
    assert processed(sent) == (sent, [])
    assert summaries(processed(history)[0]) == summaries(sent)


def test_each_summary_goes_on_from_the_one_before() -> None:
    """Through an agent: each request for a summary has the last one, which it replaces, and no two requests meet."""
    writer = Script(f"<summary>Summary {n}: the parser is mended.</summary>" for n in range(4))
    script = Script(["Yes.", "Yes."])
    agent = agent_of(script, CompactHistory(writer.model, limits=LIMITS))

    async def asked() -> None:
        first = await agent.run("One?", message_history=talk(user(TASK)))
        await agent.run("Two?", message_history=[*first.all_messages(), *talk()[1:], model(TextPart("Yes."))])

    asyncio.run(asked())
    prompts = ["".join(texts(sent)) for sent in writer.sent]
    assert [[n for n in range(4) if f"Summary {n}" in prompt] for prompt in prompts] == [[], [0], [1], [2]]
    for sent, number in zip(script.sent, (1, 3), strict=True):
        [summary] = summaries(sent)
        assert [n for n in range(4) if f"Summary {n}" in summary] == [number]
        assert "".join(texts(sent)).count(TASK) == 1
        assert all(one.kind != other.kind for one, other in pairwise(sent))


RULES = "r" * 8_000
"""Instructions of 2,000 tokens."""


def measured(*ending: ModelMessage, instructions: str | None = None) -> list[ModelMessage]:
    """A history of about 2,000 tokens for which no usage was reported, and its end."""
    pairs = ((user(f"Step {n}. " * 80, instructions=instructions), model(TextPart("Done. " * 20))) for n in range(8))
    return [*(message for pair in pairs for message in pair), *ending]


def reported(tokens: int) -> ModelResponse:
    """A short answer to a request of so many tokens."""
    return model(TextPart("Yes."), tokens=tokens)


PICTURE = BinaryContent(b"0" * 40_000, media_type="image/png")
COUNTED = {
    "an estimate": (False, measured(user("?"))),
    "a report": (True, measured(user("?"), reported(7_001), user("?"))),
    "no report": (False, measured(user("?"), reported(0), user("?"))),
    "the newest report": (False, measured(user("?"), reported(7_001), user("?"), reported(300), user("?"))),
    "what follows it": (True, measured(user("?"), reported(5_000), user("z" * 8_004))),
    "nothing else": (False, measured(user("?"), reported(5_000), user("z" * 7_990))),
    "instructions once": (False, measured(user("?", instructions=RULES), instructions=RULES)),
    "instructions that it has": (
        False,
        measured(user("?", instructions=RULES), reported(6_000), user("?", instructions=RULES)),
    ),
    "instructions that it has not": (
        True,
        measured(user("?", instructions="Go."), reported(6_000), user("?", instructions=RULES)),
    ),
    "thinking": (True, measured(model(ThinkingPart("t" * 24_000)), user("?"))),
    "retries": (True, measured(refused("r" * 24_000), reported(0), user("?"))),
    "searches of the provider": (True, measured(*map(searched, range(7)), user("?"))),
    "a picture, by no length": (False, measured(user([PICTURE, "?"]))),
    "a picture, as 1,600 tokens": (True, measured(user([PICTURE] * 4), reported(0), user("?"))),
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_counts(name: str) -> None:
    """Compaction is due by what the last response reported, with an estimate of what follows it, or by that alone."""
    due, history = COUNTED[name]
    assert bool(processed(history)[1]) is due


SEARCH = [
    model(ToolSearchCallPart(args={"queries": ["files"]}, tool_call_id="search")),
    ModelRequest([ToolSearchReturnPart(content={"discovered_tools": [{"name": "grep"}]}, tool_call_id="search")]),
]


@pytest.mark.parametrize(
    ("settings", "cleared"),
    [
        ({}, 7),
        ({"prune_protect": 4_000}, 3),
        ({"prune_minimum": 7_000}, 0),
        ({"protected_tools": {"read"}}, 0),
        ({"prune": False}, 0),
    ],
)
def test_old_outputs_are_cleared_and_the_newest_stay(settings: dict[str, Any], cleared: int) -> None:
    """Whole outputs go, oldest first, where it pays; calls and a search for tools stay; a second time none goes."""
    turns = (message for n in range(8) for message in (user(f"Read {n}."), *reads(n, output="x" * 4_000)))
    history = [user(TASK), *SEARCH, *turns, user("And now?")]
    policy = CompactionPolicy(**{"prune_protect": 0, "prune_minimum": 1_000, **settings})
    limits = ModelLimits(context_window=40_000, max_output_tokens=1_000)
    sent, _ = processed(history, limits=limits, policy=policy)
    outputs = [part.content for one in sent for part in one.parts if isinstance(part, ToolReturnPart)]
    assert outputs[1:] == [PLACEHOLDER] * cleared + ["x" * 4_000] * (8 - cleared)
    assert calls(sent) == calls(history)

    assert parse_discovered_tools(sent) == {"grep"}
    assert processed(sent, limits=limits, policy=policy)[0] == sent


@pytest.mark.parametrize(
    ("error", "policy", "raised"),
    [
        (ModelHTTPError(400, "writer"), None, None),
        (ModelHTTPError(400, "writer"), CompactionPolicy(on_failure="raise"), SummaryFailed),
        (RuntimeError("a defect"), None, None),
        (asyncio.CancelledError(), None, asyncio.CancelledError),
    ],
)
def test_a_summarizer_that_fails(
    error: Any, policy: CompactionPolicy | None, raised: type[BaseException] | None
) -> None:
    """The next means stands in, or its error is raised if there is none; who cancels a run has cancelled it."""
    writer = Script([error] * 3).model
    settings: dict[str, Any] = {"policy": policy, "sleep": lambda _: None}
    if raised:
        with pytest.raises(raised):
            processed(HISTORIES["texts"], summarizer=writer, **settings)
    else:
        sent, events = processed(HISTORIES["texts"], summarizer=writer, **settings)
        assert (events[-1].summary_source, len(summaries(sent))) == ("template", 1)


def test_what_cannot_fit_is_refused() -> None:
    """No message is shortened; the error says which one is too long."""
    with pytest.raises(ContextOverflow, match=r"the user's last message 7,0\d\d"):
        processed([*talk(user(TASK), steps=3), model(TextPart("Yes.")), user("z" * 28_200)])
