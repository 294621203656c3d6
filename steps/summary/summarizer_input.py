"""Steps of features/summary/summarizer_input.feature."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pytest_bdd import given, parsers, when

from brim.conversation.messages import read_conversation, read_message
from brim.summary.summarizer_input import SummaryRequest, SummarySource, fallback_strategies
from brim.testing import MessagesServer
from brim.tokens.estimation import EMPTY_SIZE, measure, measure_extras, tokens_of
from steps.vocabulary import phrase, tokens
from steps.worlds.agents import MODEL, ListingAgent, notes_read
from steps.worlds.notation import Notation
from steps.worlds.values import read_settings

QUOTATION = re.compile(r"^([^\n<>]+):\n<(quote-[0-9a-f]{12})>\n(.*?)\n</\2>\n+", re.DOTALL | re.MULTILINE)
MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}
TOOL = {"name": "read", "input_schema": {"type": "object"}}
MARKED: dict[str, dict[str, Any]] = {
    "nowhere else": {},
    "on the system prompt": {"system": [{"type": "text", "text": "You mend programs.", **MARK}]},
    "on the whole": {"parameters": MARK},
}
SUMMARIZER = {
    "answer": ("max_tokens", tokens),
    "cache mark": ("marked", MARKED.__getitem__),
    "earlier summary": ("previous_summary", lambda cell: cell.strip('"')),
    "model": ("summary_model", {"large": "large", "small": "small", "not set": ""}.__getitem__),
    "prompt": ("prompt", lambda cell: cell.strip('"')),
    "system prompt": ("system", lambda cell: cell.strip('"')),
    "tool": ("tools", lambda cell: [TOOL | {"name": cell}]),
    "window": ("context_window", tokens),
}
IMAGE = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
CALL = {"type": "tool_use", "id": "A", "name": "Write", "input": {}}
PARTS: dict[str, dict[str, Any]] = {
    "an image": {"type": "image", "source": IMAGE},
    "a document with a title": {"type": "document", "title": "plan.pdf", "source": {"media_type": "application/pdf"}},
    "a screenshot of a tool": {
        "type": "tool_result",
        "tool_use_id": "A",
        "content": [{"type": "image", "source": IMAGE}],
    },
    "an orb": {"type": "orb", "of": "pier"},
    "an orb of 5,000 characters": {"type": "orb", "of": "x" * (5_000 - len('{"type":"orb","of":""}'))},
    "a kind that is a sentence": {"type": "all is approved"},
    "a compaction": {"type": "compaction", "content": "All went well."},
    "a call that writes 5,000 characters": CALL | {"input": {"content": "x" * 5_000, "file_path": "/app/door.txt"}},
}


@pytest.fixture
def summarizer() -> dict[str, Any]:
    """What is asked of whom: the conversation's own model, of which nobody knows what it holds."""
    return {}


@pytest.fixture
def kept() -> tuple[int, int]:
    """How many messages stay word for word at the beginning, and at the end."""
    return (0, 0)


@given(Notation("a summarizer with {line}", lambda line: read_settings(line, SUMMARIZER)), target_fixture="summarizer")
def summarizer_with(line):
    return read_settings(line, SUMMARIZER)


@given(
    parsers.re(r"(?P<first>the first message and )?the last (?P<count>\d+) messages stay word for word"),
    target_fixture="kept",
)
def messages_stay(first, count):
    return (1 if first else 0, int(count))


@given(phrase("{count:Count} requests of the user, each of {size:Tokens} tokens"), target_fixture="conversation")
def long_requests(count, size):
    return tuple(read_message({"role": "user", "content": f"{n} ".ljust(4 * size, "x")}) for n in range(1, count + 1))


@given(parsers.re("a message of the (?P<role>user|assistant) with (?P<part>.+)"), target_fixture="conversation")
def message_with(role, part):
    return (read_message({"role": role, "content": [PARTS[part]]}),)


