"""Texts in a user's place that Claude Code wrote: they begin no turn (CNV_02).

They carry no mark in the file, and none in what is sent, so the plain messages of an API request are read by them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from brim.conversation.harness_text import HARNESS_TAGS, is_harness_text, words_of_user
from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC, Marks, Part, Text, ToolResult, is_visible

INTERRUPTED: Final = "[Request interrupted by user"
REMINDER: Final = "system-reminder"


def _openings(tags: Iterable[str]) -> tuple[str, ...]:
    """How the texts begin that have these tags."""
    return tuple(f"<{tag}{end}" for tag in tags for end in (("",) if tag.endswith("-") else (">", " ")))


OPENINGS: Final = _openings(tag for tag in HARNESS_TAGS - {REMINDER} if "-" in tag)
"""How the notices of Claude Code begin, whose tags have hyphens: of a command, a shell line or a background task."""
OTHERS: Final = _openings(tag for tag in HARNESS_TAGS if "-" not in tag)
"""How the texts of Cline and Codex begin, whose tags have none; the readers of their own files know them otherwise."""
CONTINUED: Final = "This session is being continued from a previous conversation that ran out of context."
"""How every summary of Claude Code begins."""


def is_notice(text: str) -> bool:
    """Whether Claude Code wrote this text, and no user."""
    text = text.strip()
    if text.startswith(OPENINGS):
        return is_harness_text(text) or words_of_user(text) == text
    if text.startswith(INTERRUPTED):
        return text.endswith("]") and "\n" not in text
    return is_harness_text(text)


def remind(text: str) -> str:
    """A text as Claude Code hands it to the model beside the user's own."""
    return f"<{REMINDER}>\n{text}\n</{REMINDER}>"


def user_marks(parts: Sequence[Part]) -> Marks:
    """The marks of a user message, by its texts alone: a summary, a notice, or the user's own."""
    others = [part for part in parts if type(part) is not ToolResult]
    texts = [part.text for part in others if type(part) is Text and is_visible(part.text)]
    if texts and texts[0].startswith(CONTINUED):
        return SUMMARY
    only_texts = all(type(part) is Text for part in others)
    return SYNTHETIC if texts and only_texts and all(map(is_notice, texts)) else PLAIN


def plain_marks(parts: Sequence[Part]) -> Marks:
    """The same for messages that no tool's file holds: whatever harness wrote them."""
    marks = user_marks(parts)
    texts = [part.text.lstrip() for part in parts if type(part) is Text]
    injected = bool(texts) and len(texts) == len(parts) and all(text.startswith(OTHERS) for text in texts)
    return SYNTHETIC if marks is PLAIN and injected else marks
