"""Definitions of agents: those that are built in, and those in the files of OpenCode and Claude Code.

Specified by features/agents/definitions.feature (AGT_01, AGT_02). A definition is read from Markdown with front matter
or from the table `agent` of OpenCode's settings. What is wrong with one names the file, the line and the field; the
others are read all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from brim.agents.permissions import (
    ACTIONS,
    OUTSIDE,
    PERMISSION_MODES,
    Decision,
    Permissions,
    Place,
    Rule,
    RulesError,
    Style,
    decide,
    here,
    kind_of,
    last_match,
    match_pattern,
    merge_opencode,
    names_tool,
    read_permissions,
    read_rule,
    strictest,
    within,
)
from brim.errors import BrimError, InvalidInput, nearest, shown
from brim.memory.discovery import upwards, user_folders
from brim.memory.front_matter import FrontMatterError, read_front_matter
from brim.settings import PermissionMode

T = TypeVar("T")
Mode: TypeAlias = Literal["primary", "subagent", "all"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
"""Whether the user talks to an agent, other agents call it, or both."""
MAX_FILE_BYTES: Final = 1_000_000
"""Bytes of a file that is read; a larger one is no definition and no settings."""
BUILT_IN: Final = "built in"
STRICTER: Final = frozenset({"plan", "dontAsk"})
"""Permission modes that only take rights away, so that a definition may name one."""


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """An agent: what it is for, which model runs it, its prompt and what it may do."""

    name: str
    description: str = ""
    mode: Mode = "all"
    model: str = ""
    """The model; that of the agent that calls where it is empty."""
    prompt: str = ""
    permissions: Permissions = field(default_factory=lambda: Permissions("opencode"))
    """Its own rules, which come behind those of the project."""
    tools: tuple[Rule, ...] | None = None
    """The tools that it has, as rules that allow; None for all."""
    origin: str = BUILT_IN
    """The file that it is from."""
    disabled: bool = False
    """It is switched off, and so is the one that is built in by this name."""
    permission_mode: PermissionMode = "default"
    """Its own permission mode; only a stricter one than that of the program that runs it counts."""
    max_turns: int | None = None
    """Responses of the model that it may take for a task; None where the program that runs it says how many."""


def _rules(value: Mapping[str, Any]) -> tuple[Rule, ...]:
    return read_permissions("opencode", value, origin=BUILT_IN).rules


# fmt: off
SHOWING: Final = (
    "cat *", "cut *", "diff *", "du *", "file *", "find *", "git blame *", "git branch", "git branch -a",
    "git branch --list", "git diff *", "git log *", "git ls-files *", "git rev-parse *", "git show *", "git status *",
    "grep *", "head *", "ls *", "pwd", "rg *", "sort", "sort -n", "sort -nr", "sort -r", "sort -rn", "sort -u",
    "stat *", "tail *", "tree", "wc *", "which *",
)
"""Commands that only show what is there."""
CHANGING: Final = (
    "file *-*C*", "find *-delete*", "find *-exec*", "find *-fls*", "find *-fprint*", "find *-ok*", "git *--ext*",
    "git *--ou*", "rg *--hostname-bin*", "rg *--pre*",
)
"""The same commands with options by which they do more, which git lets be shortened."""
# fmt: on
DEFAULTS: Final = _rules(
    {
        "*": "allow",
        OUTSIDE: "ask",
        "read": {"*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow"},
    }
)
"""What every agent of OpenCode's style may do, in front of all other rules."""
_looking: Final = dict.fromkeys(SHOWING, "allow") | dict.fromkeys(CHANGING, "deny")
_finding: Final = ("codesearch", "glob", "grep", "list", "read", "webfetch", "websearch")
_explore: Final = {"*": "deny", **dict.fromkeys(_finding, "allow"), OUTSIDE: "ask", "bash": {"*": "deny", **_looking}}
AGENTS: Final[Mapping[str, AgentDefinition]] = MappingProxyType(
    {
        one.name: one
        for one in (
            AgentDefinition("build", "Works on the project, with every tool.", "primary"),
            AgentDefinition(
                "plan",
                "Reads and plans; it edits no file.",
                "primary",
                permissions=Permissions("opencode", _rules({"edit": "deny", "bash": {"*": "ask", **_looking}})),
            ),
            AgentDefinition(
                "general",
                "Researches a question or does a task of several steps for the agent that calls it.",
                "subagent",
                permissions=Permissions("opencode", _rules({"todoread": "deny", "todowrite": "deny"})),
            ),
            AgentDefinition(
                "explore",
                "Finds files and code, and answers questions about them; it changes nothing.",
                "subagent",
                permissions=Permissions("opencode", _rules(_explore)),
            ),
        )
    }
)
"""The agents that are built in."""


