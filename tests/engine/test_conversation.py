"""Conversation: the messages of one agent, and what is learned of the responses."""

import asyncio
from itertools import pairwise

import pytest
from anthropic import BadRequestError

from brim.conversation.messages import read_message
from brim.engine.conversation import Conversation
from brim.engine.recall import recall_tool
from brim.errors import InvalidInput
from brim.models import NO_LIMIT, ModelLimits
from brim.testing import too_long
from tests.engine.agents import (
    answered,
    asked,
    compactor,
    create,
    long_ago,
    reader,
    sent,
    served,
)


def begun(messages, **options):
    """A conversation of these messages."""
    conversation = Conversation(compactor(), **options)
    conversation.extend(messages)
    return conversation


def go_on(conversation, response):
    """Append a response and the results of its calls."""
    answer = []
    answered(answer, response)
    conversation.extend(answer)


def test_a_message_that_grew_is_kept_by_its_new_size():
    """The cut is that of the same messages in a new window: a reminder that the agent refreshed has grown."""
    said = [{"role": role, "content": "word " * 150} for _ in range(12) for role in ("user", "assistant")]
    window = compactor().window(said)
    window.replace(4, read_message({"role": "user", "content": "todo " * 12_000}))
    plans = [compactor().plan(one) for one in (window, compactor().window([one.raw for one in window.messages]))]
    assert plans[0].kept == plans[1].kept
    assert plans[0].tokens_left == plans[1].tokens_left


def test_a_kept_message_that_lost_its_thinking_is_in_the_context():
    """Recall does not search it: its text is sent."""
    conversation = Conversation(compactor())
    for number in range(40):
        thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
        answer = {"type": "text", "text": f"Answer {number}. " + "text " * 400}
        conversation.append({"role": "user", "content": "Go on."})
        conversation.append({"role": "assistant", "content": [thought, answer]})
    conversation.append({"role": "user", "content": "Go on."})
    outgoing = conversation.prepare()
    assert outgoing.compaction is not None
    assert "Answer 39." in str(outgoing.messages)
    assert "Nothing was found" in recall_tool(conversation)("39.")


@pytest.mark.parametrize("usage", ["a text", None, {}, {"input_tokens": "many"}, {"input_tokens": -1}])
def test_what_is_no_usage_is_refused(usage):
    """A response has a usage; anything else is an InvalidInput."""
    conversation = begun(asked())
    conversation.prepare()
    with pytest.raises(InvalidInput):
        conversation.record(usage)


def test_a_conversation_without_messages_has_none_to_mark():
    """Where nothing was said, there is nothing to mark (ANC_07)."""
    with pytest.raises(InvalidInput, match="no message to mark"):
        Conversation(compactor()).mark_checkpoint()


def test_a_message_behind_the_request_waits_for_the_next_one():
    """What is appended while a request is under way changes nothing of it; its overflow is not tried again."""
    conversation = begun(long_ago(8))
    outgoing = conversation.prepare()
    count = len(outgoing.messages)
    conversation.append({"role": "assistant", "content": "Yes."})
    assert len(outgoing.messages) == count
    assert conversation.overflowed() is None
    assert len(conversation.prepare().messages) == count + 1


@pytest.mark.peers
def test_streamed_responses_are_recorded_by_hand():
    """Prepare and record do for a stream what send does for a whole response."""
    conversation = begun(asked())
    with served(default=reader) as server, server.client() as client:
        for _ in range(25):
            messages = conversation.prepare().messages
            with client.messages.stream(model="claude-opus-5-5", max_tokens=500, messages=messages) as stream:
                response = stream.get_final_message()
            conversation.record(response)
            go_on(conversation, response)
    assert any(after < before for before, after in pairwise(sent(server)))


@pytest.mark.peers
def test_a_tool_loop_is_compacted_in_its_middle_in_a_thread_and_in_an_event_loop():
    """A model that reads for ever never meets the end of its window; the same requests are sent, and accepted."""
    with served(default=reader) as first, first.client() as client:
        conversation = begun(asked())
        for _ in range(30):
            go_on(conversation, conversation.send(lambda messages: create(client, messages)))
    assert len(conversation.messages) == 61
    assert max(sent(first)) < 45
    assert sum(after < before for before, after in pairwise(sent(first))) == 1

    async def run(server):
        conversation = Conversation(compactor())
        conversation.extend(asked())
        async with server.async_client() as client:
            for _ in range(30):
                go_on(conversation, await conversation.asend(lambda messages: create(client, messages)))

    with served(default=reader) as second:
        asyncio.run(run(second))
    assert sent(first) == sent(second)


