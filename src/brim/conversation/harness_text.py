"""Harness text: what a coding agent writes in the user's place, in tags of its own.

Specified by features/conversation/harness_text.feature (CNV_10).
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

from brim.errors import InvalidInput

COMMAND: Final = ("command-name", "command-args")
"""The tags of a slash command: its name, and what the user wrote after it."""
HARNESS_TAGS: Final = frozenset(
    {
        "SYSTEM_NOTICE",
        "bash-input",
        "bash-stderr",
        "bash-stdout",
        "command-args",
        "command-message",
        "command-name",
        "environment_context",
        "environment_details",
        "file_content",
        "local-command-",
        "subagent_notification",
        "system-reminder",
        "task-notification",
        "turn_aborted",
        "user_instructions",
    }
)
"""Tags that coding agents write in a user's place; one that ends in a hyphen is the beginning of several."""
REFRESHED_TAGS: Final = frozenset({"system-reminder", "SYSTEM_NOTICE", "environment_context", "environment_details"})
"""Tags of texts that an agent rewrites from request to request, also in messages that it has already sent."""
TAG: Final = re.compile(r"[A-Za-z_][\w.:-]*")


def check_tags(tags: AbstractSet[str]) -> None:
    """Raise InvalidInput for a tag that is no name, such as one with its brackets."""
    for tag in tags:
        if not TAG.fullmatch(tag):
            raise InvalidInput(f"harness_tags holds {tag!r}; a tag is a name without brackets, as system-reminder")


@lru_cache(maxsize=16)
def _element(tags: AbstractSet[str]) -> re.Pattern[str]:
    """An element with such a tag, from its opening to the nearest closing."""
    names = "|".join(re.escape(tag) + (r"[\w-]+" if tag.endswith("-") else "") for tag in sorted(tags))
    return re.compile(rf"\s*<({names})(?:\s[^>]*)?>(.*?)</\1>\s*" if tags else "(?!)", re.DOTALL)


def is_harness_text(text: str, tags: AbstractSet[str] = HARNESS_TAGS) -> bool:
    """Whether a text consists only of elements with these tags, none of them the arguments of a slash command."""
    elements = _elements(text, tags)
    return bool(elements) and not any(name == COMMAND[1] and words.strip() for name, words in elements)


def is_refreshed_text(text: str) -> bool:
    """Whether a text consists only of reminders and states of the environment, which change from request to request."""
    elements = _elements(text)
    return bool(elements) and all(name in REFRESHED_TAGS for name, _ in elements)


def words_of_user(text: str) -> str:
    """What the user wrote of a text: a slash command as its name and arguments, any other text as it is."""
    contents = dict(_elements(text))
    return (contents and " ".join([contents[name].strip() for name in COMMAND if name in contents])) or text


def _elements(text: str, tags: AbstractSet[str] = HARNESS_TAGS) -> list[tuple[str, str]]:
    """The tags and contents of the elements that a text consists of; none where it holds anything else."""
    if text[:1] != "<" and text.lstrip()[:1] != "<":
        return []
    elements: list[tuple[str, str]] = []
    pattern, position = _element(tags), 0
    while position < len(text):
        element = pattern.match(text, position)
        if element is None:
            return []
        elements.append((element[1], element[2]))
        position = element.end()
    return elements


def without_elements(text: str, tags: re.Pattern[str]) -> str:
    """The text without its elements, each from an opening to the nearest closing of its name.

    Args:
        text: may hold openings that are never closed; they stay.
        tags: finds an opening or a closing: its groups are the slash, empty in an opening, and the name.
    """
    found = [(tag, bool(tag[1]), tag[2].lower()) for tag in tags.finditer(text)]
    last_closings = {name: tag.start() for tag, closes, name in found if closes}
    rest: list[str] = []
    start, opened = 0, ""
    for tag, closes, name in found:
        if not (opened or closes) and tag.start() < last_closings.get(name, 0):
            rest.append(text[start : tag.start()])
            opened = name
        elif closes and name == opened:
            start, opened = tag.end(), ""
    return "".join([*rest, text[start:]])
