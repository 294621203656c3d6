"""Providers that fail, and compactions through their client in a thread and in an event loop.

What a provider answers comes from respx, which keeps every request that the SDK sends. The strict server on loopback
breaks connections.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import pytest
import respx
from anthropic import Anthropic, AsyncAnthropic, DefaultAsyncHttpxClient, DefaultHttpxClient
from httpx2 import Request, Response, Timeout
from parse import with_pattern
from pytest_bdd import given, then, when

from brim import testing
from brim.engine.compactor import Compactor
from brim.errors import BrimError
from brim.testing import MessagesServer
from brim.testing.scripted_server import NO_CERTIFICATES
from steps.api_answers import ADDRESS, URL, begun, call, ended, error_body, streamed, text
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase, tokens

MODEL = "claude-opus-5-5"
LIMITS = {"id": MODEL, "type": "model", "max_input_tokens": 1_000_000, "max_tokens": 128_000}
PATIENCE = 30.0
"""Seconds after which the client gives up; generous, since the machine may be busy."""
WITH_SILENCE = Timeout(PATIENCE, read=0.3)
"""The same for a provider that stays silent."""
SUMMARY = streamed(begun(), text(0, "All went well."), ended())
ANSWERS = {
    "a summary": SUMMARY,
    "a rate limit for 3 seconds": Response(
        429, json=error_body("rate_limit_error", "too many requests"), headers={"retry-after": "3"}
    ),
    "an overload": Response(529, json=error_body("overloaded_error", "Overloaded")),
    "an overload that is not to be tried again": Response(
        529, json=error_body("overloaded_error", "Overloaded"), headers={"x-should-retry": "false"}
    ),
    "a refusal": streamed(begun(), ended("refusal")),
    "no content": streamed(begun(), ended()),
    "only a tool call": streamed(begun(), call(0), ended("tool_use")),
    "a prompt that is too long": Response(
        400, json=error_body("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum")
    ),
    "a request that is refused": Response(400, json=error_body("invalid_request_error", "messages.0: not like this")),
    "a key that is not known": Response(401, json=error_body("authentication_error", "invalid x-api-key")),
}
"""Answers of a provider by their names."""
BREAKS = {
    "a connection closed at once": testing.dropped(),
    "a connection closed in mid-answer": testing.dropped_midstream(),
    "an overload in mid-answer": testing.failed_midstream(),
    "silence": testing.hang(),
}
"""How a connection can fail in place of an answer."""


class Watch:
    """A clock in seconds that moves only when something sleeps by it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        self.now += seconds

    async def sleep_in_loop(self, seconds: float) -> None:
        """Let so much time pass, and others go on."""
        self.sleep(seconds)
        await asyncio.sleep(0)


@dataclass(frozen=True)
class Line:
    """The clients of a provider, and the summary requests that reached it."""

    client: Callable[[], Anthropic]
    async_client: Callable[[], AsyncAnthropic]
    sent: Callable[[], list[tuple[float, Any]]]
    """When each came, and what its body was."""


Provider: TypeAlias = Callable[[Watch], AbstractContextManager[Line]]


@dataclass(frozen=True)
class Run:
    """The summary requests that were sent, and the compaction or its error."""

    sent: list[tuple[float, Any]]
    compaction: Any

    @property
    def requests(self) -> list[Any]:
        """The bodies of the summary requests."""
        return [body for _, body in self.sent]

    @property
    def waits(self) -> list[int]:
        """Milliseconds that passed before each of them."""
        return [round(1_000 * (time - before)) for before, time in pairwise([0, *(time for time, _ in self.sent)])]

    @property
    def outcomes(self) -> list[str]:
        """The outcomes of the attempts."""
        return [attempt.outcome.replace("_", " ") for attempt in self.compaction.attempts]

    @property
    def smaller(self) -> list[int]:
        """The numbers of those whose messages are shorter than those of the one before."""
        sizes = [len(json.dumps(body["messages"])) for body in self.requests]
        return [number for number, (before, size) in enumerate(pairwise(sizes), 2) if size < before]

    @property
    def changed(self) -> list[int]:
        """The numbers of those that are not the same as the one before."""
        return [number for number, (before, body) in enumerate(pairwise(self.requests), 2) if body != before]


def answering(answers: Sequence[Response]) -> Provider:
    """A provider that answers requests for a summary with these, in order."""
    return partial(_mocked, answers)


def serving(script: list[Any]) -> Provider:
    """A provider that is the strict server on loopback, with this script."""
    return partial(_served, script)


