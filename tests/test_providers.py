"""The providers that steps ask: whoever asks them for anything else, or for nothing, fails."""

import asyncio
from contextlib import suppress

import pytest

from steps.providers import MODEL, SUMMARY, Line, Watch, answering


def ask_for_models(line: Line) -> None:
    """Ask for what nobody answers, and take every error for a failure of the provider."""
    with suppress(Exception), line.client() as client:
        client.models.list()


def ask_for_models_in_loop(line: Line) -> None:
    """The same in an event loop."""

    async def ask() -> None:
        with suppress(Exception):
            async with line.async_client() as client:
                await client.models.list()

    asyncio.run(ask())


@pytest.mark.parametrize("ask", [ask_for_models, ask_for_models_in_loop])
def test_a_request_to_another_address_fails_whatever_is_caught(ask):
    """It is not taken for a failed attempt."""
    with (
        pytest.raises(pytest.fail.Exception, match=r"elsewhere: GET https://api\.anthropic\.com/v1/models"),
        answering([SUMMARY])(Watch()) as line,
    ):
        ask(line)


def test_a_provider_that_nobody_asks_for_a_summary_fails():
    """A route that was not called is a request that did not go out."""
    with (
        pytest.raises(AssertionError, match="some routes were not called"),
        answering([SUMMARY])(Watch()) as line,
        line.client() as client,
    ):
        client.models.retrieve(MODEL)
