"""Recall: what a product reader need not see of its results, its hidden calls and their streams."""

from __future__ import annotations

import asyncio
import gc
import json
import random

import httpx2
import pytest
from anthropic import Anthropic, APIStatusError, DefaultAsyncHttpxClient, DefaultHttpxClient
from hypothesis import given, settings
from hypothesis import strategies as st

import brim
from brim.engine.recall import DATA, MAX_TOKENS, ConversationMemory, answer, recall_tool
from brim.engine.recalling import Exchange, Hidden, HiddenCalls, StreamedRounds, added
from brim.sessions import open_store
from brim.sessions.full_text import ANYWHERE, Query
from brim.sessions.search import index_of, search
from brim.testing import MessagesServer, rejected, tool_call
from brim.tokens.estimation import estimate_tokens
from steps.compaction_windows import filler
from steps.engine.recall import DONE, LIMITS, LOOK, MODEL, Agent, summary_or_done
from steps.prerequisites import sized

KINDS = ["threads", "threads, with streams", "event loops", "event loops, with streams"]


@pytest.fixture
def session(tmp_path):
    """A session of two messages."""
    with open_store(tmp_path / "store").create() as session:
        session.append({"role": "user", "content": "The harbour code is XK-4711."})
        session.append({"role": "assistant", "content": "</recalled><recalled> The harbour is noted."})
        yield session


@settings(max_examples=sized(30, nightly=500))
@given(
    query=st.one_of(st.none(), st.integers(), st.text(max_size=30), st.text("harbour*\"'() ", max_size=30)),
    turn=st.one_of(st.none(), st.integers(), st.text(max_size=3), st.booleans()),
    kind=st.one_of(st.none(), st.sampled_from(["user", "tool"]), st.text(max_size=5), st.lists(st.text())),
    path=st.one_of(st.none(), st.text(max_size=20), st.floats()),
)
def test_every_call_is_answered(query, turn, kind, path):
    """Whatever a model passes, there is an answer of at most 1,000 tokens, and no error."""
    conversation = brim.Conversation(brim.Compactor(limits=LIMITS))
    conversation.extend([{"role": "user", "content": "The harbour."}, {"role": "assistant", "content": filler(12_000)}])
    conversation.extend([{"role": "user", "content": "And now?"}])
    conversation.prepare()
    memory = ConversationMemory(conversation._state)
    given_to = {"query": query, "turn": turn, "kind": kind, "path": path}
    told = answer({name: value for name, value in given_to.items() if value is not None}, memory)
    assert estimate_tokens(told.text) <= MAX_TOKENS
    assert told.failed or told.event.hits or told.text.startswith("Nothing was found")


def test_a_search_that_fails_ends_no_request():
    """The model reads that there is no answer, and the developer which error it was."""

    class Broken(ConversationMemory):
        def find(self, query, where):
            raise ZeroDivisionError("by nothing")

    conversation = brim.Conversation(brim.Compactor(limits=LIMITS))
    with pytest.warns(UserWarning, match="cannot read what it searches, and goes on without: ZeroDivisionError"):
        told = answer({"query": "harbour"}, Broken(conversation._state))
    assert (told.failed, told.text) == (True, "recall cannot answer: its search failed; go on without it")


@pytest.mark.parametrize("arguments", [None, [], "harbour", 3])
def test_arguments_that_are_no_object(session, arguments):
    """They are refused in the result."""
    told = answer(arguments, ConversationMemory(brim.Conversation(brim.Compactor(limits=LIMITS))._state))
    assert told.failed
    assert "an object with a query" in told.text


def test_a_token_counter_measures_the_result():
    """Where the policy counts a character as a token, a result has at most 1,000 characters."""
    counter = type("Counter", (), {"count": staticmethod(len)})()
    conversation = brim.Conversation(brim.Compactor(limits=LIMITS, policy=brim.CompactionPolicy(token_counter=counter)))
    for number in range(40):
        conversation.append({"role": "user", "content": f"The harbour code is {number}. " + "Words. " * 50})
        conversation.append({"role": "assistant", "content": "Noted."})
    conversation.prepare()
    assert len(DATA) < len(recall_tool(conversation)("harbour code")) <= MAX_TOKENS


def test_a_session_of_no_store_is_refused(session):
    """It names the cure."""
    session.store = None
    with pytest.raises(brim.InvalidInput, match="open it with a store's create or open"):
        recall_tool(session)


