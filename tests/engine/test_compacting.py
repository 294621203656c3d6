"""The client that compacts, against the strict server."""

import asyncio
import warnings
from itertools import count

import pytest
from anthropic import Anthropic, AsyncAnthropic, beta_tool
from openai import OpenAI

import brim
from brim.errors import InvalidInput
from brim.testing import MessagesServer, tool_call
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


def test_a_policy_that_does_not_fit_a_model_is_one_warning(server):
    """The requests of that model go out unchanged; those of another are judged."""
    policy = brim.CompactionPolicy(profile="claude-code-2.1")
    with server.client() as plain, pytest.warns(UserWarning, match="not compacted"):
        client = brim.compacting(plain, policy=policy)
        create(client, SMALL, long_ago(2))
        create(client, LARGE, long_ago(2))
    assert [count for _, count in sent(server)] == [len(long_ago(2))] * 2


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
        assert type(client) is Anthropic
        assert brim.compacting(client) is client
        with pytest.raises(brim.InvalidInput, match="compacts already"):
            brim.compacting(client, strict=True)


PINNED = {"role": "user", "content": "Port 8080 is taken."}


def says_port(message):
    """Whether a message is to be pinned."""
    return "Port 8080" in str(message["content"])


def begun(turns=20):
    """A conversation that begins with the message to pin."""
    return [PINNED, {"role": "assistant", "content": "Noted."}, *long_ago(turns)]


@pytest.mark.parametrize("change", [{"content": "Nothing."}, {"seen": True}])
def test_the_function_that_pins_cannot_change_the_request(server, change):
    """It gets a copy of each message (CNV_11)."""

    def pinned(message):
        picked = says_port(message)
        message.update(change)
        return picked

    with server.client() as plain:
        create(brim.compacting(plain, pinned=pinned), SMALL, begun())
    assert len(sent(server)) == 2
    assert PINNED in server.requests[-1].body["messages"]


def test_a_message_that_is_no_longer_picked_is_summarized(server):
    """With the next compaction (CNV_11)."""
    kinds = []

    def pinned(message):
        return says_port(message) and "compacted" not in kinds

    with server.client() as plain:
        client = brim.compacting(plain, pinned=pinned, on_event=lambda event: kinds.append(event.kind))
        create(client, SMALL, begun())
        assert PINNED in server.requests[-1].body["messages"]
        create(client, SMALL, [*begun(), *long_ago(20, 20)])
    assert PINNED not in server.requests[-1].body["messages"]


@pytest.mark.parametrize("in_loop", [False, True], ids=["thread", "event loop"])
def test_what_the_function_that_pins_raises_reaches_the_caller(server, in_loop):
    """Before anything is sent (CNV_11)."""
    message = {"role": "user", "content": [{"type": "text", "text": "Hello."}]}
    pinned = lambda one: one["content"].startswith("Keep")  # noqa: E731

    async def run():
        async with server.async_client() as plain:
            await brim.compacting(plain, pinned=pinned).messages.create(model=SMALL, max_tokens=500, messages=[message])

    with server.client() as plain, pytest.raises(AttributeError):
        if in_loop:
            asyncio.run(run())
        else:
            create(brim.compacting(plain, pinned=pinned), SMALL, [message])


@pytest.mark.parametrize("beside", [None, brim.Compactor(limits=brim.ModelLimits(context_window=1_000_000))])
def test_the_tool_runner_of_a_client_that_compacts_compacts_too(beside):
    """By the client's compactor, though another one is passed (TRG_25)."""
    number, read_files = count(), []

    def answer(body):
        index = next(number) if body.get("tools") else 12
        return tool_call("read", {"path": f"notes-{index}"}) if index < 12 else "The notes were read."

    @beta_tool
    def read(path: str) -> str:
        """Read a file.

        Args:
            path: which one.
        """
        read_files.append(path)
        return "text" * 2_000

    asked = [{"role": "user", "content": "Read all notes."}]
    with MessagesServer(default=answer, models=MODELS) as server, server.client() as plain:
        client = brim.compacting(plain)
        brim.tool_runner(client, beside, model=SMALL, max_tokens=100, tools=[read], messages=asked).until_done()
        summaries = [one.body["model"] for one in server.requests if one.body and one.body["max_tokens"] != 100]
    assert (len(read_files), summaries) == (12, [SMALL])


async def never(message):
    """Pin nothing, to be awaited."""
    del message
    return False


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (
            lambda plain: brim.compacting(plain, pinned=[0]),
            "it is a function that gets a message and returns whether it is pinned",
        ),
        (
            lambda plain: brim.compacting(plain, pinned=never),
            "it is a function that gets a message and returns whether it is pinned",
        ),
        (
            lambda plain: brim.tool_runner(plain, thread=True),
            "the server would hold the history, where brim cannot compact it",
        ),
    ],
)
def test_what_cannot_compact_is_refused(server, made, told):
    """With what it is, and what it has to be (TRG_25)."""
    with server.client() as plain, pytest.raises(brim.BrimError, match=told):
        made(plain)
