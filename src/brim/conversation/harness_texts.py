"""Harness texts: texts on the user's side that a coding agent wrote, known by the tags that they consist of.

Specified by features/conversation/turns.feature (CNV_02).
"""

from __future__ import annotations

import re
from typing import Final

COMMAND: Final = ("command-name", "command-args")
"""The tags of a slash command: its name, and what the user wrote behind it."""
CLAUDE_CODE_TAGS: Final = (
    "system-reminder",
    *COMMAND,
    "command-message",
    "local-command-",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
)
OTHER_TAGS: Final = (
    "SYSTEM_NOTICE",
    "environment_context",
    "environment_details",
    "file_content",
    "subagent_notification",
    "turn_aborted",
    "user_instructions",
)
"""Tags of Cline and Codex."""
REFRESHED_TAGS: Final = ("system-reminder", "SYSTEM_NOTICE", "environment_context", "environment_details")
"""Tags of texts that an agent rewrites from request to request, also in messages that it has already sent."""
HARNESS_TAGS: Final = (*CLAUDE_CODE_TAGS, *OTHER_TAGS)
"""Tags that coding agents write in a user's place; one that ends in a hyphen is the beginning of several."""

_NAMES = "|".join(re.escape(tag) + (r"[\w-]+" if tag.endswith("-") else "") for tag in HARNESS_TAGS)
ELEMENT: Final = re.compile(rf"\s*<({_NAMES})(?:\s[^>]*)?>(.*?)</\1>\s*", re.DOTALL)
"""An element with such a tag, from its opening to the nearest closing."""


def is_harness_text(text: str) -> bool:
    """Whether a text consists only of elements with these tags, none of them the words behind a slash command."""
    elements = _elements(text)
    return bool(elements) and not any(name == COMMAND[1] and words.strip() for name, words in elements)


def is_refreshed_text(text: str) -> bool:
    """Whether a text consists only of reminders and states of the environment, which change from request to request."""
    elements = _elements(text) if text.lstrip().startswith("<") else []
    return bool(elements) and all(name in REFRESHED_TAGS for name, _ in elements)


def words_of_user(text: str) -> str:
    """What the user wrote of a text: a slash command as its name and arguments, any other text as it is."""
    if is_harness_text(text):
        return ""
    told = dict(_elements(text))
    return " ".join(told[name].strip() for name in COMMAND if name in told) if told else text


def _elements(text: str) -> list[tuple[str, str]]:
    """The tags and contents of the elements that a text consists of; none where it holds anything else."""
    elements: list[tuple[str, str]] = []
    place = 0
    while place < len(text):
        element = ELEMENT.match(text, place)
        if element is None:
            return []
        elements.append((element[1], element[2]))
        place = element.end()
    return elements
