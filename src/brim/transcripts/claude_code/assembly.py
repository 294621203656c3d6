"""From the nodes of a Claude Code session to its transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from brim.conversation.messages import Marks, Message, Part, write_part
from brim.tokens.usage import TokenUsage
from brim.transcripts.accumulator import Collected, Told, measured
from brim.transcripts.claude_code.boundaries import Borders
from brim.transcripts.claude_code.chain import Chain
from brim.transcripts.claude_code.nodes import Answer, Boundary, Entry, Results
from brim.transcripts.decoding import Json, string
from brim.transcripts.harness import user_marks
from brim.transcripts.values import Damaged, Transcript


def assemble(name: str, chain: Chain, damaged: Sequence[Damaged]) -> Transcript:
    """The transcript of a session whose records are all in."""
    collected = Collected()
    borders = Borders(collected, chain.holders)
    for node in chain.nodes:
        if isinstance(node, Boundary):
            borders.cross(node)
        elif isinstance(node, Answer):
            if node.parts or node.results is not None:
                _answer(collected, borders, node)
        else:
            _entry(collected, borders, node)
    borders.close()
    return Transcript(
        format=name,
        messages=tuple(collected.messages),
        lines=tuple(collected.lines),
        times=tuple(collected.times),
        version=chain.versions.most_common(1)[0][0] if chain.versions else None,
        folder=chain.folder,
        model=collected.model,
        responses=tuple(collected.responses),
        compactions=tuple(collected.compactions),
        unsent=frozenset(collected.unsent),
        damaged=tuple(sorted([*damaged, *chain.damaged], key=lambda one: one.line)),
        aside=tuple(_aside(chain)),
        left_out=dict(chain.left_out),
    )


def _aside(chain: Chain) -> Iterator[tuple[TokenUsage, str | None]]:
    for given in chain.aside.values():
        model = string(given.get("model"))
        usage = measured("anthropic", given.get("usage"), model)
        if usage is not None:
            yield usage, model


def _entry(collected: Collected, borders: Borders, node: Entry) -> None:
    message = Message(node.role, node.parts, node.raw, node.marks)
    borders.met(node, collected.append(node.line, message, sent=node.sent, time=node.time))


def _answer(collected: Collected, borders: Borders, node: Answer) -> None:
    """A response is one message, and its results are the next."""
    message = Message("assistant", tuple(node.parts), _raw("assistant", node.parts), Marks(response=node.id))
    usage = measured("anthropic", _last_request(node.usage), node.model)
    told = Told(usage, node.model, finished=node.stop_reason is not None, time=node.time)
    borders.met(node, collected.respond(node.line, message, told))
    if node.results is not None:
        borders.met(node.results, collected.append(node.results.line, _results(node.results), time=node.results.time))


def _results(brought: Results) -> Message:
    parts = (*brought.results, *brought.others)
    raw = brought.raw if brought.records == 1 and not brought.others else _raw("user", parts)
    return Message("user", parts, raw, user_marks(parts))


def _raw(role: str, parts: Sequence[Part]) -> dict[str, Json]:
    return {"role": role, "content": [write_part(part) for part in parts]}


def _last_request(usage: Json) -> Json:
    """The usage of the last request where one response took several: the sum of them measures no window."""
    steps = usage.get("iterations") if isinstance(usage, Mapping) else None
    if isinstance(steps, list) and len(steps) > 1 and isinstance(steps[-1], Mapping) and "input_tokens" in steps[-1]:
        return steps[-1]
    return usage