class Told:
    """A request for a summary in the words of the feature."""

    def __init__(self, request: SummaryRequest, source: SummarySource, way: str, reason: str) -> None:
        self.sent, self.way, self.reason = request, way, reason
        count = len(source.messages)
        same = [id(one) for one in request.messages[:count]] == [id(one.raw) for one in source.messages]
        self.prefix = "unchanged" if same else "changed"
        self.behind_it = [one["role"] for one in request.messages[count:]]
        self.conversation = read_conversation(request.messages[:-1])
        content = request.messages[-1]["content"]
        (block,) = [{"text": content}] if isinstance(content, str) else content
        self.instruction, self.cache_mark = block["text"], MARK.items() <= block.items()
        self.system_prompt, self.tools = request.system, [one["name"] for one in request.tools]
        self.final, self.tokens, self.replaces = request.final, request.tokens, request.replaces_tokens
        self.request = f"{request.system}\n{self.instruction}"
        """All that is said beside the conversation."""
        self.quoted = [(heading, text) for heading, _, text in QUOTATION.findall(self.instruction)]
        self.quotations = [f"{heading}: {text}" for heading, text in self.quoted]
        self.unquoted_text = QUOTATION.sub("", self.request)

    @property
    def heading(self) -> str:
        """The heading of its last quotation."""
        return self.quoted[-1][0]

    @property
    def quotation(self) -> str:
        """The text of its last quotation."""
        return self.quoted[-1][1]

    @property
    def characters_quoted(self) -> int:
        """How long that text is."""
        return len(self.quotation)

    @property
    def requests_quoted(self) -> str:
        """Which of the user's numbered requests it quotes."""
        numbers = [text.split()[0] for heading, text in self.quoted if heading.startswith("The user wrote")]
        return f"{numbers[0]} to {numbers[-1]}"

    @property
    def summary_so_far(self) -> str:
        """The summary that it quotes of all that came before."""
        return "".join(text for heading, text in self.quoted if heading.startswith("The summary so far"))

    @property
    def calls_or_results_alone(self) -> set[str]:
        """Calls that it quotes without their results, or the other way round."""
        headings = "\n".join(heading for heading, _ in self.quoted)
        return {*re.findall(r"made (call \d+)", headings)} ^ {*re.findall(r"result of (call \d+)", headings)}

    @property
    def message_named(self) -> str:
        """The words by which the first message that stays is found."""
        return re.findall(r'beginning with the user\'s message "([^"]*)"', self.instruction)[0]

    @property
    def characters_named(self) -> int:
        """How many of these words are the message's own."""
        return len(self.message_named.removesuffix("…"))

    @property
    def named_whole(self) -> bool:
        """Whether they are all of them."""
        return not self.message_named.endswith("…")


class Asked(list[Told]):
    """The requests of one way, one after another; what is looked at without saying of which is the first one's."""

    ways: list[str]
    reasons: list[str]
    summary: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self[0], name)


@when(
    parsers.re("a summary is asked for(?:, (?P<way>rendered|in pieces|of the last five turns))?"),
    target_fixture="outcome",
)
def ask(conversation, summarizer, kept, way):
    """Each request fits with its answer, a way is as large as its first request, and tools are those of the agent."""
    options = {"prompt": "Write a summary.", **summarizer}
    options |= options.pop("marked", {})
    source = source_of(conversation, kept, options)
    ways = list(fallback_strategies(source))
    assert [one.tokens for one in ways] == [next(one.requests()).tokens for one in ways]
    asked = Asked()
    asked.ways, asked.reasons = [one.name for one in ways], [one.reason for one in ways]
    name = way.removeprefix("of the ") if way else asked.ways[0] if ways else None
    for chosen in [one for one in ways if one.name == name]:
        requests = chosen.requests()
        try:
            made = next(requests)
            while True:
                assert made.tokens + made.max_tokens <= (source.context_window or made.tokens + made.max_tokens)
                assert made.tools is source.tools or (made.form, [*made.tools]) == ("rendered", [])
                asked.append(Told(made, source, chosen.name, chosen.reason))
                made = requests.send(f"Answer {len(asked)}.")
        except StopIteration as whole:
            asked.summary = whole.value
    return asked


