"""The paths that users run, beside plain work on the same messages and beside other frameworks, all in one run."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, pairwise
from types import SimpleNamespace
from typing import Any

from anthropic import APIRequest
from anthropic._models import FinalRequestOptions
from httpx2 import Response
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.test import TestModel
from rich.console import Console

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.middleware import compaction
from brim.models import ModelLimits
from brim.summary.summarizer_input import OnText, SummaryAnswer, SummaryRequest
from tests.benchmarks.measures import fastest, once
from tests.benchmarks.tables import print_table

CHARACTERS = 500
"""Characters of each message."""
MODEL = "claude-opus-5-5"
LIMITS = ModelLimits(context_window=100_000_000, max_output_tokens=8_192)
"""No request is due by these, and every conversation fits into the request for its summary."""
SUMMARY = "All went well. " * 60
KEPT = 20
"""Messages that the other frameworks keep."""
CALLS = 100
"""Appends in one measurement, and requests of an own loop of which the fastest counts."""
REQUESTS = 6
"""Requests of a client of which the fastest counts."""
AIMS = {
    "append": "at most 20 µs, the same at every length",
    "middleware": "at most 2 × equality + 200 µs",
    "compact": "at most 2.5 × json.dumps",
    "cold": "at most 5 × json.dumps",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductRow:
    """Seconds for a conversation of one length."""

    messages: int
    dumps: float
    equality: float
    append: float
    prepare: float
    middleware: float
    compact: float
    cold: float
    langchain: float
    langchain_compact: float
    pydantic_ai: float


class Instant:
    """A summarizer that answers at once."""

    def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """The same summary of everything."""
        del request, on_text
        return SummaryAnswer(text=SUMMARY, stop_reason="end_turn")


def talk(length: int) -> list[dict[str, Any]]:
    """So many messages of 500 characters, of the user and the assistant in turn."""
    return [
        {"role": _role(number), "content": f"Message {number}. ".ljust(CHARACTERS, "x")} for number in range(length)
    ]


def _role(number: int) -> str:
    return "assistant" if number % 2 else "user"


def measure_product(length: int) -> ProductRow:
    """Every measurement for a conversation of so many messages."""
    messages = talk(length)
    copied = json.loads(json.dumps(messages))
    compactor = Compactor(None, MODEL, limits=LIMITS, summarizer=Instant())
    window = compactor.window(messages)
    return ProductRow(
        messages=length,
        dumps=fastest(lambda: json.dumps(messages)),
        equality=fastest(lambda: messages == copied),
        **dict(zip(("append", "prepare"), own_loop(compactor, messages), strict=True)),
        middleware=requests_of_a_client(compactor, messages),
        compact=fastest(lambda: compactor.compact(window)),
        cold=fastest(lambda: compactor.compact(messages)),
        langchain=fastest(langchain(messages, due=False)),
        langchain_compact=fastest(langchain(messages, due=True)),
        pydantic_ai=fastest(pydantic_ai(messages)),
    )


def own_loop(compactor: Compactor, messages: Sequence[Any]) -> tuple[float, float]:
    """Seconds of an append, and of an append with the next request, in a conversation of these messages."""
    conversation = Conversation(compactor)
    conversation.extend(messages)
    conversation.prepare()
    new = iter(talk(len(messages) + 3 * CALLS)[len(messages) :])
    append = once(lambda: [conversation.append(next(new)) for _ in range(CALLS)]) / CALLS
    conversation.prepare()

    def request() -> None:
        conversation.append(next(new))
        conversation.prepare()

    return append, min(once(request) for _ in range(CALLS))


def requests_of_a_client(compactor: Compactor, messages: Sequence[Any]) -> float:
    """Seconds of a request with one new message, in the middleware; each list is made anew, as the SDK makes it."""
    middleware = compaction(compactor)
    grown = talk(len(messages) + 2 * CALLS)
    length = count(len(messages), 2)
    answered = Response(200, content=b"{}")
    response = SimpleNamespace(http_response=answered)
    seconds: list[float] = []
    for _ in range(REQUESTS):
        body = {"model": MODEL, "max_tokens": 100, "messages": json.loads(json.dumps(grown[: next(length)]))}
        request: Any = APIRequest(
            options=FinalRequestOptions.construct(method="post", url="/v1/messages", json_data=body),
            cast_to=object,
            stream=False,
            stream_cls=None,
            retries_taken=0,
        )
        seconds.append(once(partial(middleware.handle, request, lambda _: response)))
    return min(seconds[1:])  # the first request reads the whole list


def langchain(messages: Sequence[Mapping[str, Any]], *, due: bool) -> Callable[[], Any]:
    """LangChain's own summarization, before a model is called."""
    kinds = {"user": HumanMessage, "assistant": AIMessage}
    state: Any = {"messages": [kinds[one["role"]](one["content"], id=str(n)) for n, one in enumerate(messages)]}
    summarization: Any = SummarizationMiddleware(
        FakeListChatModel(responses=[SUMMARY]),
        trigger=("tokens", 1 if due else LIMITS.context_window),
        keep=("messages", KEPT),
        trim_tokens_to_summarize=None,
    )
    runtime: Any = None
    return lambda: summarization.before_model(state, runtime)


