"""Summaries, limits and their failures over real HTTP, through the real client, from a server that says no."""

import asyncio

import pytest

from brim.anthropic.summarizer import AnthropicSummarizer
from brim.errors import ProviderFailed, ProviderRefused
from brim.testing import (
    MessagesServer,
    dropped,
    dropped_midstream,
    failed_midstream,
    hang,
    hang_midstream,
    rate_limited,
    too_long,
)
from tests.anthropic_sdk.answers import request

SHORT = 0.3
"""Seconds that a client waits for a server that stays silent."""
HALF = "The first half."


def summarize(server, asked, heard, **options):
    """Ask once, by a client that would try again by itself."""
    with server.client(max_retries=2, **options) as client:
        return AnthropicSummarizer(client).summarize(asked, heard)


def asummarize(server, asked, heard, **options):
    """As summarize, in an event loop."""

    async def run():
        async with server.async_client(max_retries=2, **options) as client:
            return await AnthropicSummarizer(client).asummarize(asked, heard)

    return asyncio.run(run())


either = pytest.mark.parametrize("ask", [summarize, asummarize], ids=["sync", "async"])


def answered(ask, scripted, *, asked=None, **options):
    """What the server's answer comes to, what was heard of it, and what was sent."""
    pieces = []
    with MessagesServer([scripted]) as server:
        answer = ask(server, asked or request(), pieces.append, **options)
        return answer, "".join(pieces), server.requests


@either
def test_the_second_warm_request_is_read_from_the_cache(ask):
    """Cache marks arrive as they came: what the first call wrote the second one reads."""
    mark = {"cache_control": {"type": "ephemeral"}}
    system = [{"type": "text", "text": "You code. " * 1_000, **mark}]
    with MessagesServer(["One.", "Two."]) as server:
        first, second = (ask(server, request(system=system, form="warm"), lambda _: None) for _ in range(2))
    assert first.usage.cache_write == second.usage.cache_read > 0


@either
@pytest.mark.parametrize(
    ("scripted", "failure", "error", "wait", "heard"),
    [
        (rate_limited(7), "transient", ProviderFailed, 7_000, ""),
        (dropped(), "transient", ProviderFailed, None, ""),
        (dropped_midstream(), "transient", ProviderFailed, None, HALF),
        (failed_midstream(), "transient", ProviderFailed, None, HALF),
        (hang(), "transient", ProviderFailed, None, ""),
        (hang_midstream(), "transient", ProviderFailed, None, HALF),
        (too_long(), "prompt_too_long", ProviderRefused, None, ""),
    ],
    ids=[
        "429 with a wait",
        "dropped",
        "dropped in mid-stream",
        "failed in mid-stream",
        "hangs",
        "hangs in mid-stream",
        "prompt too long",
    ],
)
def test_a_failure_is_told_after_one_request(ask, scripted, *, failure, error, wait, heard):
    """What kind it is, what to raise, how long to wait; half a text that was heard is no answer."""
    answer, pieces, sent = answered(ask, scripted, timeout=SHORT if scripted.ending == "hang" else None)
    assert (answer.failure, type(answer.error), answer.retry_after) == (failure, error, wait)
    assert (answer.text, pieces, len(sent)) == ("", heard, 1)
