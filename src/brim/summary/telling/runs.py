"""Runs of commands: which tool uses ran one, which runs are runs of the same, and what a failed one says.

What the outcome lines and the facts share; specified by their features (SUM_07, SUM_13).
"""

from __future__ import annotations

import re
from typing import Final

from brim.conversation.turns import ToolUse
from brim.selection.commands import command_of
from brim.summary.telling.sentences import on_one_line, opening

ENTRY: Final = re.compile(r"\A(?:cd [^&;|]+&& )+")
"""Going to a folder first makes no other command of it."""
CLIPPING: Final = re.compile(r" ?(?:2>&1|[12]?>+ ?\S+|\| ?(?:tail|head|grep|tee)\b[^|;&]*)")
"""Nor does clipping, filtering or storing what it prints."""
NAMED: Final = re.compile(r"(?:error|exception|fatal|panic)\b(?:\[\w+\])?:", re.IGNORECASE)
"""An error that is named: a word of the kind and a colon."""
TELLING: Final = re.compile(
    r"\b(?:error|failed|fatal|panic|cannot|can't|not found|no such|denied|refused)\b", re.IGNORECASE
)
"""Words that tell of a failure."""
END: Final = 4_000
"""Characters at each end of a long output in which its telling line is looked for."""
DECLINED: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "The user rejected permission",
    "[Request interrupted by user",
)
"""How harnesses report that the user did not let a tool run."""
THE_USER_SAID: Final = "the user said:"
CLUTTER: Final = re.compile(r"</?tool_use_error>|\x1b\[[\d;]*m")
"""A harness's tags and a terminal's colours."""
FRAME: Final = "=-_*~ \t\r━─═┃│║╭╮╰╯┌┐└┘"
"""What lines are ruled and framed with."""
STATUS_LINE: Final = re.compile(r"exit (?:code|status)\b|command failed\b", re.IGNORECASE)


def ran(use: ToolUse) -> str:
    """The command that a tool use ran; empty for the editors whose input calls its own act a command."""
    command = command_of(use)
    return "" if command and "path" in use.input else command


def command_key(command: str) -> str:
    """What runs of the same command have in common: folder, white space and the clipping of its output aside.

    A script of several lines is only itself.
    """
    plain = on_one_line(command)
    if "\n" in command or not (plain.startswith("cd ") or ">" in plain or "|" in plain):
        return plain
    return CLIPPING.sub("", ENTRY.sub("", plain)).strip() or plain


def telling_line(output: str) -> str:
    """The line of a failed run's output that says most: it names an error, tells of a failure, or comes first."""
    ends = output if len(output) <= 2 * END else f"{output[:END]}\n{output[-END:]}"
    lines = (CLUTTER.sub("", line).strip(FRAME) for line in ends.split("\n"))
    said = [line for line in lines if line and not STATUS_LINE.match(line)]
    for words in (NAMED, TELLING):
        for line in said:
            if words.search(line):
                return opening(line)
    return opening(said[0]) if said else ""


def declined(output: str) -> bool:
    """Whether a result says that the user did not let the tool run: nothing failed then, and nothing was done."""
    return output.startswith(DECLINED)


def declined_with(output: str) -> str:
    """What the user said on declining; empty where that was nothing."""
    return opening(output.partition(THE_USER_SAID)[2])