def decide_for(
    agent: AgentDefinition,
    tool: str,
    given: Mapping[str, Any],
    *,
    project: Iterable[Permissions] = (),
    place: Place | None = None,
    callers: Iterable[AgentDefinition] = (),
    mode: PermissionMode = "default",
) -> Decision:
    """Whether an agent may use a tool: by its tools, the project's rules and its own.

    Rules of one style are read together, the agent's behind the project's. Of rules of both styles the stricter verdict
    holds. What an agent that called it is denied stays denied (AGT_06). A mode of the agent's own that is stricter than
    `mode`, plan or dontAsk, holds as well; another one would be a right that it gives itself (AGT_09).
    """
    place, project = place or here(), tuple(project)
    if agent.tools is not None and not _has(agent.tools, tool, given, place):
        names = ", ".join(rule.permission for rule in agent.tools) or "none"
        own = Decision("deny", f"the agent {agent.name} does not have the tool {tool}; it has {names}")
    else:
        modes = dict.fromkeys((mode, agent.permission_mode if agent.permission_mode in STRICTER else mode))
        own = strictest(
            decide(one.style, one.rules, tool, given, place=place, mode=each)
            for one in permissions_of(agent, project)
            for each in modes
        )
    return within(own, (decide_for(one, tool, given, project=project, place=place) for one in callers))


def has_tool(agent: AgentDefinition, tool: str, *, project: Iterable[Permissions] = ()) -> bool:
    """Whether there is a use of a tool that an agent may be allowed: not where it lacks it, or is denied all uses."""
    kind = kind_of(tool)
    if agent.tools is not None and not any(names_tool(rule, tool, kind) for rule in agent.tools):
        return False
    for layer in permissions_of(agent, project):
        if layer.style == "opencode":
            last = last_match(layer.rules, lambda rule: match_pattern(rule.permission, kind))
        else:
            refused = (rule for rule in layer.rules if rule.action == "deny" and names_tool(rule, tool, kind))
            last = next((rule for rule in refused if rule.pattern == "*"), None)
        if last is not None and (last.action, last.pattern) == ("deny", "*"):
            return False
    return True


def permissions_of(agent: AgentDefinition, project: Iterable[Permissions] = ()) -> tuple[Permissions, ...]:
    """The rules of an agent together with the project's, by style: the stricter verdict holds.

    Sets of one style are read together, in their order. An agent without rules of its own has those of the project
    alone; where there are none, DEFAULTS.
    """
    own, by_style = agent.permissions, dict[Style, tuple[Rule, ...]]()
    for one in project:
        by_style[one.style] = by_style.get(one.style, ()) + one.rules
    styles = [style for style in by_style if style != own.style]
    if own.rules or own.style in by_style or not styles:
        styles.append(own.style)
    found: list[Permissions] = []
    for style in styles:
        rules = DEFAULTS if style == "opencode" else ()
        rules += by_style.get(style, ())
        found.append(Permissions(style, rules + (own.rules if style == own.style else ())))
    return tuple(found)


def _has(tools: tuple[Rule, ...], tool: str, given: Mapping[str, Any], place: Place) -> bool:
    """Whether a tool is among those of an agent; one with a specifier only for what it names."""
    named = [rule for rule in tools if names_tool(rule, tool, kind_of(tool, given))]
    if any(rule.pattern == "*" for rule in named):
        return True
    return bool(named) and decide("claude-code", named, tool, given, place=place).action == "allow"


# Reading one definition


