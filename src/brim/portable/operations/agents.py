"""Operations of the agents room."""

from __future__ import annotations

from posixpath import dirname, join, normpath
from typing import Any, Literal

from pydantic import Field, model_validator

from brim.agents import permissions
from brim.agents.permissions import Action, Permissions, Place, Rule, read_permissions
from brim.portable.operation import Input, operation
from brim.settings import PermissionMode

MAX_LINKS = 40
"""Links that lead to one another, at most, as Linux has it."""


class MatchPatternInput(Input):
    """A pattern of OpenCode, and a text."""

    pattern: str = Field(description="`*` is any characters, `/` too, `?` is one; ` *` at the end may be missing.")
    text: str = Field(description="What the pattern is compared with, from its start to its end.")


@operation(
    "match_pattern",
    rules=("AGT_04",),
    example={"pattern": "git *", "text": "git status"},
)
def match_pattern(given: MatchPatternInput) -> bool:
    r"""Whether a pattern of OpenCode matches a text.

    `\` is read as `/` in both. `*` matches any characters, `/` too, `?` matches one, and a space with `*` at the end
    of the pattern may be missing. The pattern has to match the whole text.
    """
    return permissions.match_pattern(given.pattern, given.text)


class OrderedRule(Input):
    """A rule of OpenCode."""

    permission: str = Field(
        description="`opencode`: the permission, which may hold wildcards: `bash`, `edit`, `mcp_*`."
    )
    pattern: str = Field(default="*", description="`opencode`: the part of the use that it is compared with.")
    action: Action = Field(description="`opencode`: what it says about a use that it matches.")


class ListedRules(Input):
    """The rules of Claude Code, each as `Tool` or `Tool(specifier)`."""

    deny: list[str] = Field(default=[], description="`claude-code`: what is denied.")
    ask: list[str] = Field(default=[], description="`claude-code`: what is asked about.")
    allow: list[str] = Field(default=[], description="`claude-code`: what is allowed.")


class PermissionInput(Input):
    """Rules, the use of a tool, and where it would be used."""

    style: Literal["opencode", "claude-code"] = Field(description="The system whose rules these are.")
    rules: list[OrderedRule] | ListedRules = Field(
        description="For `opencode` a list of rules; for `claude-code` an object of three lists."
    )
    tool: str = Field(description="The name of the tool.")
    subject: str = Field(default="", description="The command, file, address or agent that it is used with.")
    directory: str = Field(default="/project", description="The folder that the agent works in.")
    root: str = Field(default="/project", description="The folder of the project.")
    home: str = Field(default="/home/user", description="The home folder.")
    links: dict[str, str] = Field(default={}, description="Links in the file system, with their targets.")
    callers: list[list[OrderedRule] | ListedRules] = Field(
        default=[], description="The rules of the agents that called this one: what one of them denies stays denied."
    )

    mode: PermissionMode = Field(default="default", description="The decision if no rule decides.")

    @model_validator(mode="after")
    def _rules_of_the_style(self) -> PermissionInput:
        if any(isinstance(one, list) != (self.style == "opencode") for one in (self.rules, *self.callers)):
            raise ValueError(f"the rules of {self.style} have another form: a list for opencode, else three lists")
        return self

    def permissions(self) -> list[Permissions]:
        """The rules as brim reads them: those of the agent, then those of its callers."""
        return [self._read(one) for one in (self.rules, *self.callers)]

    def _read(self, rules: list[OrderedRule] | ListedRules) -> Permissions:
        if isinstance(rules, list):
            return Permissions(self.style, tuple(Rule(one.action, one.permission, one.pattern) for one in rules))
        return read_permissions(self.style, rules.model_dump())

    def place(self) -> Place:
        """Where the tool would be used."""
        return Place(self.directory, self.root, self.home, self._resolved)

    def _resolved(self, path: str) -> str:
        """A path whose links are followed, component by component."""
        done, left, met = "/", [*reversed(path.split("/"))], 0
        while left:
            done = (
                dirname(done) if (part := left.pop()) == ".." else join(done, part) if part not in {"", "."} else done
            )
            target = self.links.get(done)
            if target is not None and met < MAX_LINKS:
                left += reversed(join(dirname(done), target).split("/"))
                done, met = "/", met + 1
        return normpath(done)


@operation(
    "evaluate_permission",
    rules=("AGT_04", "AGT_05", "AGT_09"),
    example={
        "style": "claude-code",
        "rules": {"deny": ["Bash(rm:*)"], "allow": ["Bash(ls:*)"]},
        "tool": "Bash",
        "subject": "ls && rm -r build",
    },
)
def evaluate_permission(given: PermissionInput) -> Action:
    """Whether a tool may be used: the strictest verdict on all that the use does.

    A command is every command that it runs, and every file that they name; each is judged, and the strictest verdict
    wins (`deny`, `ask`, `allow`). Which commands a command runs, and what of it is not plain, is read from its syntax
    tree: see [decision 0154](../decisions/0154-what-a-shell-command-counts-as.md), the rows of AGT_05
    and of `tests/agents/permission_rows.tsv`, `src/brim/agents/commands.py` and `src/brim/evidence/shell.py`. For
    each:

    1. `opencode`: the last rule that matches decides; `claude-code`: a rule of `deny`, else of `ask`, else of
       `allow`;
    2. what is not plain is `ask`, unless a rule denies it;
    3. without a matching rule it is `ask`;
    4. then the mode: `plan` denies edits, `dontAsk` denies what would be asked, `acceptEdits` allows plain edits
       within the project and `bypassPermissions` allows all that no rule decides;
    5. what one of the callers is denied is denied.
    """
    own, *callers = given.permissions()
    subject = permissions.input_of(given.tool, given.subject) if given.subject else {}
    about: dict[str, Any] = {"place": given.place(), "callers": callers, "mode": given.mode}
    return permissions.decide(own.style, own.rules, given.tool, subject, **about).action
