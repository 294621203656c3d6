"""Steps of features/engine/recall.feature."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from contextlib import suppress

import pytest
from anthropic import APIStatusError, BadRequestError, beta_tool
from langchain_core.tools import tool as langchain_tool
from pydantic_ai import Tool as PydanticTool
from pytest_bdd import given, parsers, then, when

import brim
from brim.anthropic.errors import is_thinking_refusal
from brim.conversation.messages import SYNTHETIC
from brim.engine.recall import recall_tool
from brim.sessions import open_store
from brim.testing import Answer, MessagesServer, overloaded, text_block, thinking_block, tool_call
from brim.testing.strictness import canonical
from brim.tokens.estimation import estimate_tokens
from steps.compaction_windows import filler
from steps.vocabulary import attempt, phrase

MODEL = "claude-opus-5-5"
ANSWER = 1_000
"""The longest answer of the agent's requests, in tokens; that of summary requests differs."""
LIMITS = brim.ModelLimits(context_window=40_000, max_output_tokens=30_000)
WORDS = "Words of no weight. " * 50
PART = 2_000
"""Tokens of each turn that follows; a few of them are due by these limits."""
READ = {"name": "read", "input_schema": {"type": "object"}}
DONE = Answer([thinking_block("It is done."), text_block("Done.")])
LOOK = [thinking_block("I need it."), text_block("Let me look.")]


class Agent:
    """An agent that keeps one list, and passes it to a client that compacts."""

    def __init__(self, server, kind="threads", tools=(READ,), policy=None, **options):
        self.server, self.kind, self.tools = server, kind, [*tools]
        self.messages, self.answers = [], []
        self.policy = {"keep_share": "0.3", **(policy or {})}
        self.events = []
        self.options, self.limits = {"on_event": self.events.append, **options}, LIMITS
        self.client = self.runner = None
        self.choice = {}

    def open(self, **options):
        """Make the client."""
        policy = brim.CompactionPolicy(**self.policy)
        plain = self.server.async_client() if self.is_async else self.server.client()
        self.client = brim.compacting(plain, limits=self.limits, policy=policy, **{**self.options, **options})
        self.runner = asyncio.Runner() if self.is_async else None

    @property
    def is_async(self):
        """Whether its client is for event loops."""
        return self.kind.startswith("event")

    def close(self):
        """Close the client."""
        if self.is_async and self.client is not None:
            self.runner.run(self.client.close())
            self.runner.close()
        elif self.client is not None:
            self.client.close()

    def ask(self, content, *answers):
        """Send a message; the model answers with these, or that it is done."""
        if self.client is None:
            self.open()
        if answers:
            self.server.when(lambda body: body["max_tokens"] == ANSWER, *answers)
        self.messages.append({"role": "user", "content": content})
        marks = {"cache_control": {"type": "ephemeral"}, "thinking": {"type": "adaptive"}}
        request = {
            "model": MODEL,
            "max_tokens": ANSWER,
            "messages": self.messages,
            "tools": self.tools,
            **marks,
            **self.choice,
        }
        response = self.runner.run(self.sent_in_loop(request)) if self.is_async else self.sent(request)
        self.messages.append({"role": "assistant", "content": response.content})
        self.answers.append(response)
        return response

    def sent(self, request):
        """The response to a request."""
        if not self.kind.endswith("streams"):
            return self.client.messages.create(**request)
        with self.client.messages.stream(**request) as stream:
            return stream.get_final_message()

    async def sent_in_loop(self, request):
        """The same in an event loop."""
        if not self.kind.endswith("streams"):
            return await self.client.messages.create(**request)
        async with self.client.messages.stream(**request) as stream:
            return await stream.get_final_message()

    def read(self, response):
        """Answer the calls of a response, and ask on."""
        calls = [block.id for block in response.content if block.type == "tool_use"]
        return self.ask([{"type": "tool_result", "tool_use_id": call, "content": "The file."} for call in calls])

    def fill(self):
        """Work for as many turns as it takes until the first is compacted away."""
        for number in range(6):
            self.ask(f"Part {number}. {filler(PART)}", "Noted.")
        self.ask("The gazebo is blue.", "Noted.")

    @property
    def bodies(self):
        """The bodies of its requests, without those for a summary."""
        return [one.body for one in self.server.requests if one.body and one.body["max_tokens"] == ANSWER]

    @property
    def results(self):
        """The blocks of results in the newest request that ends with some."""
        ends = (body["messages"][-1]["content"] for body in reversed(self.bodies))
        found = ([block for block in end if block.get("type") == "tool_result"] for end in ends if type(end) is list)
        return next(filter(None, found))

    @property
    def recalled(self):
        """The text of the newest result of recall."""
        return self.results[0]["content"]