def read_markdown(
    text: str,
    style: Style,
    *,
    name: str = "",
    origin: str = "",
    known: Mapping[str, AgentDefinition] = AGENTS,
) -> AgentDefinition:
    """A definition in Markdown: front matter with its fields, and the prompt below (AGT_02).

    Args:
        text: the text of the file.
        style: `claude-code`, where the field `name` is required, or `opencode`, where the agent has the file's name.
        name: the name of the file without its ending.
        origin: the path of the file, for errors.
        known: the agents of OpenCode to which a definition of OpenCode adds.

    Raises InvalidInput that names the file, the line and the field.
    """
    try:
        found = read_front_matter(text)
    except FrontMatterError as error:
        raise InvalidInput(f"{origin}:{error.line}: {error}") from error
    if found is None:
        raise InvalidInput(f"{origin}:1: there is no front matter; begin with --- and the field description")
    if not isinstance(found.fields, Mapping):
        raise InvalidInput(f"{origin}:2: the front matter is {shown(found.fields)}; it is a table of fields")
    fields = _Fields(found.fields, style, origin, text, known=known)
    return fields.definition(name if style == "opencode" else "", prompt=found.body.strip())


OF_JSON: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
"""A text of JSON, or a comment."""
LAST_COMMA: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|,(?=\s*[}\]])', re.DOTALL)
"""A text of JSON, or a comma behind which a table or list ends."""


