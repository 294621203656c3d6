"""Requests and compactions in a growing agent, from 100 to 100,000 messages and in real sessions, beside LangChain."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from anthropic import APIRequest
from anthropic._models import FinalRequestOptions
from httpx2 import Response
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.test import TestModel

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.middleware import compaction
from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.summary.summarizer_input import OnText, SummaryAnswer, SummaryRequest
from brim.transcripts import read_transcript, view
from tests.benchmarks.conversation import MESSAGES_A_TURN, conversation
from tests.benchmarks.figures import COMPACTION, REAL, REQUEST, Figure, Prepared, in_turns, same

MODEL: Final = "claude-opus-5-5"
LIMITS: Final = ModelLimits(context_window=1_000_000_000, max_output_tokens=8_192)
"""No request is due by these, and every conversation fits into the request for its summary."""
SUMMARY: Final = "All went well. " * 60
KEPT: Final = 20
"""Messages that the peers keep."""
SECONDS: Final = 3
"""What a model takes for a summary where its time counts."""
LEAST: Final = 40
"""Messages of the shortest real session that is measured."""


class Scripted:
    """A summarizer that answers at once, or after some seconds."""

    def __init__(self, seconds: float = 0) -> None:
        self.seconds = seconds

    def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """The same summary of everything."""
        del request, on_text
        time.sleep(self.seconds)
        return SummaryAnswer(text=SUMMARY, stop_reason="end_turn")


def measure_growth(length: int) -> list[Figure]:
    """Measure a request and a compaction of a conversation of so many messages."""
    messages, size = conversation(length), f"{length:,}"
    copied = json.loads(json.dumps(messages))
    requests: dict[str, Prepared] = {
        "brim, own loop": own_loop(messages),
        "brim, middleware": of_a_client(messages),
        "brim, the verdict alone": same(Compactor(None, MODEL, limits=LIMITS).window(messages).verdict),
        "LangChain": same(langchain(messages, due=False)),
        "pydantic-ai, a run": same(pydantic_ai(messages)),
        "limit: equality of the lists": same(lambda: messages == copied),
    }
    return [*in_turns(REQUEST, size, requests), *in_turns(COMPACTION, size, compactions(messages))]


def compactions(messages: Sequence[Any]) -> dict[str, Prepared]:
    """Return ways to compact these messages: the summaries are there at once, so that each has its own part alone."""

    def opened(*, again: bool) -> Callable[[], Any]:
        compactor = Compactor(None, MODEL, limits=LIMITS, summarizer=Scripted())
        window = compactor.window(messages)
        if again:
            compactor.compact(window)
        return lambda: compactor.compact(window)

    def cold() -> Callable[[], Any]:
        compactor = Compactor(None, MODEL, limits=LIMITS, summarizer=Scripted())
        return lambda: compactor.compact(messages)

    return {
        "brim, kept window": partial(opened, again=False),
        "brim, read before": partial(opened, again=True),
        "brim, cold list": cold,
        "LangChain": same(langchain(messages, due=True)),
        "limit: json.dumps": same(lambda: json.dumps(messages)),
    }


def measure_waiting() -> list[Figure]:
    """Measure how long the request waits that a compaction is due for, where a model takes its time for the summary."""
    messages = conversation(401)
    held = Compactor(None, MODEL, limits=LIMITS).window(messages).verdict().held

    def running(ahead: str | None) -> Callable[[], Any]:
        policy = CompactionPolicy(threshold=held - 1, ahead=ahead, prune=False)  # a summary is needed
        one = Conversation(Compactor(None, MODEL, limits=LIMITS, policy=policy, summarizer=Scripted(SECONDS)))
        one.extend(messages[:-MESSAGES_A_TURN])
        one.prepare()
        time.sleep(SECONDS + 1)  # the agent works
        one.extend(messages[-MESSAGES_A_TURN:])

        def due() -> None:
            assert SUMMARY.strip() in json.dumps(one.prepare().messages)

        return due

    ways: dict[str, Prepared] = {
        "brim": lambda: running(None),
        'brim, `ahead="0.8"`': lambda: running("0.8"),
        "LangChain": same(langchain(messages, due=True, seconds=SECONDS)),
        "limit: the model alone": same(partial(time.sleep, SECONDS)),
    }
    return in_turns(
        f"a request with a compaction, by a model that takes {SECONDS} s", f"{len(messages)} messages", ways, 2
    )


def measure_real(folder: Path) -> Iterator[Figure]:
    """Measure a compaction of each transcript in a folder, as its tool would send it now."""
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        try:
            seen = view(read_transcript(path))
        except InvalidInput:  # no transcript
            continue
        messages = [dict(message.raw) for message in seen.messages]
        if len(messages) >= LEAST:
            size = f"{path.relative_to(folder).parts[0]}, {len(messages):,} messages, {len(json.dumps(messages)):,} B"
            yield from in_turns(REAL, size, compactions(messages), 3)


def own_loop(messages: Sequence[Any]) -> Prepared:
    """Return an append and the next request, in a conversation that has these messages."""
    running = Conversation(Compactor(None, MODEL, limits=LIMITS, summarizer=Scripted()))
    running.extend(messages)
    running.prepare()
    new = _more(messages)

    def request() -> None:
        for _ in range(2):
            running.append(next(new))
        running.prepare()

    return same(request)


def _more(messages: Sequence[Any]) -> Iterator[Any]:
    """Yield an agent's next messages, of the user and the assistant in turn."""
    roles = ("assistant", "user") if messages[-1]["role"] == "user" else ("user", "assistant")
    for number in count():
        yield {"role": roles[number % 2], "content": f"Go on with part {number}. ".ljust(500, "x")}


