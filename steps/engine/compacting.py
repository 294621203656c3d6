"""Steps of features/engine/compacting.feature."""

from __future__ import annotations

import asyncio
import re
import sys
import warnings
from contextlib import suppress
from itertools import count as counting

import pytest
from anthropic import APIConnectionError, APIError, APIStatusError, BadRequestError, Middleware, beta_tool
from pytest_bdd import given, then, when

import brim
from brim.engine import middleware
from brim.engine.middleware import compaction
from brim.testing import MessagesServer, too_long, tool_call
from steps.compaction_windows import filler, raw_turns
from steps.vocabulary import attempt, phrase

MODELS = {"small": (20_000, 4_000), "large": (1_000_000, 64_000)}
SUMMARY_ONLY = "The notes were read."
ANSWER = 100
"""Tokens of an answer at most; a summary is asked for with another number."""


@pytest.fixture
def script():
    """The provider's first answers; a text until a step gives others."""
    return []


@given("a provider that refuses the first request as too long", target_fixture="script")
def refuses_first():
    return [too_long()]


class NoLimits(Middleware):
    """The network of a client on which no question for a model's limits arrives, or not the first."""

    def __init__(self, failures=sys.maxsize, answered=lambda: None):
        self.failures = failures
        self.answered = answered

    def handle(self, request, call_next):
        """Of a client that waits."""
        self._meet(request)
        return call_next(request)

    async def handle_async(self, request, call_next):
        """Of a client for event loops."""
        self._meet(request)
        return await call_next(request)

    def _meet(self, request):
        if request.method.lower() != "get":
            self.answered()
        elif self.failures:
            self.failures -= 1
            raise APIConnectionError(request=None)


@pytest.fixture
def network():
    """Middleware of the plain client; a step may give some."""
    return []


@given("a provider that fails to state limits", target_fixture="network")
def failing_network():
    return [NoLimits()]


@given(
    phrase("a provider that fails once to state limits, and takes {seconds:Count} seconds to answer"),
    target_fixture="network",
)
def slow_network(monkeypatch, seconds):
    now = [0]
    monkeypatch.setattr(middleware, "monotonic", lambda: now[0])
    return [NoLimits(1, lambda: now.append(now.pop() + seconds))]


@given(phrase("a client that compacts, of {kind}"), target_fixture="way")
def compacting_client(kind):
    return kind, {}


@given(phrase("a client that compacts and is strict, of {kind}"), target_fixture="way")
def strict_client(kind):
    return kind, {"strict": True}


@given(
    phrase('a client that compacts and pins each message that says "{words:Quoted}", of {kind}'), target_fixture="way"
)
def pinning_client(words, kind):
    return kind, {"pinned": lambda message: words in str(message["content"])}


@given(
    phrase('a client that pins each message that says "{words:Quoted}", until it has compacted'), target_fixture="way"
)
def releasing_client(words):
    events = []
    return "threads", {
        "pinned": lambda message: words in str(message["content"]) and "compacted" not in [one.kind for one in events],
        "on_event": events.append,
    }


@given(
    phrase('a client that pins each message that says "{words:Quoted}", from its request {number:Count} on'),
    target_fixture="way",
)
def pinning_later(words, number):
    made = counting(1)
    current = [0]

    def pinned(message):
        if message["content"] == FIRST:
            current[0] = next(made)
        return words in str(message["content"]) and current[0] >= number

    return "threads", {"pinned": pinned}


@given(phrase("a threshold of {threshold:Tokens} tokens"))
def with_threshold(way, threshold):
    way[1]["policy"] = brim.CompactionPolicy(threshold=threshold)


CHANGES = {"replaces its text": {"content": "Nothing."}, "adds a field": {"seen": True}}


@given(
    phrase('a client that pins each message that says "{words:Quoted}", by a function that {changes}'),
    target_fixture="way",
)
def pinning_and_changing(words, changes):
    def pinned(message):
        held = words in str(message["content"])
        message.update(CHANGES[changes])
        return held

    return "threads", {"pinned": pinned}


@given(
    phrase("a client that pins by a function for messages whose content is a string, of {kind}"), target_fixture="way"
)
def narrow_client(kind):
    return kind, {"pinned": lambda message: message["content"].startswith("Keep")}


ONLY = {"a text": "Hello.", "a message of blocks": {"role": "user", "content": [{"type": "text", "text": "Hello."}]}}


