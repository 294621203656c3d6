"""What a window is made of at the end of a transcript, and which tools filled it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from brim.conversation.messages import Message, Part, Text, Thinking, ToolCall, ToolResult
from brim.tokens.estimation import EMPTY_SIZE, MEASURES, Size, measure_extras, tokens_of
from brim.transcripts.values import Transcript
from brim.transcripts.view import view
from brim.transcripts.walk import extras_of

SHARES: Final = ("system", "user", "assistant", "thinking", "tool_input", "tool_output", "summaries", "other")
"""What a window is made of; `other` is what a harness wrote, and what the file does not hold."""
OF_KIND: Final = {Thinking: "thinking", ToolCall: "tool_input", ToolResult: "tool_output"}


@dataclass(frozen=True, slots=True)
class Composition:
    """Tokens of the window by what they are, estimated from the texts."""

    shares: dict[str, int]
    tools: int
    """The definitions of the tools, part of `system`."""
    by_tool: dict[str, int]
    """The tool outputs by tool, the largest first."""
    unseen: int
    """What was reported above what the file's texts come to, part of `other`: a system prompt, tools, what came
    before a file that begins in mid-session."""


def composition(transcript: Transcript, now: int, ratio: int | Fraction) -> Composition:
    """What `now` tokens at the end are made of; by the estimate where that is more."""
    sizes = dict.fromkeys(SHARES, EMPTY_SIZE)
    by_tool: dict[str, Size] = {}
    names: dict[str, str] = {}
    for message in view(transcript).messages:
        for part in message.parts:
            size, share = _size(part), _share_of(message, part)
            sizes[share] += size
            if type(part) is ToolCall:
                names[part.id] = part.name
            elif type(part) is ToolResult:
                tool = names.get(part.call_id, "unknown")
                by_tool[tool] = by_tool.get(tool, EMPTY_SIZE) + size
    return _in_tokens(transcript, sizes, by_tool, now, ratio)


def _in_tokens(
    transcript: Transcript, sizes: dict[str, Size], by_tool: dict[str, Size], now: int, ratio: int | Fraction
) -> Composition:
    sizes["system"] = extras_of(transcript)
    shares = {name: tokens_of(size, ratio) for name, size in sizes.items()}
    unseen = max(now - sum(shares.values()), 0)
    shares["other"] += unseen
    tools = Counter({tool: tokens_of(size, ratio) for tool, size in by_tool.items()})
    definitions = tokens_of(measure_extras(None, transcript.tools or ()), ratio)
    return Composition(shares, definitions, dict(tools.most_common()), unseen)


def _size(part: Part) -> Size:
    if type(part) is Text or type(part) is Thinking:
        return Size(len(part.text))
    return MEASURES[type(part)](part)


def _share_of(message: Message, part: Part) -> str:
    if message.marks.summary:
        return "summaries"
    return OF_KIND.get(type(part)) or ("other" if message.marks.synthetic else message.role)