def _json(text: str, origin: str, *, comments: bool = False) -> dict[str, Any]:
    """The table of a file of settings. Raises InvalidInput that names the file and the line."""

    def blank(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0])

    def table(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for name, _ in members:
            if name in seen:
                at = _line(text, text.rfind(json.dumps(name)))
                raise InvalidInput(f"{origin}:{at}: there are two fields {name!r} in one table; remove one of them")
            seen.add(name)
        return dict(members)

    if comments:
        text = LAST_COMMA.sub(blank, OF_JSON.sub(blank, text))
    try:
        value = json.loads(text, object_pairs_hook=table)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{origin}:{error.lineno}: it is no JSON: {error.msg}; correct this line") from error
    except (RecursionError, ValueError) as error:  # a number of more digits than Python reads
        raise InvalidInput(f"{origin}: it cannot be read: {error}; shorten it") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{origin}:1: it is {shown(value)}; settings are a table")
    return value


def _found(text: str, name: str, start: int = 0) -> int:
    """Where a field is in the text of a file, from a place on; that place where it is not found."""
    name = re.escape(name)
    found = re.compile(rf"(?m)^[ \t]*{name}[ \t]*:|[\"']{name}[\"']\s*:").search(text, start)
    return found.end() if found else start


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


@dataclass(slots=True)
class _Fields:
    """The fields of a definition, each read as what it should be."""

    fields: Mapping[str, Any]
    style: Style
    origin: str
    text: str
    way: str = ""
    """What is in front of the name of a field in an error."""
    start: int = 0
    """Where in the text the definition begins."""
    known: Mapping[str, AgentDefinition] = field(default_factory=lambda: AGENTS)

    def definition(self, name: str, *, prompt: str = "") -> AgentDefinition:
        """The agent; in OpenCode's style what is said of one that is known is added to it."""
        own = self._text("name").strip()
        if "name" in self.fields and not own:
            raise self._fault("name", "a name, such as reviewer")
        name = own or name.strip()
        if not name:
            line = _line(self.text, self.start) if self.way else 2
            raise InvalidInput(f"{self.origin}:{line}: the agent has no name; give it one")
        standard = AgentDefinition(name, mode="all" if self.style == "opencode" else "subagent")
        base = self.known.get(name, standard) if self.style == "opencode" else standard
        description, model = self._text("description") or base.description, self._text("model")
        if self.style == "claude-code" and not description:
            raise InvalidInput(f"{self.origin}:1: the field description is missing; say when the agent is used")
        turns = next((one for one in ("maxTurns", "steps", "maxSteps") if one in self.fields), "")
        modes, permission_modes = f"one of {', '.join(MODES)}", f"one of {', '.join(PERMISSION_MODES)}"
        return replace(
            base,
            description=description,
            mode=self._value("mode", base.mode, MODES.__contains__, modes),
            model="" if model == "inherit" else model or base.model,
            prompt=prompt or self._text("prompt") or base.prompt,
            permissions=self._permissions(base.permissions),
            tools=self._tools() if "tools" in self.fields else base.tools,
            origin=self.origin,
            disabled=self._value("disable", base.disabled, lambda one: isinstance(one, bool), "true or false"),
            permission_mode=self._value(
                "permissionMode", base.permission_mode, PERMISSION_MODES.__contains__, permission_modes
            ),
            max_turns=self._value(turns, base.max_turns, _is_count, "a whole number from 1"),
        )

    def _fault(self, name: str, form: str) -> InvalidInput:
        return InvalidInput(f"{self._place(name)}: {self.way}{name} is {shown(self.fields.get(name))}; it is {form}")

    def _place(self, name: str) -> str:
        return f"{self.origin}:{_line(self.text, _found(self.text, name, self.start))}"

    def _value(self, name: str, default: T, fits: Callable[[Any], bool], form: str) -> T:
        """Return the value of a field of this form. Raises InvalidInput."""
        value = self.fields.get(name, default)
        if not fits(value):
            raise self._fault(name, form)
        return value  # type: ignore[no-any-return]

    def _text(self, name: str) -> str:
        return self._value(name, "", lambda one: isinstance(one, str), "a text")

    def _permissions(self, base: Permissions) -> Permissions:
        """Its rules: tools that are switched on or off, then permissions, then tools that are taken away."""
        said = [name for name in ("permission", "permissions") if name in self.fields]
        if len(said) > 1:
            raise InvalidInput(
                f"{self._place('permissions')}: {self.way}permission and {self.way}permissions are both "
                "there; keep one of them"
            )
        value = self.fields[said[0]] if said else {}
        where: dict[str, Any] = {"origin": self.origin, "text": self.text}
        start = _found(self.text, said[0], self.start) if said else 0
        switched = isinstance(self.fields.get("tools"), Mapping)
        denied = tuple(self._listed("disallowedTools", "deny"))
        listed = isinstance(value, Mapping) and bool(value) and {*value} <= {*ACTIONS}
        if listed or (self.style == "claude-code" and not said and not switched):
            read = read_permissions("claude-code", value, **where, start=start)
            return Permissions("claude-code", read.rules + denied)
        read = read_permissions("opencode", value, **where, start=start)
        refused = (Rule("deny", kind_of(one.permission), one.pattern, one.text, one.origin) for one in denied)
        rules = (*base.rules, *self._switches(), *read.rules, *refused)
        return Permissions("opencode", rules if base.style == "opencode" else rules[len(base.rules) :])

    def _switches(self) -> Iterator[Rule]:
        """Tools that a table switches on or off."""
        tools = self.fields.get("tools")
        for name, on in tools.items() if isinstance(tools, Mapping) else ():
            if not isinstance(on, bool) or not isinstance(name, str) or not name:
                raise self._fault("tools", "a list of tools, or a table of tools with true or false")
            text = f"tools {name}: {'true' if on else 'false'}"
            yield Rule("allow" if on else "deny", kind_of(name), "*", text, self._place(name))

    def _tools(self) -> tuple[Rule, ...] | None:
        value = self.fields.get("tools")
        if value is None or isinstance(value, Mapping):
            return None
        rules = tuple(self._listed("tools", "allow"))
        return None if any(rule.permission == "*" for rule in rules) else rules

    def _listed(self, name: str, action: Literal["allow", "deny"]) -> Iterator[Rule]:
        """Tools in a list, or in a text with commas; commas in brackets are part of a tool."""
        value = self.fields.get(name) or []
        if isinstance(value, str):
            pieces = re.findall(r"[^()]*[()]?", value)
            whole = "".join(one.replace(",", "\0") if one.endswith(")") else one for one in pieces)
            value = [one.replace("\0", ",") for one in whole.split(",")]
        if not isinstance(value, list):
            raise self._fault(name, "a list of tools, or a table of tools with true or false")
        yield from (
            read_rule(action, one, self._place(name)) for one in value if not isinstance(one, str) or one.strip()
        )


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value > 0)


# Reading the files of a project


