"""Texts in a user's place that Claude Code wrote: they begin no turn (CNV_02).

They carry no mark in the file, and none in what is sent, so the plain messages of an API request are read by them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from brim.conversation.harness_text import CLAUDE_CODE_TAGS, OTHER_TAGS, is_harness_text, words_of_user
from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC, Marks, Part, Text, ToolResult, is_visible

INTERRUPTED: Final = "[Request interrupted by user"
REMINDER: Final = "system-reminder"


def _openings(tags: Iterable[str]) -> tuple[str, ...]:
    """How the texts begin that have these tags."""
    return tuple(f"<{tag}{end}" for tag in tags for end in (("",) if tag.endswith("-") else (">", " ")))


OPENINGS: Final = _openings(tag for tag in CLAUDE_CODE_TAGS if tag != REMINDER)
"""How the notices begin that Claude Code writes for a command, a shell line or a background task."""
OTHERS: Final = _openings(OTHER_TAGS)
"""How texts begin that Cline or Codex wrote; in their own files their readers know them, here plain messages do."""
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
