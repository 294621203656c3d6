"""The tool runner of the SDK with compaction: sync, async, streamed and not, against the strict server."""

import asyncio

import pytest
from anthropic import BadRequestError, beta_async_tool, beta_tool

from brim.engine.compacting import tool_runner, with_compaction
from brim.engine.middleware import compaction
from brim.testing import thinking_block, tool_call
from tests.engine.agents import LONG, MODEL, SUMMARY, asked, compactions, compactor, served

pytestmark = pytest.mark.peers
ROUNDS = 30


def worker():
    """A model that thinks and reads for thirty rounds, and then is done."""
    left = iter(range(ROUNDS))

    def answer(body):
        number = next(left, None)
        if number is None:
            return "All read."
        return [thinking_block("Which one is next?"), tool_call("read", {"path": f"/notes-{number}.txt"})]

    return answer


@beta_tool
def read(path: str) -> str:
    """Read a file.

    Args:
        path: which one.
    """
    return LONG


@beta_async_tool(name="read")
async def read_slowly(path: str) -> str:
    """Read a file.

    Args:
        path: which one.
    """
    return LONG


ARGUMENTS = {"model": MODEL, "max_tokens": 500, "messages": asked()}


def test_it_works_on_through_a_window_that_is_too_small():
    """Thirty rounds in a window for twenty: compacted in the middle of the loop, no tool is run twice."""
    runs = []

    @beta_tool
    def read(path: str) -> str:
        """Read a file.

        Args:
            path: which one.
        """
        runs.append(path)
        return LONG

    with served(default=worker()) as server, server.client() as client:
        runner = tool_runner(client, compactor(), tools=[read], **ARGUMENTS)
        final = runner.until_done()
    assert final.content[0].text == "All read."
    assert len(runs) == len(set(runs)) == ROUNDS
    assert compactions(server) == 1
    assert SUMMARY in str(server.requests[-1].body["messages"][0])


@pytest.mark.parametrize("eagerly", [False, True])
def test_it_works_streamed(eagerly):
    """Whoever reads the events reads them all, and the usage is heard on the way."""
    with served(default=worker()) as server, server.client() as client:
        runner = tool_runner(client, compactor(), tools=[read], stream=True, run_tools_eagerly=eagerly, **ARGUMENTS)
        kinds = [event.type for stream in runner for event in stream]
    assert kinds.count("message_stop") == ROUNDS + 1
    assert compactions(server) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_it_works_in_an_event_loop(stream):
    """As in a thread."""

    async def run(server):
        async with server.async_client() as client:
            runner = tool_runner(client, compactor(), tools=[read_slowly], stream=stream, **ARGUMENTS)
            return await runner.until_done()

    with served(default=worker()) as server:
        final = asyncio.run(run(server))
    assert final.content[0].text == "All read."
    assert compactions(server) == 1


@pytest.mark.parametrize("options", [{}, {"thread": False}, {"stream": True}], ids=["as it comes", "told", "streamed"])
def test_the_sdks_own_runner_on_a_client_that_compacts_does_the_same(options):
    """It sends its whole history, without a warning, though it would have the server hold it."""
    with served(default=worker()) as server, server.client(middleware=[compaction(compactor())]) as client:
        assert with_compaction(client, compactor()) is client
        client.beta.messages.tool_runner(tools=[read], **options, **ARGUMENTS).until_done()
        assert [request.body["thread"] for request in server.requests if "thread" in (request.body or {})] == []
    assert compactions(server) == 1


def test_the_runner_of_a_thread_that_must_be_held_is_told_how_it_may_be():
    """A thread that the caller made is refused with the cure, and works with it."""
    with served(default=worker()) as server, server.client(middleware=[compaction(compactor())]) as client:
        cure = r"^brim compacts .* make the thread with unsupported_request_behavior='continue_unthreaded'$"
        with pytest.raises(BadRequestError, match=cure):
            client.beta.messages.thread(tools=[read], **ARGUMENTS).tool_runner().until_done()
        cured = {**ARGUMENTS, "unsupported_request_behavior": "continue_unthreaded"}
        client.beta.messages.thread(tools=[read], **cured).tool_runner().until_done()
    assert compactions(server) == 1
