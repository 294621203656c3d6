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
    """Return the part of an answer that is the summary (SUM_03).

    A tag is `<summary` or `</summary`, in any case of letters, then nothing or white space and any characters but `<`
    and `>`, then `>`. In this order:

    1. reasoning at the very beginning of the text is removed. NAME is `analysis`, `reasoning`, `think`, `thinking` or
       `thought`, in any case of letters, maybe behind 1 to 16 of `A-Z a-z 0-9 _` and a colon; its mark stands in `<`
       and `>`, `[` and `]` or `◁` and `▷`, with `/` before it in a closing one. The first that is met of: one or more
       NAMEs with all up to the next closing of the same, white space before them; all before and with the first
       `</think>` or `</thinking>`, and spaces, tabs and a line feed that have to follow it, where no `<think`,
       `</think` or `<summary` precedes it; a NAME that is never closed with all behind it, where no `<summary`
       follows; `<|start|>` or `<|channel|>` with all up to the last `<|channel|>final<|message|>`;
    2. without a tag, the whole of what is left;
    3. `<analysis>` and `<thinking>`, in any case of letters and without attributes, are removed with all up to the
       next closing tag of the same name; an opening or a closing alone stays. Without a summary tag in what is left,
       the result is what is left;
    4. a closing tag pairs with the nearest opening before it that has no closing yet. Of the pairs that are in no
       other pair, the contents are taken, with all tags in them, without white space at their ends; empty ones are
       dropped, and the others are joined by two line feeds;
    5. without a pair: all before the first tag if it is a closing one, else all after it.

    White space at both ends of the result is removed: U+0009 to U+000D, U+001C to U+0020, U+0085, U+00A0, U+1680,
    U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000.

    Args:
        text: The whole answer.
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
