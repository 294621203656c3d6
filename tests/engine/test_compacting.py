"""The client that compacts, against the strict server."""

import asyncio
import warnings

import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import OpenAI

import brim
from brim.errors import InvalidInput
from brim.testing import MessagesServer
from tests.engine.agents import long_ago

SMALL, LARGE, UNKNOWN = "small-model", "large-model", "unknown-model"
MODELS = {SMALL: (20_000, 4_000), LARGE: (1_000_000, 64_000)}


@pytest.fixture
def server():
    """A provider of two models, and of one whose window it does not state."""
    with MessagesServer(default="Done.", models=MODELS) as server:
        yield server


def create(client, model, messages=None):
    """One request of a conversation that is too long for the small model."""
    return client.messages.create(model=model, max_tokens=500, messages=messages or long_ago(20))


def sent(server):
    """The models that were asked for a response or a summary, each with the number of messages."""
    return [(one.body["model"], len(one.body["messages"])) for one in server.requests if one.body]


def test_each_request_is_judged_by_its_own_model(server):
    """The large model receives the whole history, the small one a compacted one that it summarized itself."""
    messages = long_ago(20)
    with server.client() as plain:
        client = brim.compacting(plain)
        assert type(client) is Anthropic
        create(client, LARGE, messages)
        assert sent(server) == [(LARGE, len(messages))]
        create(client, SMALL, messages)
    assert {model for model, _ in sent(server)[1:]} == {SMALL}
    assert sent(server)[-1][1] < len(messages)


def test_limits_can_be_stated_by_model(server):
    """A stated window wins over the one that the provider states."""
    limits = {LARGE: brim.ModelLimits(context_window=20_000, max_output_tokens=4_000)}
    with server.client() as plain:
        create(brim.compacting(plain, limits=limits), LARGE)
    assert sent(server)[-1][1] < len(long_ago(20))


def test_a_policy_governs_it(server):
    """As it governs every other entry point."""
    with server.client() as plain:
        create(brim.compacting(plain, policy=brim.CompactionPolicy(threshold=10_000, keep_tokens=2_000)), LARGE)
    assert len(sent(server)) > 1


def test_an_unknown_model_is_sent_unchanged_with_one_warning(server):
    """Its window is not guessed; with strict the caller is told instead."""
    with server.client() as plain, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        client = brim.compacting(plain)
        for _ in range(2):
            with pytest.raises(Exception, match="unknown-model"):
                create(client, UNKNOWN)
        with pytest.raises(brim.BrimError, match="unknown-model"):
            create(brim.compacting(plain, strict=True), UNKNOWN)
    assert len(warned) == 1


def test_a_policy_that_does_not_fit_a_model_is_one_warning(server):
    """The requests of that model go out unchanged; those of another are judged."""
    policy = brim.CompactionPolicy(profile="claude-code-2.1")
    with server.client() as plain, pytest.warns(UserWarning, match="not compacted"):
        client = brim.compacting(plain, policy=policy)
        create(client, SMALL, long_ago(2))
        create(client, LARGE, long_ago(2))
    assert [count for _, count in sent(server)] == [len(long_ago(2))] * 2


def test_a_provider_that_does_not_answer_is_asked_once_a_minute(server):
    """Its silence does not slow down every request."""
    with server.client() as plain, pytest.warns(UserWarning, match="not known"):
        client = brim.compacting(plain)
        for _ in range(3):
            with pytest.raises(Exception, match="unknown-model"):
                create(client, UNKNOWN)
    assert [one.path for one in server.requests].count(f"/v1/models/{UNKNOWN}") == 1


def test_a_threshold_alone_warns_of_nothing_that_was_not_set(server):
    """The target follows it in silence; a target that was set and corrected is a warning."""
    limits = brim.ModelLimits(context_window=1_000_000, max_output_tokens=64_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        brim.Compactor(limits=limits, policy=brim.CompactionPolicy(threshold=100_000))
    with pytest.warns(UserWarning, match="the target of"):
        brim.Compactor(limits=limits, policy=brim.CompactionPolicy(threshold=100_000, keep_share=1, keep_tokens=0))


def test_a_copied_policy_is_checked():
    """A copy with a value that cannot work is refused like a new policy, and a profile presets its fields."""
    with pytest.raises(brim.InvalidInput, match="recent_turns"):
        brim.CompactionPolicy().model_copy(update={"recent_turns": "3"})
    assert brim.CompactionPolicy().model_copy(update={"profile": "windowing"}).keep_messages == 10


def test_for_event_loops(server):
    """An async client stays one."""

    async def run():
        async with server.async_client() as plain:
            client = brim.compacting(plain)
            assert type(client) is AsyncAnthropic
            await client.messages.create(model=SMALL, max_tokens=500, messages=long_ago(20))

    asyncio.run(run())
    assert sent(server)[-1][1] < len(long_ago(20))


def test_a_client_of_openai_is_told_what_compacts_its_messages():
    """In the one line of the refusal."""
    with pytest.raises(InvalidInput, match=r"the client is OpenAI; .*Compactor\(summarizer=OpenAISummarizer\(client\)"):
        brim.compacting(OpenAI(api_key="k"))


def test_a_client_that_compacts_is_returned_as_it_is(server):
    """It never compacts twice."""
    with server.client() as plain:
        client = brim.compacting(plain)
        assert brim.compacting(client) is client
        with pytest.raises(brim.InvalidInput, match="compacts already"):
            brim.compacting(client, strict=True)


def test_what_is_no_client_is_refused():
    """The error names what it met."""
    with pytest.raises(brim.InvalidInput, match="the client is str"):
        brim.compacting("client")