def test_a_request_that_is_cancelled_in_its_compaction_leaves_the_next_one_free():
    """A task that is cancelled lets go of its conversation."""

    class Slow:
        async def summarize(self, request, on_text):
            await asyncio.sleep(60)

    async def run():
        slow = compactor(summarizer=Slow())
        conversation = Conversation(slow)
        conversation.extend(long_ago(20))
        task = asyncio.create_task(conversation.aprepare())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        slow.summarizer = None
        return await conversation.aprepare()

    assert asyncio.run(run()).compaction is not None


def test_a_response_without_a_usage_is_returned():
    """What `call` returns is the caller's, a stream too: its usage is recorded by hand."""
    assert begun(asked()).send(lambda _: "a stream") == "a stream"


APPENDED = {"role": "user", "content": "And look at the harbour code."}


@pytest.mark.parametrize("in_loop", [False, True], ids=["thread", "event loop"])
@pytest.mark.parametrize("appends", [False, True])
def test_a_message_that_is_appended_while_the_provider_answers_ends_the_repetition(appends, in_loop):
    """The overflow error reaches the caller, nothing is compacted, and the next request is judged anew (TRG_18)."""
    conversation = Conversation(compactor(NO_LIMIT), pinned=())
    conversation.extend(long_ago())

    def send(client):
        def call(messages):
            if appends and APPENDED not in conversation.messages:
                conversation.append(APPENDED)
            return create(client, messages)

        async def called(messages):
            return call(messages)

        return asyncio.run(conversation.asend(called)) if in_loop else conversation.send(call)

    with served(*[too_long()] * (1 + appends), "Yes.", window=200_000) as server, server.client() as client:
        if appends:
            with pytest.raises(BadRequestError):
                send(client)
            assert len(server.requests) == 1
        assert send(client).content[0].text == "Yes."
        assert len(server.requests) == 2 + appends
        assert sent(server)[-1] < sent(server)[-2]
        assert (server.requests[-1].body["messages"][-1] == APPENDED) is appends


@pytest.mark.parametrize(("read", "compacts"), [(9_000, False), (195_000, True)])
def test_a_response_that_is_a_dictionary_is_measured_by_send(read, compacts):
    """Its usage decides on the next request (TRG_26)."""
    conversation = Conversation(compactor(ModelLimits(context_window=200_000, max_output_tokens=8_192)))
    conversation.extend(long_ago())
    usage = {"input_tokens": read, "output_tokens": 1}
    answer = {"role": "assistant", "content": "Yes.", "usage": usage}
    assert conversation.send(lambda _messages: answer) is answer
    conversation.extend([{"role": "assistant", "content": "Yes."}, {"role": "user", "content": "And?"}])
    assert (conversation.prepare().compaction is not None) is compacts


@pytest.mark.parametrize(
    ("unreadable", "told"),
    [
        ("Read on.", "message 3 is str"),
        ({"role": "critic", "content": "Mind the gap."}, "message 3 has the role 'critic'"),
        (
            [{"role": "assistant", "content": "No."}, {"role": "user", "content": "Read on."}, "Now."],
            "message 5 is str",
        ),
    ],
)
def test_a_message_that_cannot_be_read_is_refused_and_named(unreadable, told):
    """The conversation stays as it was (TRG_26)."""
    conversation = begun([*asked(), {"role": "assistant", "content": "Yes?"}, *asked()])
    act = conversation.extend if isinstance(unreadable, list) else conversation.append
    with pytest.raises(InvalidInput, match=told):
        act(unreadable)
    assert len(conversation.messages) == 3


def test_a_conversation_that_can_never_be_due_says_so_once():
    """Nobody named a model or limits: without a word it would grow until the provider refuses it (TRG_23)."""
    conversation = Conversation(compactor(None))
    conversation.extend(long_ago())
    with pytest.warns(UserWarning, match="no compaction is ever due: pass the Compactor model= or limits="):
        conversation.prepare()
    assert not conversation.prepare().verdict.due
