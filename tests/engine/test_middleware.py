"""Middleware in the SDK's own clients, against the strict server: what went out, what came back, what was learned."""

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from weakref import ref

import pytest
from anthropic import APIStatusError, BadRequestError

from brim.engine.compactor import Compactor
from brim.engine.middleware import UsageObserver, compaction
from brim.errors import InvalidInput
from brim.testing import Answer, ScriptedSummarizer, overloaded, too_long
from steps.prerequisites import sized
from tests.engine.agents import (
    LIMITS,
    MODEL,
    SUMMARY,
    answered,
    asked,
    compactions,
    compactor,
    create,
    long_ago,
    reader,
    sent,
    served,
)

pytestmark = pytest.mark.peers


def streamed(client, messages):
    """A request through the helper for streams."""
    with client.messages.stream(model=MODEL, max_tokens=500, messages=messages) as stream:
        return stream.get_final_message()


def raw_stream(client, messages):
    """A request whose events are read one by one; the answer is put together by hand."""
    with client.messages.stream(model=MODEL, max_tokens=500, messages=messages) as stream:
        assert [event.type for event in stream][-1] == "message_stop"
        return stream.current_message_snapshot


def beta(client, messages):
    """A request of the beta surface."""
    return client.beta.messages.create(model=MODEL, max_tokens=500, messages=messages)


def raw_response(client, messages):
    """A request whose response is taken raw, and parsed later."""
    return client.messages.with_raw_response.create(model=MODEL, max_tokens=500, messages=messages).parse()


def streaming_response(client, messages):
    """A request whose response is read only when it is asked for."""
    with client.messages.with_streaming_response.create(model=MODEL, max_tokens=500, messages=messages) as response:
        return response.parse()


WAYS = [create, streamed, raw_stream, beta, raw_response, streaming_response]


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_loop_with_thinking_is_carried_on_by_every_way_of_the_client(way):
    """Thirty rounds through a window for twenty; no request is refused, and the agent's list only grows."""
    messages = asked()
    with served(default=reader) as server, server.client(middleware=[compaction(compactor())]) as client:
        for _ in range(30):
            answered(messages, way(client, messages))
    assert len(messages) == 61
    assert compactions(server) == 1
    assert SUMMARY in str(server.requests[-1].body["messages"][0])


def test_an_async_client_does_the_same():
    """Streamed and not, in an event loop."""

    async def run(server):
        messages = asked()
        async with server.async_client(middleware=[compaction(compactor())]) as client:
            for number in range(30):
                if number % 2:
                    response = await create(client, messages)
                else:
                    async with client.messages.stream(model=MODEL, max_tokens=500, messages=messages) as stream:
                        response = await stream.get_final_message()
                answered(messages, response)

    with served(default=reader) as server:
        asyncio.run(run(server))
    assert compactions(server) == 1


@pytest.mark.parametrize("way", WAYS)
def test_the_usage_is_heard_however_the_response_is_read(way):
    """A usage that fills the window makes the next request due; nothing else does."""
    told = {"input_tokens": 18_500, "output_tokens": 1_000}
    answer = {"content": [{"type": "text", "text": "Yes."}], "usage": told}

    with served(Answer(**answer)) as server, server.client(middleware=[compaction(compactor())]) as client:
        messages = long_ago()
        response = way(client, messages)
        assert response.usage.output_tokens == 1_000
        messages += [{"role": "assistant", "content": response.content}, *asked()]
        way(client, messages)
    assert compactions(server) == 1


def test_a_stream_that_is_closed_early_has_told_what_it_read():
    """After the first event the tokens that were read are known, and the client goes on."""
    answer = Answer("Word " * 50, usage={"input_tokens": 18_990, "output_tokens": 60})
    with served(answer) as server, server.client(middleware=[compaction(compactor())]) as client:
        messages = long_ago()
        stream = client.messages.create(model=MODEL, max_tokens=500, messages=messages, stream=True)
        next(iter(stream))
        stream.close()
        messages += [{"role": "assistant", "content": "Word " * 50}, *asked()]
        create(client, messages)
    assert compactions(server) == 1


def test_a_stream_that_is_dropped_is_gone_at_once():
    """Whoever listens does not keep a response alive that its caller let go of."""
    with served() as server, server.client(middleware=[compaction(compactor())]) as client:
        stream = client.messages.create(model=MODEL, max_tokens=500, messages=asked(), stream=True)
        response, was_on = ref(stream.response), gc.isenabled()
        gc.disable()
        try:
            stream.close()
            del stream
            assert response() is None
        finally:
            if was_on:
                gc.enable()


def test_thinking_that_the_provider_refuses_is_left_out_from_then_on():
    """A list whose beginning another process changed goes on without the thinking that was made behind it (CNV_06)."""
    messages, events = asked(), []
    with served(default=reader) as server, server.client() as client:
        for _ in range(3):
            answered(messages, create(client, messages))
        changed = [{"role": "user", "content": "Read other files."}, *messages[1:]]
        compacts = compaction(Compactor(limits=LIMITS, on_event=events.append))
        with server.client(middleware=[compacts]) as looked_after:
            for _ in range(3):
                answered(changed, create(looked_after, changed))
        assert [str(event) for event in events] == [
            "thinking left out: of 3 answers, bound to messages that are not sent"
        ]
        with server.client() as another, pytest.raises(BadRequestError, match="bound to a different conversation"):
            create(another, changed)


def test_overflow_in_an_event_loop_is_compacted_too():
    """As in a thread, streamed and not."""

    async def run(server):
        async with server.async_client(middleware=[compaction(compactor(None))]) as client:
            await create(client, long_ago())
            async with client.messages.stream(model=MODEL, max_tokens=500, messages=[*asked(), *long_ago()]) as stream:
                await stream.get_final_message()

    with served(too_long(), "Yes.", too_long(), "Yes.", window=200_000) as server:
        asyncio.run(run(server))
    assert compactions(server) == 2