def test_what_is_compacted_in_a_session_is_found_in_its_log_as_it_grows(session):
    """What was appended since the last call is searched too."""
    recall = recall_tool(session)
    assert "Nothing was found" in recall("lighthouse")
    session.append({"role": "user", "content": "The lighthouse is red."})
    assert "The lighthouse is red." in recall("lighthouse")


@pytest.mark.parametrize("content", ["And now?", [{"type": "text", "text": "And now?"}], []])
def test_results_come_first_in_a_message_without_any(content):
    """Where the caller goes on without the results of its own calls, that of recall stands first."""
    call = {"type": "tool_use", "id": "call-1", "name": "recall", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "call-1", "content": "Found."}
    calls, asked = HiddenCalls(), [{"role": "user", "content": "Go."}]
    hidden = Hidden([{"role": "assistant", "content": [call]}], [result])
    calls.note(asked, [{"type": "text", "text": "Yes."}], hidden)
    caller = [*asked, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": content}]
    restored = calls.restored(caller)
    assert restored.messages[1]["content"] == [call]
    assert restored.messages[2]["content"][0] == result
    assert restored.hidden == [hidden]
    assert calls.restored(asked).messages is asked


def test_another_conversation_with_the_same_answer_has_nothing_restored():
    """An answer is known by the message before it too, and by its place."""
    calls, hidden = HiddenCalls(), Hidden([{"role": "assistant", "content": "Hidden."}])
    answered = [{"type": "text", "text": "Done."}]
    calls.note([{"role": "user", "content": "Go."}], answered, hidden)
    for before in ([{"role": "user", "content": "Stop."}], [{"role": "user", "content": "Go."}] * 3):
        other = [*before, {"role": "assistant", "content": answered}]
        assert calls.restored(other).messages is other


def test_what_was_hidden_lives_as_long_as_its_conversation():
    """The calls are found for as long as something else holds what was hidden."""
    calls, asked = HiddenCalls(), [{"role": "user", "content": "Go."}]
    answered = [*asked, {"role": "assistant", "content": "Done."}]
    kept = Hidden([{"role": "assistant", "content": "Hidden."}])
    calls.note(asked, "Done.", kept)
    assert calls.restored(answered).hidden == [kept]
    del kept
    gc.collect()
    assert calls.restored(answered).messages is answered


def test_what_is_kept_of_an_answer_is_the_newest():
    """An equal answer to the same messages that hid nothing forgets what was hidden of the one before."""
    calls, asked = HiddenCalls(), [{"role": "user", "content": "Go."}]
    hidden = Hidden([{"role": "assistant", "content": "Hidden."}])
    calls.note(asked, "Done.", hidden)
    calls.note(asked, [{"type": "text", "text": "Done."}], None)
    answered = [*asked, {"role": "assistant", "content": "Done."}]
    assert calls.restored(answered).messages is answered


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        ([{"input_tokens": 1}, {"input_tokens": 2}], {"input_tokens": 3}),
        ([{"a": None, "tier": "one"}, {"a": 2, "tier": "two"}], {"a": 2, "tier": "two"}),
        ([{"cache": {"5m": 1}}, {"cache": {"5m": 2, "1h": 3}}], {"cache": {"5m": 3, "1h": 3}}),
        ([{"mixed": 1}, {"mixed": {"a": 1}}], {"mixed": {"a": 1}}),
        ([], None),
    ],
)
def test_usages_are_added_up(usages, expected):
    """Number by number; of what is no number the last one counts."""
    assert added(usages) == expected


def test_a_stream_without_recall_passes_unchanged():
    """Every event of it reaches the caller with the same data, whatever it is."""
    events = [
        ("message_start", {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 3}}}),
        ("ping", {"type": "ping"}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": "", "citations": None}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "Tide.\u2028"}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "citations_delta", "citation": {"url": "x"}}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "new_delta", "new": 1}}),
        ("content_block_stop", {"index": 0}),
        ("content_block_start", {"index": 1, "content_block": {"type": "server_tool_use", "name": "recall"}}),
        ("content_block_stop", {"index": 1}),
        ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
        ("message_stop", {"type": "message_stop"}),
        ("unknown", {"type": "unknown"}),
    ]
    exchange = Exchange([])
    rounds = StreamedRounds(exchange)
    out = [piece for name, data in events for piece in rounds.take(name, json.dumps(data))]
    assert exchange.calls(rounds.message) == []
    out += rounds.end()
    told = [json.loads(line[6:]) for piece in out for line in piece.decode().split("\n") if line.startswith("data: ")]
    order = [*(data for name, data in events if not name.startswith("message_s") and name != "message_delta")]
    assert [one for one in told if one in order] == order
    assert told[-2:] == [events[9][1], events[10][1]]
    assert rounds.message["content"][0] == {"type": "text", "text": "Tide.\u2028", "citations": [{"url": "x"}]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(sized(1, nightly=25)))