@pytest.fixture
def server():
    """The strict server, whose model has a large window."""
    with MessagesServer(default=summary_or_done, models={MODEL: (1_000_000, 64_000)}) as server:
        yield server


def summary_or_done(body):
    """A summary where one is asked for."""
    return DONE if body["max_tokens"] == ANSWER else "The work went on."


@pytest.fixture
def session(tmp_path):
    """A session that recall can search."""
    store = open_store(tmp_path / "store")
    with store.create() as session:
        yield session
    store.close()


@given(
    parsers.re(r"an agent with recall,? of (?P<kind>threads|event loops)(?P<streams>, with streams)?"),
    target_fixture="agent",
)
def with_recall(server, kind, streams):
    agent = Agent(server, kind + (streams or ""), recall=True)
    yield agent
    agent.close()


@given(phrase("an agent with recall that pins the results of its tools, of {kind}"), target_fixture="agent")
def with_pins(server, kind):
    def pinned(message):
        agent.shown.append(message)
        return "tool_result" in str(message["content"])

    agent = Agent(server, kind, recall=True, pinned=pinned)
    agent.shown = []
    yield agent
    agent.close()


@when("the agent answers its calls, and works until they are compacted away")
def answer_and_work(agent):
    agent.read(agent.answers[-1])
    agent.fill()


@then("the function got no call of recall, and no result of it")
def check_shown(agent):
    own = {block.id for answer in agent.answers for block in answer.content if block.type == "tool_use"}
    blocks = [block for message in agent.shown for block in message["content"] if type(block) is dict]
    seen = {block.get("id") or block.get("tool_use_id") for block in blocks} - {None}
    assert seen == own


@then('the last request holds the results of "read", word for word')
def check_results_kept(agent):
    assert any(event.kind == "compacted" for event in agent.events)
    sent = [block for message in agent.bodies[-1]["messages"] for block in message["content"] if type(block) is dict]
    assert [block["content"] for block in sent if block["type"] == "tool_result"].count("The file.") == 2


@given(phrase("an agent with recall that keeps {count:Count} conversation"), target_fixture="agent")
def with_few_conversations(server, count):
    agent = Agent(server, recall=True, policy={"max_conversations": count})
    yield agent
    agent.close()


@given(parsers.re(r'the model recalled in its turns 1 and 3, and (?P<then>answered in each|then called "read")'))
def recalled_before(agent, then):
    agent.limits = brim.ModelLimits(context_window=200_000, max_output_tokens=30_000)
    call = [*LOOK, tool_call("recall", {"query": "harbour code"})]
    agent.ask("Turn 1.", call, DONE)
    agent.ask("Turn 2.", DONE)
    reads = [*LOOK, tool_call("read", {"path": "/a"})]
    agent.ask("Turn 3.", call, reads if then.startswith("then") else DONE)


@given("the model recalled in its first turn, and answered in it")
def recalled_once(agent):
    agent.limits = brim.ModelLimits(context_window=200_000, max_output_tokens=30_000)
    agent.ask("Turn 1.", [*LOOK, tool_call("recall", {"query": "harbour code"})], DONE)


@given("an agent with recall of that session", target_fixture="agent")
def with_session(server, session):
    agent = Agent(server, recall=True, session=session)
    yield agent
    agent.close()


@given("an agent without recall, of threads", target_fixture="agent")
def without_recall(server):
    agent = Agent(server)
    yield agent
    agent.close()


@given('an agent with recall and a tool of its own named "recall"', target_fixture="agent")
def with_own_tool(server):
    agent = Agent(server, tools=[{**READ, "name": "recall"}], recall=True)
    yield agent
    agent.close()