def test_a_retry_of_the_client_is_the_same_request():
    """Overloaded twice, answered the third time: one compaction, and each attempt sends the same."""
    summarizer = ScriptedSummarizer(SUMMARY)
    with (
        served(overloaded(), overloaded(), "Yes.") as server,
        server.client(max_retries=2, middleware=[compaction(compactor(summarizer=summarizer))]) as client,
    ):
        client._sleep_for_retry = lambda **_: None
        create(client, long_ago(20))
    assert len(server.requests) == 3
    assert len({str(request.body["messages"]) for request in server.requests}) == 1
    assert len(summarizer.requests) == 1


def test_an_overflow_behind_a_retry_is_compacted_once():
    """Too long, overloaded at the second try, and then the client's own retry: it sends what was compacted."""
    summarizer = ScriptedSummarizer(SUMMARY)
    with (
        served(too_long(), overloaded(), "Yes.", window=200_000) as server,
        server.client(max_retries=2, middleware=[compaction(compactor(None, summarizer=summarizer))]) as client,
    ):
        client._sleep_for_retry = lambda **_: None
        create(client, long_ago())
    assert len(server.requests) == 3
    assert len(summarizer.requests) == 1


def test_many_agents_at_once_are_kept_apart():
    """Many agents share a client; each is told of its own notes alone."""
    with served(default=reader) as server, server.client(middleware=[compaction(compactor())]) as client:

        def run(number):
            messages = asked(f" of shelf {number}")
            for _ in range(25):
                answered(messages, create(client, messages))

        with ThreadPoolExecutor(10) as pool:
            list(pool.map(run, range(sized(5, nightly=12))))
    assert all(str(request.body["messages"]).count("of shelf") == 1 for request in server.requests)
    assert max(sent(server)) < 45


def test_counts_and_batches_are_let_through():
    """They ask for no answer, and go out as they are."""
    with served(window=200_000) as server, server.client(middleware=[compaction(compactor())]) as client:
        client.messages.count_tokens(model=MODEL, messages=long_ago(20))
        client.models.list()
        params = {"model": MODEL, "max_tokens": 5, "messages": long_ago(20)}
        with pytest.raises(APIStatusError):
            client.messages.batches.create(requests=[{"custom_id": "a", "params": params}])
    assert sent_of(server.requests[0]) == len(long_ago(20))


def sent_of(request):
    """How many messages a request held."""
    return len(request.body["messages"])


@pytest.mark.parametrize("fault", [{"system": 5}, {"tools": "read"}, {"tools": ["read"]}])
def test_what_goes_with_the_messages_and_cannot_be_read_is_sent_as_it_is_with_a_warning(fault):
    """The provider says what is wrong with it, and brim why it compacts nothing."""
    with (
        served() as server,
        server.client(middleware=[compaction(compactor())]) as client,
        pytest.warns(UserWarning, match=f": {next(iter(fault))}"),
    ):
        with suppress(APIStatusError):
            create(client, asked(), **fault)
    assert [server.requests[0].body[name] for name in fault] == [*fault.values()]


def test_a_compactor_of_the_other_kind_is_refused():
    """A compactor that only an event loop can use, or only a thread, is refused before anything is sent."""
    with served() as server, server.client() as plain:

        async def run(made, message):
            async with server.async_client(middleware=[compaction(made)]) as client:
                with pytest.raises(InvalidInput, match=message):
                    await create(client, asked())

        asyncio.run(run(Compactor(plain, MODEL), "this client waits in a thread: pass an async client"))
        of_loops = Compactor(server.async_client(), MODEL)
        with (
            server.client(middleware=[compaction(of_loops)]) as client,
            pytest.raises(InvalidInput, match="this client is for event loops: pass one that is not"),
        ):
            create(client, asked())
    assert not server.requests
    with pytest.raises(InvalidInput, match="takes a Compactor"):
        compaction(None)


DEEP = b"[" * 100_000 + b"]" * 100_000
"""Nested deeper than any reader of JSON goes."""


def test_listening_never_raises():
    """Bytes that are no response, or one with an odd usage, are let pass."""
    told = []
    for streamed_body, piece in [
        (True, b"data: {not json, but message_start\n\n"),
        (True, b'data: {"type": "message_start", "message": 5}\n'),
        (True, b'data: {"type": "message_delta", "usage": {"output_tokens": "many"}}\n'),
        (False, b'{"usage": 7}'),
        (False, b'{"usage": {}, "content": ' + DEEP + b"}"),
        (True, b'data: {"type": "message_start", "message": ' + DEEP + b"}\n"),
    ]:
        heard = UsageObserver(lambda *report: told.append(report), streamed=streamed_body)
        heard.feed(piece)
        heard.end()
    assert [report[0] for report in told] == [{"output_tokens": "many"}]


START = b'{"type":"message_start","message":{"model":"m","usage":{"input_tokens":7}}}'
DELTA = b'{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}'


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_events_may_come_in_any_pieces(size):
    """A usage is heard wherever the bytes of its event are parted."""
    body = b"event: message_start\r\ndata: " + START + b"\r\n\r\nevent: message_delta\ndata: " + DELTA + b"\n\n"
    told = []
    heard = UsageObserver(lambda usage, model, finished: told.append((dict(usage), model, finished)), streamed=True)
    for place in range(0, len(body), size):
        heard.feed(body[place : place + size])
    assert told[-1] == ({"input_tokens": 7, "output_tokens": 3}, "m", True)
