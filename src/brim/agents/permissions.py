"""Permissions: whether an agent may use a tool, by which rule, and why.

Specified by features/agents/permissions.feature (AGT_04, AGT_05). Rules are read in the manner of OpenCode (the last
match wins, none: ask) or of Claude Code (deny, then ask, then allow). Both see the same uses: a shell command is every
command that it runs and every file that they name, and what is not plain is asked about, never allowed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise
from posixpath import basename, dirname, join, normpath, relpath
from typing import Any, Final, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from brim.agents.commands import File, Run, may_be_option, odd_character, runs_of
from brim.conversation.turns import ToolUse
from brim.errors import InvalidInput, nearest, shown, text_of
from brim.evidence.shell import Word, patched_files
from brim.evidence.tools import act_of, is_editing, named_paths, script_run
from brim.settings import PermissionMode

Action: TypeAlias = Literal["allow", "ask", "deny"]
Style: TypeAlias = Literal["opencode", "claude-code"]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
"""From the mildest to the strictest."""
STYLES: Final[tuple[Style, ...]] = get_args(Style)
PERMISSION_MODES: Final[tuple[PermissionMode, ...]] = get_args(PermissionMode)
PROTECTED: Final = frozenset(
    {".brim", ".claude", ".git", ".husky", ".idea", ".mcp.json", ".opencode", ".vscode", "brim.toml", "opencode.json"}
    | {"opencode.jsonc"}
)
"""Files and folders that the mode acceptEdits asks about: they hold rights of agents, or programs that tools run."""
OUTSIDE: Final = "external_directory"
"""OpenCode's permission for files outside of the project."""
KINDS: Final = {
    "agent": "task", "codesearch": "codesearch", "glob": "glob", "grep": "grep", "list": "list", "ls": "list",
    "skill": "skill", "task": "task", "webfetch": "webfetch", "websearch": "websearch",
}  # fmt: skip
"""Tools besides those of files and commands, in lower case, and OpenCode's permission for each."""
SUBJECTS: Final = {
    "bash": "command", "edit": "file_path", "read": "file_path", "task": "subagent_type", "webfetch": "url",
    "websearch": "query", "codesearch": "query", "skill": "name", "glob": "pattern", "grep": "pattern", "list": "path",
}  # fmt: skip
"""The field of a tool's input that rules are compared with, by what the tool does."""
FREE: Final = "it needs no rule"
MAX_PATH_CHARS: Final = 4_096
"""Characters of a path at most; a longer one is asked about."""
MAX_PATTERN_CHARS: Final = 10_000
"""Characters of a rule at most: comparing takes the square of some longer ones."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A permission rule: what uses of which tools it matches, and what it says about them."""

    action: Action
    permission: str
    """A tool, or a kind of use as OpenCode has it: `bash`, `edit`, `external_directory`."""
    pattern: str = "*"
    """What of the use it is compared with; `*` for all uses."""
    text: str = ""
    """The rule as it is written."""
    origin: str = ""
    """The file that it is from, and its line; empty where it is from none."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """Rules, and the manner in which they are read."""

    style: Style
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a tool may be used, the rule that says so, and why."""

    action: Action
    reason: str
    rule: Rule | None = None
    """None where no rule matches, or where brim asks because something is not plain."""
    part: str = ""
    """What of the use the decision is about: a command or a file."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent works: what paths are relative to, and which files are outside of the project."""

    directory: str
    root: str = ""
    """The folder of the project; the directory where it is empty."""
    home: str = "~"
    resolve: Callable[[str], str] = os.path.realpath
    """Follows the links of an absolute path."""

    @property
    def project(self) -> str:
        """The folder of the project."""
        return normpath(self.root or self.directory)


def here() -> Place:
    """Return the folder that this process is in, as the project."""
    return Place(directory=os.getcwd(), home=os.path.expanduser("~"))  # noqa: PTH109, PTH111  paths of POSIX as text


NO_RUN: Final = Run(())
NO_FILE: Final = File("read", "")


@dataclass(frozen=True, slots=True)
class _Use:
    """One thing that a use of a tool does."""

    kind: str
    """OpenCode's permission for it; a tool that has none is its own kind."""
    tool: str
    texts: tuple[str, ...] = ("*",)
    """What a rule that allows is compared with."""
    run: Run = NO_RUN
    """The command, where it is one."""
    file: File = NO_FILE
    """The file that a command names, where it is one."""
    unclear: str = ""
    free: bool = False
    """It needs no rule: only one that asks or denies counts."""
    given: Mapping[str, Any] | None = None
    """The input of the tool, where it is a whole use."""
    some: bool = False
    """It is a part of a command that may mean something else: only rules that name it count, and none that allows."""
    perhaps: bool = False
    """It is not plain whether it happens: what a rule denies is asked about."""
    place: Place | None = None

    @property
    def label(self) -> str:
        return self.texts[0] if self.texts[0] != "*" else ""


