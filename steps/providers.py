"""Providers that fail: the strict server of the Messages API, and a client of it in a thread and in an event loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from parse import with_pattern
from pytest_bdd import given, then, when

from brim import testing
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.errors import BrimError
from brim.testing import MessagesServer
from steps.vocabulary import attempt, phrase, tokens

MODEL = "claude-opus-5-5"
PATIENCE = 30.0
"""Seconds after which the client gives up, whatever else this machine does meanwhile."""
WITH_SILENCE = 0.2
"""The same where nothing is to come."""
FAILURES = {
    "a rate limit for 3 seconds": testing.rate_limited(retry_after=3),
    "an internal error": testing.failed(),
    "an overload": testing.overloaded(),
    "a connection closed at once": testing.dropped(),
    "a connection closed in mid-answer": testing.dropped_midstream(),
    "an overload in mid-answer": testing.failed_midstream(),
    "silence": testing.hang(),
    "a refusal": testing.refused(),
    "no content": testing.empty(),
    "only a tool call": testing.only_a_tool_call(),
    "words before a tool call": testing.Answer([testing.text_block("Let me look first."), testing.tool_call("bash")]),
    "an answer that is cut off": testing.cut_off("The task was"),
    "an error as its text": testing.error_text("Overloaded"),
    "a summary larger than its source": "It went on. " * 5_000,
    "a prompt that is too long": testing.too_long(),
    "a key that is not known": testing.rejected("invalid x-api-key", status=401, kind="authentication_error"),
}


def listed_times(text):
    """A list of times, each maybe with a separator: 0, 1,000."""
    return [tokens(time) for time in text.split(", ")]


@with_pattern("|".join(FAILURES))
def failure(text):
    """A failure by its name."""
    return FAILURES[text]


WAYS = {"Failure": failure, "Waits": listed_times}


@dataclass(frozen=True)
class Run:
    """What went out, and what a compaction came to."""

    requests: list[Any]
    compaction: Any


def patience(script: list[Any]) -> float:
    """How long the client waits for what this script answers."""
    return WITH_SILENCE if FAILURES["silence"] in script else PATIENCE


def in_a_thread(script: list[Any], messages: list[Any], **options: Any) -> Run:
    """A compaction through the client that waits."""
    with MessagesServer(script) as server, server.client(timeout=patience(script)) as client:
        compactor = Compactor(client, MODEL, sleep=lambda _: None, **options)
        compaction = attempt(compactor.compact, messages)
        return Run(summary_calls(server), compaction)


def in_an_event_loop(script: list[Any], messages: list[Any], **options: Any) -> Run:
    """The same through the client for event loops."""

    async def run(server: MessagesServer) -> Run:
        async with server.async_client(timeout=patience(script)) as client:
            compactor = AsyncCompactor(client, MODEL, sleep=lambda _: asyncio.sleep(0), **options)
            try:
                compaction: Any = await compactor.compact(messages)
            except BrimError as error:
                compaction = error
            return Run(summary_calls(server), compaction)

    with MessagesServer(script) as server:
        return asyncio.run(run(server))


def summary_calls(server: MessagesServer) -> list[Any]:
    """The requests for an answer of a model that went out."""
    return [request.body for request in server.requests if request.path.startswith("/v1/messages")]


@given(
    phrase("a provider whose answer to a request for a summary is {failure:Failure}, and then a summary", WAYS),
    target_fixture="provider",
)
def fails_once(failure):
    return [failure, "All went well."]


@given(
    phrase("a provider whose answer to a request for a summary is {failure:Failure}", WAYS), target_fixture="provider"
)
def fails_each_time(failure):
    return [failure] * 9


@when("a conversation is compacted through its client", target_fixture="runs")
def compact_through_client(provider, handed_in, options):
    return [run(provider, handed_in, **options) for run in (in_a_thread, in_an_event_loop)]


@then(phrase("{count:Count} requests for a summary went out, after waits of {waits:Waits} milliseconds", WAYS))
def check_went_out(runs, count, waits):
    seen = [(len(run.requests), [attempt.waited for attempt in run.compaction.attempts]) for run in runs]
    assert seen == [(count, waits)] * len(runs)


@then(phrase("the summary is by the {author}"))
def check_author(runs, author):
    assert [run.compaction.by for run in runs] == [author] * len(runs)