@dataclass(frozen=True, slots=True)
class AgentFiles:
    """What the files of a user and a project say about agents."""

    agents: Mapping[str, AgentDefinition]
    """Those that are built in, then those of the files; the project's win over the user's."""
    permissions: tuple[Permissions, ...]
    """The rules of the settings, at most one for each style."""
    faults: tuple[str, ...]
    """What could not be read, with file, line and cure."""

    def named(self, name: str) -> AgentDefinition:
        """The agent of a name. Raises InvalidInput."""
        if name not in self.agents:
            raise InvalidInput(f"there is no agent {shown(name)}; {nearest(name, self.agents)}")
        return self.agents[name]


class DefinitionSource(NamedTuple):
    """A file of settings, or a folder with definitions in Markdown."""

    path: Path
    style: Style
    is_folder: bool = False


OF_OPENCODE: Final = ("opencode.json", "opencode.jsonc")
"""The names of OpenCode's settings; what the second says wins."""
IN_FOLDERS: Final = ("agent", "agents")
"""The names of OpenCode's folders of definitions."""


def sources_of(project: Path, home: Path | None = None, folder: Path | None = None) -> tuple[DefinitionSource, ...]:
    """The places of settings and definitions, whether or not they are there; what a later one says wins.

    First those of the user, then those of the project: its settings before its folders, each from the root of the
    project down to the folder that the agent works in.
    """
    opencode, claude_code = user_folders(home)
    folder = folder or project
    levels = upwards(folder, project)[::-1] if folder.is_relative_to(project) else [project]
    found = [
        *_of_opencode(opencode),
        DefinitionSource(claude_code / "settings.json", "claude-code"),
        DefinitionSource(claude_code / "agents", "claude-code", is_folder=True),
        *(DefinitionSource(level / name, "opencode") for level in levels for name in OF_OPENCODE),
        *(source for level in levels for source in _of_opencode(level / ".opencode")),
        DefinitionSource(project / ".claude" / "settings.json", "claude-code"),
        DefinitionSource(project / ".claude" / "settings.local.json", "claude-code"),
        *(DefinitionSource(level / ".claude" / "agents", "claude-code", is_folder=True) for level in levels),
    ]
    return tuple(dict.fromkeys(found))


def _of_opencode(folder: Path) -> Iterator[DefinitionSource]:
    yield from (DefinitionSource(folder / name, "opencode") for name in OF_OPENCODE)
    yield from (DefinitionSource(folder / name, "opencode", is_folder=True) for name in IN_FOLDERS)


def load_agents(project: Path, home: Path | None = None, *, folder: Path | None = None) -> AgentFiles:
    """The agents and the permission rules of a project and its user; what cannot be read is a fault (AGT_01).

    Args:
        project: the folder of the project, absolute.
        home: a home folder; without it this user's, in which CLAUDE_CONFIG_DIR and XDG_CONFIG_HOME move the files.
        folder: the folder in the project that the agent works in, by default the project.
    """
    loading = _Loading()
    for source in sources_of(project, home, folder):
        (loading.folder if source.is_folder else loading.settings)(source)
    return loading.loaded()