def decide(
    style: Style,
    rules: Sequence[Rule],
    tool: str,
    given: Mapping[str, Any],
    *,
    place: Place | None = None,
    callers: Iterable[Permissions] = (),
    mode: PermissionMode = "default",
) -> Decision:
    """Return whether a tool may be used with an input (AGT_04): the strictest verdict on anything that it does.

    Args:
        style: the manner in which the rules are read.
        rules: in their order.
        tool: its name, as the model calls it.
        given: its input.
        place: where it would be used; the folder of this process where it is left out.
        callers: the permissions of the agents that called this one. What one of them denies stays denied (AGT_06).
        mode: what is done with a use that no rule decides (AGT_09).

    What brim cannot read, it asks about. Raises InvalidInput for an unknown style, an unknown mode and a tool without a
    name, and nothing else.
    """
    if mode not in PERMISSION_MODES:
        raise InvalidInput(f"there is no permission mode {mode!r}; {nearest(mode, PERMISSION_MODES)}")
    if style not in EVALUATORS:
        raise InvalidInput(f"there is no style {style!r}; {nearest(style, STYLES)}")
    if not tool:
        raise InvalidInput("the tool has no name; name one, such as Bash")
    place = place or here()
    try:
        own = strictest(_decisions(style, rules, _uses(style, tool, given, place, rules), mode))
    except Exception as fault:  # noqa: BLE001  whatever a use is, it has a verdict
        why = f"brim cannot read it: {type(fault).__name__}"
        own = _by_mode(mode, Decision("ask", why), _Use(kind_of(tool), tool, unclear=why))
    return within(own, (decide(caller.style, caller.rules, tool, given, place=place) for caller in callers))


def _decisions(style: Style, rules: Sequence[Rule], uses: Iterable[_Use], mode: PermissionMode) -> Iterator[Decision]:
    """Return the decision about each thing that a use of a tool does."""
    return (_by_mode(mode, (_decide_part if use.some else _decide_use)(style, rules, use), use) for use in uses)


def within(own: Decision, callers: Iterable[Decision]) -> Decision:
    """Return a decision about an agent, and those about its callers: what one of them is denied stays denied."""
    denied = next((theirs for theirs in callers if theirs.action == "deny"), None)
    return own if denied is None else replace(denied, reason=f"the agent that called may not: {denied.reason}")


def strictest(decisions: Iterable[Decision]) -> Decision:
    """Return the first of the strictest; of several that allow, one that a rule allows."""
    return max(
        decisions, key=lambda one: (ACTIONS.index(one.action), one.reason != FREE), default=Decision("allow", FREE)
    )


def last_match(rules: Sequence[Rule], matches: Callable[[Rule], bool]) -> Rule | None:
    """Return the rule that decides in the manner of OpenCode (AGT_04): the last that matches."""
    return next((rule for rule in reversed(rules) if matches(rule)), None)


def deny_ask_allow(rules: Sequence[Rule], matches: Callable[[Rule], bool]) -> Rule | None:
    """Return the deciding rule in the manner of Claude Code (AGT_04): one that denies, else asks, else allows."""
    for action in reversed(ACTIONS):
        found = next((rule for rule in rules if rule.action == action and matches(rule)), None)
        if found:
            return found
    return None


def _decide_use(style: Style, rules: Sequence[Rule], use: _Use) -> Decision:
    rule, part = EVALUATORS[style](rules, lambda one: matches(style, one, use)), use.label
    if rule is not None and (rule.action == "deny" or (rule.action == "ask" and not use.unclear)):
        return Decision(rule.action, f"a rule {SAYS[rule.action]} it", rule, part)
    reason, doubted = (use.unclear, None) if use.unclear else next(_doubts(style, rules, use, rule), ("", None))
    if (
        use.run.runner
        and not reason
        and not any(_names_runner(style, one, use) for one in rules if matches(style, one, use))
    ):
        reason = f"{use.run.runner} runs other programs, and no rule that allows it names it"
    if not reason and rule is None and not use.free:
        reason = "no rule matches it"
    if reason:
        return Decision("ask", reason, doubted, part)
    return Decision("allow", "a rule allows it" if rule is not None else FREE, rule, part)


def _decide_part(style: Style, rules: Sequence[Rule], use: _Use) -> Decision:
    """Return a decision about what may be a command or a file that a command names: allowed, unless a rule names it."""
    naming = [rule for rule in rules if _names_some(style, rule, use)]
    rule = EVALUATORS[style](naming, lambda one: matches(style, one, use))
    if rule is not None and rule.action != "allow":
        if rule.action == "deny" and not use.perhaps:
            return Decision("deny", "a rule denies it", rule, use.label)
        what = "command" if use.kind == "bash" else "file"
        return Decision("ask", f"it may be a {what} that a rule {SAYS[rule.action]}", rule, use.label)
    reason, doubted = next(_doubts(style, naming, use), (FREE, None))
    return Decision("ask" if doubted else "allow", reason, doubted, use.label)


