"""File changes: which files a tool use changed, created or read (ANC_05).

Used by the anchors, and by whatever tells of a conversation's files.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from brim.conversation.turns import ToolUse

EDITING_TOOLS: Final = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "edit", "write", "multiedit", "notebookedit", "apply_patch"}
)
"""Tools whose successful call changes a file; a setting wherever it is used."""
READING_TOOLS: Final = frozenset({"Read", "read"})
PATH_FIELDS: Final = ("file_path", "filePath", "path", "notebook_path")
"""Fields of a call's input that name its file; the first that does is taken."""
PATCH_LINE: Final = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)
"""A line of a patch that names a file."""


def changes_file(use: ToolUse, editing_tools: Collection[str] = EDITING_TOOLS) -> bool:
    """Whether it is a successful call of an editing tool."""
    return use.succeeded is True and use.name in editing_tools


def changed_paths(use: ToolUse, editing_tools: Collection[str] = EDITING_TOOLS) -> tuple[str, ...]:
    """Paths of the files it changed, created or removed, each once, as its input names them."""
    if not changes_file(use, editing_tools):
        return ()
    named = named_path(use)
    return (named,) if named else tuple(dict.fromkeys(path for _, path in _patch_lines(use)))


def created_paths(use: ToolUse, editing_tools: Collection[str] = EDITING_TOOLS) -> tuple[str, ...]:
    """Paths of the files it created: what a patch adds, and what is written whole and did not say it was there."""
    if not changes_file(use, editing_tools):
        return ()
    named = named_path(use)
    if named:
        return (named,) if use.name.lower() == "write" and "updated" not in use.output[:200] else ()
    return tuple(dict.fromkeys(path for act, path in _patch_lines(use) if act == "Add File"))


def read_paths(use: ToolUse) -> tuple[str, ...]:
    """Paths of the files it read."""
    if use.succeeded is not True or use.name not in READING_TOOLS:
        return ()
    named = named_path(use)
    return (named,) if named else ()


def named_path(use: ToolUse) -> str | None:
    """The path that the input of a use names."""
    given = use.input
    for name in PATH_FIELDS:
        value = given.get(name)
        if type(value) is str and value:
            return value
    return None


def _patch_lines(use: ToolUse) -> list[tuple[str, str]]:
    texts = (value for value in use.input.values() if type(value) is str and "*** " in value)
    return [match for text in texts for match in PATCH_LINE.findall(text)]