@given(phrase('"{words:Quoted}" was said in its turn 1, and was compacted away'))
def was_compacted(agent, words):
    agent.ask(words, "Noted.")
    agent.fill()


@given(phrase('"{words:Quoted}" was said in its turn 1, and nothing was compacted'))
def was_not_compacted(agent, words):
    agent.ask(words)


@given(phrase('a tool\'s output "{words:Quoted}" of the file "{path:Quoted}" that was cleared since'))
def was_cleared(agent, words, path):
    agent.policy |= {"prune_protect": 100, "prune_minimum": 10}
    calls = agent.ask("Read it.", tool_call("read", {"path": path}))
    agent.ask([{"type": "tool_result", "tool_use_id": calls.content[0].id, "content": f"{words} {filler(PART)}"}])
    for number in range(3):
        agent.read(agent.ask(f"Read file {number}.", tool_call("read", {"path": f"/file-{number}"})))


@given(phrase("{count:Count} messages of {length:Count} characters with the harbour code that were compacted away"))
def many_compacted(agent, count, length):
    for number in range(count):
        agent.ask(f"The harbour code is XK-{number}. {WORDS}"[:length], "Noted.")
    agent.fill()


@given(phrase('a session in which "{words:Quoted}" was said'))
def said_in_session(session, words):
    session.append({"role": "user", "content": words})


@given("the index of the session is damaged")
def damaged(session):
    session.store.index_path.write_bytes(b"no database " * 1_000)


def recalls(agent, arguments, *then):
    """Let the model recall before it answers."""
    agent.ask("And now?", [*LOOK, tool_call("recall", arguments)], *(then or [DONE]))


@when(phrase('the model recalls "{query:Quoted}" before it answers'))
def recall_query(agent, query):
    recalls(agent, {"query": query})


@when(phrase('the model recalls "{query:Quoted}" and {count:Count} other words'))
def recall_many_words(agent, query, count):
    recalls(agent, {"query": " ".join([query, *(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(count))])})


@given("two conversations of its client in which the same words were said, but for the first", target_fixture="others")
def two_conversations(agent):
    agent.ask("The harbour code is XK-4711.", "Noted.")
    other = [{"role": "user", "content": "Build the pier."}, {"role": "assistant", "content": "Noted."}]
    agent.fill()
    other += agent.messages[2:]
    return other


@when(phrase('the model recalls "{query:Quoted}" in the first, and both go on'))
def recall_in_one(agent, others, query):
    recalls(agent, {"query": query})
    others += agent.messages[-2:]
    agent.messages = others
    agent.ask("Go on.")


@then("the model receives no result of recall in the second")
def check_nothing_leaked(agent):
    assert "XK-4711" not in json.dumps(agent.bodies[-1]["messages"])
    assert "recall" not in [
        block.get("name")
        for message in agent.bodies[-1]["messages"]
        for block in message["content"]
        if type(block) is dict
    ]


@when(phrase('the model recalls "{query:Quoted}" with the {name} "{value:Quoted}"'))
def recall_filtered(agent, query, name, value):
    recalls(agent, {"query": query, name: json.loads(value) if name == "turn" else value})


ARGUMENTS = {
    "no query": {},
    '"*-(" as its query': {"query": "*-("},
    "2,001 characters": {"query": "x" * 2_001},
    "an unknown kind": {"query": "harbour", "kind": "captain"},
    "a text as its turn": {"query": "harbour", "turn": "first"},
    "0 as its turn": {"query": "harbour", "turn": 0},
    "-1 as its turn": {"query": "harbour", "turn": -1},
    "1,000 as its turn": {"query": "harbour", "turn": 1_000},
    "1.5 as its turn": {"query": "harbour", "turn": 1.5},
    "true as its turn": {"query": "harbour", "turn": True},
    "a number as its path": {"query": "harbour", "path": 7},
    '"/" as its path': {"query": "harbour", "path": "/"},
    "a list as its query": {"query": ["harbour"]},
    "an unknown argument": {"query": "harbour", "color": "blue"},
}


@when(parsers.parse("the model recalls with {arguments}"))
def recall_arguments(agent, arguments):
    recalls(agent, ARGUMENTS[arguments])


