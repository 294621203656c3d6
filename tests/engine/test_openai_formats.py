"""What holds of every compaction of a conversation in an OpenAI format, under any target and limits (ADP_03)."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brim import CompactionPolicy, Compactor, ModelLimits
from brim.conversation.formats import Format, convert_messages, convert_tools, format_of, read_messages, write_messages
from brim.conversation.messages import Text, ToolCall, ToolResult
from brim.conversation.tool_pairs import pair_tools, with_unique_ids
from brim.errors import InvalidInput
from brim.testing import ScriptedSummarizer, complaints, openai_chat_complaints, openai_responses_complaints
from steps.openai_conversations import turns
from steps.prerequisites import sized
from tests.conversation.openai_kept import check_bonds, check_kept
from tests.conversation.openai_strategies import conversations

CONVERSATIONS = sized(15, nightly=2_000)
"""How many are drawn."""
COMPLAINTS = {"openai-chat": openai_chat_complaints, "openai-responses": openai_responses_complaints}
limits = st.builds(ModelLimits, context_window=st.sampled_from([600, 2_000, 200_000]), max_output_tokens=st.just(100))
summarizers = st.sampled_from([None, "All went well.", ""])


@settings(max_examples=CONVERSATIONS)
@given(talk=conversations())
def test_what_is_read_is_written_as_it_came(talk: tuple[str, list[Any]]) -> None:
    """The very same values, in their order; and the strict check accepts what is drawn here."""
    form, messages = talk
    assert COMPLAINTS[form](messages) == []
    for named in (form, None):
        raws = [message.raw for message in read_messages(messages, named)]
        written = write_messages(raws, format_of(raws))
        assert [id(one) for one in written] == [id(one) for one in messages]


@settings(max_examples=CONVERSATIONS)
@given(talk=conversations(), target=st.sampled_from(["anthropic", "openai-chat", "openai-responses"]))
def test_any_conversation_in_another_format(talk: tuple[str, list[Any]], target: Format) -> None:
    """Its API accepts what is written of a compaction, and every text of the user and every call is in it."""
    form, messages = talk
    kept = Compactor(limits=ModelLimits(context_window=2_000, max_output_tokens=100)).compact(messages, format=form)
    answered = with_unique_ids(pair_tools(kept.conversation).messages)
    converted = convert_messages(answered, target)
    written = write_messages((message.raw for message in converted.messages), target)
    assert (COMPLAINTS | {"anthropic": complaints})[target](written) == [] or written[0]["role"] == "assistant"
    told = [message for message in answered if message.raw.get(form, {}).get("role") not in {"system", "developer"}]
    for kind in (ToolCall, ToolResult):
        assert len(parts_of(converted.messages, kind)) == len(parts_of(told, kind))
    assert "\n".join(part.text for part in parts_of(converted.messages, Text)) == "\n".join(
        part.text for part in parts_of(told, Text)
    )
    again = read_messages(written, target)
    assert [dict(one.input) for one in parts_of(again, ToolCall)] == [
        dict(one.input) for one in parts_of(told, ToolCall)
    ]
    assert [one.text for one in parts_of(again, ToolResult)] == [
        one.text for one in parts_of(converted.messages, ToolResult)
    ]


@pytest.mark.parametrize("source", ["anthropic", "openai-chat", "openai-responses"])
@pytest.mark.parametrize("target", ["anthropic", "openai-chat", "openai-responses"])
def test_a_definition_of_a_function_in_another_format(source: Format, target: Format) -> None:
    """It keeps name, description and schema; a tool that a provider runs has none."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    named = {"name": "read", "description": "Read a file."}
    forms: dict[str, dict[str, Any]] = {
        "anthropic": {**named, "input_schema": schema},
        "openai-chat": {"type": "function", "function": {**named, "parameters": schema}},
        "openai-responses": {"type": "function", **named, "parameters": schema},
    }
    assert [*convert_tools([forms[source], {"type": "web_search"}], target)] == [forms[target]]


def parts_of(messages: Any, kind: Any) -> list[Any]:
    """The parts of a kind, in their order."""
    return [part for message in messages for part in message.parts if type(part) is kind]