def _doubts(style: Style, rules: Sequence[Rule], use: _Use, allowing: Rule | None = None) -> Iterator[tuple[str, Rule]]:
    """Yield why a use may be one that a rule asks about or denies, though none matches for certain, and which rule."""
    suspected = EVALUATORS[style](rules, lambda one: matches(style, one, use) or _may_mean(style, one, use))
    if suspected is not None and suspected.action != "allow":
        yield f"it may be what this rule {SAYS[suspected.action]}", suspected
    if use.file.pattern and (use.some or style == "claude-code") and (objecting := _may_object(rules, use)):
        yield f"one of the files of {use.file.pattern} may be one of this rule", objecting
    exact = allowing is not None and not WILD.search(allowing.pattern)
    for rule in rules if use.run.inline and not exact else ():
        if rule.action != "allow" and kind_of(rule.permission) == "bash" and _names_some(style, rule, use):
            yield f"brim does not see what it runs, which may be what this rule {SAYS[rule.action]}", rule
    for rule in rules if use.file.holds else ():
        if _may_hold(style, rule, use):
            yield "the folder may hold a file of this rule", rule


SAYS: Final = {"deny": "denies", "ask": "asks about"}
NEVER_BY_WILDCARD: Final = frozenset({"find", "flock", "ionice", "setsid", "watch"})
"""Programs that run others which Claude Code lets only a rule without a wildcard allow."""


def _names_runner(style: Style, rule: Rule, use: _Use) -> bool:
    """Return whether a rule names what makes a command run others: the program, and the word by which it does."""
    first, *others = rule.pattern.replace(":*", " *").split() or [""]
    program, *needed = use.run.runner.split()
    by_wildcard = style == "claude-code" and program in NEVER_BY_WILDCARD and "*" in rule.pattern
    named = basename(first) == program and {one.partition("=")[0] for one in others}.issuperset(needed)
    return rule.action == "allow" and named and not by_wildcard


def _may_mean(style: Style, rule: Rule, use: _Use) -> bool:
    """Return whether a command may be one that a rule asks about or denies, once the shell has expanded it."""
    return rule.action != "allow" and resemblance(rule.pattern, use.run.words) > 0 and _is_about(style, rule, use)


def resemblance(pattern: str, words: Sequence[Word]) -> int:
    """Return how a command is one of a pattern, whatever the order, the grouping and the place of its options.

    Returns 2 where it is for certain, 1 where it may be, else 0. A word that the shell expands may be each word that
    its beginning allows, an operand behind an option may be its value, and a long option may be a short one.
    """
    program, *fixed = pattern.lstrip("*").replace(":*", " *").replace("*-", " -").split() or ["*"]
    name = basename(words[0].text).lower() if words and words[0].literal else ""
    if not name or program[0] in "*?" or not fnmatchcase(name, basename(program).lower()):
        return 0
    options = [one.rstrip("*=") for one in fixed if one[0] == "-" and one != "--"]
    bound = [one for before, one in pairwise(fixed) if before[0] == "-" and "=" not in before and one[0] not in "-*"]
    operands = [one for one in fixed if (one[0] != "-" or one == "--") and one not in bound]
    given, values = _sorted_words(words[1:])
    found = min((_option(one, given) for one in options), default=2)
    found = min([found, *(_value(one, given, values) for one in bound)])
    loose, at, skips = any(not one.literal and one.text[:1] != '"' for one in words[1:]), 0, False
    for token in operands:
        if not token.strip("*"):
            skips = True
            continue
        while at < len(values) and not (fit := _fits(token, values[at][0])):
            if not (skips or values[at][1]) and values[at][0].text[:1].isalnum() and "=" not in values[at][0].text:
                return 0
            at, found = at + 1, min(found, 1)
        found = min(found, fit if at < len(values) else int(loose))
        at += 1
    if pattern.endswith("*") or (at == len(values) and len(given) <= len(options)):
        return found
    return min(found, 1) if options else 0


def _sorted_words(words: Sequence[Word]) -> tuple[list[Word], list[tuple[Word, bool]]]:
    """Return the options of a command, and its operands, each with whether it may be the value of an option."""
    given: list[Word] = []
    values: list[tuple[Word, bool]] = []
    behind = ended = False
    for word in words:
        is_option = not ended and word.text[:1] == "-" and word.text not in {"-", "--"} and " " not in word.text
        if is_option or may_be_option(word):
            given.append(word)
        if not is_option:
            values.append((word, behind))
        behind, ended = is_option and "=" not in word.text, ended or word.text == "--"
    return given, values


def _option(token: str, given: Sequence[Word]) -> int:
    """Return whether one of the options of a command is an option of a rule (2), may be (1), or is none (0)."""
    if any(one.literal and one.text.partition("=")[0] == token for one in given):
        return 2
    letters = {one for word in given if word.literal and CLUSTER.fullmatch(word.text) for one in word.text[1:]}
    letters |= {"r", "R"} if letters & {"r", "R"} else set()
    if CLUSTER.fullmatch(token) and letters.issuperset(token[1:]):
        return 2
    unsure = any(not word.literal or word.text.startswith("--") for word in given)
    forced = set(token[1:].lower()) < letters  # `-D` may be `-d -f`
    return int(unsure or forced or (token.startswith("--") and token[2:3] in letters))


