"""Scripted answers: what the server's model says, as a text, as content blocks or as a whole answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from brim.summary.summarizer_input import STOP, SYSTEM
from brim.testing.failures import Failure

OPENINGS: Final = (SYSTEM.partition(" by ")[0], STOP.rpartition("\n")[2].partition(".")[0])
"""How the texts begin with which a summary is asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the model, before the server has given it an id, a usage and its signatures."""

    content: str | Sequence[Mapping[str, Any]] = ()
    """A text, or content blocks: a tool_use may leave out its id, a thinking block its signature."""
    stop_reason: str | None = None
    """Why the model stopped; None for tool_use where it calls a tool, and end_turn where not."""
    usage: Mapping[str, int] = field(default_factory=dict)
    """Counts that are reported instead of the counted ones, under their names in the API."""
    stop_details: Mapping[str, Any] | None = None
    """What a refusal says about itself."""

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """The content as blocks, each a copy."""
        if isinstance(self.content, str):
            return [text_block(self.content)] if self.content else []
        return [dict(block) for block in self.content]


AnswerLike: TypeAlias = (
    "str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | Answer | Failure"
    " | Callable[[Mapping[str, Any]], AnswerLike]"
)
"""A text, a block, blocks, an answer, a failure, or a function of the request's body that gives one of these."""


def settle(scripted: AnswerLike, body: Mapping[str, Any]) -> Answer | Failure:
    """The answer or failure that a script's entry comes to for a request."""
    if isinstance(scripted, Answer | Failure):
        return scripted
    if isinstance(scripted, Mapping):
        return Answer([scripted])
    if isinstance(scripted, str | Sequence):
        return Answer(scripted)
    if not callable(scripted):
        raise TypeError(f"an answer is {type(scripted).__name__}; it is a text, blocks, an Answer or a function")
    return settle(scripted(body), body)


def script_of(answers: AnswerLike | Iterable[AnswerLike]) -> Iterable[Any]:
    """The answers of a script; one that is no sequence stands alone."""
    return [answers] if isinstance(answers, str | Mapping) or not isinstance(answers, Iterable) else answers


def asks_for_summary(body: Mapping[str, Any]) -> bool:
    """Return whether the body of a request, of any API that brim speaks, asks for one of its summaries."""
    messages = body.get("messages") or body.get("input") or ()
    spoken = str([body.get("system"), body.get("instructions"), *messages[:1], *messages[-1:]])
    return any(one in spoken for one in OPENINGS)


def text_block(text: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": text}


def thinking_block(thinking: str) -> dict[str, Any]:
    """A thinking block; the server signs it when it hands it out."""
    return {"type": "thinking", "thinking": thinking}


def tool_call(name: str, arguments: Mapping[str, Any] | None = None, *, id: str | None = None) -> dict[str, Any]:  # noqa: A002 - the API's own word
    """A tool_use block; without an id the server gives it one."""
    block = {"type": "tool_use", "name": name, "input": dict(arguments or {})}
    return block if id is None else block | {"id": id}


def only_a_tool_call(name: str = "bash", arguments: Mapping[str, Any] | None = None) -> Answer:
    """An answer without a word of text: one tool call."""
    return Answer([tool_call(name, arguments)])


def cut_off(text: str) -> Answer:
    """An answer that reached the longest that was asked for before it was done."""
    return Answer(text, stop_reason="max_tokens")


def refused(explanation: str | None = None) -> Answer:
    """An answer that the provider's policy kept back: no content, the stop reason refusal."""
    return Answer(
        (), stop_reason="refusal", stop_details={"type": "refusal", "category": None, "explanation": explanation}
    )


def empty() -> Answer:
    """An answer that ended its turn without any content."""
    return Answer(())


def error_text(text: str = "API Error: 500 Internal server error") -> Answer:
    """An answer that succeeded as a call, and whose text is an error message."""
    return Answer(text)