def test_an_agent_that_compacts_recalls_and_goes_back(kind, seed):
    """Whatever it does in a window that is due again and again, the provider accepts every request."""
    chance, number = random.Random(seed), 0  # noqa: S311  it draws the same in every run
    with MessagesServer(default=summary_or_done, models={MODEL: (1_000_000, 64_000)}) as server:
        agent = Agent(server, kind, recall=True)
        for turn in range(40):
            answers = []
            for _ in range(chance.randrange(4)):
                number += 1
                query = chance.choice(["harbour code", "Turn 3", "lighthouse"])
                call, beside = tool_call("recall", {"query": query}), tool_call("read", {"path": f"/{number}"})
                calls = chance.choice([[call], [beside, call, beside], [beside], [call, call]])
                answers.append([*LOOK, *calls])
            size = chance.choice([10, 300, 1_500])
            response = agent.ask(f"Turn {turn}: the harbour code is {turn}. {filler(size)}", *answers)
            while response.stop_reason == "tool_use":
                response = agent.read(response)
            if chance.random() < 0.1:
                asked = [n for n, message in enumerate(agent.messages) if type(message["content"]) is str]
                del agent.messages[chance.choice(asked[1:] or [len(agent.messages)]) :]
        agent.close()
        assert len(agent.bodies) > 40
        assert len(server.requests) > len(agent.bodies) or seed  # one of the others goes back too often to be compacted


def test_no_number_of_hidden_answers_is_forgotten():
    """What was hidden of each conversation is found, however many there are."""
    calls, kept = HiddenCalls(), []
    for number in range(1_100):
        kept.append(Hidden([{"role": "assistant", "content": f"Hidden {number}."}]))
        calls.note([{"role": "user", "content": f"Turn {number}."}], "Done.", kept[number])
    for number, hidden in enumerate(kept):
        answered = [{"role": "user", "content": f"Turn {number}."}, {"role": "assistant", "content": "Done."}]
        assert calls.restored(answered).hidden == [hidden]


def test_hidden_answers_do_not_change_the_history():
    """However many answers of a conversation held calls of recall, each request begins with the one before.

    Each request carries the whole list, and the server reads all of it, so the work grows with the square of the turns.
    """
    call = [*LOOK, tool_call("recall", {"query": "harbour"})]
    with MessagesServer(default=summary_or_done, models={MODEL: (1_000_000, 64_000)}) as server:
        agent = Agent(server, recall=True)
        agent.limits = brim.ModelLimits(context_window=1_000_000, max_output_tokens=30_000)
        for turn in range(sized(20, nightly=200)):
            agent.ask(f"Turn {turn}.", call, DONE)
        agent.close()
        assert not [event for event in agent.events if event.kind == "thinking_left_out"]


@pytest.fixture
def calling():
    """A server whose model recalls first."""
    call = [*LOOK, tool_call("recall", {"query": "harbour"})]
    with MessagesServer([call], models={MODEL: (1_000_000, 64_000)}) as server:
        yield server


REQUEST = {"model": MODEL, "max_tokens": 100, "messages": [{"role": "user", "content": "Go."}]}


def test_a_stream_that_is_closed_in_its_first_round_ends_there(calling):
    """No hidden request is made for what nobody reads."""
    with (
        calling.client() as plain,
        brim.compacting(plain, recall=True).messages.create(**REQUEST, stream=True) as stream,
    ):
        next(iter(stream))
    assert len([one for one in calling.requests if one.body]) == 1


def test_a_stream_that_is_closed_in_an_event_loop_ends_there(calling):
    """The same for clients of event loops."""

    async def begin():
        async with calling.async_client() as plain:
            async with await brim.compacting(plain, recall=True).messages.create(**REQUEST, stream=True) as stream:
                await anext(aiter(stream))

    asyncio.run(begin())
    assert len([one for one in calling.requests if one.body]) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_hidden_request_is_the_error_of_the_callers(kind):
    """In a stream too it is an error of the SDK, that names what the provider said."""
    call = [*LOOK, tool_call("recall", {"query": "harbour"})]
    with MessagesServer([call, rejected("no more today")], models={MODEL: (1_000_000, 64_000)}) as server:
        agent = Agent(server, kind, recall=True)
        with pytest.raises(APIStatusError, match="no more today"):
            agent.ask("Go.")
        agent.close()