def pydantic_ai(messages: Sequence[Mapping[str, Any]]) -> Callable[[], Any]:
    """A run of pydantic-ai whose history processor keeps the newest messages; it has no summarization of its own."""
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(one["content"])])
        if one["role"] == "user"
        else ModelResponse(parts=[TextPart(one["content"])])
        for one in messages
    ]
    agent = Agent(TestModel(), capabilities=[ProcessHistory(lambda sent: sent[-KEPT:])])
    return lambda: agent.run_sync("And now?", message_history=history)


COLUMNS: dict[str, Callable[[ProductRow], str]] = {
    "messages": lambda row: f"{row.messages:,}",
    "json.dumps ms": lambda row: f"{row.dumps * 1e3:.2f}",
    "equality ms": lambda row: f"{row.equality * 1e3:.2f}",
    "append µs": lambda row: f"{row.append * 1e6:.1f}",
    "append + prepare µs": lambda row: f"{row.prepare * 1e6:.0f}",
    "middleware ms": lambda row: f"{row.middleware * 1e3:.2f}",
    "(− 200 µs) × equality": lambda row: f"{(row.middleware - 200e-6) / row.equality:.2f}",
    "compact ms": lambda row: f"{row.compact * 1e3:.1f}",
    "× json.dumps": lambda row: f"{row.compact / row.dumps:.1f}",
    "from a cold list ms": lambda row: f"{row.cold * 1e3:.1f}",
    "× json.dumps ": lambda row: f"{row.cold / row.dumps:.1f}",
    "LangChain, a request ms": lambda row: f"{row.langchain * 1e3:.2f}",
    "LangChain, a compaction ms": lambda row: f"{row.langchain_compact * 1e3:.1f}",
    "pydantic-ai, a run ms": lambda row: f"{row.pydantic_ai * 1e3:.1f}",
}
GROWING = ("dumps", "equality", "append", "prepare", "middleware", "compact", "cold", "langchain", "pydantic_ai")


def show_product(rows: Sequence[ProductRow], console: Console) -> None:
    """The table, the aims, and how each figure grows."""
    print_table("What users call, with 500 characters a message and an instant summarizer", COLUMNS, rows, console)
    for name, aim in AIMS.items():
        console.print(f"{name}: {aim}")
    for name, slopes in growth_of_product(rows).items():
        console.print(f"{name} grows with the power {', '.join(f'{slope:.2f}' for slope in slopes)}")


def growth_of_product(rows: Sequence[ProductRow]) -> dict[str, list[float]]:
    """The exponent of each figure's growth from one length to the next; 0 is constant and 1 linear."""
    return {name: list(_slopes(rows, name)) for name in GROWING}


def _slopes(rows: Sequence[ProductRow], name: str) -> Iterator[float]:
    for shorter, longer in pairwise(rows):
        step = math.log10(longer.messages / shorter.messages) or 1.0
        yield math.log10(getattr(longer, name) / getattr(shorter, name)) / step