CLUSTER: Final = re.compile(r"-[A-Za-z0-9]{1,6}")


def _value(token: str, given: Sequence[Word], values: Sequence[tuple[Word, bool]]) -> int:
    """Return whether the value of an option of a rule stands somewhere in a command (2), may (1), or does not (0)."""
    joined = any(one.text.endswith(token.rstrip("*")) for one in given)
    return max((_fits(token, word) for word, _ in values), default=0) or int(joined)


def _fits(token: str, word: Word) -> int:
    """Return whether a word is one of a rule (2), may become it (1), or is another (0)."""
    if word.literal:
        return 2 * fnmatchcase(word.text, token)
    begins, wanted = (re.split(r"[$`*?\[{]", one, maxsplit=1)[0] for one in (word.text.replace('"', ""), token))
    return int(begins.startswith(wanted) or wanted.startswith(begins))


def _by_mode(mode: PermissionMode, decision: Decision, use: _Use) -> Decision:
    """Return the decision in a mode: what a rule asks about or denies stays so; what is not plain is never allowed."""
    if mode == "plan" and use.kind == "edit" and not use.some:
        reason = "the mode plan edits no file"
        return decision if decision.action == "deny" else replace(decision, action="deny", reason=reason, rule=None)
    if decision.action != "ask":
        return decision
    if mode == "dontAsk":
        return replace(decision, action="deny", reason=f"the mode dontAsk asks about nothing: {decision.reason}")
    if decision.rule is not None or use.unclear or use.run.runner:
        return decision
    if mode == "bypassPermissions" or (mode == "acceptEdits" and _is_plain_edit(use)):
        return replace(decision, action="allow", reason=f"the mode {mode} allows it")
    return decision


def _is_plain_edit(use: _Use) -> bool:
    """Return whether a use edits a file of the project that no agent's rights depend on."""
    place, path = use.place or here(), use.texts[0]
    inside = use.kind == "edit" and use.texts != ("*",) and _is_inside(path, place)
    return inside and PROTECTED.isdisjoint(part.lower() for part in path.split("/"))


def _names_some(style: Style, rule: Rule, use: _Use) -> bool:
    """Return whether a rule is about some commands or some files, and not about all."""
    if use.kind == "bash":
        return rule.pattern[:1] not in {"*", "?"} and rule.permission != "*"
    is_all = not rule.pattern.strip("*/.")
    if style == "opencode":
        surely = use.free and rule.action == "deny"
        return rule.permission in {"edit", "read"} and (not is_all or surely or rule.action == "allow")
    return not is_all and rule.action != "allow"


def _may_hold(style: Style, rule: Rule, use: _Use) -> bool:
    """Return whether a folder may hold a file that a rule denies: one with a name that ends as the rule's pattern.

    Of a folder that is written, only rules count that name it and not every folder.
    """
    written = use.file.holds == "written" and kind_of(rule.permission) != "edit"
    if rule.action != "deny" or use.place is None or written:
        return False
    parts = [STAR.sub("x", part) for part in rule.pattern.split("/") if part not in {"", "**", "."}]
    tails = ["/".join(parts[start:]) for start in range(len(parts))]
    tails += [f"{tail}/x" for tail in tails] if rule.pattern.endswith("*") else []
    nowhere = join(use.place.directory, NOWHERE)
    return any(
        matches(style, rule, replace(use, texts=tuple(normpath(join(text, tail)) for text in use.texts)))
        and (
            use.file.holds == "all"
            or not matches(style, rule, replace(use, texts=(join(nowhere, tail), join(NOWHERE, tail))))
        )
        for tail in tails
    )


STAR: Final = re.compile(r"\[[!^]?\]?[^\]]*+\]|[*?]+")
NOWHERE: Final = "no-such-folder/in-any-rule"
"""A folder that no rule names, so that a rule which matches in it matches in every folder."""


def _may_object(rules: Sequence[Rule], use: _Use) -> Rule | None:
    """Return a rule that asks about or denies a file that a pattern of a shell may match, by the names in both."""
    pieces = use.file.pattern.split("/")
    for rule in rules:
        names = names_tool(rule, use.tool, use.kind) or (use.some and rule.permission == use.kind)
        if rule.action != "allow" and rule.pattern != "*" and names:
            name = rule.pattern.rstrip("/").rpartition("/")[2]
            if any(_overlap(name, piece) for piece in pieces):
                return rule
    return None


def _overlap(name: str, piece: str) -> bool:
    """Return whether a file may have a name that two patterns match: of two wildcards, by what is around them."""
    if not WILD.search(name) or not WILD.search(piece):
        return fnmatchcase(name, piece) if WILD.search(piece) else fnmatchcase(piece, name)
    (start, *_, end), (begin, *_, close) = WILD.split(name), WILD.split(piece)
    starts_alike = start.startswith(begin) or begin.startswith(start)
    return starts_alike and (end.endswith(close) or close.endswith(end))