@settings(max_examples=CONVERSATIONS)
@given(talk=conversations(), data=st.data())
def test_a_warning_is_of_what_the_api_refuses(talk: tuple[str, list[Any]], data: Any) -> None:
    """There is none for a list that the API accepts; a list without one of its outputs has one, and is refused."""
    form, messages = talk
    whole = Compactor(limits=ModelLimits(context_window=10_000_000))
    assert whole.compact(messages, cause="automatic").warnings == ()
    outputs = [n for n, one in enumerate(messages) if one.get("role") == "tool" or "output" in one]
    if outputs:
        del messages[data.draw(st.sampled_from(outputs))]
        assert COMPLAINTS[form](messages) != []
        assert len(whole.compact(messages, cause="automatic").warnings) == 1


@settings(max_examples=CONVERSATIONS)
@given(talk=conversations(), limit=limits, keep=st.integers(0, 3_000), words=summarizers, data=st.data())
def test_any_conversation(talk: tuple[str, list[Any]], limit: ModelLimits, keep: int, words: Any, data: Any) -> None:
    """The API accepts the result; pairs, bonds, instructions, pins and the last request stay; again changes nothing."""
    form, messages = talk
    before = deepcopy(messages)
    compactor, other = (
        Compactor(
            limits=limit,
            policy=CompactionPolicy(keep_tokens=keep, keep_share=1),
            summarizer=None if words is None else ScriptedSummarizer(words),
            sleep=lambda _: None,
        )
        for _ in range(2)
    )
    pinned = data.draw(st.sets(st.integers(0, len(messages) - 1), max_size=2))
    result = compactor.compact(messages, cause=data.draw(st.sampled_from(["manual", "automatic"])), pinned=pinned)
    new = result.messages
    assert messages == before
    assert COMPLAINTS[form](new) == []
    check_kept(messages, new, pinned)
    check_bonds(messages, new)
    if result.plan.changes_anything:
        kept_pins = [n for n, one in enumerate(new) for pin in pinned if one is messages[pin]]
        for one in (compactor, other):
            assert one.compact(new, pinned=kept_pins).messages == new


@pytest.mark.parametrize("form", ["chat", "Responses"])
def test_a_loop_of_fifty_steps_in_a_small_window(form: str) -> None:
    """One turn of work, compacted before each request that would not fit: each is accepted and none is too large."""
    compactor = Compactor(limits=ModelLimits(context_window=4_000, max_output_tokens=500))
    messages = [{"role": "system", "content": "You build piers."}, turns(form, 1)[0][0]]
    first, compactions = messages[1], 0
    for step in range(50):
        result = compactor.compact(messages, cause="automatic")
        messages, compactions = result.messages, compactions + result.plan.changes_anything
        assert COMPLAINTS["openai-chat" if form == "chat" else "openai-responses"](messages) == []
        assert texts_of(messages) / 4 <= 3_550  # 3,500 are usable; arguments are counted as compact JSON
        assert any(message is first for message in messages)
        messages += turns(form, step + 1, "a call", "built\n" * 150)[-1][1:-1]
    assert 2 < compactions < 25


def texts_of(value: Any, name: str = "") -> int:
    """Characters that a model reads of messages, by the names of the fields that hold them."""
    if isinstance(value, str):
        return len(value) if name in ("content", "text", "output", "arguments", "name") else 0
    if isinstance(value, dict):
        return sum(texts_of(held, field) for field, held in value.items())
    return sum(texts_of(one, name) for one in value) if isinstance(value, list) else 0


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["text", "function", "message", "tool"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id", "role"]), inner),
    max_leaves=5,
)


@settings(max_examples=CONVERSATIONS)
@given(talk=conversations(), value=values, data=st.data())
def test_a_damaged_list_is_read_or_refused(talk: tuple[str, list[Any]], value: Any, data: Any) -> None:
    """With any value in place of one of its own, nothing but an error of brim is raised; what is read is written."""
    form, messages = talk
    damaged = deepcopy(messages)
    message = data.draw(st.sampled_from(damaged))
    inner = [part for held in message.values() if isinstance(held, list) for part in held if isinstance(part, dict)]
    place = data.draw(st.sampled_from([message, *inner]))
    place[data.draw(st.sampled_from(sorted(place)))] = value
    for named in (form, None):
        with suppress(InvalidInput):
            raws = [one.raw for one in read_messages(damaged, named)]
            assert write_messages(raws, format_of(raws)) == damaged
        with suppress(InvalidInput):
            Compactor(policy=CompactionPolicy(keep_tokens=50)).compact(damaged, format=named)
