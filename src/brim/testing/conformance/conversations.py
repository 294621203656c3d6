"""Conversations: the work of a coding agent, request by request, as long as a check needs it."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from brim.testing.answers import text_block, thinking_block
from brim.testing.conformance.subject import Messages
from brim.testing.messages_api.memory import Signer
from brim.testing.strictness import blocks_of

MODEL: Final = "claude-opus-5-5"
WINDOW: Final = 32_000
"""Tokens of the model's window that the compactor is told."""
CHARACTERS_PER_TOKEN: Final = 4
REQUESTS: Final = 15
"""Requests that are worked on before the first compaction."""
SYSTEM: Final = "You are a coding agent. Work in the repository until the request is done."
TOOLS: Final = [
    {"name": name, "description": what, "input_schema": {"type": "object"}}
    for name, what in (("read_file", "Read a file."), ("write_file", "Write a file."))
]
AREAS: Final = ("billing", "parser", "cache", "router", "mailer", "search", "export", "login", "queue", "report")
TASKS: Final = (
    "Split `{}` into a reader and a writer, and never import `os` in either of them.",
    "Make `{}` retry three times, but only after a timeout.",
    "Rename the settings of `{}` to snake case; the old names have to keep working.",
    "Give `{}` a limit of 4,096 entries, and do not log what is dropped.",
    "Port `{}` to the new client, without a change of its public names.",
    "Let `{}` write UTF-8 everywhere, with line feeds alone.",
    "Remove the global state from `{}`, and keep its tests as they are.",
)
SENTENCE: Final = re.compile(
    rf"(?:{'|'.join(re.escape(one.format('@')).replace('@', '[a-z]+_[0-9]+') for one in TASKS)})"
)
"""Finds the sentences that say what the user wants."""
PATH: Final = re.compile(r"src/[a-z]+_[0-9]+\.py")
PICTURE: Final = base64.b64encode(bytes(range(256)) * 12).decode()
IMAGE: Final = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
DOCUMENT: Final = {
    "type": "document",
    "title": "limits.pdf",
    "source": {"type": "base64", "media_type": "application/pdf", "data": PICTURE[::-1]},
}
UNKNOWN: Final = {"type": "sketch_20271101", "strokes": [[1, 2], [3, 4]], "caption": "how the parts hang together"}
"""A block of a type that no client knows yet."""
SIGNER: Final = Signer("conformance")


def subject_of(number: int) -> str:
    """Return what the request of this number is about."""
    return f"{AREAS[number % len(AREAS)]}_{number}"


def sentence(number: int) -> str:
    """Return what the user wants in the request of this number, in one sentence."""
    return TASKS[number % len(TASKS)].format(subject_of(number))


def request(number: int) -> dict[str, Any]:
    """Return the user's message of this number: a sentence, and why."""
    why = f"We met this twice last week when {subject_of(number + 3)} was deployed, and the logs said little about it. "
    return {"role": "user", "content": f"{sentence(number)} {why * 2}".strip()}


def call(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    """Return a call of a tool."""
    return {"type": "tool_use", "id": f"toolu_{name}_{number}", "name": name, "input": arguments}


def answer(*blocks: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message of the model."""
    return {"role": "assistant", "content": [*blocks]}


def results(calls: Iterable[Mapping[str, Any]], characters: int = 3_000) -> dict[str, Any]:
    """Return the message that answers calls, each by so many characters."""
    line = "    value = settings.get('retries', 3)  # as the guide asks\n"
    text = (line * (characters // len(line) + 1))[:characters]
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": one["id"], "content": text} for one in calls],
    }


def rounds(number: int, *, parallel: int = 1, done: bool = True) -> Messages:
    """Return the agent's work on a request: it reads, writes and says so. Without `done` its loop is open."""
    path = f"src/{subject_of(number)}.py"
    reads = [call("read_file", number * 10 + n, path=path if n == 0 else f"docs/{n}.md") for n in range(parallel)]
    writes = [call("write_file", number, path=path, content="import json\n" * 20)]
    closing = answer(text_block(f"{path} is written, and its tests pass."))
    return [
        answer(text_block(f"I look at {path} first."), *reads),
        results(reads),
        answer(*writes),
        results(writes),
        *([closing] if done else []),
    ]


def work(requests: int = REQUESTS, first: int = 0, *, parallel: int = 1) -> Messages:
    """Return so many requests with the work on them, and one more that waits for its answer."""
    numbers = range(first, first + requests)
    done = [one for n in numbers for one in (request(n), *rounds(n, parallel=parallel))]
    return [*done, request(first + requests)]


def loop() -> Messages:
    """Return one request, and thirty steps of work on it that are not at their end."""
    return [request(0), *(one for n in range(15) for one in rounds(n, done=False))]


def thoughtful(messages: Sequence[Mapping[str, Any]]) -> Messages:
    """Return the messages with a thought before each answer, signed behind what stands before it."""
    signed: Messages = []
    for number, message in enumerate(messages):
        content = [dict(block) for block in blocks_of(message["content"])]
        if message["role"] == "assistant":
            content.insert(0, thinking_block(f"Thought {number}: this may be the cause."))
            SIGNER.sign(body_of(signed), content)
        signed.append({"role": message["role"], "content": content})
    return signed


def body_of(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the request that the agent makes of messages."""
    fixed = {"model": MODEL, "max_tokens": 4_000, "system": SYSTEM, "tools": TOOLS}
    return {**fixed, "thinking": {"type": "enabled", "budget_tokens": 1_024}, "messages": [*messages]}


def saying(number: int, *blocks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the user's message of this number with other blocks behind its words."""
    return {"role": "user", "content": [text_block(request(number)["content"]), *blocks]}
