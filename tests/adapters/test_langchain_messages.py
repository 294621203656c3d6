"""LangChain's messages read by brim, and what is made of them: any that there may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from brim.adapters.langchain_messages import read, restore, usage_of
from brim.conversation.messages import (
    Media,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    address_of,
    is_visible,
    read_message,
)
from brim.tokens.usage import TokenUsage
from tests.adapters.compacted import after_overflow
from tests.adapters.langchain_agents import faults

words = st.sampled_from(["", " ", "a", "Fix the parser.", "x" * 400, "[Summary", "ünïcode ✓"])
names = st.sampled_from(["a", "b", "c", "d"])
blocks = st.one_of(
    words.map(lambda text: {"type": "text", "text": text}),
    words,
    st.sampled_from(
        [
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            {"type": "file", "mime_type": "application/pdf", "base64": "AAAA", "filename": "plan.pdf"},
            {"type": "audio", "base64": "AAAA", "mime_type": "audio/wav"},
            {"type": "refusal", "refusal": "No."},
            {"type": "patch", "files": []},
            {"type": "text"},
            {"no": "type"},
        ]
    ),
)
thoughts = st.sampled_from(
    [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "reasoning", "reasoning": "So.", "id": "rs_1"},
    ]
)
calls = st.lists(
    st.builds(lambda name, args: {"id": name, "name": "read", "args": args}, names, st.dictionaries(names, words)),
    max_size=3,
    unique_by=lambda call: call["id"],
)
bad_calls = st.lists(
    st.builds(lambda name: {"id": name, "name": "read", "args": "{", "error": "no JSON"}, st.just("bad")), max_size=1
)
contents = st.one_of(words, st.lists(blocks, max_size=3))
messages = st.one_of(
    st.builds(HumanMessage, contents),
    st.builds(HumanMessage, contents),
    st.builds(AIMessage, st.one_of(words, st.lists(st.one_of(blocks, thoughts), max_size=3)), tool_calls=calls),
    st.builds(AIMessage, words, tool_calls=calls, invalid_tool_calls=bad_calls),
    st.builds(
        ToolMessage,
        contents,
        tool_call_id=st.one_of(names, st.just("bad")),
        status=st.sampled_from(["success", "error"]),
    ),
    st.builds(SystemMessage, words),
    st.builds(ChatMessage, words, role=st.sampled_from(["assistant", "critic"])),
    st.builds(FunctionMessage, words, name=names),
)


def with_results(script):
    """The messages, each call that has none given its result most of the time, each with an id as agents have them."""
    told = []
    for n, message in enumerate(script):
        told.append(message)
        if isinstance(message, AIMessage) and n % 4:
            told += [ToolMessage(f"Read {call['id']}.", tool_call_id=call["id"]) for call in message.tool_calls]
    return [message.model_copy(update={"id": str(n)}) for n, message in enumerate(told)]


conversations = st.lists(messages, max_size=30).map(with_results)


def parts_of(message):
    """What brim reads in a message."""
    return read_message(read([message])[0]).parts


@given(conversations)
def test_a_compaction_keeps_what_it_says(conversation):
    """After any compaction the pairs are whole, no message comes twice, and the caller's messages are as they were."""
    before = [message.model_dump() for message in conversation]
    compacted = after_overflow(read(conversation))
    if compacted is None:
        return
    restored = restore(conversation, compacted)
    assert [message.model_dump() for message in conversation] == before
    known = {message.id: message for message in conversation}
    assert len({message.id for message in restored}) == len(restored)
    assert [fault for fault in faults(restored) if "begins" not in fault] == []
    for message in restored:
        old = known.get(message.id)
        assert old is None or message is old or (type(message) is type(old) and message != old)


@given(conversations)
def test_the_last_words_of_the_user_stay(conversation):
    """What the user said last is among what is sent, word for word, and so is every system message (SEL_06, CNV_08)."""
    compacted = after_overflow(read(conversation))
    if compacted is None:
        return
    restored = restore(conversation, compacted)
    last = next((one for one in reversed(conversation) if isinstance(one, HumanMessage) and parts_of(one)), None)
    assert last is None or any(message is last for message in restored)
    told = [one for one in conversation if isinstance(one, SystemMessage) and is_visible(one.text)]
    assert {id(message) for message in told} <= {id(message) for message in restored}


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        ({"type": "text", "text": "Hello"}, Text),
        ("Hello", Text),
        ({"type": "image_url", "image_url": {"url": "https://x/y.png"}}, Media),
        ({"type": "input_image", "image_url": "https://x/y.png"}, Media),
        ({"type": "file", "mime_type": "application/pdf", "base64": "AAAA"}, Media),
        ({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": ""}}, Media),
        ({"type": "thinking", "thinking": "Hm."}, Thinking),
        ({"type": "reasoning", "reasoning": "Hm."}, Thinking),
        ({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, Unknown),
        ({"type": "subtask"}, Unknown),
        ({"type": "text", "text": None}, Unknown),
    ],
)
def test_each_block_is_read_as_what_it_is(block, kind):
    """Pictures and files are media, thoughts are thinking, and what brim has no word for is carried."""
    [part] = parts_of(AIMessage([block]))
    assert type(part) is kind


def test_a_call_is_read_once():
    """A call that stands among the content too is one call."""
    block = {"type": "tool_use", "id": "1", "name": "read", "input": {"path": "a"}}
    message = AIMessage(
        [{"type": "text", "text": "I look."}, block], tool_calls=[{"id": "1", "name": "read", "args": {}}]
    )
    assert [type(part) for part in parts_of(message)] == [Text, ToolCall]


@pytest.mark.parametrize(
    ("block", "address"),
    [
        ({"type": "image_url", "image_url": {"url": "https://x/y.png"}}, "https://x/y.png"),
        ({"type": "input_image", "image_url": "https://x/y.png"}, "https://x/y.png"),
        ({"type": "image", "url": "https://x/y.png", "mime_type": "image/png"}, "https://x/y.png"),
        ({"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}, "https://x/y.png"),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, ""),
    ],
)
def test_a_picture_has_its_address(block, address):
    """Where it is on the web; its data is no address."""
    [part] = parts_of(HumanMessage([block]))
    assert address_of(part.raw) == address


def test_a_failed_tool_is_read_as_failed():
    """The status of a tool's message tells whether it failed, and its pictures are media."""
    picture = {"type": "image", "base64": "AAAA", "mime_type": "image/png"}
    [part] = parts_of(ToolMessage([{"type": "text", "text": "No."}, picture], tool_call_id="1", status="error"))
    assert isinstance(part, ToolResult)
    assert (part.text, part.failed, len(part.media)) == ("No.", True, 1)


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (None, None),
        ({"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}, TokenUsage(input=10, output=2)),
        (
            {
                "input_tokens": 100,
                "output_tokens": 20,
                "total_tokens": 120,
                "input_token_details": {"cache_read": 60, "cache_creation": 30},
                "output_token_details": {"reasoning": 5},
            },
            TokenUsage(input=40, cache_read=60, output=20, cache_write=30),
        ),
        (
            {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12, "input_token_details": {"cache_read": 60}},
            TokenUsage(input=0, cache_read=60, output=2),
        ),
    ],
)
def test_usage_is_read_in_langchains_words(reported, usage):
    """The input that LangChain reports holds the cached part; the sum is what the window holds (TOK_02)."""
    assert usage_of(AIMessage("", usage_metadata=reported)) == usage
