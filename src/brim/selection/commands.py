"""Commands: what a tool use ran in a shell, and what kind of command it is (ANC_08, ANC_11)."""

from __future__ import annotations

import re
from typing import Final

from brim.conversation.turns import ToolUse

SHELLS: Final = frozenset({"bash", "shell", "local_shell", "exec_command", "execute_command", "run_shell_command"})
"""Tools that run commands, in lower case, for calls whose command cannot be read."""
COMMAND_FIELDS: Final = ("command", "cmd")
READERS: Final = frozenset({"cat", "head", "tail", "less", "more", "ls", "find", "tree", "stat", "echo", "printf"})
FILTERS: Final = frozenset({"grep", "rg", "sed", "awk", "wc", "sort", "uniq", "cut", "diff", "jq"})
SHOWING: Final = READERS | FILTERS
"""Programs that only show what is there already: what they print is not said by them."""
SHOWING_GIT: Final = frozenset({"log", "show", "diff", "status", "blame", "grep", "branch"})
NEUTRAL: Final = frozenset({"cd", "pushd", "export", "set", "sleep", "true"})
"""Programs that say nothing, and so neither make a command one that shows nor one that acts."""
SEPARATORS: Final = re.compile(r"&&|\|\||[;|\n]")
COMMIT: Final = re.compile(r"\bgit(?: -[cC] \S+| --?[\w-]+=\S+)* commit\b(?!-)(?!.*--dry-run)")


def command_of(use: ToolUse) -> str:
    """The command it ran, words joined by spaces; empty where it ran none."""
    given = use.input
    if "command" not in given and "cmd" not in given:  # most tools run none
        return ""
    for name in COMMAND_FIELDS:
        value = given.get(name)
        if type(value) is str:
            return value
        if isinstance(value, (list, tuple)):
            return " ".join(str(word) for word in value)
    return ""


def runs_command(use: ToolUse) -> bool:
    """Whether it ran a command."""
    return bool(command_of(use)) or use.name.lower() in SHELLS


def only_shows(command: str) -> bool:
    """Whether a command does no more than show files, or what was recorded: each of its programs does."""
    programs = [words for part in SEPARATORS.split(command) if (words := part.split()) and words[0] not in NEUTRAL]
    return bool(programs) and all(_shows(words) for words in programs)


def _shows(words: list[str]) -> bool:
    if words[0] == "git":
        return any(word in SHOWING_GIT for word in words[1:4])
    return words[0] in SHOWING


def commits(use: ToolUse) -> bool:
    """Whether it is a commit that succeeded and had something to commit."""
    command = command_of(use)
    if use.succeeded is not True or "commit" not in command or not COMMIT.search(command):
        return False
    return "nothing to commit" not in use.output and "no changes added to commit" not in use.output
