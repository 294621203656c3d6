"""Steps of features/engine/recall.feature: an agent whose client offers its model the tool recall."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from anthropic import APIStatusError
from pytest_bdd import given, parsers, when

import brim
from brim.engine.recall import MAX_TOKENS, recall_tool
from brim.sessions import open_store
from brim.testing import Answer, MessagesServer, overloaded, text_block, thinking_block, tool_call
from brim.testing.strictness import canonical
from brim.tokens.estimation import estimate_tokens
from steps.clock import frozen
from steps.vocabulary import phrase, tokens
from steps.worlds.agents import MODEL, TIGHT, Alike, ListingAgent, filler

ANSWER = 1_000
"""The longest answer of the agent's requests, in tokens; that of summary requests differs."""
WORDS = "Words of no weight. " * 50
LONG = 600
"""Characters of a passage at most."""
PART = 2_000
"""Tokens of each turn that follows; a few of them are due by the limits of the agent."""
READ = {"name": "read", "input_schema": {"type": "object"}}
DONE = [thinking_block("It is done."), text_block("Done.")]
LOOK = [thinking_block("I need it."), text_block("Let me look.")]
UNCACHED = {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "cache_creation": None}
WAYS: tuple[dict[str, bool], ...] = (
    {},
    {"streamed": True},
    {"in_loop": True},
    {"streamed": True, "in_loop": True},
)


def for_agent(body: Any) -> bool:
    """Return whether a request is the agent's, and not for a summary."""
    return body["max_tokens"] == ANSWER


def summary_or_done(body: Any) -> Any:
    """Return a summary where one is asked for, and else the answer that it is done."""
    return DONE if for_agent(body) else "The work went on."


def serving() -> MessagesServer:
    """Return a provider whose model has a large window."""
    return MessagesServer(default=summary_or_done, models={MODEL: (1_000_000, 64_000)})


def recall(words: Any, **others: Any) -> dict[str, Any]:
    """Return a call of recall."""
    return tool_call("recall", {"query": words, **others})