@when(
    phrase(
        'the model recalls "{query:Quoted}" before it answers, each of its answers reported with {read:Count} tokens '
        "read and {written:Count} written"
    )
)
def recall_with_usage(agent, query, read, written):
    recalls_with_usage(agent, [query], read, written)


@when(
    phrase(
        'the model recalls "{first:Quoted}" and "{second:Quoted}" in one answer, each of its answers reported with '
        "{read:Count} tokens read and {written:Count} written"
    )
)
def recall_two_with_usage(agent, first, second, read, written):
    recalls_with_usage(agent, [first, second], read, written)


def recalls_with_usage(agent, queries, read, written):
    """Let the model recall before it answers, with a usage of each answer."""
    uncached = {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "cache_creation": None}
    usage = {"input_tokens": read, "output_tokens": written, **uncached}
    calls = [*LOOK, *(tool_call("recall", {"query": query}) for query in queries)]
    agent.ask("And now?", Answer(calls, usage=usage), Answer("Done.", usage=usage))


@when(phrase('the model recalls "{query:Quoted}" {count:Count} times before it answers'))
def recall_on_and_on(agent, query, count):
    agent.ask("And now?", *[[*LOOK, tool_call("recall", {"query": query})] for _ in range(count)], DONE)


@then(phrase("only the last of its {count:Count} requests lets the model call no tool"))
def check_no_tool(agent, count):
    choices = [body.get("tool_choice") for body in agent.bodies[-count:]]
    assert choices == [None] * (count - 1) + [{"type": "none"}]


@then(phrase("the agent receives what the model said {count:Count} times"))
def check_said(agent, count):
    said = [block.text for block in agent.answers[-1].content if block.type == "text"]
    assert said == ["Let me look."] * (count - 1) + ["Done."]


@when(phrase('the model recalls "{query:Quoted}" in each of {count:Count} turns'))
def recall_often(agent, query, count):
    for _ in range(count):
        recalls(agent, {"query": query})


@given(phrase('the model called "read", recalled "{query:Quoted}" and called "read" in one answer'))
@when(phrase('the model calls "read", recalls "{query:Quoted}" and calls "read" in one answer'))
def recall_beside(agent, query):
    calls = [
        tool_call("read", {"path": "/a"}),
        tool_call("recall", {"query": query}),
        tool_call("read", {"path": "/b"}),
    ]
    agent.ask("And now?", [*LOOK, *calls])


@when('the model says "Let me look" and is cut off in a call of recall')
def cut_off(agent):
    agent.ask("And now?", Answer([text_block("Let me look"), tool_call("recall", {})], stop_reason="max_tokens"))


@when("the model is cut off in a call of recall that it begins with")
def cut_off_at_once(agent):
    agent.ask("And now?", Answer([tool_call("recall", {})], stop_reason="max_tokens"))


@then("the agent receives an empty answer")
def check_empty(agent):
    assert agent.answers[-1].content == []


@when(phrase('the model recalls "{query:Quoted}", and the provider is overloaded then'), target_fixture="outcome")
def recall_overloaded(agent, query):
    with suppress(APIStatusError):
        recalls(agent, {"query": query}, overloaded())
        return None
    return "overloaded"


@when(
    parsers.re(
        r"it works for (?P<count>\d+) turns?, and the model recalls in "
        "(?P<when>none|every third, beside other calls in every sixth)"
    ),
    target_fixture="outcome",
)
def work(agent, count, when):
    return attempt(work_on, agent, int(count), when)


def work_on(agent, count, when):
    """Work for some turns, in a window that has room for them."""
    agent.limits = brim.ModelLimits(context_window=200_000, max_output_tokens=30_000)
    for number in range(1, count + 1):
        call = tool_call("recall", {"query": "harbour code"})
        beside = [tool_call("read", {"path": "/a"}), tool_call("read", {"path": "/b"})] if number % 6 == 0 else []
        recalling = [[*LOOK, *beside[:1], call, *beside[1:]], *([] if beside else [DONE])]
        response = agent.ask(
            f"Turn {number}. {filler(1_200)}", *(recalling if when != "none" and number % 3 == 0 else ())
        )
        if response.stop_reason == "tool_use":
            agent.read(response)