@when(phrase("{what} is sent as the only message"), target_fixture="raised")
def send_only(way, what):
    kind, options = way
    request = {"model": "small", "max_tokens": ANSWER, "messages": [ONLY[what]]}

    async def in_a_loop(server):
        async with server.async_client() as plain:
            await brim.compacting(plain, **options).messages.create(**request)

    with MessagesServer(models=MODELS) as server, server.client() as plain, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it cannot be read
        try:
            if kind == "event loops":
                asyncio.run(in_a_loop(server))
            else:
                brim.compacting(plain, **options).messages.create(**request)
        except (APIStatusError, AttributeError, TypeError) as error:
            return error


@then(phrase("the caller gets {error}"))
def check_raised(raised, error):
    expected = {"the API's error 400": BadRequestError, "the error of the function": AttributeError}
    assert type(raised) is expected[error]


def long(tokens):
    """A conversation of so many tokens, in turns of 5,000."""
    return [*raw_turns(tokens // 5_000, 5_000), {"role": "user", "content": "And now?"}]


def send(server, way, requests, network=()):
    """Send each model its messages; the outcome is the last answer, or the error."""
    kind, options = way

    def once(client, model, messages):
        request = {"model": model, "max_tokens": ANSWER, "messages": messages}
        if kind.endswith("streams"):
            with client.messages.stream(**request) as stream:
                return stream.get_final_message()
        return client.messages.create(**request)

    def compacts(plain):
        """The client that the kind describes."""
        if kind.endswith("middleware"):
            limits = {model: brim.ModelLimits(context_window=window) for model, (window, _) in MODELS.items()}
            return plain.with_options(middleware=[compaction(brim.Compactor(limits=limits), **options)])
        if kind.endswith("compactor that asks"):
            made = brim.AsyncCompactor if kind.startswith("event loops") else brim.Compactor
            asking = made(plain, policy=brim.CompactionPolicy(summary_model="large"))
            return plain.with_options(middleware=[*plain.middleware, compaction(asking, **options)])
        return brim.compacting(plain, **options)

    async def in_a_loop():
        async with server.async_client(middleware=network) as plain:
            client = compacts(plain)
            answer = None
            for model, messages in requests:
                with suppress(APIError):
                    answer = await client.messages.create(model=model, max_tokens=ANSWER, messages=messages)
            return answer

    if kind.startswith("event loops"):
        return attempt(lambda: asyncio.run(in_a_loop()))
    with server.client(middleware=network) as plain:
        client = compacts(plain)
        outcome = None
        for model, messages in requests:
            with suppress(APIError):
                outcome = attempt(once, client, model, messages)
        return outcome


def send_all(way, script, requests, network=()):
    """What the provider receives of these requests, the warnings, and the outcome."""
    with (
        MessagesServer(script, default=SUMMARY_ONLY, models=MODELS) as server,
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        outcome = send(server, way, requests, network)
        bodies = [one.body for one in server.requests if one.body]
    return bodies, [str(one.message) for one in warned], outcome


@when(phrase("a conversation of {tokens:Tokens} tokens is sent to the {models}"), target_fixture="sent")
def send_long(way, script, network, tokens, models):
    names = re.findall(r'"(\w+)"', models) * (2 if models.endswith("twice") else 1)
    return send_all(way, script, [(name, long(tokens)) for name in names], network)


@when(phrase("a message of {tokens:Tokens} tokens is sent to the small model"), target_fixture="sent")
def send_message(way, script, tokens):
    return send_all(way, script, [("small", [{"role": "user", "content": filler(tokens)}])])


@then("the provider receives the message")
def check_received(sent):
    assert [len(body["messages"]) for body in sent[0]] == [1]


@then(phrase("the provider receives {times:Count} requests of the agent"))
def check_requests_of_agent(sent, times):
    assert sum(body["max_tokens"] == ANSWER for body in sent[0]) == times


SENT = '"{first:Quoted}" and a conversation of {tokens:Tokens} tokens are sent to the small model'


@when(phrase(SENT), target_fixture="sent")
def send_begun(way, script, first, tokens):
    return send_all(way, script, [("small", begun(first, tokens))])


@when(phrase(SENT + ", then with as many more"), target_fixture="sent")
def send_growing(way, script, first, tokens):
    return send_all(way, script, [("small", begun(first, tokens)), ("small", begun(first, tokens) + long(tokens))])


@when(
    phrase(
        '"{first:Quoted}" and a conversation of {tokens:Tokens} tokens are sent {times:Count} times, '
        "each time with {more:Tokens} tokens more"
    ),
    target_fixture="sent",
)
def send_thrice(way, script, first, tokens, times, more):  # noqa: PLR0917  a phrase of four words
    history = begun(first, tokens)
    requests = [
        (
            "small",
            [{"role": "user", "content": FIRST}, {"role": "assistant", "content": "Yes."}, *history, *long(more) * n],
        )
        for n in range(times)
    ]
    return send_all(way, script, requests)


FIRST = "Are you there?"
"""How a conversation begins, so that each request can be counted."""


def begun(first, tokens):
    """A conversation whose first message says this."""
    return [{"role": "user", "content": first}, {"role": "assistant", "content": "Noted."}, *long(tokens)]


@then(phrase('the last request it receives {holds} the message "{words:Quoted}"'))
def check_message(sent, holds, words):
    bodies, _, _ = sent
    held = {"holds": True, "does not hold": False}[holds]
    assert len(bodies) > 1
    assert ({"role": "user", "content": words} in bodies[-1]["messages"]) is held


@then("the provider receives the conversation as it is")
def check_unchanged(sent):
    bodies, _, _ = sent
    assert {len(body["messages"]) for body in bodies} == {len(long(25_000))}


@then("the provider receives a summary request and a shorter one")
def check_shorter(sent):
    bodies, _, _ = sent
    assert len(bodies) == 2
    assert len(bodies[1]["messages"]) < len(long(25_000))


@then(phrase('the provider receives {times:Count} summary request, of the model "{model:Quoted}"'))
@then(phrase('the provider receives {times:Count} summary requests, of the model "{model:Quoted}"'))
def check_summaries(sent, times, model):
    bodies, _, _ = sent
    assert [body["model"] for body in bodies if body["max_tokens"] != ANSWER] == [model] * times


@then(phrase('one warning says "{words:Quoted}"'))
def check_warning(sent, words):
    _, warned, _ = sent
    assert len([one for one in warned if words in one]) == 1


@then(phrase('no warning says "{words:Quoted}"'))
def check_no_such_warning(sent, words):
    _, warned, _ = sent
    assert [one for one in warned if words in one] == []


@then(phrase('it is refused as "{words:Quoted}"'))
def check_refused(sent, words):
    _, _, outcome = sent
    assert words in str(outcome)


@when(
    phrase('its tool runner reads {files:Count} files of {tokens:Tokens} tokens with the model "{model:Quoted}"'),
    target_fixture="sent",
)
def run_tools(files, tokens, model):
    return run_with_tools(files, tokens, model)


@when(
    phrase(
        'its tool runner reads {files:Count} files of {tokens:Tokens} tokens with the model "{model:Quoted}", '
        "beside a compactor for a larger window"
    ),
    target_fixture="sent",
)
def run_tools_beside(files, tokens, model):
    return run_with_tools(files, tokens, model, brim.Compactor(limits=brim.ModelLimits(context_window=1_000_000)))


def run_with_tools(files, tokens, model, compactor=None):
    """Let a tool runner read files, each with its own request; it compacts as the client does."""
    number, read_files = counting(), []

    def answer(body):
        index = next(number) if body.get("tools") else files
        return tool_call("read", {"path": f"notes-{index}"}) if index < files else SUMMARY_ONLY

    @beta_tool
    def read(path: str) -> str:
        """Read a file.

        Args:
            path: which one.
        """
        read_files.append(path)
        return filler(tokens)

    asked = [{"role": "user", "content": "Read all notes."}]
    with MessagesServer(default=answer, models=MODELS) as server, server.client() as plain:
        runner = brim.tool_runner(
            brim.compacting(plain), compactor, model=model, max_tokens=ANSWER, tools=[read], messages=asked
        )
        runner.until_done()
        bodies = [one.body for one in server.requests if one.body]
    return bodies, read_files, None


@then(phrase("the tool runs {times:Count} times"))
def check_tools(sent, times):
    _, read_files, _ = sent
    assert len(read_files) == times


async def never(message):
    """Pins nothing, to be awaited."""
    del message
    return False


@when(phrase("{what} is made to compact"), target_fixture="sent")
def make(what):
    if what == "a text":
        return [], [], attempt(brim.compacting, "client")
    with MessagesServer(models=MODELS) as server, server.client() as plain:
        if what == "a tool runner on a thread":
            return [], [], attempt(brim.tool_runner, plain, thread=True)
        if what == "a client whose first message is pinned by its index":
            return [], [], attempt(brim.compacting, plain, pinned=[0])
        if what == "a client whose messages are pinned by a coroutine function":
            return [], [], attempt(brim.compacting, plain, pinned=never)
        client = brim.compacting(plain)
        return [], [], attempt(brim.compacting, client, policy=brim.CompactionPolicy())
