"""A Conversation of OpenAI's lists: a real client, a strict server, chat messages and Responses items (ADP_03)."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest

from brim import CompactionPolicy, Compactor, Conversation, InvalidInput, ModelLimits
from brim.engine.recall import recall_tool
from brim.sessions import open_store
from steps.prerequisites import sized
from tests.openai_sdk.server import failed, response, serving

MODEL = "gpt-test"
LIMITS = ModelLimits(context_window=20_000, max_output_tokens=1_000)
NOTES = "a line of notes\n" * 300
TASK = "Read all notes of the harbour, and change no file."
STEPS = sized(30, nightly=100)
FORMS = ["openai-chat", "openai-responses"]
RULES = {"role": "system", "content": "You read notes."}


def calling(form: str, number: int) -> Any:
    """The answer of a model that reads the next notes."""
    told = {"name": "read", "arguments": json.dumps({"path": f"notes-{number}.txt"})}
    if form == "openai-responses":
        reasoning = {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "sealed"}
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed"}
        return 200, response("completed", [reasoning, {**call, **told}], usage=None), {}
    calls = [{"id": f"call_{number}", "type": "function", "function": told}]
    message = {"role": "assistant", "content": None, "tool_calls": calls, "reasoning_content": "The next."}
    return 200, completion(message, "tool_calls"), {}


def completion(message: dict[str, Any], finish: str) -> dict[str, Any]:
    """A whole chat completion without a usage."""
    choice = {"index": 0, "finish_reason": finish, "message": message, "logprobs": None}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}


def asking(client: Any, form: str) -> Any:
    """What makes a request of a list."""
    if form == "openai-chat":
        return lambda messages: client.chat.completions.create(model=MODEL, messages=messages)
    return lambda messages: client.responses.create(model=MODEL, input=messages, store=False)


def taken(form: str, answer: Any, number: int) -> list[Any]:
    """What an agent appends after an answer: values of the SDK as they came, and the output of the call."""
    if form == "openai-chat":
        return [answer.choices[0].message, {"role": "tool", "tool_call_id": f"call_{number}", "content": NOTES}]
    return [*answer.output, {"type": "function_call_output", "call_id": f"call_{number}", "output": NOTES}]


def bodies(server: Any) -> list[Any]:
    """The lists of all requests."""
    return [body["messages" if "messages" in body else "input"] for _, body in server.received]


def compactor(**options: Any) -> Compactor[None]:
    """A compactor with the template."""
    return Compactor(limits=LIMITS, **options)


@pytest.mark.parametrize("in_loop", [False, True], ids=["thread", "event loop"])
@pytest.mark.parametrize("form", FORMS)
def test_many_tool_calls_are_compacted_once_whenever_it_is_due(form: str, in_loop: bool) -> None:
    """The API takes every request; a request begins as the one before it, but behind a compaction or a clearing."""
    events: list[str] = []
    conversation = Conversation(compactor(on_event=lambda event: events.append(event.kind)))
    conversation.extend([RULES, {"role": "user", "content": TASK}])
    with serving(*(calling(form, number) for number in range(STEPS))) as server:

        async def run() -> None:
            async with server.async_client(max_retries=0) as client:
                for number in range(STEPS):
                    conversation.extend(taken(form, await conversation.asend(asking(client, form)), number))

        if in_loop:
            asyncio.run(run())
        else:
            with server.client(max_retries=0) as client:
                for number in range(STEPS):
                    conversation.extend(taken(form, conversation.send(asking(client, form)), number))
        sent = bodies(server)
    changed = sum(after[: len(before)] != before for before, after in pairwise(sent))
    compacted, cleared = events.count("compacted"), events.count("pruned")
    assert (len(sent), len(conversation.messages)) == (STEPS, 2 + (2 if form == "openai-chat" else 3) * STEPS)
    assert 1 <= compacted <= 10
    assert changed <= compacted + cleared
    assert max(len(json.dumps(one).replace("\\n", " ")) / 4 for one in sent) < LIMITS.context_window
    assert all(TASK in str(one) and one[0] == RULES for one in sent)
    assert "notes-1.txt" in recall_tool(conversation)("notes-1.txt")


def test_a_filter_of_three_lines_compacts_once_whenever_it_is_due() -> None:
    """A framework passes its whole list before each request, and sends what the filter returns."""
    conversation = Conversation(compactor())

    def compacted(items: list[Any]) -> list[Any]:
        conversation.extend(items[len(conversation.messages) :])
        return [*conversation.prepare().messages]

    items: list[Any] = [{"role": "user", "content": TASK}]
    sent = [compacted(items)]
    with serving(*(calling("openai-responses", number) for number in range(STEPS))) as server:
        ask = asking(server.client(max_retries=0), "openai-responses")
        for number in range(STEPS):
            items += taken("openai-responses", ask(sent[-1]), number)
            sent.append(compacted(items))
    assert 1 <= sum(after[: len(before)] != before for before, after in pairwise(sent)) <= 10
    assert len(items) == 1 + 3 * STEPS


@pytest.mark.parametrize("code", ["context_length_exceeded", None])
@pytest.mark.parametrize("form", FORMS)
def test_the_providers_overflow_error_is_recovered_from(form: str, code: str | None) -> None:
    """The list is compacted whatever the estimate says, and sent once again (TRG_18)."""
    message = "Too long." if code else "This model's maximum context length is 9000 tokens."
    answers = [*(calling(form, number) for number in range(6)), failed(400, message, code), calling(form, 6)]
    conversation = Conversation(compactor())
    conversation.extend([RULES, {"role": "user", "content": TASK}])
    with serving(*answers) as server, server.client(max_retries=0) as client:
        for number in range(7):
            conversation.extend(taken(form, conversation.send(asking(client, form)), number))
        sent = bodies(server)
    assert len(sent) == 8
    assert len(json.dumps(sent[7])) < len(json.dumps(sent[6]))
    assert sent[7][0] == RULES


def test_a_format_that_the_first_messages_do_not_tell_is_told_by_a_later_one() -> None:
    """Plain texts are the same in all; what was sent before stays."""
    texts = [{"role": role, "content": f"{role} {n}"} for n in range(3) for role in ("user", "assistant")]
    for form in FORMS:
        conversation = Conversation(compactor())
        conversation.extend([*texts, {"role": "user", "content": TASK}])
        first = conversation.prepare().messages
        with serving(calling(form, 0), calling(form, 1)) as server, server.client(max_retries=0) as client:
            conversation.extend(taken(form, conversation.send(asking(client, form)), 0))
            conversation.extend(taken(form, conversation.send(asking(client, form)), 1))
            assert bodies(server)[1][: len(first)] == first
            policy = CompactionPolicy(keep_tokens=100)
            again = Conversation(
                Compactor(limits=ModelLimits(context_window=2_000, max_output_tokens=100), policy=policy)
            )
            again.extend(conversation.messages[:7])
            again.prepare()
            again.extend(conversation.messages[7:])
            outgoing = again.prepare()
        assert outgoing.compaction is not None
        assert outgoing.compaction.format == form


def test_a_named_format_is_that_of_plain_texts() -> None:
    """Where the messages do not tell it; another name is refused."""
    texts = [{"role": "user", "content": f"Build pier {n}. " + "Mind the tide. " * 300} for n in range(20)]
    conversation = Conversation(compactor(), format="openai-responses")
    conversation.extend(texts)
    assert {one.get("type") for one in conversation.prepare().messages[:1]} == {"message"}
    with pytest.raises(InvalidInput, match="format is 'openai'; it should be 'anthropic'"):
        Conversation(compactor(), format="openai")  # type: ignore[arg-type]


TOOL = {"role": "tool", "tool_call_id": "call_9", "content": "Notes."}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (TOOL, "message 2 answers the call 'call_9', which no message before it makes: append the message"),
        ({"role": "assistant", "tool_calls": 5}, "message 2 has int as its tool calls"),
        (5, "message 2 is int"),
    ],
)
def test_what_cannot_be_read_is_not_appended(message: Any, told: str) -> None:
    """The error names the message, and the conversation goes on as it was."""
    conversation = Conversation(compactor())
    conversation.extend([RULES, {"role": "user", "content": TASK, "name": "alice"}])
    conversation.prepare()
    with pytest.raises(InvalidInput, match=told):
        conversation.extend([message, {"role": "user", "content": "Go on."}])
    assert len(conversation.messages) == 2
    mixed = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": ""}]}
    with pytest.raises(InvalidInput, match="message 2 is in the format anthropic, and those before it are in openai"):
        conversation.append(mixed)
    assert conversation.prepare().messages == [RULES, {"role": "user", "content": TASK, "name": "alice"}]


def test_a_session_does_not_take_a_list_of_openais(tmp_path: Any) -> None:
    """It holds Anthropic's messages; nothing is written."""
    with open_store(tmp_path).create() as session:
        conversation = Conversation(compactor(), session=session)
        with pytest.raises(InvalidInput, match="in the format openai-chat, and a session holds Anthropic's"):
            conversation.append(RULES)
        assert not session.view().messages