@when(phrase("its process starts anew, and it works on for {count:Count} turns"), target_fixture="outcome")
def start_anew(agent, count):
    agent.close()
    agent.client = None
    return attempt(go_on, agent, count)


@when(
    phrase("another conversation goes on through its client, and it works on for {count:Count} turns"),
    target_fixture="outcome",
)
def another_goes_on(agent, count):
    before, agent.messages = agent.messages, []
    agent.ask("Another one.", DONE)
    agent.messages = before
    return attempt(go_on, agent, count)


def go_on(agent, count):
    """Send the results of open calls, and work on."""
    if agent.answers[-1].stop_reason == "tool_use":
        agent.read(agent.answers[-1])
    for number in range(count):
        agent.ask(f"Further turn {number}.", [*LOOK, tool_call("recall", {"query": "harbour"})], DONE)


@when(
    phrase("its list goes on in a loop of its own in {where}, for {count:Count} turns"),
    target_fixture="outcome",
)
def own_loop(agent, where, count):
    agent.close()
    in_loop = where == "an event loop"
    kind, made = (brim.AsyncConversation, brim.AsyncCompactor) if in_loop else (brim.Conversation, brim.Compactor)
    conversation = kind(made(limits=agent.limits, on_event=agent.events.append), model=MODEL)
    conversation.extend(agent.messages)
    if agent.answers[-1].stop_reason == "tool_use":
        calls = [block.id for block in agent.answers[-1].content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call, "content": "The file."} for call in calls]
        conversation.append({"role": "user", "content": results})
    with agent.server.client() as client:

        def call(messages):
            thinking = {"type": "adaptive"}
            asked = {"messages": messages, "tools": agent.tools, "thinking": thinking}
            return client.messages.create(model=MODEL, max_tokens=ANSWER, **asked)

        async def call_in_loop(messages):
            return call(messages)

        for number in range(count):
            if conversation.messages[-1]["role"] == "assistant":
                conversation.append({"role": "user", "content": f"Further turn {number}."})
            response = asyncio.run(conversation.send(call_in_loop)) if in_loop else conversation.send(call)
            conversation.append({"role": "assistant", "content": response.content})


@when(
    "its list goes on in a loop of its own, and a message is appended while the provider answers",
    target_fixture="outcome",
)
def own_loop_appending(agent):
    agent.close()
    conversation = brim.Conversation(brim.Compactor(limits=agent.limits), model=MODEL)
    conversation.extend([*agent.messages, {"role": "user", "content": "Go on."}])
    with agent.server.client() as client:

        def call(messages):
            conversation.append({"role": "user", "content": "And read the rest."})
            asked = {"messages": messages, "tools": agent.tools, "thinking": {"type": "adaptive"}}
            return client.messages.create(model=MODEL, max_tokens=ANSWER, **asked)

        with pytest.raises(BadRequestError) as refusal:
            conversation.send(call)
    return refusal.value


@then("the loop receives the provider's refusal of thinking")
def check_thinking_refused(outcome):
    assert is_thinking_refusal(outcome.status_code, outcome.body)


@when("its tool runner reads 3 files, and the model recalls beside the second", target_fixture="outcome")
def run_tools(agent):
    agent.open()
    files = []

    @beta_tool
    def read(path: str) -> str:
        """Read a file.

        Args:
            path: which one.
        """
        files.append(path)
        return "The file."

    calls = [[tool_call("read", {"path": f"/{number}"})] for number in range(3)]
    calls[1].append(tool_call("recall", {"query": "harbour"}))
    agent.server.when(lambda body: body["max_tokens"] == ANSWER, *calls)
    asked = [{"role": "user", "content": "Read all."}]
    brim.tool_runner(agent.client, model=MODEL, max_tokens=ANSWER, tools=[read], messages=asked).until_done()
    return files


@when("a client is made to compact with a session and without recall", target_fixture="outcome")
def session_without_recall(server, session):
    with server.client() as plain:
        return attempt(brim.compacting, plain, session=session)


@pytest.fixture
def heard():
    """The events that a listener of a plain tool received."""
    return []


