"""Summaries: a model that is faithful, and those whose answers are none."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import Final

from brim.testing.answers import text_block, thinking_block
from brim.testing.conformance import PromptTooLong, SummarizerFailed
from brim.testing.conformance.conversations import PATH, SENTENCE
from brim.testing.conformance.judging import tokens, words
from brim.testing.conformance.subject import Messages, Summarize


def text(content: str) -> Messages:
    """Return an answer that is one text."""
    return [text_block(content)]


def faithful(prompt: Messages) -> Messages:
    """Summarize as a model that forgets nothing: each sentence the user asked with, each file, and where it stands."""
    seen = words(prompt)
    requests = dict.fromkeys(SENTENCE.findall(seen))
    files = dict.fromkeys(PATH.findall(seen))
    return text(
        "The user asked, in this order:\n"
        + "".join(f"- {one}\n" for one in requests)
        + f"\nFiles that were read and written: {', '.join(files)}.\n"
        "\nWhere the work stands: what was asked before the last request is done, and the tests pass."
    )


def limited(tokens_max: int, prompt: Messages) -> Messages:
    """Summarize faithfully, with a window that holds so many tokens."""
    size = tokens(prompt)
    if size > tokens_max:
        raise PromptTooLong(f"prompt is too long: {size} tokens > {tokens_max} maximum")
    return faithful(prompt)


def overloaded(_: Messages) -> Messages:
    """Fail, always."""
    raise SummarizerFailed("Overloaded")


QUOTED_CALL: Final = '<invoke name="read_file"><parameter name="path">src/main.py</parameter></invoke>'
ERROR: Final = 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
REASONING: Final = "The user wants a summary. Let me think about which parts of this matter most before I begin."


def quoting(prompt: Messages) -> Messages:
    """Summarize faithfully, and quote a call in between."""
    return text(f"{faithful(prompt)[0]['text']}\nThe model once wrote {QUOTED_CALL} as text, and nothing was read.")


def larger(prompt: Messages) -> Messages:
    """Answer with all that was asked about, and half as much again."""
    spoken = words(prompt)
    return text(f"{'x' * (len(spoken) // 2)} {spoken}")


def answering(answer: Messages, _: Messages) -> Messages:
    """Answer with this, always."""
    return deepcopy(answer)


CALL: Final = {"type": "tool_use", "id": "toolu_s", "name": "read_file", "input": {"path": "a"}}
BAD: Final[Mapping[str, tuple[Summarize, str]]] = {
    "empty": (partial(answering, text("")), ""),
    "no content": (partial(answering, []), ""),
    "error text": (partial(answering, text(ERROR)), "overloaded_error"),
    "call as text": (partial(answering, text(QUOTED_CALL)), "<invoke"),
    "call": (partial(answering, [CALL]), "toolu_s"),
    "reasoning alone": (partial(answering, [thinking_block(REASONING) | {"signature": "c2ln"}]), REASONING),
    "larger": (larger, "xxxxxxxx"),
}
"""Answers that are no summary, each with what must not be left of it."""
