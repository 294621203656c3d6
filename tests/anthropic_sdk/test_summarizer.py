"""Summaries through the SDK: the requests that really went out, and what each answer comes to, sync and async."""

import asyncio
import copy
import json
from collections.abc import Iterator

import httpx2
import pytest
import respx
from anthropic import Anthropic, AsyncAnthropic

from brim.anthropic.summarizer import AnthropicSummarizer
from brim.errors import (
    CompactionCancelled,
    InvalidInput,
    ProviderFailed,
    ProviderRefused,
    UnknownModel,
    WrongKey,
)
from brim.summary.summarizer_input import SummaryAnswer
from brim.tokens.usage import TokenUsage
from steps.api_answers import (
    MODEL,
    URL,
    begun,
    call,
    ended,
    error_body,
    event,
    streamed,
    text,
    thinking,
)
from tests.anthropic_sdk.answers import request

WHOLE = begun() + text(0, "All ", "is ", "well.") + ended()
USED = TokenUsage(input=150, cache_read=900, cache_write=50, output=42)


@pytest.fixture(autouse=True)
def no_key_around(monkeypatch, tmp_path):
    """No key but the one that a test gives."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


class Broken(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A stream that breaks off, and knows whether it was closed."""

    def __init__(self, sent: str, fault: BaseException) -> None:
        self.sent, self.fault, self.closed = sent, fault, False

    def __iter__(self) -> Iterator[bytes]:
        yield self.sent.encode()
        raise self.fault

    async def __aiter__(self):
        yield self.sent.encode()
        raise self.fault

    def close(self) -> None:
        """As the client does it."""
        self.closed = True

    async def aclose(self) -> None:
        """As the client does it in an event loop."""
        self.closed = True


def summarize(asked, heard, **options):
    """Ask once, by a client that would try again by itself."""
    return AnthropicSummarizer(Anthropic(**{"api_key": "key"} | options)).summarize(asked, heard)


def asummarize(asked, heard, **options):
    """As summarize, in an event loop."""
    client = AsyncAnthropic(**{"api_key": "key"} | options)
    return asyncio.run(AnthropicSummarizer(client).asummarize(asked, heard))


either = pytest.mark.parametrize("ask", [summarize, asummarize], ids=["sync", "async"])


def answered(ask, response, *, asked=None, heard=None, **options) -> SummaryAnswer:
    """What one answer of the provider comes to; it is asked once, whatever it says."""
    mocked = {"side_effect": response} if isinstance(response, BaseException) else {"return_value": response}
    with respx.mock:
        route = respx.post(URL).mock(**mocked)
        answer = ask(asked or request(), heard or (lambda _: None), **options)
        assert route.call_count == 1
    return answer


def broken(sent: str, fault: BaseException) -> httpx2.Response:
    """An answer whose stream breaks off."""
    return httpx2.Response(200, stream=Broken(sent, fault), headers={"content-type": "text/event-stream"})


@either
def test_the_request_goes_out_as_it_is(ask):
    """Model, system prompt, tools, messages and longest answer as they came, cache marks too, and streamed."""
    mark = {"cache_control": {"type": "ephemeral"}}
    system = [{"type": "text", "text": "You code.", **mark}]
    tools = [{"name": "Bash", "input_schema": {"type": "object"}, **mark}]
    messages = (
        {"role": "user", "content": [{"type": "text", "text": "Go.", **mark}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]},
        {"role": "user", "content": "Summarize."},
    )
    asked = request(system=system, tools=tools, messages=messages, form="warm")
    before = copy.deepcopy(asked)
    with respx.mock:
        route = respx.post(URL).mock(return_value=streamed(WHOLE))
        ask(asked, lambda _: None)
        sent = json.loads(route.calls.last.request.content)
    assert sent == {
        "model": MODEL,
        "max_tokens": 1_000,
        "system": system,
        "tools": tools,
        "messages": list(messages),
        "stream": True,
    }
    assert asked == before


@either
@pytest.mark.parametrize("system", [None, "", []])
def test_what_is_empty_is_not_sent(ask, system):
    """No system prompt and no tools are told by leaving them out."""
    with respx.mock:
        route = respx.post(URL).mock(return_value=streamed(WHOLE))
        ask(request(system=system), lambda _: None)
        sent = json.loads(route.calls.last.request.content)
    assert sorted(sent) == ["max_tokens", "messages", "model", "stream"]


@either
def test_an_answer_is_heard_piece_by_piece_and_told_whole(ask):
    """The listener hears each piece; the answer has the text, why it ended, who wrote it and what was billed."""
    pieces = []
    answer = answered(ask, streamed(WHOLE), heard=pieces.append)
    assert pieces == ["All ", "is ", "well."]
    assert answer == SummaryAnswer(text="All is well.", stop_reason="end_turn", model=MODEL, usage=USED)