class _Loading:
    """Reads the files one after the other, and goes on behind one that is faulty."""

    def __init__(self) -> None:
        self._agents: dict[str, AgentDefinition] = dict(AGENTS)
        self._opencode: dict[str, AgentDefinition] = dict(AGENTS)
        """The agents to which a definition of OpenCode adds, also those that are switched off."""
        self._rules: dict[Style, tuple[Rule, ...]] = {}
        self._actions: set[str] = set()
        """Permissions of OpenCode that have an action in place of patterns."""
        self._faults: list[str] = []

    def loaded(self) -> AgentFiles:
        """Everything that the files say."""
        permissions = tuple(Permissions(style, rules) for style, rules in self._rules.items())
        return AgentFiles(MappingProxyType(self._agents), permissions, tuple(self._faults))

    def settings(self, source: DefinitionSource) -> None:
        """Read a file of settings."""
        path, style = source.path, source.style
        try:
            if not path.is_file():
                return
            text = _text_of(path)
            settings = _json(text, str(path), comments=style == "opencode")
        except (BrimError, OSError) as error:
            self._faulty(path, error, has_rules=True)
            return
        try:
            self._rules_of(settings, text, source)
        except InvalidInput as error:
            self._faulty(path, error)
        if style == "opencode":
            self._agents_of(settings.get("agent", {}), text, path)

    def _faulty(self, path: Path, error: Exception, *, has_rules: bool = False) -> None:
        """Note a fault; where rules cannot be read, every use of a tool is asked about."""
        said = f"{path}: {error.strerror or error}; let it be read" if isinstance(error, OSError) else str(error)
        self._faults.append(said)
        if has_rules or isinstance(error, RulesError):
            rule = Rule("ask", "*", text="a file of rules that cannot be read", origin=str(path))
            self._rules["claude-code"] = (*self._rules.get("claude-code", ()), rule)

    def _rules_of(self, settings: Mapping[str, Any], text: str, source: DefinitionSource) -> None:
        key, other = ("permission", "permissions") if source.style == "opencode" else ("permissions", "permission")
        start, origin = _found(text, key), str(source.path)
        if other in settings:
            place = f"{origin}:{_line(text, _found(text, other))}"
            system = "OpenCode" if source.style == "opencode" else "Claude Code"
            raise RulesError(f"{place}: {system} has no field {other}; write {key}")
        if (value := settings.get(key)) is None:
            return
        rules = read_permissions(source.style, value, origin=origin, text=text, start=start).rules
        before = self._rules.get(source.style, ())
        if source.style == "claude-code":
            self._rules[source.style] = before + rules
            return
        table = value if isinstance(value, Mapping) else {"*": value}
        actions = {name for name, said in table.items() if not isinstance(said, Mapping)}
        self._rules[source.style] = merge_opencode(before, rules, self._actions | actions)
        self._actions = (self._actions - {*table}) | actions

    def _agents_of(self, agents: Any, text: str, path: Path) -> None:
        """Read the table of agents of OpenCode's settings."""
        start = _found(text, "agent")
        if not isinstance(agents, Mapping):
            form = f"agent is {shown(agents)}; it is a table of agents"
            self._faulty(path, InvalidInput(f"{path}:{_line(text, start)}: {form}"))
            return
        for name, fields in agents.items():
            at = _found(text, name, start)
            if not isinstance(fields, Mapping):
                form = f"agent.{name} is {shown(fields)}; it is a table"
                self._faulty(path, InvalidInput(f"{path}:{_line(text, at)}: {form}"))
                continue
            try:
                read = _Fields(fields, "opencode", str(path), text, f"agent.{name}.", at, self._opencode)
                self._take(read.definition(name), "opencode")
            except InvalidInput as error:
                self._faulty(path, error)

    def folder(self, source: DefinitionSource) -> None:
        """The definitions of a folder and those below it; of two of one name neither is taken."""
        here: dict[str, list[AgentDefinition]] = {}
        style = source.style
        for path in sorted(source.path.rglob("*.md")):
            try:
                if path.is_file():
                    text = _text_of(path)
                    one = read_markdown(text, style, name=path.stem, origin=str(path), known=self._opencode)
                    here.setdefault(one.name, []).append(one)
            except (BrimError, OSError) as error:
                self._faulty(path, error)
        for name, found in here.items():
            if len(found) > 1:
                places = " and ".join(one.origin for one in found)
                self._faults.append(f"{places}: both define the agent {name}; rename one of them")
            else:
                self._take(found[0], style)

    def _take(self, agent: AgentDefinition, style: Style) -> None:
        """Add an agent, in place of one of its name; one that is switched off removes it."""
        self._agents.pop(agent.name, None)
        if not agent.disabled:
            self._agents[agent.name] = agent
        if style == "opencode":
            self._opencode[agent.name] = agent
        elif agent.name in AGENTS:
            self._opencode[agent.name] = AGENTS[agent.name]
        else:
            self._opencode.pop(agent.name, None)


def _text_of(path: Path) -> str:
    """The text of a file. Raises OSError, and InvalidInput that names it."""
    try:
        if (size := path.stat().st_size) > MAX_FILE_BYTES:
            raise InvalidInput(f"{path}: it has {size:,} bytes; at most {MAX_FILE_BYTES:,} are read")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: it is not UTF-8; save it as that") from error
