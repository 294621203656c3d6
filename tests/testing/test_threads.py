import asyncio

import anthropic
import pytest
from anthropic import beta_async_tool, beta_tool

from brim.testing import MessagesServer, only_a_tool_call
from tests.testing.requests import BASH, asking, assistant, user

BETA = "message-threads-2026-08-12"


@beta_tool
def look() -> str:
    """Look around."""
    return "a door"


@beta_async_tool
async def look_later() -> str:
    """Look around."""
    return "a door"


def create(client, *messages, **fields):
    """Send a request of a thread."""
    fields = {"thread": {"type": "create"}} | fields
    return client.beta.messages.create(**asking(*messages, **fields), betas=[BETA])


def go_on(client, previous, *messages, **fields):
    """Continue a thread from a response."""
    return create(client, *messages, thread={"type": "continue", "previous_message_id": previous}, **fields)


def test_a_thread_holds_the_conversation(server, client):
    """A request that continues a thread is read with everything before it, system prompt and tools as well."""
    server.script("x" * 40)
    first = create(client, user("a" * 40), system="b" * 40, tools=[BASH])
    second = go_on(client, first.id, user("c" * 40))
    assert second.usage.input_tokens == first.usage.input_tokens + 20


def test_a_function_sees_the_whole_conversation(server, client):
    """The script is shown the conversation as the model reads it."""
    first = create(client, user("One"))
    server.script(lambda body: " ".join(message["role"] for message in body["messages"]))
    assert go_on(client, first.id, user("Two")).content[0].text == "user assistant user"


def test_a_thread_is_continued_once_from_each_response(client):
    """A response that was continued is not continued again."""
    first = create(client)
    go_on(client, first.id, user("a"))
    with pytest.raises(anthropic.types.ThreadAlreadyContinuedError):
        go_on(client, first.id, user("b"))


def test_a_thread_keeps_its_system_prompt(client):
    """What a thread began with may be repeated, and not changed."""
    first = create(client, system="Be terse.")
    with pytest.raises(anthropic.types.ThreadFingerprintMismatchError, match="system"):
        go_on(client, first.id, user("a"), system="Be long.")
    assert go_on(client, first.id, user("a"), system="Be terse.").stop_reason == "end_turn"


def test_a_thread_that_is_lost_is_not_found(server, client):
    """After a while the server knows a thread no more."""
    first = create(client)
    server.forget_threads()
    with pytest.raises(anthropic.types.ThreadNotFoundError):
        go_on(client, first.id, user("a"))


def test_a_thread_of_another_kind_is_refused(client):
    """A thread is created or continued."""
    with pytest.raises(anthropic.BadRequestError, match="thread: Input tag should be"):
        create(client, thread={"type": "end"})


def test_a_thread_needs_its_beta(client):
    """Without its beta nobody knows of threads."""
    with pytest.raises(anthropic.BadRequestError, match="thread: Extra inputs are not permitted"):
        client.beta.messages.create(**asking(thread={"type": "create"}))


def test_a_refused_request_continues_nothing(client):
    """What is refused leaves the thread where it was."""
    first = create(client)
    with pytest.raises(anthropic.BadRequestError):
        go_on(client, first.id, assistant("a"))
    assert go_on(client, first.id, user("a")).stop_reason == "end_turn"


@pytest.mark.parametrize("lost", [False, True])
def test_the_tool_runner_goes_on_by_threads(lost):
    """The SDK's tool runner sends only what is new, and everything again where the server has lost it."""
    with MessagesServer([only_a_tool_call("look")] * 2) as server, server.client() as client:
        runner = client.beta.messages.tool_runner(**asking(tools=[look]))
        for _ in runner:
            if lost:
                server.forget_threads()
    sizes = [len(request.body["messages"]) for request in server.requests]
    assert sizes == ([1, 1, 3, 1, 5] if lost else [1, 1, 1])


def test_the_tool_runner_does_without_threads_where_it_must():
    """A request that a thread cannot take makes the runner send everything, as before."""
    edits = {"edits": [{"type": "clear_tool_uses_20250919"}]}
    fields = asking(tools=[look], betas=["context-management-2025-06-27"], context_management=edits)
    with MessagesServer([only_a_tool_call("look")]) as server, server.client() as client:
        assert client.beta.messages.tool_runner(**fields).until_done().content[0].text == "Done."
    assert [len(request.body["messages"]) for request in server.requests] == [1, 1, 3]


def test_the_async_tool_runner_does_the_same():
    """In an event loop the runner goes on by threads too."""

    async def run(server):
        async with server.async_client() as client:
            return await client.beta.messages.tool_runner(**asking(tools=[look_later])).until_done()

    with MessagesServer([only_a_tool_call("look_later")]) as server:
        assert asyncio.run(run(server)).content[0].text == "Done."
    assert [len(request.body["messages"]) for request in server.requests] == [1, 1]