def source_of(messages: Any, kept: tuple[int, int], options: dict[str, Any]) -> SummarySource:
    """Return what is to be summarized of these messages, with the sizes that a window knows of them."""
    indices = range(kept[0], len(messages) - kept[1])
    extras = measure_extras(options.get("system"), options.get("tools", ()))
    return SummarySource(
        messages=tuple(messages),
        indices=tuple(indices),
        sent_tokens=tokens_of(sum(map(measure, messages), extras)),
        replaced_tokens=tokens_of(sum((measure(messages[index]) for index in indices), EMPTY_SIZE)),
        model="large",
        **options,
    )


BETA = "interleaved-thinking-2025-05-14"
CARRIES: dict[str, dict[str, Any]] = {
    "a tool": {"tools": [TOOL | {"name": "write"}]},
    "a system prompt": {"system": "You build piers."},
    "thinking within 1,024 tokens": {"thinking": {"type": "enabled", "budget_tokens": 1_024}},
    "thinking as much as it likes": {"thinking": {"type": "adaptive"}},
    "no use of tools": {"tool_choice": {"type": "none"}},
    "a cache mark for the whole": MARK,
    "a beta": {"betas": [BETA]},
    "stop words, an owner and a longest answer": {
        "stop_sequences": ["STOP"],
        "metadata": {"user_id": "someone"},
        "max_tokens": 11_000,
    },
    "a forced tool": {"tool_choice": {"type": "tool", "name": "read"}},
    "a forced form of the answer": {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
    "a cache mark that moves to the newest message": {},
}


class CarryingAgent(ListingAgent):
    """An agent that has read notes, and whose requests carry more than messages."""

    def __init__(self, server: MessagesServer, count: int, what: str) -> None:
        super().__init__(server, notes_read(count))
        self.carried, self.moves = CARRIES[what], "moves" in what

    @property
    def request(self) -> dict[str, Any]:
        """Its request as it would make it now."""
        messages = [*self.messages]
        if self.moves:
            contents = [one["content"] for one in messages]
            blocks = [[{"type": "text", "text": one}] if isinstance(one, str) else one for one in contents]
            blocks[-1] = [blocks[-1][0] | MARK]
            messages = [one | {"content": content} for one, content in zip(messages, blocks, strict=True)]
        return {"model": MODEL, "max_tokens": 12_000, "tools": [TOOL], "messages": messages} | self.carried

    def _send(self, client: Any, how: str | None) -> Any:
        return client.beta.messages.create(**self.request)

    def asked(self) -> list[Any]:
        """Return the messages of each request of the agent: those for a summary alone are streamed."""
        return [one.body["messages"] for one in self.server.requests if not one.body.get("stream")]

    @property
    def first_message(self) -> str:
        """What the first message of its last request says."""
        return str(self.sent[0])

    @property
    def for_a_summary(self) -> list[Any]:
        """The requests for a summary."""
        return [one for one in self.server.requests if one.body.get("stream")]

    @property
    def forms(self) -> list[str]:
        """Whether each of them is warm or rendered."""
        return ["rendered" if "quote-" in str(one.body["messages"]) else "warm" for one in self.for_a_summary]

    @property
    def carried_of_its_own_requests(self) -> str:
        """How much of what its own request carries the one request for a summary carries."""
        (one,) = self.for_a_summary
        sent = one.body | {"betas": sorted({*one.betas} & {*self.carried.get("betas", ())})}
        same = [sent.get(name) == value for name, value in self.carried.items()]
        return "all" if all(same) else "some" if any(same) else "none"

    @property
    def longest_summary(self) -> int:
        """The longest answer that the request for a summary asks for, in tokens."""
        return int(self.for_a_summary[-1].body["max_tokens"])

    @property
    def marks_for_the_summary(self) -> int:
        """How many cache marks the request for a summary has."""
        return str(self.for_a_summary[-1].body).count("cache_control")


@given(
    parsers.re(r"an agent that has read (?P<count>\d+) notes, whose requests carry (?P<what>.+)"),
    target_fixture="agent",
)
def agent_carrying(strict_server, count, what):
    return CarryingAgent(strict_server, int(count), what)
