"""Extraction: which part of an answer is the summary, and which messages are worth summarizing.

Specified by features/summary/extraction.feature (SUM_03, SUM_04).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from brim.conversation.harness_text import without_elements
from brim.conversation.messages import Marker, Message, Part, Text, Thinking, is_visible

TAG: Final = re.compile(r"<(/?)summary(?:\s[^<>]*)?>", re.IGNORECASE)
DELIBERATION: Final = re.compile(r"<(/?)(analysis|thinking)>", re.IGNORECASE | re.ASCII)
"""What a model writes down while it thinks; summary tags inside do not count."""
_REASONING = r"(?:\w{1,16}:)?(?:analysis|reasoning|think|thinking|thought)"
REASONING: Final = re.compile(
    rf"\A(?:\s*[<\[◁]({_REASONING})[>\]▷].*?[<\[◁]/\1[>\]▷])+"
    r"|\A(?:(?!</?think|<summary).)*</think(?:ing)?>[ \t]*\n"
    rf"|\A\s*[<\[◁]{_REASONING}[>\]▷](?:(?!<summary).)*\Z"
    r"|\A\s*<\|(?:start|channel)\|>(?:.*<\|channel\|>|assistant<\|channel\|>)?final<\|message\|>",
    re.DOTALL | re.IGNORECASE | re.ASCII,
)
"""What a model or its server puts in front of an answer: reasoning in tags, whole, without the mark that opens it
(some templates write that themselves) or without an answer, and the channels of the harmony format."""


def extract_summary(text: str) -> str:
    """Return the text inside the summary tags, or the whole text where there are none, without reasoning (SUM_03).

    Several pairs are joined by an empty line, a pair inside another is its content, and an answer that opens no tag
    but closes one, or the other way round, counts as tagged from its beginning or to its end.
    """
    text = REASONING.sub("", text, count=1)
    if not TAG.search(text):
        return text.strip()
    spoken = without_elements(text, DELIBERATION)
    tags = list(TAG.finditer(spoken))
    if not tags:
        return spoken.strip()
    pairs = list(_outermost_pairs(tags))
    if not pairs:
        first = tags[0]
        return (spoken[: first.start()] if first[1] else spoken[first.end() :]).strip()
    inside = [spoken[start:stop].strip() for start, stop in pairs]
    return "\n\n".join(text for text in inside if text)


def _outermost_pairs(tags: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    open_at: list[int] = []
    pairs: list[tuple[int, int]] = []
    for tag in tags:
        if not tag[1]:
            open_at.append(tag.end())
        elif open_at:
            pairs.append((open_at.pop(), tag.start()))
    reached = -1
    for start, stop in sorted(pairs):
        if start > reached:
            yield start, stop
            reached = stop


def worth_summarizing(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Leave out answers that ended in an error, except aborted ones with content (SUM_04)."""
    return tuple(message for message in messages if _is_worth_it(message))


def _is_worth_it(message: Message) -> bool:
    if message.role != "assistant" or message.marks.error is None:
        return True
    return message.marks.aborted and any(_is_real(part) for part in message.parts)


def _is_real(part: Part) -> bool:
    if type(part) is Text:
        return is_visible(part.text)
    return type(part) is not Thinking and type(part) is not Marker