WILD: Final = re.compile(r"[*?\[\]]")


def kind_of(tool: str, given: Mapping[str, Any] | None = None) -> str:
    """Return what a tool does, by OpenCode's name for it (`bash`, `edit`, `read`), or else the tool's own name."""
    if tool.startswith("mcp__"):
        return tool
    use = ToolUse(tool, given or {})
    act = act_of(use)
    if act == "runs":
        return "bash"
    if act == "acts" and given and not is_editing(use):
        return "read"
    if act in {"lists", "adds", "updates"}:
        return "todowrite"
    if act is not None:
        return "read" if act == "reads" else "edit"
    return KINDS.get(tool.lower(), tool)


def input_of(tool: str, subject: str) -> dict[str, str]:
    """Return the input of a tool that is used with a subject: a command, a file, an address; empty for other tools."""
    kind = kind_of(tool)
    return {SUBJECTS[kind]: subject} if kind in SUBJECTS else {}


def _uses(style: Style, tool: str, given: Mapping[str, Any], place: Place, rules: Sequence[Rule]) -> Iterator[_Use]:
    """Yield everything that a use of a tool does; words are names of files where a rule asks about or denies files."""
    kind = kind_of(tool, given)
    names_files = any(kind_of(rule.permission) in {"edit", "read"} and rule.action != "allow" for rule in rules)
    if kind == "bash":
        uses = _shell_uses(style, tool, script_run(ToolUse(tool, given)), place, given)
        yield from (use for use in uses if names_files or not use.file.named)
    elif kind in {"edit", "read"}:
        yield from _file_uses(style, kind, tool, given, place)
    else:
        subject = next((str(given[name]) for name in _subject_fields(kind) if given.get(name)), "*")
        odd = odd_character(subject)
        use = _Use(kind, tool, (subject,), unclear=f"it holds {odd}" if odd else "", given=given, place=place)
        path = given.get("path")
        looks = kind in {"glob", "grep", "list"}
        if looks and style == "claude-code":  # what rules of `Read` name
            yield from _path_uses(style, replace(use, kind="read"), path if isinstance(path, str) and path else ".")
            return
        yield use
        if looks and isinstance(path, str) and path:
            yield from (one for one in _path_uses(style, use, path) if one.kind == OUTSIDE)


def _subject_fields(kind: str) -> tuple[str, ...]:
    field = SUBJECTS.get(kind, "")
    return (field, "agent", "name", "skill") if kind in {"skill", "task"} else (field,)


def _shell_uses(style: Style, tool: str, script: str, place: Place, given: Mapping[str, Any]) -> Iterator[_Use]:
    """Yield the commands of a script, and the files that they name."""
    for one in runs_of(script, stripping=style == "claude-code"):
        if isinstance(one, File):
            yield from _named_file(style, one, place) if one.named else _shell_file(style, one, place)
        elif one.behind:
            yield _Use("bash", tool, one.texts, one, some=True, perhaps=one.behind != "runs", place=place)
        elif not (one.moves and style == "opencode"):  # OpenCode checks the folder alone
            yield _Use("bash", tool, one.texts, one, unclear=one.unclear, free=one.moves, given=given, place=place)


def _named_file(style: Style, file: File, place: Place, *, surely: bool = False) -> Iterator[_Use]:
    """Yield a word of a command as the name of a file, which only rules that name it ask about or deny."""
    for kind in ("read", "edit") if file.act == "either" else (file.act,):
        perhaps = file.perhaps or (file.act == "either" and kind == "edit")
        use = _Use(kind, kind.capitalize(), file=file, place=place, some=True, perhaps=perhaps, free=surely)
        yield from (one for one in _path_uses(style, use, file.path) if one.kind != OUTSIDE and not one.unclear)


def _shell_file(style: Style, file: File, place: Place) -> Iterator[_Use]:
    """Yield a file that a command names. One inside of the project that no redirection writes needs no rule."""
    free = not file.redirected
    use = _Use(file.act, file.act.capitalize(), file=file, unclear=file.unclear, free=free, place=place)
    if file.unclear:
        yield replace(use, texts=(file.path,), free=False)
        return
    for one in _path_uses(style, use, file.path):
        if style == "opencode" and free and one.kind != OUTSIDE:
            yield from _named_file(style, file, place, surely=True)  # OpenCode compares the command alone
            yield from _named_file(style, replace(file, act="read"), place) if file.act == "edit" else ()
        else:
            yield replace(one, free=one.free and one.kind != OUTSIDE and _is_inside(one.texts[0], place))


def _file_uses(style: Style, kind: str, tool: str, given: Mapping[str, Any], place: Place) -> Iterator[_Use]:
    use = _Use(kind, tool, given=given, place=place)
    paths = [*named_paths(ToolUse(tool, given))]
    paths += [str(given[name]) for name in ("source", "destination") if given.get(name)]
    if not paths:
        texts = (text for text in given.values() if isinstance(text, str) and "*** " in text)
        paths += [change.path for text in texts for change in patched_files(text)]
    if not paths:
        yield replace(use, unclear="its input names no file")
    for path in dict.fromkeys(paths):
        yield from _path_uses(style, use, path)