@contextmanager
def _mocked(answers: Sequence[Response], watch: Watch) -> Iterator[Line]:
    """Any other request, or none, fails the scenario."""
    left, times = iter(answers), []

    def answer(_request: Request) -> Response:
        times.append(watch())
        return next(left)

    with respx.mock() as router:
        router.get(f"{ADDRESS}/v1/models/{MODEL}").respond(json=LIMITS)
        summaries = router.post(URL).mock(side_effect=answer)
        router.route(name="elsewhere").mock(side_effect=_stray)
        yield Line(
            **_clients(ADDRESS, "key"),
            sent=lambda: [*zip(times, (json.loads(one.request.content) for one in summaries.calls), strict=True)],
        )
        router.pop("elsewhere")


def _stray(request: Request) -> Response:
    pytest.fail(f"a request went elsewhere: {request.method} {request.url}")


@contextmanager
def _served(script: list[Any], watch: Watch) -> Iterator[Line]:
    patience = WITH_SILENCE if BREAKS["silence"] in script else PATIENCE
    with MessagesServer(script, clock=watch) as server:
        yield Line(
            **_clients(server.url, server.key, timeout=patience),
            sent=lambda: [(one.time, one.body) for one in server.requests if one.path.startswith("/v1/messages")],
        )


def _clients(address: str, key: str, **options: Any) -> dict[str, Any]:
    """Clients of both kinds, with the retries that the SDK makes by itself."""
    told = {"base_url": address, "api_key": key, **options}
    return {
        "client": lambda: Anthropic(http_client=DefaultHttpxClient(verify=NO_CERTIFICATES), **told),
        "async_client": lambda: AsyncAnthropic(http_client=DefaultAsyncHttpxClient(verify=NO_CERTIFICATES), **told),
    }


def in_a_thread(provider: Provider, messages: list[Any], **options: Any) -> Run:
    """A compaction through the client that waits."""
    watch = Watch()
    with provider(watch) as line, line.client() as client:
        compactor = Compactor(client, MODEL, sleep=watch.sleep, **with_policy(options))
        compaction = attempt(compactor.compact, messages)
        return Run(line.sent(), compaction)


def in_an_event_loop(provider: Provider, messages: list[Any], **options: Any) -> Run:
    """The same through the client for event loops."""

    async def run(watch: Watch, line: Line) -> Run:
        async with line.async_client() as client:
            compactor = Compactor(client, MODEL, sleep=watch.sleep_in_loop, **with_policy(options))
            try:
                compaction: Any = await compactor.acompact(messages)
            except BrimError as error:
                compaction = error
            return Run(line.sent(), compaction)

    watch = Watch()
    with provider(watch) as line:
        return asyncio.run(run(watch, line))


@with_pattern("|".join([*ANSWERS, *BREAKS]))
def failure(text: str) -> str:
    """A failure by its name."""
    return text


def listed(text: str) -> list[str]:
    """A list of names."""
    return text.split(", ")


def listed_counts(text: str) -> list[int]:
    """A list of counts, each maybe with a separator: 0, 1,000; or none."""
    return [] if text == "none" else [tokens(count) for count in listed(text)]


WAYS = {"Failure": failure, "Names": listed, "Counts": listed_counts}


@given(
    phrase("a provider whose answer to a summary request is {failure:Failure}, and then a summary", WAYS),
    target_fixture="provider",
)
def fails_once(failure):
    return (
        answering([ANSWERS[failure], SUMMARY]) if failure in ANSWERS else serving([BREAKS[failure], "All went well."])
    )


@given(phrase("a provider whose answer to a summary request is {failure:Failure}", WAYS), target_fixture="provider")
def fails_each_time(failure):
    return answering([ANSWERS[failure]] * 9) if failure in ANSWERS else serving([BREAKS[failure]] * 9)


@when("its client compacts a conversation of 6 turns", target_fixture="runs")
def compact_through_client(provider, caller_messages, options):
    return [run(provider, caller_messages, **options) for run in (in_a_thread, in_an_event_loop)]


@then(phrase("{count:Count} summary requests are sent, after waits of {waits:Counts} milliseconds", WAYS))
def check_sent(runs, count, waits):
    told = [[attempt.waited for attempt in run.compaction.attempts] for run in runs]
    assert ([(len(run.requests), run.waits) for run in runs], told) == ([(count, waits)] * 2, [waits] * 2)


@then(phrase("their outcomes are {outcomes:Names}", WAYS))
def check_outcomes(runs, outcomes):
    assert [run.outcomes for run in runs] == [outcomes] * 2


@then(phrase("the outcome of each is {outcome}"))
def check_outcome(runs, outcome):
    assert [set(run.outcomes) for run in runs] == [{outcome}] * 2


@then(phrase("the summary is by the {author}"))
def check_author(runs, author):
    assert [run.compaction.summary_source for run in runs] == [author] * len(runs)
