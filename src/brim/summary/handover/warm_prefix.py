"""The warm prefix: the conversation's own request with one instruction behind it, so that it is read from the cache.

Part of the summariser's input; specified by features/summary/summariser_input.feature (SUM_16, SUM_17).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from brim.conversation.cache_marks import CACHE_MARK
from brim.conversation.messages import Message
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import begins_turn
from brim.summary.handover.instructions import CARRY_OVER, EARLIER_ABOVE, warm_instruction
from brim.summary.handover.quoting import EARLIER, Block, quote
from brim.summary.handover.source import SummarySource
from brim.summary.summarizer import SummaryRequest
from brim.summary.telling.sentences import shortened
from brim.tokens.estimation import Size, measure, measure_extras

BREAKPOINTS_MAX: Final = 4
"""How many places of a request the provider lets one mark for its cache."""
OPENING: Final = 80
"""Characters by which the first message that stays is told."""
ALL: Final = "Your summary takes the place of all of it."


def prefix_tokens(source: SummarySource) -> int:
    """The estimate of all that the conversation's own request carries."""
    return source.tokens(_prefix(source))


def _prefix(source: SummarySource) -> Size:
    sizes = (measure(message) for message in _answered(source.messages))
    return sum(sizes, measure_extras(source.system, source.tools or ()))


def _answered(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The very messages, where every call is answered; an instruction cannot follow a call that waits."""
    return pair_tools(messages).messages


def warm_request(source: SummarySource) -> SummaryRequest:
    """The conversation as it is sent, its very objects, and behind it the instruction as a message of its own."""
    raws = [message.raw for message in _answered(source.messages)]
    text = warm_instruction(source.prompt, scope(source), _earlier(source))
    block = {"type": "text", "text": text, **_marker(source, raws)}
    return SummaryRequest(
        model=source.writer,
        system=source.system,
        tools=source.tools,
        messages=(*raws, {"role": "user", "content": [block]}),
        max_tokens=source.max_tokens,
        form="warm",
        parameters=source.parameters,
        headers=source.headers,
        tokens=source.tokens(_prefix(source) + Size(len(text))),
        replaces_tokens=source.tokens(source.size_of(source.places)),
    )


def _earlier(source: SummarySource) -> str:
    """An earlier summary stands in the prefix as it is; one that does not is quoted, and either is given once."""
    if any(source.messages[place].marks.summary for place in source.places):
        return EARLIER_ABOVE
    return f"{quote([Block(EARLIER, source.earlier)])}{CARRY_OVER}" if source.earlier else ""


def scope(source: SummarySource) -> str:
    """What the summary takes the place of, and what stays beside it, so that it is not told twice."""
    replaced = frozenset(source.places)
    kept = [place for place in range(len(source.messages)) if place not in replaced]
    if not kept:
        return ALL
    behind = [place for place in kept if place > source.places[-1]]
    told = [f"Your summary takes the place of {len(replaced):,} of the {len(source.messages):,} messages above."]
    if behind:
        last = "last one stays" if len(behind) == 1 else f"last {len(behind):,} stay"
        told.append(f"The {last} word for word behind it{_from(source.messages[behind[0]])}.")
    if len(kept) > len(behind):
        told.append(f"Of those before, {len(kept) - len(behind):,} will be there word for word too.")
    return " ".join([*told, "Read what stays to see what counts now, and do not tell it again."])


def _from(first: Message) -> str:
    """How to find the first message that stays: by the user's own words, never by words from elsewhere."""
    words = shortened(first.text, OPENING).replace('"', "'")
    return f', beginning with the user\'s message "{words}"' if begins_turn(first) and words else ""


def _marker(source: SummarySource, raws: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Marks the end for the cache where the conversation marks places itself and may mark one more.

    Under the parameter `cache_control` the provider marks the end.
    """
    if source.parameters.get(CACHE_MARK):
        return {}
    system = source.system if isinstance(source.system, (list, tuple)) else ()
    marked = sum(1 for block in (*system, *(source.tools or ()), *_blocks(raws)) if CACHE_MARK in block)
    return {CACHE_MARK: {"type": "ephemeral"}} if 0 < marked < BREAKPOINTS_MAX else {}


def _blocks(raws: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Every block of the messages, and every block that a result holds."""
    for raw in raws:
        content = raw.get("content")
        if isinstance(content, (list, tuple)):
            inside = [block for block in content if isinstance(block, Mapping)]
            yield from inside
            yield from _blocks(inside)