class RecallingAgent(ListingAgent):
    """An agent that appends each answer to its list; by its client the model can recall."""

    def __init__(
        self, server: MessagesServer, *, streamed: bool = False, in_loop: bool = False, **options: Any
    ) -> None:
        super().__init__(server, [], in_loop=in_loop)
        self.streamed = streamed
        self.tools: list[Any] = [READ]
        self.carries: dict[str, Any] = {}
        """What its requests carry besides."""
        self.usage: dict[str, Any] = {}
        """What each of its answers reports."""
        self.answers: list[Any] = []
        self.received: Any = None
        """Its newest answer in which the model could recall."""
        self.failure = ""
        self.options |= {"recall": True, **options}

    @contextmanager
    def working(self) -> Iterator[None]:
        """Open its server and its client."""
        with self.server, ExitStack() as self.clock, super().working():
            yield

    @property
    def request(self) -> dict[str, Any]:
        """Its request, with a tool, with thinking and a cache mark."""
        marks = {"cache_control": {"type": "ephemeral"}, "thinking": {"type": "adaptive"}}
        return super().request | {"max_tokens": ANSWER, "tools": self.tools} | marks | self.carries

    def goes_on(self, response: Any) -> None:
        """Append a response."""
        self.messages.append({"role": "assistant", "content": response.content})
        self.answers.append(response)

    def ask(self, content: Any, *answers: Any) -> Any:
        """Send a message; the model answers with these, or that it is done."""
        if answers:
            self.server.when(for_agent, *answers)
        self.messages.append({"role": "user", "content": content})
        self.sends("streamed" if self.streamed else None)
        return self.answers[-1]

    def read(self, response: Any, output: str = "The file.") -> Any:
        """Answer the calls of a response, if there are any, and ask on."""
        calls = [block.id for block in response.content if block.type == "tool_use"]
        return self.ask([{"type": "tool_result", "tool_use_id": call, "content": output} for call in calls])

    def fill(self) -> None:
        """Go on for as many turns as it takes until the first is compacted away."""
        for number in range(6):
            part = {"role": "user", "content": f"Part {number}. {filler(PART)}"}
            self.messages += [part, {"role": "assistant", "content": "Noted."}]
        self.ask("The gazebo is blue.", "Noted.")

    def hears(self, words: str) -> None:
        """Be told something."""
        self.ask(words, "Noted.")

    def forgets(self, words: str) -> None:
        """Be told something, which is compacted away."""
        self.hears(words)
        self.fill()

    def forgets_many(self, count: str) -> None:
        """Be told the harbour code in so many passages of 600 characters, which are compacted away."""
        for number in range(int(count)):
            passage = {"role": "user", "content": f"The harbour code is XK-{number}. {WORDS}"[:LONG]}
            self.messages += [passage, {"role": "assistant", "content": "Noted."}]
        self.fill()

    def clears(self, words: str, path: str) -> None:
        """Read this from a file, and three other files, until the output is cleared."""
        for content, name in ((f"{words} {filler(PART)}", path), *(("The file.", f"/file-{n}") for n in range(3))):
            self.read(self.ask("Read it.", tool_call("read", {"path": name})), content)

    def asks_for(self, *answers: Any) -> None:
        """Ask; the model gives these answers, each with what is to be reported."""
        usage = {**self.usage, **UNCACHED} if self.usage else {}
        self.received = self.ask("And now?", *(Answer(one, usage=usage) for one in answers))

    def recalls(self, words: str | None, length: str | None, name: str | None, value: str | None) -> None:
        """Let the model recall some words, nothing or so many characters, with a filter."""
        query = {"query": words or "x" * tokens(length)} if words or length else {}
        filters = {name: json.loads(value.replace(",", "")) if name == "turn" else value} if name and value else {}
        self.asks_for([*LOOK, tool_call("recall", {**query, **filters})], DONE)

    def recalls_often(self, words: str, count: str) -> None:
        """Let the model recall the same again and again before it answers."""
        self.asks_for(*[[*LOOK, recall(words)]] * int(count), DONE)

    def recalls_in_vain(self, words: str) -> None:
        """Let the model recall while the provider becomes overloaded."""
        with pytest.raises(APIStatusError) as failure:
            self.ask("And now?", [*LOOK, recall(words)], overloaded())
        (self.failure,) = {*re.findall(r"\w+_error", str(failure.value))}
        self.messages.pop()

    def recalls_between(self, words: str) -> None:
        """Let the model recall between two calls of the agent's tool in one answer."""
        calls = [tool_call("read", {"path": "/a"}), recall(words), tool_call("read", {"path": "/b"})]
        self.asks_for([*LOOK, *calls])

    def talks_elsewhere(self) -> None:
        """Go on with another conversation by its client."""
        messages, self.messages = self.messages, []
        self.ask("Another one.", DONE)
        self.messages = messages
        self.answers.pop()

    def waits(self, hours: str) -> None:
        """Let the time pass."""
        self.clock.enter_context(frozen(datetime.now(UTC) + timedelta(hours=int(hours))))

    def is_cut_off(self, words: str | None) -> None:
        """Let the model recall, maybe behind some words, and be cut off in the call."""
        said = [text_block(words)] if words else []
        self.received = self.ask("And now?", Answer([*said, tool_call("recall", {})], stop_reason="max_tokens"))

    def works(self, count: str) -> None:
        """Work in turns; with recall the model recalls in every third, beside other calls in every sixth."""
        for number in range(1, int(count) + 1):
            beside = [tool_call("read", {"path": path}) for path in ("/a", "/b")] if number % 6 == 0 else []
            recalling = [[*LOOK, *beside[:1], recall("harbour code"), *beside[1:]], *([] if beside else [DONE])]
            turn = f"Turn {number}. {filler(1_200)}"
            response = self.ask(turn, *recalling[: len(recalling) * (number % 3 == 0)])
            if response.stop_reason == "tool_use":
                self.read(response)

    def goes_on_once(self) -> None:
        """Answer the calls that are open, or ask on; the provider accepts it."""
        last = self.answers[-1] if self.answers else None
        response = self.read(last) if last and last.stop_reason == "tool_use" else self.ask("And then?", DONE)
        assert response.stop_reason == "end_turn"

    @property
    def bodies(self) -> list[Any]:
        """The bodies of its requests, without those for a summary."""
        return [one.body for one in self.server.requests if one.body and for_agent(one.body)]

    @property
    def exchange(self) -> tuple[list[Any], list[Any]]:
        """The newest calls that reached the model with their results, and these."""
        found = (body["messages"][-2:] for body in reversed(self.bodies) if len(body["messages"]) > 1)
        blocks = ([[one for one in message["content"] if type(one) is dict] for message in pair] for pair in found)
        called, answers = next(pair for pair in blocks if any(one["type"] == "tool_result" for one in pair[1]))
        return [one for one in called if one["type"] == "tool_use"], answers

    @property
    def calls_answered(self) -> list[str]:
        """These calls; their results have the same order."""
        called, answers = self.exchange
        assert [one["id"] for one in called] == [one["tool_use_id"] for one in answers]
        return [" ".join([one["name"], *filter(None, [one["input"].get("path")])]) for one in called]

    @property
    def error(self) -> str:
        """What the model receives in place of a result."""
        (result,) = self.exchange[1]
        assert result["is_error"]
        return str(result["content"])

    @property
    def recall(self) -> str:
        """What the model receives of recall."""
        result, *_ = self.exchange[1]
        assert not result.get("is_error"), result
        return str(result["content"])

    @property
    def passages(self) -> list[str]:
        """The passages in it: between marks that none of them closes, behind words that call them data."""
        assert estimate_tokens(self.recall) <= MAX_TOKENS
        if self.recall.startswith("Nothing was found"):
            return []
        opening, _, rest = self.recall.partition("\n")
        assert "They are data" in opening
        tag = re.match(r"<(recalled\S*) ", rest)[1]  # type: ignore[index]
        found = re.findall(rf"<{tag} [^>]*>\n(.*?)\n</{tag}>(?:\n|$)", rest, re.DOTALL)
        assert rest.count(f"</{tag}>") == len(found)
        assert rest.endswith(f"</{tag}>")
        assert tag != "recalled" or "recalled" not in str(found).lower()
        return found

    @property
    def passages_found(self) -> int:
        """How many they are."""
        return len(self.passages)

    @property
    def place(self) -> str:
        """Where the first of them was said, when and by whom, and how it matches."""
        mark = r'turn="(.*?)" message="\d+" from="(.*?)" time="(.*?)" match="(.*?)"'
        turn, speaker, time, match = re.search(mark, self.recall).groups()  # type: ignore[union-attr]
        return f"turn {turn}, {speaker}, {time}, {match}"

    @property
    def answer_received(self) -> list[str]:
        """The answer that it received: texts, thinking and calls."""
        blocks = self.received.content
        return [block.text if block.type == "text" else getattr(block, "name", block.type) for block in blocks]

    @property
    def texts_of_the_answer(self) -> int:
        """How often the model said something in it, that it is done at last."""
        said = [block.text for block in self.received.content if block.type == "text"]
        assert said == ["Let me look."] * (len(said) - 1) + ["Done."]
        return len(said)

    @property
    def tokens_read(self) -> int:
        """The tokens that it reports as read."""
        return int(self.received.usage.input_tokens)

    @property
    def tokens_written(self) -> int:
        """And as written."""
        return int(self.received.usage.output_tokens)

    @property
    def stop_reason(self) -> str:
        """Why it ended."""
        return str(self.received.stop_reason)

    @property
    def requests_that_allow_no_call(self) -> list[int]:
        """The requests behind the newest question, by number, in which the model may call nothing."""
        asked = [body for body in self.bodies if "And now?" in str(body["messages"])]
        chosen = {number: body["tool_choice"] for number, body in enumerate(asked, 1) if body.get("tool_choice")}
        assert all(choice == {"type": "none"} for choice in chosen.values())
        return [*chosen]

    @property
    def tools_offered(self) -> list[str]:
        """The tools of every request: they are always the same."""
        (offered,) = {tuple(tool["name"] for tool in body["tools"]) for body in self.bodies}
        return [*offered]

    @property
    def requests_that_begin_otherwise(self) -> list[int]:
        """The requests that do not begin with all messages of the one before, by number."""
        sent = [[*map(canonical, body["messages"])] for body in self.bodies]
        pairs = enumerate(itertools.pairwise(sent), 2)
        return [number for number, (before, after) in pairs if after[: len(before)] != before]

    @property
    def answers_that_read_less_from_the_cache(self) -> list[int]:
        """The answers to a single request that read no more from the cache than the one of them before."""
        single = [one for one in self.answers if "Let me look." not in [getattr(b, "text", "") for b in one.content]]
        read = [one.usage.cache_read_input_tokens for one in single]
        return [number for number, (before, more) in enumerate(itertools.pairwise(read), 2) if more <= before]

    @property
    def recalls_heard(self) -> list[str]:
        """What its listener heard of calls of recall."""
        return [str(one) for one in self.heard if one.kind == "recall_answered"]

    @property
    def events_of_thinking(self) -> list[str]:
        """What its listener heard of thinking."""
        return [str(one) for one in self.heard if one.kind == "thinking_left_out"]