@either
@pytest.mark.parametrize(
    ("parts", "told", "reason"),
    [
        ((thinking(0, "Hm."), text(1, "A"), text(2, "B"), ended()), "AB", "end_turn"),
        ((ended(),), "", "end_turn"),
        ((call(0), ended("tool_use")), "", "tool_use"),
        ((text(0, "I look."), call(1), ended("tool_use")), "I look.", "tool_use"),
        ((text(0, "All is"), ended("max_tokens")), "All is", "max_tokens"),
        ((ended("refusal"),), "", "refusal"),
        ((text(0, "A"), ended(None)), "A", None),
    ],
    ids=["thinking", "empty", "tool", "text and tool", "cut off", "refusal", "no reason"],
)
def test_what_a_model_answered_is_told_as_it_is(ask, parts, told, reason):
    """The text alone and the reason to stop; whether it may stand is for others to judge."""
    answer = answered(ask, streamed(begun(), *parts))
    assert (answer.text, answer.stop_reason, answer.failure) == (told, reason, None)


STATUSES = [
    (400, "invalid_request_error", "max_tokens: too small", "permanent", ProviderRefused),
    (400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", "prompt_too_long", ProviderRefused),
    (401, "authentication_error", "invalid x-api-key", "permanent", WrongKey),
    (403, "permission_error", "not for you", "permanent", WrongKey),
    (404, "not_found_error", "model: claude-x", "permanent", UnknownModel),
    (408, "timeout_error", "late", "transient", ProviderFailed),
    (413, "request_too_large", "too many bytes", "prompt_too_long", ProviderRefused),
    (429, "rate_limit_error", "slow down", "transient", ProviderFailed),
    (500, "api_error", "Internal server error", "transient", ProviderFailed),
    (529, "overloaded_error", "Overloaded", "transient", ProviderFailed),
]


@either
@pytest.mark.parametrize(("status", "kind", "message", "failure", "error"), STATUSES)
def test_an_error_of_the_provider_is_an_answer(ask, *, status, kind, message, failure, error):
    """Whether waiting cures it, what to raise, and in words what was met; the client itself does not try again."""
    answer = answered(ask, httpx2.Response(status, json=error_body(kind, message)))
    assert (answer.failure, type(answer.error)) == (failure, error)
    assert f"{status}: {message}" in answer.reason
    assert answer.reason == str(answer.error)
    assert (answer.text, answer.stop_reason) == ("", None)


@either
@pytest.mark.parametrize(("status", "kind", "message", "failure", "error"), STATUSES)
def test_an_error_in_mid_stream_is_the_same_answer(ask, *, status, kind, message, failure, error):
    """What was heard before it is no answer, and its kind tells what its status cannot."""
    pieces = []
    response = streamed(begun(), text(0, "All is"), event("error", **error_body(kind, message)))
    answer = answered(ask, response, heard=pieces.append)
    assert (answer.failure, type(answer.error), answer.text) == (failure, error, "")
    assert pieces == ["All is"]


@either
def test_what_the_provider_says_waiting_does_not_cure_is_permanent(ask):
    """A limit on spending is a 429 that no wait of ours ends."""
    headers = {"x-should-retry": "false", "retry-after": "7"}
    answer = answered(ask, httpx2.Response(429, json=error_body("rate_limit_error", "spent"), headers=headers))
    assert (answer.failure, type(answer.error)) == ("permanent", ProviderFailed)


@either
@pytest.mark.parametrize(
    "fault",
    [
        httpx2.ConnectError("refused"),
        httpx2.RemoteProtocolError("Server disconnected"),
        httpx2.ConnectTimeout("late"),
        httpx2.ReadTimeout("late"),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_a_line_that_breaks_before_an_answer_is_transient(ask, fault):
    """Nothing came back: waiting may cure it."""
    answer = answered(ask, fault)
    assert (answer.failure, type(answer.error)) == ("transient", ProviderFailed)


@either
@pytest.mark.parametrize(
    "fault",
    [httpx2.RemoteProtocolError("peer closed connection"), httpx2.ReadError("reset"), httpx2.ReadTimeout("late")],
    ids=lambda fault: type(fault).__name__,
)
def test_a_line_that_breaks_in_mid_stream_is_transient_and_closed(ask, fault):
    """Half an answer is none."""
    response = broken(begun() + text(0, "All is"), fault)
    answer = answered(ask, response)
    assert (answer.failure, type(answer.error), answer.text) == ("transient", ProviderFailed, "")
    assert response.stream.closed


@either
@pytest.mark.parametrize(
    "sent",
    [
        "",
        begun(),
        begun() + text(0, "All is"),
        begun() + text(0, "All is") + event("message_delta", delta={"stop_reason": "end_turn"}, usage={}),
        event("message_stop"),
        "event: message_start\ndata: {\n\n",
        event("content_block_delta", index=3, delta={"type": "text_delta", "text": "A"}),
        begun() + event("content_block_delta", index=3, delta={"type": "text_delta", "text": "A"}),
        "<html>Service Unavailable</html>",
    ],
)
def test_a_stream_that_ends_early_or_makes_no_sense_is_transient(ask, sent):
    """An answer counts when the provider said that it is whole."""
    answer = answered(ask, streamed(sent))
    assert (answer.failure, type(answer.error), answer.text) == ("transient", ProviderFailed, "")


@either
def test_a_window_that_is_full_is_a_prompt_that_is_too_long(ask):
    """Less history gives the answer room; what it cost is known."""
    answer = answered(ask, streamed(begun(), text(0, "All is"), ended("model_context_window_exceeded")))
    assert (answer.failure, answer.text, answer.usage) == ("prompt_too_long", "", USED)


@either
@pytest.mark.parametrize(
    "response",
    [
        httpx2.Response(401, json=error_body("authentication_error", "no sk-ant-api03-AAAABBBBCCCC")),
        httpx2.LocalProtocolError("Illegal header value b'sk-ant-api03-AAAABBBBCCCC\\n'"),
        httpx2.ReadError("api_key=7AAAABBBBCCCC"),
    ],
    ids=["refused", "not sent", "broken"],
)
def test_an_error_names_no_key(ask, response):
    """The provider and the HTTP client may quote the key; the error of brim that is raised for it does not."""
    answer = answered(ask, response)
    assert "[secret]" in str(answer.error)
    assert "AAAABBBBCCCC" not in f"{answer.error}{answer.reason}"


@either
def test_a_wrong_address_is_no_unknown_model(ask):
    """A page that is not there says nothing of the model: the cure is the address."""
    answer = answered(ask, httpx2.Response(404, text="404 page not found"))
    assert type(answer.error) is ProviderRefused
    assert "base_url" in answer.reason


def unsent(ask, asked=None, **options) -> SummaryAnswer:
    """What a request comes to that does not go out."""
    with respx.mock(assert_all_called=False) as router:
        answer = ask(asked or request(), lambda _: None, **options)
    assert not router.calls
    return answer


@either
def test_without_a_key_nothing_is_sent(ask):
    """The error names where a key is given."""
    answer = unsent(ask, api_key=None)
    assert (answer.failure, type(answer.error)) == ("permanent", WrongKey)
    assert "ANTHROPIC_API_KEY" in answer.reason


@either
def test_without_a_model_nothing_is_sent(ask):
    """A summary needs a model that writes it."""
    answer = unsent(ask, request(model=""))
    assert (answer.failure, type(answer.error)) == ("permanent", UnknownModel)


@either
@pytest.mark.parametrize("content", [object(), float("nan"), "\ud800"], ids=["object", "nan", "half a character"])
def test_messages_that_are_no_json_are_told(ask, content):
    """What cannot be written is of no form that the provider takes."""
    answer = unsent(ask, request(messages=({"role": "user", "content": content},)))
    assert (answer.failure, type(answer.error)) == ("permanent", InvalidInput)


@either
@pytest.mark.parametrize("fault", [ValueError("a listener's own"), CompactionCancelled("enough")])
def test_what_a_listener_raises_is_its_own(ask, fault):
    """It is not taken for a failure of the provider, and the stream is closed."""

    def fail(_piece):
        raise fault

    response = broken(WHOLE, AssertionError("read on"))
    with pytest.raises(type(fault)) as raised:
        answered(ask, response, heard=fail)
    assert raised.value is fault
    assert response.stream.closed


def test_a_call_that_is_cancelled_is_closed():
    """A task that is cancelled while it waits for the next piece answers nothing."""

    class Waiting(Broken):
        async def __aiter__(self):
            yield self.sent.encode()
            await asyncio.Event().wait()

    stream = Waiting(begun() + text(0, "All is"), AssertionError())
    pieces = []

    async def cancel():
        client = AsyncAnthropic(api_key="key")
        first = asyncio.Event()

        def heard(piece):
            pieces.append(piece)
            first.set()

        task = asyncio.create_task(AnthropicSummarizer(client).asummarize(request(), heard))
        await first.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with respx.mock:
        respx.post(URL).mock(
            return_value=httpx2.Response(200, stream=stream, headers={"content-type": "text/event-stream"})
        )
        asyncio.run(cancel())
    assert pieces == ["All is"]
    assert stream.closed


@either
def test_a_usage_that_cannot_be_read_is_left_out(ask):
    """A summary is no worse for it."""
    odd = begun().replace('"input_tokens": 100', '"input_tokens": -1')
    answer = answered(ask, streamed(odd, text(0, "A"), ended()))
    assert (answer.text, answer.usage) == ("A", None)