def _path_uses(style: Style, use: _Use, path: str) -> Iterator[_Use]:
    """Yield a use of a path as it is written and, where links lead elsewhere, of the file that it is."""
    place = use.place or here()
    odd = odd_character(path)
    if odd or "\n" in path or len(path) > MAX_PATH_CHARS:
        why = f"it holds {odd}" if odd else "it is the name of no file"
        yield replace(use, texts=(path,), unclear=why, free=False)
        return
    written = _absolute(path, place)
    paths = dict.fromkeys((normpath(written), normpath(place.resolve(written))))
    root = normpath(place.resolve(place.project))
    for one in paths:
        inside = _is_inside(one, place)
        base = place.project if one == place.project or one.startswith(f"{place.project.rstrip('/')}/") else root
        texts = (one, relpath(one, base)) if one.startswith("/") else (one,)
        if style == "opencode":
            yield replace(use, texts=texts[::-1] if inside else texts)
            if not inside:
                yield _Use(OUTSIDE, use.tool, (one, join(dirname(one), "*")), place=place)
        else:
            yield replace(use, texts=(one,))


def _absolute(path: str, place: Place) -> str:
    """Return a path from the root; one in another user's home stays as it is."""
    path = path.replace("\\", "/") if re.match(r"[A-Za-z]:\\", path) else path
    if path == "~" or path.startswith("~/"):
        return place.home + path[1:]
    path = re.sub(r"\A//+", "/", path)
    return path if path.startswith("~") else join(place.directory, path)


def _is_inside(path: str, place: Place) -> bool:
    """Return whether an absolute path is in the project, or in the folder that the project is a link to."""
    absolute = normpath(join(place.project, path))
    roots = {place.project, normpath(place.resolve(place.project))}
    return not path.startswith("~") and any(
        one == absolute or absolute.startswith(f"{one.rstrip('/')}/") for one in roots
    )


# Which rules match a use


def matches(style: Style, rule: Rule, use: _Use) -> bool:
    """Return whether a rule matches a use: its tool or permission is that of the use, and its pattern a text of it."""
    if not _is_about(style, rule, use):
        return False
    allows, claude = rule.action == "allow", style == "claude-code"
    if claude and (rule.pattern == "*" or (not allows and _has_parameter(rule.pattern, use.given or {}))):
        return True
    pattern = rule.pattern if claude else _expanded(rule.pattern, use.place)
    if not allows and resemblance(pattern, use.run.words) > 1:
        return True
    texts = use.texts if allows else (*use.texts, *use.run.readings)
    return any(_specifies(pattern, text, use) if claude else match_pattern(pattern, text) for text in texts)


def _is_about(style: Style, rule: Rule, use: _Use) -> bool:
    return match_pattern(rule.permission, use.kind) if style == "opencode" else names_tool(rule, use.tool, use.kind)


# In the manner of OpenCode


def match_pattern(pattern: str, text: str) -> bool:
    r"""Return whether a pattern of OpenCode matches a text.

    `\` is read as `/` in both. `*` matches any characters, `/` too, `?` matches one, and a space with `*` at the end
    of the pattern may be missing. The pattern has to match the whole text.

    Args:
        pattern: `*` is any characters, `/` too, `?` is one; ` *` at the end may be missing.
        text: What the pattern is compared with, from its start to its end.
    """
    return _matches(pattern.replace("\\", "/"), text.replace("\\", "/"), optional_end=True)


def _matches(pattern: str, text: str, *, optional_end: bool = False) -> bool:
    """Return whether a pattern in which `[` is itself matches a whole text; ` *` at its end may be missing."""
    pattern = pattern.replace("[", "[[]")
    return fnmatchcase(text, pattern) or (optional_end and fnmatchcase(text, re.sub(r" \*\Z", "", pattern)))


def _expanded(pattern: str, place: Place | None) -> str:
    """Return a pattern with the home folder in place of `~` or `$HOME` at its start."""
    home = place.home if place else "~"
    for name in ("$HOME", "~"):
        if pattern == name or pattern.startswith(f"{name}/"):
            return home + pattern[len(name) :]
    return pattern


# In the manner of Claude Code


def _specifies(pattern: str, text: str, use: _Use) -> bool:
    """Return whether a specifier matches a text of a use: a command, a path, an address or a name."""
    if use.kind == "bash":
        return _starred(re.sub(r":\*\Z", " *", pattern), text, optional_end=True)
    if use.kind in {"edit", "read"}:
        return _in_path(pattern, text, use.place or here())
    if use.kind == "webfetch":
        return pattern.startswith("domain:") and _is_domain(pattern.removeprefix("domain:"), text)
    return _starred(pattern, text)