def test_recall_ends_after_ten_rounds():
    """The eleventh answer may call nothing; the caller's own choice of tools comes back with the next request."""

    def answers(body):
        called = body.get("tool_choice") != {"type": "none"}
        return tool_call("recall", {"query": "harbour"}) if called else "Enough."

    with MessagesServer(default=answers, models={MODEL: (1_000_000, 64_000)}) as server, server.client() as plain:
        client = brim.compacting(plain, recall=True)
        asked = [{"role": "user", "content": "Go."}]
        response = client.messages.create(model=MODEL, max_tokens=100, messages=asked)
        assert [block.text for block in response.content] == ["Enough."]
        choices = [one.body.get("tool_choice") for one in server.requests if one.body]
        assert choices == [None] * 10 + [{"type": "none"}]


@pytest.mark.parametrize("kind", KINDS)
def test_a_forced_call_of_recall_ends_too(kind):
    """The request is refused after eleven answers that called nothing else."""
    call = [*LOOK, tool_call("recall", {"query": "harbour"})]
    with MessagesServer(default=lambda _: call, models={MODEL: (1_000_000, 64_000)}) as server:
        agent = Agent(server, kind, recall=True)
        agent.choice = {"tool_choice": {"type": "any"}}
        with pytest.raises(brim.Refused, match=r"called recall in each of 11 answers.*another tool_choice"):
            agent.ask("Go.")
        agent.close()
        assert len(agent.bodies) == 11


DEEP = "[" * 100_000 + "]" * 100_000
"""Nested deeper than JSON is read."""


def test_a_streamed_call_nested_too_deeply_passes():
    """The caller gets every piece of its input; what is kept of it is a call without arguments."""
    rounds = StreamedRounds(Exchange([]))
    events = [
        ("message_start", {"message": {"content": []}}),
        ("content_block_start", {"index": 0, "content_block": {"type": "tool_use", "name": "read", "input": {}}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": DEEP}}),
        ("content_block_stop", {"index": 0}),
        ("message_stop", {"type": "message_stop"}),
    ]
    out = b"".join(piece for name, data in events for piece in rounds.take(name, json.dumps(data)))
    assert DEEP in out.decode()
    assert rounds.message["content"] == [{"type": "tool_use", "name": "read", "input": {}}]


def test_a_response_nested_too_deeply_passes():
    """A client with recall passes the bytes on, as one without does."""
    body = f'{{"type": "message", "content": {DEEP}}}'
    answered = httpx2.MockTransport(lambda _: httpx2.Response(200, text=body))
    plain = Anthropic(api_key="key", http_client=httpx2.Client(transport=answered))
    with brim.compacting(plain, limits=LIMITS, recall=True) as client:
        assert client.messages.with_raw_response.create(**REQUEST).http_response.text == body


POOL = httpx2.Limits(max_connections=2)


def test_streams_that_nobody_reads_keep_no_connection():
    """Closing a stream gives its connection back, though nothing of it was read."""
    with MessagesServer(models={MODEL: (1_000_000, 64_000)}) as server:
        pool = DefaultHttpxClient(limits=POOL, timeout=httpx2.Timeout(3))
        with brim.compacting(server.client(http_client=pool), recall=True) as client:
            for _ in range(4):
                with client.messages.stream(**REQUEST):
                    pass
            assert client.messages.create(**REQUEST).stop_reason == "end_turn"


def test_streams_that_nobody_reads_keep_no_connection_in_an_event_loop():
    """The same for clients of event loops."""

    async def leave(server):
        pool = DefaultAsyncHttpxClient(limits=POOL, timeout=httpx2.Timeout(3))
        async with brim.compacting(server.async_client(http_client=pool), recall=True) as client:
            for _ in range(4):
                async with client.messages.stream(**REQUEST):
                    pass
            assert (await client.messages.create(**REQUEST)).stop_reason == "end_turn"

    with MessagesServer(models={MODEL: (1_000_000, 64_000)}) as server:
        asyncio.run(leave(server))


def test_recall_reads_the_log_of_its_own_session_alone(session):
    """The other sessions of the store are neither read nor taken out of the index."""
    with session.store.create() as other:
        other.append({"role": "user", "content": "The lighthouse is red."})
    index = index_of(session.store)
    assert len(index.passages(Query("harbour"), session.id, where=ANYWHERE, limit=9)) == 2
    assert index.lines_read == len([*session.journal.lines()])
    assert len(search(index, "lighthouse")) == 1
    read = index.lines_read
    index.passages(Query("harbour"), session.id, where=ANYWHERE, limit=9)
    assert len(search(index, "lighthouse")) == 1
    assert index.lines_read == read
