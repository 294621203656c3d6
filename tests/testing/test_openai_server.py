"""OpenAIServer, by the real SDK: answers, streams, refusals and failures of both APIs."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest

from brim.testing import (
    Answer,
    OpenAIServer,
    asks_for_summary,
    cut_off,
    dropped,
    dropped_midstream,
    failed_midstream,
    hang,
    rate_limited,
    refused,
    rejected,
    text_block,
    thinking_block,
    tool_call,
)

HELLO: list[Any] = [{"role": "user", "content": "Hello."}]
ACTS = [
    thinking_block("Hm."),
    text_block("I look into the folder now."),
    tool_call("bash", {"command": "ls -l | head -9"}),
]
READ: Any = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}


def chat(client: Any, **options: Any) -> Any:
    """Ask for a chat completion."""
    return client.chat.completions.create(**{"model": "gpt-5", "messages": HELLO, **options})


def respond(client: Any, **options: Any) -> Any:
    """Ask for a response."""
    return client.responses.create(**{"model": "gpt-5", "input": HELLO, **options})


ASKED: list[Callable[..., Any]] = [chat, respond]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A server whose window is small."""
    with OpenAIServer(context_window=1_000) as running:
        yield running


def test_a_chat_is_the_same_streamed_or_not(server: OpenAIServer) -> None:
    """Text, call, reason and usage, put together by the SDK; the arguments come in pieces."""
    server.script(ACTS, ACTS)
    with server.client() as client:
        whole = chat(client)
        with client.chat.completions.stream(
            model="gpt-5", messages=HELLO, stream_options={"include_usage": True}
        ) as stream:
            read = stream.get_final_completion()
        chunks = [*chat(client, stream=True)]
    for one in (whole, read):
        (choice,) = one.choices
        assert choice.finish_reason == "tool_calls"
        assert choice.message.content == "I look into the folder now."
        assert [json.loads(call.function.arguments) for call in choice.message.tool_calls] == [
            {"command": "ls -l | head -9"}
        ]
        assert one.usage.prompt_tokens > 0 < one.usage.completion_tokens
    assert [chunk.usage for chunk in chunks] == [None] * len(chunks)


def test_a_response_is_the_same_streamed_or_not(server: OpenAIServer) -> None:
    """Reasoning, text and call, as items that may be sent back, behind an input that is a text."""
    server.script(ACTS, ACTS)
    with server.client() as client:
        whole = respond(client, input="Hello.")
        with client.responses.stream(model="gpt-5", input="Hello.") as stream:
            read = stream.get_final_response()
        for one in (whole, read):
            assert [item.type for item in one.output] == ["reasoning", "message", "function_call"]
            assert one.output_text == "I look into the folder now."
            assert json.loads(one.output[2].arguments) == {"command": "ls -l | head -9"}
            output = {"type": "function_call_output", "call_id": one.output[2].call_id, "output": "a.py"}
            items = [*HELLO, *(item.model_dump(exclude_none=True) for item in one.output), output]
            assert respond(client, input=items).output_text == "Done."
        assert client.responses.input_tokens.count(input=HELLO).input_tokens > 0


@pytest.mark.parametrize(
    ("answer", "finish", "status", "why"),
    [
        (cut_off("The first"), "length", "incomplete", "max_output_tokens"),
        (refused(), "content_filter", "incomplete", "content_filter"),
        (Answer("Yes.", stop_reason="end_turn"), "stop", "completed", None),
    ],
)
def test_an_answer_ends_as_the_script_says(
    server: OpenAIServer, answer: Answer, finish: str, status: str, why: str | None
) -> None:
    """In the words of each API."""
    server.script(answer, answer)
    with server.client() as client:
        assert chat(client).choices[0].finish_reason == finish
        response = respond(client)
    assert response.status == status
    assert getattr(response.incomplete_details, "reason", None) == why


