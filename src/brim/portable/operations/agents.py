"""Operations of the room agents."""

from __future__ import annotations

from functools import partial
from posixpath import dirname, join, normpath
from typing import Final, TypeAlias

from pydantic import Field

from brim.agents.permissions import (
    Action,
    Permissions,
    Place,
    Rule,
    Style,
    decide,
    input_of,
    match_pattern,
    read_permissions,
)
from brim.errors import InvalidInput
from brim.portable.operation import Input, operation
from brim.settings import PermissionMode

MAX_LINKS: Final = 40
"""Links that lead to one another, at most, as Linux has it."""
NO_LINKS: Final[dict[str, str]] = {}

operation("AGT_04", pattern="git *", text="git status")(match_pattern)


class OrderedRule(Input):
    """A rule of OpenCode."""

    permission: str = Field(description="The permission, which may hold wildcards: `bash`, `edit`, `mcp_*`.")
    pattern: str = Field(default="*", description="The part of the use that it is compared with.")
    action: Action = Field(description="What it says about a use that it matches.")


ListedRules: TypeAlias = dict[Action, list[str]]
"""The rules of Claude Code, each as `Tool` or `Tool(specifier)`."""


@operation(
    "AGT_04 AGT_05 AGT_09",
    style="claude-code",
    rules={"deny": ["Bash(rm:*)"], "allow": ["Bash(ls:*)"]},
    tool="Bash",
    subject="ls && rm -r build",
)
def evaluate_permission(
    style: Style,
    rules: list[OrderedRule] | ListedRules,
    tool: str,
    subject: str = "",
    *,
    directory: str = "/project",
    root: str = "/project",
    home: str = "/home/user",
    links: dict[str, str] = NO_LINKS,
    callers: tuple[list[OrderedRule] | ListedRules, ...] = (),
    mode: PermissionMode = "default",
) -> Action:
    """Whether a tool may be used: the strictest verdict on all that the use does.

    A command is every command that it runs, and every file that they name; each is judged, and the strictest verdict
    wins (`deny`, `ask`, `allow`). Which commands a command runs, and what of it is not plain, is read from its syntax
    tree: see [decision 0235](../decisions/0235-shell-commands-under-permission-rules.md), the rows of AGT_05
    and of `tests/agents/permission_rows.tsv`, `src/brim/agents/commands.py` and `src/brim/evidence/shell.py`. For
    each:

    1. `opencode`: the last rule that matches decides; `claude-code`: a rule of `deny`, else of `ask`, else of
       `allow`;
    2. what is not plain is `ask`, unless a rule denies it;
    3. without a matching rule it is `ask`;
    4. then the mode: `plan` denies edits, `dontAsk` denies what would be asked, `acceptEdits` allows plain edits
       within the project and `bypassPermissions` allows all that no rule decides;
    5. what one of the callers is denied is denied.

    Args:
        style: The system whose rules these are.
        rules: For `opencode` a list of rules; for `claude-code` an object of the lists `deny`, `ask` and `allow`.
        tool: The name of the tool.
        subject: The command, file, address or agent that it is used with.
        directory: The folder that the agent works in.
        root: The folder of the project.
        home: The home folder.
        links: Links in the file system, with their targets.
        callers: The rules of the agents that called this one: what one of them denies stays denied.
        mode: The decision if no rule decides.
    """
    own, *others = [_permissions(style, one) for one in (rules, *callers)]
    given = input_of(tool, subject) if subject else {}
    place = Place(directory, root, home, partial(_resolved, links))
    return decide(style, own.rules, tool, given, place=place, callers=others, mode=mode).action


def _permissions(style: Style, rules: list[OrderedRule] | ListedRules) -> Permissions:
    if isinstance(rules, list) != (style == "opencode"):
        raise InvalidInput(f"the rules of {style} have another form: a list for opencode, else three lists")
    if isinstance(rules, list):
        return Permissions(style, tuple(Rule(one.action, one.permission, one.pattern) for one in rules))
    return read_permissions(style, rules)


def _resolved(links: dict[str, str], path: str) -> str:
    """Return a path whose links are followed, component by component."""
    done, left, met = "/", [*reversed(path.split("/"))], 0
    while left:
        done = dirname(done) if (part := left.pop()) == ".." else join(done, part) if part not in {"", "."} else done
        target = links.get(done)
        if target is not None and met < MAX_LINKS:
            left += reversed(join(dirname(done), target).split("/"))
            done, met = "/", met + 1
    return normpath(done)