def _has_parameter(pattern: str, given: Mapping[str, Any]) -> bool:
    """Return whether a specifier names a field of the input, a colon and the value that it has."""
    found = PARAMETER.fullmatch(pattern)
    compared = {"command", "file_path", "notebook_path", "path", "url"}  # in ways of their own
    value = given.get(found["name"]) if found and found["name"] not in compared else None
    if found is None or not isinstance(value, (str, int, float)):
        return False
    return _starred(found["value"], str(value).lower() if isinstance(value, bool) else str(value))


PARAMETER: Final = re.compile(r"\s*(?P<name>\w+)\s*:\s*(?P<value>.+)", re.DOTALL)


def names_tool(rule: Rule, tool: str, kind: str) -> bool:
    """Return whether a rule of Claude Code is about a tool; `Edit` and `Read` are about all that edit or read."""
    name, allows = rule.permission, rule.action == "allow"
    if "*" in name:
        server = re.match(r"mcp__[^*]+?__", name)
        return (not allows or server is not None) and _starred(name, tool)
    if name.startswith("mcp__"):
        return tool == name or ("__" not in name[5:] and tool.startswith(f"{name}__"))
    does = kind_of(name)
    if does in {"edit", "read"} and name not in {"Edit", "Read"}:
        return name == tool and (rule.pattern == "*" or not allows)
    blocks = name == "Read" and rule.action == "deny" and kind == "edit" and rule.pattern != "*"
    return does == kind or blocks or (does == kind_of(tool) and (rule.pattern == "*" or not allows))


def _starred(pattern: str, text: str, *, optional_end: bool = False) -> bool:
    """Return whether a specifier, in which `*` is any characters and `?` itself, matches a text."""
    return _matches(pattern.replace("?", "\0"), text.replace("?", "\0"), optional_end=optional_end)


def _in_path(pattern: str, path: str, place: Place) -> bool:
    """Return whether a path is what a pattern of `Read` or `Edit` names, or is in a folder that it names."""
    if pattern.startswith("//"):
        base, pattern = "/", pattern[2:]
    elif pattern == "~" or pattern.startswith("~/"):
        base, pattern = place.home, pattern[2:]
    elif pattern.startswith("/"):
        base, pattern = place.project, pattern[1:]
    else:
        base, pattern = place.directory, pattern.removeprefix("./") if pattern.startswith("./") else _anywhere(pattern)
    bases = {normpath(base), normpath(place.resolve(base))} if base.startswith("/") else {base}
    folders = (one.rstrip("/") + "/" for one in bases)
    return any(path.startswith(one) and _in_folders(pattern, path[len(one) :]) for one in folders)


def _anywhere(pattern: str) -> str:
    """Return a pattern that names no folder is one of any depth."""
    return pattern if "/" in pattern.rstrip("/") else f"**/{pattern}"


def _in_folders(pattern: str, path: str) -> bool:
    """Return whether a path is one that a pattern of .gitignore names, or is in a folder that it names."""
    names, parts = path.split("/"), _parts(pattern)
    reached = {0}
    """How many names the parts so far may stand for."""
    for part in parts:
        if part == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else reached
        else:
            reached = {n + 1 for n in reached if n < len(names) and fnmatchcase(names[n], part)}
    return any(n < len(names) or parts[-1] != "**" for n in reached)


@lru_cache(maxsize=4_096)
def _parts(pattern: str) -> tuple[str, ...]:
    """Return the parts of a pattern of .gitignore between its slashes, as fnmatch reads them."""
    parts = re.sub(r"\\(.)", r"[\1]", pattern.rstrip("/")).replace("[^", "[!").split("/")
    return tuple(part if "]" in part else part.replace("[", "[[]") for part in parts)


def _is_domain(pattern: str, address: str) -> bool:
    """Return whether the host of an address is one of a `domain:` rule."""
    try:
        host = (urlsplit(address).hostname or "").removesuffix(".").lower()
    except ValueError:
        return False
    pattern = pattern.strip().removesuffix(".").lower()
    if pattern == "*":
        return True
    parts, labels = pattern.split("."), host.split(".")
    if parts[0] == "*" and len(labels) > len(parts):  # any number of labels
        labels = labels[len(labels) - len(parts) :]
    return len(parts) == len(labels) and all(_starred(*pair) for pair in zip(parts, labels, strict=True))


EVALUATORS: Final[Mapping[str, Callable[..., Rule | None]]] = {"opencode": last_match, "claude-code": deny_ask_allow}
"""How each system picks the rule that decides."""


# Reading rules


def read_permissions(style: Style, value: object, *, origin: str = "", text: str = "", start: int = 0) -> Permissions:
    """Return the rules of a value from a file of settings or of an agent.

    Args:
        style: `opencode` for an action, or permissions with an action or patterns; `claude-code` for lists of rules by
            the names `deny`, `ask` and `allow`.
        value: the part of the file.
        origin: the name of the file.
        text: the text of the file, in which the lines are found.
        start: where in it the value begins.

    Raises RulesError that names the file, the line and the rule.
    """
    read = _read_opencode if style == "opencode" else _read_claude_code
    return Permissions(style, tuple(read(value, _Origin(origin, text, start))))


