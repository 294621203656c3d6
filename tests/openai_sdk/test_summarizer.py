"""Summaries over real HTTP, through the real client: what goes out, and what each answer comes to, sync and async."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from threading import Timer
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

from brim import CompactionPolicy, Compactor, ModelLimits
from brim.compaction.events import SummaryDelta
from brim.errors import CompactionCancelled, InvalidInput, ProviderFailed, ProviderRefused, UnknownModel, WrongKey
from brim.openai.summarizer import OpenAISummarizer
from brim.summary.summarizer_input import SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage
from steps.openai_conversations import turns
from steps.prerequisites import sized
from tests.conversation.openai_strategies import conversations
from tests.openai_sdk.server import CHAT, RESPONSES, USAGE, chat, chunk, failed, response, responses, serving

LIMITS = ModelLimits(context_window=20_000, max_output_tokens=4_000)
MODEL = "gpt-test"
NO_END: dict[str, Any] = {"openai-chat": (), "openai-responses": {}}
"""The end of a stream that has none."""
USED = TokenUsage(input=50, cache_read=100, output=40)
FORMS = {
    "openai-chat": ("chat", chat, CHAT, "messages"),
    "openai-responses": ("Responses", responses, RESPONSES, "input"),
}


def summarize(server, form, asked, heard, **options):
    """Ask once, by a client that would try again by itself."""
    return OpenAISummarizer(server.client(**options), form).summarize(asked, heard)


def asummarize(server, form, asked, heard, **options):
    """The same in an event loop."""
    return asyncio.run(OpenAISummarizer(server.async_client(**options), form).asummarize(asked, heard))


either = pytest.mark.parametrize("ask", [summarize, asummarize], ids=["sync", "async"])
both = pytest.mark.parametrize("form", FORMS)


def request(**fields: Any) -> SummaryRequest:
    """A rendered request."""
    made = {"model": MODEL, "system": "You write.", "messages": ({"role": "user", "content": "All of it."},)}
    return SummaryRequest(
        **{**made, "max_tokens": 900, "form": "rendered", "tokens": 10, "replaces_tokens": 100, **fields}
    )


def answered(ask, form, scripted, asked=None, **options) -> SummaryAnswer:
    """What one answer of the server comes to; it is asked once, whatever it says."""
    with serving(scripted) as server:
        answer = ask(server, form, asked or request(), lambda _: None, **options)
        assert len(server.received) == 1
    return answer


@either
@both
def test_an_answer_is_heard_piece_by_piece_and_read_whole(ask, form):
    """The listener hears each piece; the answer has the text, why it ended, who wrote it and what was billed."""
    pieces = []
    with serving(FORMS[form][1]("All ", "is ", "well.")) as server:
        answer = ask(server, form, request(), pieces.append)
    assert pieces == ["All ", "is ", "well."]
    assert answer == SummaryAnswer(text="All is well.", stop_reason="stop", model="gpt-test-2026", usage=USED)


@either
def test_a_rendered_request_as_chat(ask):
    """The system prompt is the first message; no tools, and the longest answer under its present name."""
    with serving(chat("Well.")) as server:
        ask(server, "openai-chat", request(), lambda _: None)
    messages = [{"role": "system", "content": "You write."}, {"role": "user", "content": "All of it."}]
    limit = {"max_completion_tokens": 900, "stream": True, "stream_options": {"include_usage": True}}
    assert server.received == [(CHAT, {"model": MODEL, "messages": messages, **limit})]


@either
def test_a_rendered_request_as_a_response(ask):
    """The system prompt is the instructions; nothing is stored with the provider."""
    with serving(responses("Well.")) as server:
        ask(server, "openai-responses", request(), lambda _: None)
    items = [{"type": "message", "role": "user", "content": "All of it."}]
    limit = {"max_output_tokens": 900, "stream": True, "store": False, "instructions": "You write."}
    assert server.received == [(RESPONSES, {"model": MODEL, "input": items, **limit})]


@both
@pytest.mark.parametrize("in_loop", [False, True])
def test_the_conversation_s_own_prefix_goes_out_as_it_is(form, in_loop):
    """Every message in its own format, behind them the instruction; tools and parameters too, and no tool is called."""
    named, answer, path, field = FORMS[form]
    messages = [message for turn in turns(named, 12) for message in turn]
    tools = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]
    carried: dict[str, Any] = {
        "tools": tools,
        "parameters": {"reasoning_effort": "low", "max_output_tokens": 5, "n": 2},
    }
    heard: list[Any] = []
    options: dict[str, Any] = {"model": MODEL, "limits": LIMITS, "policy": CompactionPolicy(keep_tokens=400)}
    options["on_event"] = heard.append
    with serving(answer("All ", "went well.")) as server:
        if in_loop:
            compactor = Compactor(summarizer=OpenAISummarizer(server.async_client(), form), **options)
            result = asyncio.run(compactor.acompact(deepcopy(messages), **carried))
        else:
            result = Compactor(summarizer=OpenAISummarizer(server.client(), form), **options).compact(
                messages, **carried
            )
    assert result.summary_source == "model"
    assert result.plan.call.strategy == "warm prefix"
    assert [event.text for event in heard if isinstance(event, SummaryDelta)] == ["All ", "went well."]
    ((to, body),) = server.received
    assert to == path
    assert body[field][: len(messages)] == messages
    assert len(body[field]) == len(messages) + 1
    assert (body["tools"], body["tool_choice"], body["reasoning_effort"]) == (tools, "none", "low")
    assert "n" not in body
    assert body.get("max_output_tokens") != 5


@pytest.mark.parametrize(
    ("messages", "summarizes"), [("openai-chat", "openai-responses"), ("anthropic", "openai-chat")]
)
def test_another_format_is_rendered(messages, summarizes):
    """A prefix in a format that the summarizer does not send is not in the cache of its API."""
    form = "anthropic" if messages == "anthropic" else "chat"
    texts = [{"role": role, "content": "Mind the tide. " * 200} for _ in range(6) for role in ("user", "assistant")]
    given = texts if form == "anthropic" else [message for turn in turns("chat", 12) for message in turn]
    with serving(FORMS[summarizes][1]("All went well.")) as server:
        summarizer = OpenAISummarizer(server.client(), summarizes)
        policy = CompactionPolicy(keep_tokens=400)
        result = Compactor(model=MODEL, limits=LIMITS, policy=policy, summarizer=summarizer).compact(given)
    assert result.summary_source == "model"
    assert result.plan.call.reason == "rendered: the summarizer does not send messages of this format"


@either
@both
@pytest.mark.parametrize(
    ("scripted", "kind", "words"),
    [
        (failed(401, "Incorrect API key", "invalid_api_key"), ("permanent", WrongKey), "OPENAI_API_KEY"),
        (failed(401, "Incorrect: sk-proj-AAAABBBBCCCC"), ("permanent", WrongKey), "Incorrect: [secret]"),
        (failed(404, "The model does not exist", "model_not_found"), ("permanent", UnknownModel), "models.list()"),
        (failed(404, "Not Found"), ("permanent", ProviderRefused), "base_url"),
        (failed(400, "Unknown parameter"), ("permanent", ProviderRefused), "Unknown parameter"),
        (failed(400, "Too long", "context_length_exceeded"), ("prompt_too_long", ProviderRefused), "send less"),
        (failed(400, "maximum context length is 128000 tokens"), ("prompt_too_long", ProviderRefused), "send less"),
        (failed(422, "Input is too long for requested model."), ("prompt_too_long", ProviderRefused), "send less"),
        (failed(429, "Slow down", "rate_limit_exceeded"), ("transient", ProviderFailed), "Slow down"),
        (failed(429, "No money", "insufficient_quota"), ("permanent", ProviderRefused), "No money"),
        (failed(500, "Oops"), ("transient", ProviderFailed), "try again later"),
        (failed(503, "Overloaded", x_should_retry="false"), ("permanent", ProviderFailed), "forbids"),
    ],
)
def test_a_refusal_by_its_status(ask, form, scripted, kind, words):
    """What waiting cures, what a smaller prompt cures, and what neither does; the error names it."""
    answer = answered(ask, form, scripted)
    assert (answer.failure, type(answer.error)) == kind
    assert words in answer.reason


def whole(form, text, finish):
    """An answer in one piece of JSON, as of a server that ignores `stream`."""
    if form == "openai-chat":
        said = {"role": "assistant", "content": text, "refusal": "I cannot." if finish == "refusal" else None}
        choice = {
            "index": 0,
            "message": said,
            "finish_reason": finish if finish in ("length", "tool_calls") else "stop",
        }
        made = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-test-2026"}
        return 200, {**made, "choices": [choice], "usage": USAGE}, {}
    if finish == "length":
        return 200, {**SHORT["response"], "output": responses(text)[-1]["response"]["output"]}, {}
    refuses = {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    output = {"tool_calls": [CALL], "refusal": [refuses]}.get(finish, responses(text)[-1]["response"]["output"])
    return 200, response("completed", output), {}


@either
@both
@pytest.mark.parametrize(
    ("text", "finish"), [("All is well.", "stop"), ("All is", "length"), ("", "refusal"), ("", "tool_calls")]
)
def test_a_server_that_ignores_stream(ask, form, text, finish):
    """Its JSON comes to the same as a stream, in one call."""
    answer = answered(ask, form, whole(form, text, finish))
    assert answer == SummaryAnswer(text=text, stop_reason=finish, model="gpt-test-2026", usage=USED)


@either
@both
@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"code": "server_error", "message": "Oops"}, "server_error: Oops"),
        ("No model is loaded.", "No model is loaded."),
        (None, "the answer broke off or could not be read"),
    ],
)
def test_a_server_that_ignores_stream_and_fails(ask, form, error, words):
    """With the status of a success; its words are the reason, or that it is no answer."""
    answer = answered(ask, form, (200, {"error": error}, {}))
    assert (answer.failure, answer.text) == ("transient", "")
    assert words in answer.reason


@either
@pytest.mark.parametrize(
    ("refusal", "left_out", "limit"),
    [
        (failed(400, "Unsupported parameter: 'max_completion_tokens'"), "max_completion_tokens", "max_tokens"),
        (failed(422, "max_completion_tokens: extra fields not permitted"), "max_completion_tokens", "max_tokens"),
        (failed(400, "Unknown parameter: stream_options"), "stream_options", "max_completion_tokens"),
    ],
)
def test_an_older_server_is_asked_without_the_field_that_it_refuses(ask, refusal, left_out, limit):
    """The limit of the answer goes under its older name."""
    with serving(refusal, chat("Well.")) as server:
        assert ask(server, "openai-chat", request(), lambda _: None).text == "Well."
    (_, first), (_, second) = server.received
    assert left_out in first
    assert left_out not in second
    assert second[limit] == 900


@pytest.mark.parametrize("name", ["input", "instructions", "messages", "model"])
def test_parameters_that_would_replace_the_request(name):
    """Each is refused with what to do instead."""
    with pytest.raises(InvalidInput, match=f"parameters holds '{name}', which would replace brim's own"):
        Compactor().compact(turns("chat", 2)[0], parameters={name: "other"})


@either
def test_chunks_with_null_fields(ask):
    """Servers send them first and last."""
    first, last = {**chunk({}), "choices": None}, chunk({}, "stop")
    last["choices"][0]["delta"] = None
    answer = answered(ask, "openai-chat", [first, *chat("Well.", end=(last, "[DONE]"))])
    assert (answer.text, answer.stop_reason) == ("Well.", "stop")


CALL = {"type": "function_call", "id": "fc", "call_id": "A", "name": "bash", "arguments": "{}", "status": "completed"}
SHORT = {
    "type": "response.incomplete",
    "response": response("incomplete", [], incomplete_details={"reason": "max_output_tokens"}),
}
FILTERED = {
    "type": "response.incomplete",
    "response": response("incomplete", [], incomplete_details={"reason": "content_filter"}),
}
CALLED = {"type": "response.completed", "response": response("completed", [CALL])}
REFUSED = {
    "type": "response.refusal.delta",
    "delta": "I cannot.",
    "item_id": "m",
    "output_index": 0,
    "content_index": 0,
}
REFUSES = [*responses(end={}), {**REFUSED, "sequence_number": 8}, *responses()[-1:]]


@either
@pytest.mark.parametrize(
    ("form", "scripted", "reason"),
    [
        ("openai-chat", chat("Half", finish="length"), "length"),
        ("openai-chat", chat(finish="content_filter"), "content_filter"),
        ("openai-chat", chat(finish="tool_calls"), "tool_calls"),
        ("openai-chat", chat(end=(chunk({"refusal": "I cannot."}), chunk({}, "stop"), "[DONE]")), "refusal"),
        ("openai-responses", responses("Half", end=SHORT), "length"),
        ("openai-responses", responses(end=FILTERED), "refusal"),
        ("openai-responses", responses(end=CALLED), "tool_calls"),
        ("openai-responses", REFUSES, "refusal"),
    ],
)
def test_why_the_model_stopped(ask, form, scripted, reason):
    """In the words by which a summary is judged (SUM_08)."""
    assert answered(ask, form, scripted).stop_reason == reason


BROKEN = {
    "type": "response.failed",
    "response": response("failed", [], error={"code": "server_error", "message": "Oops"}),
}
FULL = {"type": "error", "code": "context_length_exceeded", "message": "Too long", "param": None}
LATE = {"error": {"message": "Overloaded", "type": "server_error", "code": None}}


@either
@pytest.mark.parametrize(
    ("form", "scripted", "kind", "told"),
    [
        ("openai-chat", chat("Half", end=()), "transient", ""),
        ("openai-chat", chat("Half", end=(LATE,)), "transient", "(server_error: Overloaded)"),
        ("openai-responses", responses("Half", end={}), "transient", ""),
        ("openai-responses", responses("Half", end=BROKEN), "transient", "(server_error: Oops)"),
        ("openai-responses", responses("Half", end=FULL), "prompt_too_long", "context_length_exceeded: Too long"),
        (
            "openai-responses",
            responses(end={**FULL, "code": "invalid_prompt", "message": "No."}),
            "permanent",
            "invalid_prompt: No.",
        ),
    ],
)
def test_a_stream_that_does_not_end_well(ask, form, scripted, kind, told):
    """Half a summary is none, and the reason is in the provider's words."""
    answer = answered(ask, form, scripted)
    assert (answer.failure, answer.text) == (kind, "")
    assert told in answer.reason