def of_a_client(messages: Sequence[Any]) -> Prepared:
    """Return a request with two new messages, in the middleware; each list is made anew, as the SDK makes it."""
    middleware = compaction(Compactor(None, MODEL, limits=LIMITS, summarizer=Scripted()))
    response = SimpleNamespace(http_response=Response(200, content=b"{}"))
    grown, new = [*messages], _more(messages)

    def prepare() -> Callable[[], Any]:
        grown.extend(next(new) for _ in range(2))
        body = {"model": MODEL, "max_tokens": 100, "messages": json.loads(json.dumps(grown))}
        request: Any = APIRequest(
            options=FinalRequestOptions.construct(method="post", url="/v1/messages", json_data=body),
            cast_to=object,
            stream=False,
            stream_cls=None,
            retries_taken=0,
        )
        return lambda: middleware.handle(request, lambda _: response)

    prepare()()  # the first request reads the whole list
    return prepare


def langchain(messages: Sequence[Mapping[str, Any]], *, due: bool, seconds: float = 0) -> Callable[[], Any]:
    """Return LangChain's own summarization, before a model is called."""
    state: Any = {"messages": [*_for_langchain(messages)]}
    summarization: Any = SummarizationMiddleware(
        FakeListChatModel(responses=[SUMMARY], sleep=seconds),
        trigger=("tokens", 1 if due else LIMITS.context_window),
        keep=("messages", KEPT),
        trim_tokens_to_summarize=None,
    )
    runtime: Any = None
    return lambda: summarization.before_model(state, runtime)


def _for_langchain(messages: Sequence[Mapping[str, Any]]) -> Iterator[BaseMessage]:
    """Yield these messages as LangChain has them: each result of a tool is a message of its own."""
    for number, one in enumerate(messages):
        content = one["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
        for place, block in enumerate(blocks):
            if block["type"] == "tool_result":
                said = block.get("content", "")
                said = said if isinstance(said, str) else json.dumps(said)
                yield ToolMessage(said, tool_call_id=block["tool_use_id"], id=f"{number}-{place}")
        if one["role"] == "assistant":
            calls = [
                {"name": block["name"], "args": dict(block["input"]), "id": block["id"]}
                for block in blocks
                if block["type"] == "tool_use"
            ]
            yield AIMessage(text, tool_calls=calls, id=str(number))
        elif text:
            yield HumanMessage(text, id=str(number))


def pydantic_ai(messages: Sequence[Mapping[str, Any]]) -> Callable[[], Any]:
    """Return a run of pydantic-ai whose history processor keeps the newest messages; it summarizes nothing itself."""
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(json.dumps(one["content"]))])
        if one["role"] == "user"
        else ModelResponse(parts=[TextPart(json.dumps(one["content"]))])
        for one in messages
    ]
    agent = Agent(TestModel(), capabilities=[ProcessHistory(lambda sent: sent[-KEPT:])])
    return lambda: agent.run_sync("And now?", message_history=history)