@pytest.fixture
def session(tmp_path: Any) -> Iterator[brim.Session]:
    """A session that recall can search."""
    store = open_store(tmp_path / "store")
    with store.create() as session:
        yield session
    store.close()


@given(
    parsers.re(r"an agent with(?P<without>out)? recall(?P<each>, in each way| of its conversation)?"),
    target_fixture="agent",
)
def with_recall(limits, without, each):
    options = {"limits": brim.ModelLimits(**limits)} if limits else {}
    options["recall"] = not without
    ways = WAYS if each == ", in each way" else WAYS[:1]
    return Alike([RecallingAgent(serving(), **way, **options) for way in ways])


@given(phrase('an agent with recall of a session that says "{words:Quoted}"'), target_fixture="agent")
def with_session(session, words):
    session.append({"role": "user", "content": words})
    return RecallingAgent(serving(), session=session)


@given(phrase("recall as a tool of {source}"), target_fixture="tool")
def plain_tool(session, source):
    said = {"role": "user", "content": "The harbour code is XK-4711."}
    turns = [said, *({"role": role, "content": filler(PART)} for role in ("assistant", "user") * 5)]
    if "session" in source:
        session.extend([] if "empty" in source else [said])
        return recall_tool(session)

    async def in_a_loop():
        conversation = brim.Conversation(brim.Compactor(limits=TIGHT))
        conversation.extend(turns)
        await conversation.aprepare()
        return recall_tool(conversation)

    if "loop" in source:
        return asyncio.run(in_a_loop())
    conversation = brim.Conversation(brim.Compactor(limits=TIGHT))
    if "empty" not in source:
        conversation.extend(turns)
        conversation.prepare()
    return recall_tool(conversation)


@when(parsers.re(r'the tool recalls "(?P<query>[^"]*)"(?: in turn (?P<turn>\d+))?'), target_fixture="outcome")
def tool_recalls(tool, query, turn):
    return tool(query, turn=None if turn is None else int(turn))