def merge_opencode(
    before: Sequence[Rule], after: Sequence[Rule], replaced: Collection[str] = frozenset()
) -> tuple[Rule, ...]:
    """Return the rules of two files of OpenCode's settings: what is in both has the later action.

    It stays where the earlier file has it, as in OpenCode, where the order decides. `replaced` are the permissions of
    which nothing of the earlier file stays, since one of the two files has an action there and no patterns.
    """
    tables: dict[str, dict[str, Rule]] = {}
    for rule in before:
        tables.setdefault(rule.permission, {})[rule.pattern] = rule
    for permission in {rule.permission for rule in after}.intersection(replaced, tables):
        tables[permission] = {}
    for rule in after:
        tables.setdefault(rule.permission, {})[rule.pattern] = rule
    return tuple(rule for table in tables.values() for rule in table.values())


class RulesError(InvalidInput):
    """A rule of a file cannot be read."""


@dataclass(slots=True)
class _Origin:
    """The file that rules are from, read from its start to its end."""

    file: str
    text: str
    at: int = 0

    def of(self, written: str) -> str:
        """Return where the next rule with this text is: the file, and its line where it is found."""
        at = self.text.find(written, self.at)
        self.at = at + len(written) if at >= 0 else self.at
        return f"{self.file}:{self.text.count(chr(10), 0, at) + 1}" if at >= 0 and self.file else self.file


def _refused(origin: str, fault: str) -> RulesError:
    return RulesError(f"{origin}: {fault}" if origin else fault)


def _read_opencode(value: object, origin: _Origin) -> Iterator[Rule]:
    if isinstance(value, str):
        value = {"*": value}
    if not isinstance(value, Mapping):
        raise _refused(origin.file, f"permission is {shown(value)}; it is an action or a table of permissions")
    for permission, said in value.items():
        at = origin.of(text_of(permission))
        if not isinstance(permission, str) or not permission.strip():
            raise _refused(at, f"a permission is called {shown(permission)}; name a tool or *")
        if not isinstance(said, Mapping):
            yield _opencode_rule(permission, None, said, at)
            continue
        for pattern, action in said.items():
            yield _opencode_rule(permission, pattern, action, origin.of(text_of(pattern)))


def _opencode_rule(permission: str, pattern: Any, action: object, place: str) -> Rule:
    if pattern is not None and (not isinstance(pattern, str) or not pattern):
        raise _refused(place, f"the permission {permission} has the pattern {shown(pattern)}; write * for all")
    if pattern is not None and (odd := odd_character(pattern)):
        raise _refused(place, f"the permission {permission} has a pattern with {odd}; write it without")
    if len(permission) + len(pattern or "") > MAX_PATTERN_CHARS:
        raise _refused(place, f"the permission {shown(permission)} {TOO_LONG}")
    name = permission if pattern is None else f"{permission} {shown(pattern)}"
    if not isinstance(action, str) or action not in ACTIONS:
        raise _refused(place, f"the permission {name} is {shown(action)}; it is one of {', '.join(ACTIONS)}")
    return Rule(action, permission, pattern or "*", f"{name}: {action}", place)


TOO_LONG: Final = f"has more than {MAX_PATTERN_CHARS:,} characters; shorten it, with a * for a part of it"
SPECIFIED: Final = re.compile(r"(?P<tool>[^()\s]+)(?:\((?P<pattern>.*)\))?", re.DOTALL)


def read_rule(action: Action, written: object, origin: str = "") -> Rule:
    """Return a rule of Claude Code: `Tool` or `Tool(specifier)`. Raises RulesError."""
    found = SPECIFIED.fullmatch(written.strip()) if isinstance(written, str) else None
    if found is None:
        raise _refused(origin, f"the rule {shown(written)} does not parse; write Tool or Tool(what it is used with)")
    tool, pattern = found["tool"], found["pattern"]
    if pattern is not None and not pattern.strip():
        raise _refused(origin, f"the rule {shown(written)} names nothing in its brackets; write {tool} for all uses")
    if pattern is not None and odd_character(pattern):
        raise _refused(origin, f"the rule {shown(written)} holds {odd_character(pattern)}; write it without")
    if len(found[0]) > MAX_PATTERN_CHARS:
        raise _refused(origin, f"the rule {shown(written)} {TOO_LONG}")
    return Rule(action, tool, pattern or "*", f"{action} {found[0]}", origin)


def _read_claude_code(value: object, origin: _Origin) -> Iterator[Rule]:
    if not isinstance(value, Mapping):
        raise _refused(origin.file, f"permissions is {shown(value)}; it is a table with the lists allow, ask and deny")
    for name, listed in value.items():
        if name not in ACTIONS:
            if isinstance(listed, list) and name != "additionalDirectories":
                place = origin.of(text_of(name))
                raise _refused(place, f"permissions has no list {shown(name)}; {nearest(name, ACTIONS)}")
            continue
        if not isinstance(listed, list):
            raise _refused(origin.of(name), f"permissions.{name} is {shown(listed)}; it is a list of rules")
        for written in listed:
            yield read_rule(name, written, origin.of(written if isinstance(written, str) else name))