@either
@both
def test_a_server_that_stays_silent(ask, form):
    """The client's own timeout holds."""
    answer = answered(ask, form, lambda: FORMS[form][1]("Half", end=NO_END[form]), timeout=0.3)
    assert (answer.failure, type(answer.error)) == ("transient", ProviderFailed)


@either
@both
def test_no_server(ask, form):
    """A connection that is refused is a failure that waiting may cure."""
    with serving() as server:
        pass
    answer = ask(server, form, request(), lambda _: None)
    assert (answer.failure, type(answer.error)) == ("transient", ProviderFailed)


@either
@both
def test_a_request_that_cannot_be_sent(ask, form):
    """Without a model, with a value that is no JSON, to an address that is none."""
    with serving() as server:
        assert type(ask(server, form, request(model=""), lambda _: None).error) is UnknownModel
        unwritable = request(parameters={"metadata": object()})
        assert type(ask(server, form, unwritable, lambda _: None).error) is InvalidInput
        nowhere = ask(server, form, request(), lambda _: None, base_url="ftp://127.0.0.1")
        assert type(nowhere.error) is ProviderRefused
        assert server.received == []


@both
def test_a_compaction_is_cancelled_while_the_server_is_silent(form):
    """At once: the thread does not wait for the provider."""
    named, answer, _, _ = FORMS[form]
    messages = [message for turn in turns(named, 12) for message in turn]
    with serving(lambda: answer("Half", end=NO_END[form])) as server:
        policy = CompactionPolicy(keep_tokens=400)
        summarizer = OpenAISummarizer(server.client(), form)
        compactor = Compactor(model=MODEL, limits=LIMITS, policy=policy, summarizer=summarizer)
        timer = Timer(0.3, compactor.cancel)
        timer.start()
        with pytest.raises(CompactionCancelled):
            compactor.compact(messages)
        timer.join()