class Recorded:
    """Turns of a conversation that records its session, as a loop makes them."""

    def __init__(self, session):
        self.session, self.count = session, 0
        self.begin()

    def begin(self):
        """Go on with the session in a conversation of its own."""
        compactor = brim.Compactor(limits=LIMITS, policy=brim.CompactionPolicy(keep_share="0.3"))
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


@pytest.fixture
def recorded(session):
    """A conversation that records its session, and another process that resumes it."""
    recorded = Recorded(session)
    yield recorded
    recorded.session.close()


@given("a tool that recalls from a conversation that records its session", target_fixture="tool")
def tool_of_recorded(recorded):
    recorded.go_on(7)
    return recall_tool(recorded.conversation)


@given("a tool that recalls from the session that a conversation records", target_fixture="tool")
def tool_of_record(recorded):
    recorded.go_on(7)
    return recall_tool(recorded.session)


@given(
    phrase("a tool that recalls from a conversation that resumed its session after {turns:Count} turns had left"),
    target_fixture="tool",
)
def tool_of_resumed(recorded, turns):
    recorded.go_on(7)
    recorded.resume()
    assert recorded.session.view().identifiers.turns == turns
    return recall_tool(recorded.conversation)


@given(
    "a tool that recalls from a conversation that resumed its session after words of the harness",
    target_fixture="tool",
)
def tool_of_resumed_by_harness(recorded):
    recorded.go_on(7)
    recorded.session.append({"role": "user", "content": "Go on."}, SYNTHETIC)
    recorded.session.append({"role": "assistant", "content": "I do."})
    recorded.resume()
    return recall_tool(recorded.conversation)


@given(phrase('the model read "{path:Quoted}" in its turn {turn:Count}, which was compacted away'))
def read_in_turn(recorded, path, turn):
    assert recorded.count == turn - 1
    recorded.go_on(turn, read=path)
    recorded.go_on(turn + 10)


@given(parsers.parse("recall as a tool of {source}"), target_fixture="tool")
def plain_tool(session, heard, source):
    words = {"role": "user", "content": "The harbour code is XK-4711."}
    if source == "an open conversation":
        return recall_tool(brim.Conversation(brim.Compactor(limits=LIMITS)))
    if "session" in source:
        session.extend([] if "empty" in source else [words])
        return recall_tool(session, on_event=heard.append if "listener" in source else None)
    turns = [words, *({"role": role, "content": filler(PART)} for role in ("assistant", "user") * 5)]
    if source == "a conversation":
        conversation = brim.Conversation(brim.Compactor(limits=LIMITS))
        conversation.extend(turns)
        conversation.prepare()
        return recall_tool(conversation)

    async def in_a_loop():
        conversation = brim.AsyncConversation(brim.AsyncCompactor(limits=LIMITS))
        conversation.extend(turns)
        await conversation.prepare()
        return recall_tool(conversation)

    return asyncio.run(in_a_loop())


@given(phrase('the model recalled "{query:Quoted}" in the session, and nothing was found'))
def recalled_in_session(session, tool, query):
    session.append({"role": "assistant", "content": [{**tool_call("recall", {"query": query}), "id": "call-1"}]})
    tool(query)  # the index is current between the call and its result
    result = {"type": "tool_result", "tool_use_id": "call-1", "content": f"Nothing was found for {query!r}."}
    session.append({"role": "user", "content": [result]})


@when(phrase('the tool recalls "{query:Quoted}"'), target_fixture="outcome")
def tool_recalls(tool, query):
    return tool(query)


@when(phrase('the tool recalls "{query:Quoted}" in turn {turn:d}'), target_fixture="outcome")
def tool_recalls_in_turn(tool, query, turn):
    return tool(query, turn=turn)


@when(phrase("the tool recalls {length:Count} characters"), target_fixture="outcome")
def tool_recalls_long(tool, length):
    return tool("x" * length)


def sdk_tool(tool):
    """The name and the schema of the SDK's tool."""
    made = beta_tool(tool)
    return made.name, made.input_schema


def tool_of_langchain(tool):
    """The same of LangChain's."""
    made = langchain_tool(tool)
    return made.name, made.args_schema.model_json_schema()


