"""Recall: what a product reader need not see of its results, its hidden calls and their streams."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import re

import httpx2
import pytest
from anthropic import (
    BadRequestError,
    DefaultAsyncHttpxClient,
    DefaultHttpxClient,
    beta_tool,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import brim
from brim.anthropic.errors import is_thinking_refusal
from brim.conversation.messages import SYNTHETIC
from brim.engine.recall import MAX_TOKENS, ConversationMemory, SessionMemory, answer, recall_tool
from brim.engine.recalling import Hidden, HiddenCalls, RecallExchange, StreamedRounds
from brim.sessions import open_store
from brim.sessions.full_text import ANYWHERE, Query
from brim.sessions.search import SearchIndex, search
from brim.testing import MessagesServer, tool_call
from brim.tokens.estimation import estimate_tokens
from steps.engine.recall import DONE, LOOK, PART, WAYS, RecallingAgent, recall, summary_or_done
from steps.prerequisites import sized
from steps.worlds.agents import MODEL, filler
from steps.worlds.agents import TIGHT as LIMITS

each_way = pytest.mark.parametrize("way", WAYS, ids=["thread", "streamed", "loop", "loop-streamed"])


CALL = [*LOOK, recall("harbour")]


def server_of(*answers, default=summary_or_done):
    """A provider whose model has a large window."""
    return MessagesServer(answers, default=default, models={MODEL: (1_000_000, 64_000)})


def agent_of(way=WAYS[0], *answers, default=summary_or_done, **options):
    """An agent with recall, on a provider that answers by a script."""
    return RecallingAgent(server_of(*answers, default=default), **way, **options)


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
    assert told.event.failed or told.event.hits or told.text.startswith("Nothing was found")


def test_a_search_that_fails_ends_no_request():
    """The model reads that there is no answer, and the developer which error it was."""

    class Broken(ConversationMemory):
        def find(self, query, where):
            raise ZeroDivisionError("by nothing")

    conversation = brim.Conversation(brim.Compactor(limits=LIMITS))
    with pytest.warns(UserWarning, match="cannot read what it searches, and goes on without: ZeroDivisionError"):
        told = answer({"query": "harbour"}, Broken(conversation._state))
    assert (told.event.failed, told.text) == (True, "recall cannot answer: its search failed; go on without it")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        *[(one, "it should be an object. It takes a query") for one in (None, [], "harbour", 3)],
        ({"query": ["harbour"]}, "query is ['harbour']; it should be a valid string"),
        ({"query": "harbour", "turn": "first"}, "turn is 'first'; it should be a valid integer"),
        ({"query": "harbour", "turn": -1}, "turn is -1; it should be greater than or equal to 1"),
        ({"query": "harbour", "turn": 2}, "turn is 2; the turns that are searched are 1 to 1"),
        ({"query": "harbour", "path": 7}, "path is 7; it should be a valid string"),
        ({"query": "harbour", "path": "/"}, "there is nothing to look for in '/'"),
        ({"query": "x" * 1_000_000}, "the query has 1,000,000 characters, and 2,000 are the most"),
    ],
)
def test_arguments_that_cannot_be_used(session, arguments, says):
    """The result refuses them, and says why (REC_01)."""
    told = answer(arguments, SessionMemory(session))
    assert told.event.failed
    assert says in told.text


@pytest.mark.parametrize("arguments", [{"query": "harbour code", "turn": 1.0}, {"query": "text:harbour"}])
def test_arguments_that_are_understood(session, arguments):
    """A turn as a decimal is that turn, and a sign of the index is plain text (REC_01)."""
    assert "The harbour code is XK-4711." in answer(arguments, SessionMemory(session)).text


LEFT_OUT = "thinking left out: of 3 answers, bound to messages that are not sent"


def recalled_in_turns_1_and_3(agent, *, calls=False):
    """An agent whose model recalled twice, and then maybe called its tool."""
    agent.asks_for(CALL, DONE)
    agent.ask("Turn 2.", DONE)
    agent.asks_for(CALL, [*LOOK, tool_call("read", {"path": "/a"})] if calls else DONE)
    return agent.messages if not calls else [*agent.messages, result_of(agent.answers[-1])]


def result_of(response):
    """The results of the calls of a response."""
    calls = [block.id for block in response.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call, "content": "The file."} for call in calls]
    return {"role": "user", "content": results}


@pytest.mark.parametrize(("in_loop", "calls"), [(False, False), (True, False), (False, True)])
def test_an_own_loop_does_not_know_what_was_hidden(in_loop, calls):
    """The provider refuses thinking whose history is another; it is left out, and the loop goes on (REC_03)."""
    agent, events = agent_of(), []
    conversation = brim.Conversation(brim.Compactor(limits=LIMITS, on_event=events.append), model=MODEL)
    with agent.working(), agent.server.client() as client:
        conversation.extend(recalled_in_turns_1_and_3(agent, calls=calls))

        def call(messages):
            return client.messages.create(**agent.request | {"messages": messages})

        async def call_in_loop(messages):
            return call(messages)

        for number in range(3):
            if conversation.messages[-1]["role"] == "assistant":
                conversation.append({"role": "user", "content": f"Further turn {number}."})
            response = asyncio.run(conversation.asend(call_in_loop)) if in_loop else conversation.send(call)
            assert response.stop_reason == "end_turn"
            conversation.append({"role": "assistant", "content": response.content})
    assert LEFT_OUT in [str(event) for event in events]


def test_a_loop_that_appends_while_the_provider_answers_gets_the_refusal_of_thinking():
    """What is refused is no longer what the conversation holds, so that it is not sent again (REC_03)."""
    agent = agent_of()
    conversation = brim.Conversation(brim.Compactor(limits=LIMITS), model=MODEL)
    with agent.working(), agent.server.client() as client:
        conversation.extend([*recalled_in_turns_1_and_3(agent), {"role": "user", "content": "Go on."}])

        def call(messages):
            conversation.append({"role": "user", "content": "And read the rest."})
            return client.messages.create(**agent.request | {"messages": messages})

        with pytest.raises(BadRequestError) as refusal:
            conversation.send(call)
    assert is_thinking_refusal(refusal.value.status_code, refusal.value.body)


def test_two_conversations_of_one_client_in_which_the_same_words_are_said():
    """What was hidden in one is not put into the other, whose first words differ (REC_03)."""
    agent = agent_of()
    with agent.working():
        agent.forgets("The harbour code is XK-4711.")
        other = [{"role": "user", "content": "Build the pier."}, {"role": "assistant", "content": "Noted."}]
        other += agent.messages[2:]
        agent.asks_for([*LOOK, recall("harbour code")], DONE)
        agent.messages = other + agent.messages[-2:]
        agent.ask("Go on.")
    sent = json.dumps(agent.bodies[-1]["messages"])
    assert "Let me look." in sent
    assert "XK-4711" not in sent
    assert '"name": "recall"' not in sent


@each_way
def test_a_function_that_pins_messages_gets_the_callers_alone(way):
    """It gets no call of recall and no result of it, and what it pins stays word for word (REC_03)."""
    shown = []

    def pinned(message):
        shown.append(message)
        return "tool_result" in str(message["content"])

    agent = agent_of(way, pinned=pinned)
    with agent.working():
        agent.recalls_between("harbour code")
        agent.read(agent.received)
        agent.fill()
    own = {block.id for one in agent.answers for block in one.content if block.type == "tool_use"}
    blocks = [block for message in shown for block in message["content"] if type(block) is dict]
    assert {block.get("id") or block.get("tool_use_id") for block in blocks} - {None} == own
    assert any(event.kind == "compacted" for event in agent.heard)
    sent = [block for message in agent.bodies[-1]["messages"] for block in message["content"] if type(block) is dict]
    assert [block["content"] for block in sent if block["type"] == "tool_result"].count("The file.") == 2


def test_a_tool_of_the_callers_cannot_be_called_recall():
    """The request is refused before it is sent (REC_03)."""
    agent = agent_of()
    agent.tools = [{"name": "recall", "input_schema": {"type": "object"}}]
    with agent.working(), pytest.raises(brim.BrimError, match="a tool named recall already"):
        agent.ask("Go.")


def test_the_tool_runner_of_the_sdk():
    """It runs its own tools alone, and the model receives all results (REC_03)."""
    agent, files = agent_of(), []

    @beta_tool
    def read(path: str) -> str:
        """Read a file."""
        files.append(path)
        return "The file."

    calls = [[tool_call("read", {"path": f"/{number}"})] for number in range(3)]
    calls[1].append(recall("harbour"))
    asked = {"max_tokens": 1_000, "tools": [read], "messages": [{"role": "user", "content": "Read all."}]}
    with agent.working():
        agent.server.script(*calls)
        brim.tool_runner(agent.client, model=MODEL, **asked).until_done()
    blocks = [block for message in agent.bodies[-1]["messages"] for block in message["content"] if type(block) is dict]
    assert files == ["/0", "/1", "/2"]
    assert sum(block["type"] == "tool_result" for block in blocks) == 4


def test_a_session_without_recall_is_refused(session):
    """A client with a session that nothing searches names the cure (REC_04)."""
    with server_of() as server, server.client() as plain, pytest.raises(brim.BrimError, match="pass recall=True"):
        brim.compacting(plain, session=session)


def test_calls_and_results_of_recall_are_not_found_in_the_log(session):
    """Nor while the index is current between a call and its result (REC_04)."""
    tool = recall_tool(session)
    session.append({"role": "assistant", "content": [{**recall("lighthouse"), "id": "call-1"}]})
    tool("lighthouse")
    result = {"type": "tool_result", "tool_use_id": "call-1", "content": "Nothing was found for 'lighthouse'."}
    session.append({"role": "user", "content": [result]})
    assert "searched was the whole log of the session" in tool("lighthouse")


class Recorded:
    """Turns of a conversation that records its session, as a loop makes them."""

    def __init__(self, session):
        self.session, self.count = session, 0
        self.begin()

    def begin(self):
        """Go on with the session in a conversation of its own."""
        compactor = brim.Compactor(limits=LIMITS, policy=brim.CompactionPolicy(keep_share="0.3", recall=True))
        self.conversation = brim.Conversation(compactor, session=self.session)

    def resume(self):
        """Go on in another process."""
        self.session.close()
        self.session = self.session.store.open(self.session.id)
        self.begin()

    def go_on(self, last, read="docs/quay.md"):
        """Work until the end of a turn, and read a file in its first."""
        while self.count < last:
            self.count += 1
            self.conversation.append({"role": "user", "content": f"Part {self.count}."})
            self.sent = self.conversation.prepare()
            self.conversation.append({"role": "assistant", "content": f"{filler(PART)} I read {read}."})
            read = "it"


@pytest.mark.parametrize("where", ["one process", "its session", "another process", "words of the harness"])
def test_a_turn_has_the_number_that_it_has_in_the_index_of_identifiers(tmp_path, where):
    """So that the model can ask for the turn that the summary names, in another process too (REC_04)."""
    with open_store(tmp_path / "store").create() as session:
        recorded = Recorded(session)
        recorded.go_on(7)
        if where == "words of the harness":
            session.append({"role": "user", "content": "Go on."}, SYNTHETIC)
            session.append({"role": "assistant", "content": "I do."})
        if where in ("another process", "words of the harness"):
            recorded.resume()
            assert recorded.session.view().identifiers.turns == 4
        tool = recall_tool(recorded.session if where == "its session" else recorded.conversation)
        recorded.go_on(8, read="docs/pier.md")
        recorded.go_on(18)
        assert re.findall(r'<recalled turn="(\d+)"', tool("docs/pier.md", turn=8)) == ["8"]
        summary = [
            one["content"] for one in recorded.sent.messages if "Identifiers of what left" in str(one["content"])
        ]
        assert "docs/pier.md (8)" in str(summary)
        assert len(summary) == 1
        recorded.session.close()


def test_a_plain_tool_of_something_else_is_refused():
    """It names what can be searched (REC_04)."""
    with pytest.raises(brim.InvalidInput, match="recall searches a Session or a Conversation"):
        recall_tool("The harbour code")


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
    exchange = RecallExchange([])
    rounds = StreamedRounds(exchange)
    out = [piece for name, data in events for piece in rounds.take(name, json.dumps(data))]
    assert exchange.calls(rounds.message) == []
    out += rounds.end()
    told = [json.loads(line[6:]) for piece in out for line in piece.decode().split("\n") if line.startswith("data: ")]
    order = [*(data for name, data in events if not name.startswith("message_s") and name != "message_delta")]
    assert [one for one in told if one in order] == order
    assert told[-2:] == [events[9][1], events[10][1]]
    assert rounds.message["content"][0] == {"type": "text", "text": "Tide.\u2028", "citations": [{"url": "x"}]}


@pytest.mark.parametrize("way", sized(WAYS[::3], nightly=WAYS))
@pytest.mark.parametrize("seed", range(sized(1, nightly=25)))
def test_an_agent_that_compacts_recalls_and_goes_back(way, seed):
    """Whatever it does in a window that is due again and again, the provider accepts every request."""
    chance, number = random.Random(seed), 0  # noqa: S311  it draws the same in every run
    agent = agent_of(way)
    with agent.working():
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
    assert len(agent.bodies) > 40
    assert (
        len(agent.server.requests) > len(agent.bodies) or seed
    )  # one of the others goes back too often to be compacted


@pytest.fixture
def calling():
    """A server whose model recalls first."""
    with server_of(CALL, default="Done.") as server:
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


@each_way
def test_a_forced_call_of_recall_ends_too(way):
    """In the eleventh request the model may call nothing, so that the agent goes on."""
    agent = agent_of(way, *[CALL] * 10)
    agent.carries = {"tool_choice": {"type": "any"}}
    with agent.working():
        agent.ask("Go.")
    assert [body["tool_choice"]["type"] for body in agent.bodies] == [*["any"] * 10, "none"]


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
    index = SearchIndex(session.store)
    assert len(index.passages(Query("harbour"), session.id, where=ANYWHERE, limit=9)) == 2
    assert index.lines_read == len([*session.journal.lines()])
    assert len(search(index, "lighthouse")) == 1
    read = index.lines_read
    index.passages(Query("harbour"), session.id, where=ANYWHERE, limit=9)
    assert len(search(index, "lighthouse")) == 1
    assert index.lines_read == read