def test_what_is_no_client_is_refused():
    """And a format whose API it does not know."""
    with pytest.raises(InvalidInput, match="it is an OpenAI client"):
        OpenAISummarizer(object())
    with serving() as server, pytest.raises(InvalidInput, match="openai-chat or openai-responses"):
        OpenAISummarizer(server.client(), "openai")
    with serving() as server, pytest.raises(InvalidInput, match="summarizer=OpenAISummarizer"):
        Compactor(server.client(), MODEL)
    with serving() as server, pytest.raises(InvalidInput, match="summarizer is for event loops: call acompact"):
        Compactor(model=MODEL, limits=LIMITS, summarizer=OpenAISummarizer(server.async_client())).compact([])
    with serving() as server, pytest.raises(InvalidInput, match=r"OpenAISummarizer asks .*: model=…"):
        Compactor(limits=LIMITS, summarizer=OpenAISummarizer(server.client()))


ACCEPTED = {
    "openai-chat": TypeAdapter(list[ChatCompletionMessageParam]),
    "openai-responses": TypeAdapter(list[ResponseInputItemParam]),
}
"""What the SDK's own types say of a request's messages."""


@both
@settings(max_examples=sized(20, nightly=500))
@given(data=st.data())
def test_what_brim_writes_is_of_the_sdk_s_types(form, data):
    """Summaries, results of interrupted calls and cleared outputs too."""
    named, messages = data.draw(conversations())
    assume(named == form)
    limits = ModelLimits(context_window=2_000, max_output_tokens=100)
    result = Compactor(limits=limits, policy=CompactionPolicy(keep_tokens=data.draw(st.integers(0, 800)))).compact(
        messages
    )
    ACCEPTED[form].validate_python(result.messages)