def tool_of_pydantic_ai(tool):
    """The same of pydantic-ai's."""
    made = PydanticTool(tool)
    return made.name, made.function_schema.json_schema


FRAMEWORKS = {"the SDK": sdk_tool, "LangChain": tool_of_langchain, "pydantic-ai": tool_of_pydantic_ai}


@when(parsers.parse("{framework} makes a tool of it"), target_fixture="outcome")
def make_tool(tool, framework):
    return FRAMEWORKS[framework](tool)


@then('that tool is named "recall", and takes a query and the filters turn, kind and path')
def check_made(outcome):
    name, schema = outcome
    assert name == "recall"
    assert [*schema["properties"]] == ["query", "turn", "kind", "path"]
    assert schema["required"] == ["query"]


@when("recall is made a tool of a text", target_fixture="outcome")
def tool_of_text():
    return attempt(recall_tool, "The harbour code")


@then(phrase('it answers with "{words:Quoted}"'))
def check_tool(outcome, words):
    assert words in outcome


@then(phrase("it answers with a passage of turn {turn:Count}"))
def check_turn(outcome, turn):
    assert re.findall(r'<recalled turn="(\d+)"', outcome) == [str(turn)], outcome


@then(phrase('the index of the summary that is sent names "{path:Quoted}" with turn {turn:Count}'))
def check_index(recorded, path, turn):
    (summary,) = [one["content"] for one in recorded.sent.messages if "Identifiers of what left" in str(one["content"])]
    assert f"{path} ({turn})" in str(summary)


@then(phrase('the model receives "{words:Quoted}" of turn {turn:Count}, with the time when it was said'))
def check_recalled_with_turn(agent, words, turn):
    place = rf'<recalled turn="{turn}" message="\d+" from="user" time="20\d\d-\d\d-\d\d \d\d:\d\d" match="as written">'
    assert re.search(rf"{place}\n{re.escape(words)}\n</recalled>", agent.recalled)


@then(phrase('the model receives "{words:Quoted}"'))
def check_recalled(agent, words):
    assert words in agent.recalled


@then(phrase('the model receives "{words:Quoted}", and not "{others:Quoted}"'))
def check_only(agent, words, others):
    assert words in agent.recalled
    assert others not in agent.recalled


@then("the model receives no passage")
def check_none(agent):
    assert agent.recalled.startswith("Nothing was found")


@then("the model receives a passage, and no word on what nobody wrote")
def check_nothing_unwritten(agent):
    assert "<recalled " in agent.recalled
    assert "Nothing that was searched holds" not in agent.recalled


@then(phrase('the model receives a passage of the time "{time:Quoted}"'))
def check_time(agent, time):
    assert re.findall(r' time="(.*?)"', agent.recalled) == [time]


@then(phrase('the model receives a passage, and "{words:Quoted}"'))
def check_told(agent, words):
    assert "<recalled " in agent.recalled
    assert words in agent.recalled


@then(phrase("the model receives a passage, and the answer names the words left out: {told}"))
def check_words_left_out(agent, told):
    assert "<recalled " in agent.recalled
    assert ("Only the first 50 words of the query were looked for, and 1 were left out." in agent.recalled) == (
        told == "yes"
    )


@then(phrase('the model receives no passage, and "{words:Quoted}"'))
def check_scope(agent, words):
    assert agent.recalled.startswith("Nothing was found")
    assert words in agent.recalled


@then(phrase("the model receives between {least:Tokens} and {most:Tokens} tokens"))
def check_size(agent, least, most):
    assert least <= estimate_tokens(agent.recalled) <= most


@then("the passage stands between marks that it does not close, behind words that call it data")
def check_marked(agent):
    told, _, rest = agent.recalled.partition("\n")
    assert "They are data" in told
    tag = re.match(r"<(recalled\S*) ", rest)[1]
    assert tag != "recalled" or "recalled" not in rest.partition("\n")[2].rpartition("\n")[0].lower()
    assert rest.count(f"</{tag}>") == 1
    assert rest.endswith(f"</{tag}>")


@then(phrase('the model receives an error that says "{words:Quoted}"'))
def check_error(agent, words):
    (result,) = agent.results
    assert result["is_error"]
    assert words in result["content"]


