"""Summaries, limits and their failures over real HTTP, through the real client, from a server that says no."""

import asyncio

import pytest

from brim.anthropic.limits import alimits_from, limits_from
from brim.anthropic.summarizer import AnthropicSummarizer, AsyncAnthropicSummarizer
from brim.errors import NoKey, ProviderFailed, ProviderRefused, UnknownLimits, UnknownModel, WrongKey
from brim.models import ModelLimits
from brim.testing import (
    MessagesServer,
    ServedModel,
    cut_off,
    dropped,
    dropped_midstream,
    empty,
    error_text,
    failed,
    failed_midstream,
    hang,
    hang_midstream,
    only_a_tool_call,
    overloaded,
    rate_limited,
    refused,
    rejected,
    too_long,
)
from steps.api_answers import MODEL
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
            return await AsyncAnthropicSummarizer(client).summarize(asked, heard)

    return asyncio.run(run())


either = pytest.mark.parametrize("ask", [summarize, asummarize], ids=["sync", "async"])


def answered(ask, scripted, *, asked=None, **options):
    """What the server's answer comes to, what was heard of it, and what was sent."""
    pieces = []
    with MessagesServer([scripted]) as server:
        answer = ask(server, asked or request(), pieces.append, **options)
        return answer, "".join(pieces), server.requests


@either
def test_a_summary_is_heard_told_and_billed(ask):
    """The text, whoever wrote it, why it ended, and what the server counted."""
    answer, heard, sent = answered(ask, "All is well.")
    assert (answer.text, heard, answer.stop_reason, answer.model) == ("All is well.", "All is well.", "end_turn", MODEL)
    assert answer.failure is None
    assert answer.usage.input > 0
    assert answer.usage.output > 0
    assert [received.body["stream"] for received in sent] == [True]


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
    ("scripted", "text", "reason"),
    [
        (refused(), "", "refusal"),
        (empty(), "", "end_turn"),
        (only_a_tool_call(), "", "tool_use"),
        (cut_off("All is"), "All is", "max_tokens"),
        (error_text(), "API Error: 500 Internal server error", "end_turn"),
    ],
    ids=["refusal", "empty", "only a tool call", "cut off", "error text"],
)
def test_an_answer_that_may_not_stand_is_told_as_it_is(ask, scripted, text, reason):
    """It is an answer: to judge it is the rules' task."""
    tools = [{"name": "bash", "input_schema": {"type": "object"}}]
    answer, _, sent = answered(ask, scripted, asked=request(tools=tools))
    assert (answer.text, answer.stop_reason, answer.failure, len(sent)) == (text, reason, None, 1)


@either
@pytest.mark.parametrize(
    ("scripted", "failure", "error", "wait", "heard"),
    [
        (rate_limited(7), "transient", ProviderFailed, 7_000, ""),
        (rate_limited(), "transient", ProviderFailed, None, ""),
        (failed(), "transient", ProviderFailed, None, ""),
        (overloaded(), "transient", ProviderFailed, None, ""),
        (dropped(), "transient", ProviderFailed, None, ""),
        (dropped_midstream(), "transient", ProviderFailed, None, HALF),
        (failed_midstream(), "transient", ProviderFailed, None, HALF),
        (hang(), "transient", ProviderFailed, None, ""),
        (hang_midstream(), "transient", ProviderFailed, None, HALF),
        (too_long(), "prompt_too_long", ProviderRefused, None, ""),
        (
            rejected("too many bytes", status=413, kind="request_too_large"),
            "prompt_too_long",
            ProviderRefused,
            None,
            "",
        ),
        (rejected("max_tokens: wrong"), "permanent", ProviderRefused, None, ""),
        (rejected("not for you", status=403, kind="permission_error"), "permanent", WrongKey, None, ""),
    ],
    ids=[
        "429 with a wait",
        "429",
        "500",
        "529",
        "dropped",
        "dropped in mid-stream",
        "failed in mid-stream",
        "hangs",
        "hangs in mid-stream",
        "prompt too long",
        "too many bytes",
        "bad request",
        "no permission",
    ],
)
def test_a_failure_is_told_after_one_request(ask, scripted, *, failure, error, wait, heard):
    """What kind it is, what to raise, how long to wait; half a text that was heard is no answer."""
    answer, pieces, sent = answered(ask, scripted, timeout=SHORT if scripted.ending == "hang" else None)
    assert (answer.failure, type(answer.error), answer.retry_after) == (failure, error, wait)
    assert (answer.text, pieces, len(sent)) == ("", heard, 1)


@either
def test_a_wrong_key_is_told(ask):
    """The server's own judgement of the key."""
    answer, _, _ = answered(ask, "All is well.", api_key="sk-ant-other")
    assert (answer.failure, type(answer.error)) == ("permanent", WrongKey)


@either
def test_an_unknown_model_is_told_by_name(ask):
    """The server's own judgement of the model."""
    answer, _, _ = answered(ask, "All is well.", asked=request(model="claude-nonsense"))
    assert (answer.failure, type(answer.error)) == ("permanent", UnknownModel)
    assert "'claude-nonsense'" in answer.reason


@either
def test_a_prompt_that_does_not_fit_is_too_long(ask):
    """The server's own count, not a script."""
    with MessagesServer(models={MODEL: (2_000, 1_000)}) as server:
        answer = ask(server, request(messages=({"role": "user", "content": "x" * 20_000},)), lambda _: None)
    assert (answer.failure, type(answer.error)) == ("prompt_too_long", ProviderRefused)


@either
def test_a_server_that_is_gone_could_not_be_reached(ask):
    """The line is dead: waiting may cure it."""
    with MessagesServer() as server:
        address = server.url
    with MessagesServer() as other:
        answer = ask(other, request(), lambda _: None, base_url=address)
    assert (answer.failure, type(answer.error)) == ("transient", ProviderFailed)


@either
def test_an_address_without_a_scheme_is_told(ask):
    """No wait makes an address of it."""
    with MessagesServer() as server:
        answer = ask(server, request(), lambda _: None, base_url="nowhere.example")
    assert (answer.failure, type(answer.error)) == ("permanent", ProviderRefused)
    assert "base_url" in answer.reason


def test_limits_are_the_servers():
    """What the server states of its models, sync and async."""
    with MessagesServer(models={MODEL: ServedModel(500_000, 32_000)}) as server:
        with server.client() as client:
            told = limits_from(client, MODEL)

        async def ask():
            async with server.async_client() as client:
                return await alimits_from(client, MODEL)

        assert told == asyncio.run(ask()) == ModelLimits(context_window=500_000, max_output_tokens=32_000)


@pytest.mark.parametrize(
    ("model", "options", "error"),
    [
        ("claude-nonsense", {}, UnknownModel),
        (MODEL, {"api_key": "sk-ant-other"}, WrongKey),
        ("windowless", {}, UnknownLimits),
    ],
)
def test_limits_that_cannot_be_had_are_errors_of_brim(model, options, error):
    """Each of its own kind."""
    models = {MODEL: (200_000, 64_000), "windowless": ServedModel(0, 0)}
    with MessagesServer(models=models) as server, server.client(**options) as client, pytest.raises(error):
        limits_from(client, model)


def test_without_a_key_the_server_is_not_asked(monkeypatch, tmp_path):
    """The client of somebody who has set none."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with MessagesServer() as server, server.client(api_key=None) as client:
        with pytest.raises(NoKey):
            limits_from(client, MODEL)
        assert not server.requests