CALL = {"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("ask", "options", "told"),
    [
        (chat, {"messages": [*HELLO, {"role": "assistant", "tool_calls": [CALL]}]}, "must answer these calls first: 1"),
        (respond, {"input": [{"type": "function_call_output", "call_id": "1", "output": ""}]}, "no call found"),
        (chat, {"model": None}, "Missing required parameter: 'model'"),
        (respond, {"previous_response_id": "resp_9"}, "Previous response with id 'resp_9' not found"),
        (chat, {"tools": [{"name": "read", "input_schema": {}}]}, r"'tools\[0\].type'"),
        (chat, {"tools": [{"type": "function", "name": "read"}]}, r"'tools\[0\].function.name'"),
        (chat, {"messages": [{"role": "user", "content": "x" * 5_000}]}, "maximum context length is 1000 tokens"),
    ],
)
def test_what_the_apis_refuse_is_refused(
    server: OpenAIServer, ask: Callable[..., Any], options: dict[str, Any], told: str
) -> None:
    """With 400, and it is noted; a right request goes on."""
    with server.client() as client:
        with pytest.raises(openai.BadRequestError, match=told):
            ask(client, **options)
        assert len(server.refusals) == 1
        assert chat(client, tools=[READ]).choices[0].message.content == "Done."
        assert server.requests[-1].body["tools"] == [READ]


def test_a_wrong_key_an_unknown_path_and_a_body_that_is_none(server: OpenAIServer) -> None:
    """Each has its status."""
    with server.client(api_key="sk-other") as client, pytest.raises(openai.AuthenticationError, match="Incorrect API"):
        chat(client)
    with server.client() as client:
        with pytest.raises(openai.NotFoundError, match="Unknown request URL: GET /v1/models"):
            client.models.list()
        with pytest.raises(openai.BadRequestError, match="could not parse the JSON"):
            client.post("/responses", cast_to=object, body=[])


@pytest.mark.parametrize("ask", ASKED)
def test_failures_are_what_a_client_meets(server: OpenAIServer, ask: Callable[..., Any]) -> None:
    """An error before the answer, one within its stream, and connections that close."""
    server.script(rate_limited(3), rejected("No.", status=403), dropped(), dropped_midstream(), dropped_midstream())
    server.script(failed_midstream(), failed_midstream(), hang())
    with server.client(timeout=1) as client:
        with pytest.raises(openai.RateLimitError) as limited:
            ask(client)
        assert limited.value.response.headers["retry-after"] == "3"
        with pytest.raises(openai.PermissionDeniedError, match=r"No\."):
            ask(client)
        for streamed in (False, False, True):
            with pytest.raises(Exception, match=r"disconnected|closed|Connection"):
                list(ask(client, stream=streamed))
        with pytest.raises(openai.APIError, match="Overloaded"):
            ask(client)
        if ask is chat:
            with pytest.raises(openai.APIError, match="Overloaded"):
                list(ask(client, stream=True))
        else:  # the SDK gives this as an event
            assert [*ask(client, stream=True)][-1].message == "Overloaded"
        with pytest.raises(openai.APITimeoutError):
            ask(client)
    assert server.refusals == []


def test_a_function_of_the_script_that_raises_is_raised_at_the_end() -> None:
    """As by MessagesServer; a summary of brim's has answers of its own."""

    def failing(_body: Any) -> str:
        raise AssertionError("not this")

    server = OpenAIServer([failing])
    server.when(asks_for_summary, "<summary>All went well.</summary>")
    with pytest.raises(AssertionError, match="not this"), server, server.client() as client:
        with pytest.raises(openai.InternalServerError, match="the script failed"):
            chat(client)
        assert server.unused == 1


@pytest.mark.parametrize(
    ("answers", "told"), [([5], "an answer is int"), ([[{"type": "output_text"}]], "a block is 'output_text'")]
)
def test_what_is_no_answer_is_told(answers: list[Any], told: str) -> None:
    """Not with an empty message."""
    with pytest.raises(TypeError, match=told), OpenAIServer(answers) as server, server.client() as client:
        with pytest.raises(openai.InternalServerError):
            chat(client)


def test_one_block_is_a_script_of_one_answer() -> None:
    """As one text is."""
    with OpenAIServer(tool_call("bash")) as server, server.client() as client:
        assert chat(client).choices[0].finish_reason == "tool_calls"


def test_an_async_client_asks_it_too(server: OpenAIServer) -> None:
    """For event loops."""

    async def ask() -> Any:
        async with server.async_client() as client:
            return await respond(client)

    assert asyncio.run(ask()).output_text == "Done."


def test_without_the_sdk_the_extra_is_named(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with the name of a module alone."""
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ImportError, match=r"OpenAI's client needs more .*\[openai\]"):
        server.client()
