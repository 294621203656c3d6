"""Texts in a user's place that a harness wrote: they begin no turn (CNV_02).

They carry no mark in the file, and none in what is sent, so the plain messages of an API request are read by them too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from brim.conversation.harness_text import CONTINUED, HARNESS_TAGS, words_of_user
from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC, Marks, Part, Text, ToolResult, is_visible

REMINDER: Final = "system-reminder"


NAMES: Final = "|".join(tag + (r"[\w-]+" if tag.endswith("-") else "") for tag in sorted(HARNESS_TAGS - {REMINDER}))
UNCLOSED: Final = re.compile(rf"\s*<({NAMES})(?:\s[^<>]*)?>[ \t]*(?:\n|\Z)(?!(?s:.*)</\1>)")
"""A tag alone on the first line that is not closed, as a harness leaves it that cuts its text off."""


def is_notice(text: str) -> bool:
    """Whether a harness wrote this text, and no user."""
    words = words_of_user(text)
    return not is_visible(words) or (words is text and UNCLOSED.match(text) is not None)


def remind(text: str) -> str:
    """A text as Claude Code hands it to the model beside the user's own."""
    return f"<{REMINDER}>\n{text}\n</{REMINDER}>"


def user_marks(parts: Sequence[Part]) -> Marks:
    """The marks of a user message, by its texts alone: a summary, a notice, or the user's own."""
    others = [part for part in parts if type(part) is not ToolResult]
    texts = [part.text for part in others if type(part) is Text and is_visible(part.text)]
    if not texts or any(type(part) is not Text for part in others) or not all(map(is_notice, texts)):
        return PLAIN
    return SUMMARY if texts[0].startswith(CONTINUED) else SYNTHETIC