@then("the agent receives one answer, with all that the model said and none of its calls")
def check_answer(agent):
    content = agent.answers[-1].content
    assert [block.type for block in content] == ["thinking", "text", "thinking", "text"]
    assert [block.text for block in content if block.type == "text"] == ["Let me look.", "Done."]


@then(phrase('the agent receives {count:Count} calls of "read"'))
def check_calls(agent, count):
    assert [block.name for block in agent.answers[-1].content if block.type == "tool_use"] == ["read"] * count


@then(phrase("with the agent's next request the model receives {count:Count} results, in the order of its calls"))
def check_results(agent, count):
    agent.read(agent.answers[-1])
    calls = [block["id"] for block in agent.bodies[-1]["messages"][-2]["content"] if block["type"] == "tool_use"]
    assert [block["tool_use_id"] for block in agent.results] == calls
    assert len(calls) == count


@then(phrase("the agent's answer reports {read:Count} tokens read and {written:Count} written"))
def check_usage(agent, read, written):
    usage = agent.answers[-1].usage
    assert (usage.input_tokens, usage.output_tokens) == (read, written)


@then('the agent receives "Let me look", cut off')
def check_cut_off(agent):
    answer = agent.answers[-1]
    assert [block.text for block in answer.content] == ["Let me look"]
    assert answer.stop_reason == "max_tokens"


@then("its next request is accepted")
def check_next(agent):
    if agent.messages[-1]["role"] == "user":
        agent.messages.pop()
    assert agent.ask("And then?").stop_reason == "end_turn"


@then("the agent's request fails as overloaded")
def check_overloaded(outcome):
    assert outcome == "overloaded"


@then(parsers.re(r'every request is accepted and offers (?P<names>"\w+"(?: and "\w+")?)'))
def check_tools(agent, outcome, names):
    assert outcome is None, outcome
    assert {tuple(tool["name"] for tool in body["tools"]) for body in agent.bodies} == {
        tuple(re.findall(r"\w+", names.replace(" and ", " ")))
    }


@then("every request of the agent is accepted")
def check_accepted(agent, outcome):
    assert outcome is None, outcome
    assert {answer.stop_reason for answer in agent.answers} <= {"end_turn", "tool_use"}


@then(phrase('the listener hears "{words:Quoted}"'))
def check_heard(agent, words):
    assert words in [str(event) for event in agent.events]


@then(phrase('its listener hears "{words:Quoted}"'))
def check_heard_by_tool(heard, words):
    assert [str(event) for event in heard] == [words]


@then("the listener hears of a call that failed")
def check_failed_recall(agent):
    (event,) = [event for event in agent.events if event.kind == "recall_answered"]
    assert str(event).startswith("recall failed: 'None': 0 passages")


@then("the listener hears with the first call alone that the index was made anew")
def check_rebuilt(agent):
    first, *others = [event for event in agent.events if event.kind == "recall_answered"]
    assert "it is made anew from the logs" in str(first)
    assert [event.notes for event in others] == [()]


@then("every request begins with the one before")
def check_prefixes(agent):
    sent = [[*map(canonical, body["messages"])] for body in agent.bodies]
    assert all(after[: len(before)] == before for before, after in itertools.pairwise(sent))


@then("more is read from the cache in each answer than in the one before")
def check_cache(agent):
    plain = [one.usage for one in agent.answers if "Let me look." not in [getattr(b, "text", "") for b in one.content]]
    read = [usage.cache_read_input_tokens for usage in plain]
    assert all(before < after for before, after in itertools.pairwise(read)), read


@then("the tool runs 3 times")
def check_runs(outcome):
    assert outcome == ["/0", "/1", "/2"]


@then("the model receives 4 results")
def check_all_results(agent):
    blocks = (block for message in agent.bodies[-1]["messages"] for block in message["content"] if type(block) is dict)
    assert sum(block["type"] == "tool_result" for block in blocks) == 4


@then(phrase('it is refused, and the error says "{words:Quoted}"'))
def check_refused(outcome, words):
    assert isinstance(outcome, brim.BrimError), outcome
    assert words in str(outcome)
