"""Messages of pydantic-ai read by brim, and what is made of them: any that there may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FilePart,
    ImageUrl,
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
    UserPromptPart,
    repair_messages,
)
from pydantic_ai.usage import RequestUsage

from brim.adapters.pydantic_ai_messages import AgentHistory, usage_of
from brim.conversation.messages import (
    CONTINUATION_OPENING,
    SUMMARY_OPENING,
    Marks,
    Media,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    read_message,
)
from brim.tokens.usage import TokenUsage
from tests.adapters.compacted import after_overflow
from tests.adapters.pydantic_ai_agents import faults

RETRY = RetryInfo("no_output")
PICTURE = BinaryContent(b"\x89PNG", media_type="image/png")

words = st.sampled_from(["", " ", "a", "Fix the parser.", "x" * 400, f"{SUMMARY_OPENING}\n\nBefore.", "ünïcode ✓"])
names = st.sampled_from(["a", "b", "c", "d"])
items = st.sampled_from(
    [
        "Look.",
        TextContent("There."),
        ImageUrl("https://x.org/y.png"),
        DocumentUrl("https://x.org/y.pdf"),
        PICTURE,
        BinaryContent(b"%PDF", media_type="application/pdf"),
        CachePoint(),
    ]
)
prompts = st.builds(UserPromptPart, st.one_of(words, st.lists(items, max_size=3)))
returns = st.builds(
    lambda content, name, outcome: ToolReturnPart("read", content, name, outcome=outcome),
    st.one_of(words, st.just({"lines": 3}), st.just(["See.", PICTURE])),
    names,
    st.sampled_from(["success", "failed", "retried"]),
)
request_parts = st.one_of(
    prompts,
    returns,
    st.builds(SystemPromptPart, words),
    st.builds(RetryFeedbackPart, words, retry=st.just(RETRY)),
    st.builds(CompactionPart, words),
)
responses = st.builds(
    lambda said, calls: ModelResponse([*said, *calls], model_name="m"),
    st.lists(
        st.one_of(
            st.builds(TextPart, words),
            st.builds(ThinkingPart, words, signature=st.just("s")),
            st.just(NativeToolCallPart("web_search", {"q": "x"}, "native")),
            st.just(NativeToolReturnPart("web_search", "found", "native")),
            st.just(FilePart(PICTURE)),
        ),
        max_size=3,
    ),
    st.lists(
        st.builds(lambda name, args: ToolCallPart("read", args, name), names, st.sampled_from(["{", {"p": 1}, None])),
        max_size=3,
        unique_by=lambda part: part.tool_call_id,
    ),
)


def with_results(script):
    """The messages, the calls of most responses answered in the next request."""
    told = []
    for n, message in enumerate(script):
        told.append(message)
        if isinstance(message, ModelResponse) and n % 4:
            calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
            told += (
                [ModelRequest([ToolReturnPart("read", "Read.", call.tool_call_id) for call in calls])] if calls else []
            )
    return told


requests = st.builds(ModelRequest, st.lists(request_parts, min_size=1, max_size=3))
histories = st.lists(st.one_of(requests, responses), max_size=24).map(with_results)


def sent(history):
    """A history after a compaction; None where nothing could leave."""
    whole = AgentHistory(history)
    state = after_overflow(whole.read)
    return None if state is None else whole.sent(state)


def kinds_of(message):
    """The kinds of the parts that brim reads in a message, and each of its units."""
    units = [read_message(unit, Marks(**unit["marks"])) for unit in AgentHistory([message]).read]
    return [type(part) for unit in units for part in unit.parts], units


@given(histories)
def test_a_compaction_keeps_what_it_says(history):
    """After any compaction the pairs are whole, no system prompt is lost, and the caller's history is as it was."""
    before = ModelMessagesTypeAdapter.dump_json(history)
    after = sent(history)
    assert ModelMessagesTypeAdapter.dump_json(history) == before
    if after is None:
        return
    assert [fault for fault in faults(repair_messages(after)) if "begins" not in fault] == []
    assert [fault for fault in faults(after) if "begins" not in fault] == []
    parts = [id(part) for message in after for part in message.parts]
    system = [id(part) for message in history for part in message.parts if isinstance(part, SystemPromptPart)]
    assert set(system) <= set(parts)
    assert len([part for part in parts if part in system]) == len(system)


@given(histories)
def test_the_last_words_of_the_user_stay(history):
    """The prompt that the user wrote last is among what is sent, the very same part (SEL_06)."""
    after = sent(history)
    if after is None:
        return
    openings = (SUMMARY_OPENING, CONTINUATION_OPENING)
    prompts = [
        part
        for message in history
        for part in message.parts
        if isinstance(part, UserPromptPart) and isinstance(part.content, str) and len(part.content) > 5
    ]
    said = [part for part in prompts if not part.content.startswith(openings)]
    last = next((message for message in reversed(history) if any(_is_word(part) for part in message.parts)), None)
    if said and last is not None and any(part is said[-1] for part in last.parts):
        assert any(part is said[-1] for message in after for part in message.parts)


def _is_word(part):
    return isinstance(part, UserPromptPart)


@pytest.mark.parametrize(
    ("part", "kinds"),
    [
        (UserPromptPart("Hello"), [Text]),
        (UserPromptPart(["Look", ImageUrl("https://x.org/y.png"), CachePoint(), PICTURE]), [Text, Media, Media]),
        (UserPromptPart([DocumentUrl("https://x.org/y.pdf"), TextContent("Read it.")]), [Media, Text]),
        (ToolReturnPart("read", {"a": 1}, "1"), [ToolResult]),
        (RetryFeedbackPart("Once more.", retry=RETRY), [Text]),
        (SystemPromptPart("Be careful."), []),
    ],
)
def test_each_part_of_a_request_is_read_as_what_it_is(part, kinds):
    """Words, pictures and results are told; the system prompt is no message."""
    assert kinds_of(ModelRequest([part]))[0] == kinds


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (TextPart("Hello"), Text),
        (ThinkingPart("Hm."), Thinking),
        (ToolCallPart("read", '{"path": "a"}', "1"), ToolCall),
        (NativeToolCallPart("web_search", {"q": "x"}, "1"), Unknown),
        (FilePart(PICTURE), Media),
        (CompactionPart("The provider's own summary."), Text),
        (CompactionPart(None, provider_name="openai"), Unknown),
    ],
)
def test_each_part_of_a_response_is_read_as_what_it_is(part, kind):
    """What brim has no word for is carried and counted."""
    assert kinds_of(ModelResponse([part]))[0] == [kind]


def test_a_failed_tool_is_read_as_failed():
    """The outcome of a tool's answer tells whether it failed, and its pictures are media."""
    _, [message] = kinds_of(ModelRequest([ToolReturnPart("read", ["No.", PICTURE], "1", outcome="failed")]))
    [part] = message.parts
    assert (part.text, part.failed, len(part.media)) == ("No.", True, 1)


def test_usage_is_read_in_pydantic_ais_words():
    """The input that is reported holds the cached part; the sum is what the window holds (TOK_02)."""
    usage = RequestUsage(input_tokens=100, cache_read_tokens=60, cache_write_tokens=30, output_tokens=20)
    assert usage_of(ModelResponse([], usage=usage)) == TokenUsage(input=40, cache_read=60, output=20, cache_write=30)
