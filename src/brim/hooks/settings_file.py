"""Settings files of Claude Code and Codex: brim's entries are put in and taken out, all else stays as written.

Specified by features/hooks/settings_file.feature (HOK_04).
"""

from __future__ import annotations

import json
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import PureWindowsPath
from typing import Any, Final, NamedTuple

from brim.errors import InvalidInput, shown
from brim.hooks.events import AT_PROMPTS, COMPACTED, EVENTS

TIMEOUT_SECONDS: Final = 10
"""After which the agent ends the hook, if brim did not before."""


class Member(NamedTuple):
    """A member of an object or, without a name, of a list: where its text begins, its value does, and where it ends."""

    name: str
    start: int
    value: int
    end: int


def entries(program: str, jobs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return for each event of the agent the entry that runs brim with those of the jobs that act on it.

    `program` is quoted for a shell.
    """
    found: dict[str, dict[str, Any]] = {}
    for event, name in EVENTS.items():
        acting = [job for job in jobs if event == "user-prompt-submit" or job not in AT_PROMPTS]
        if not acting:
            continue
        asked = " ".join(f"--job {job}" for job in acting)
        command = f"{program} hook {event} {asked}"
        matcher = {"matcher": COMPACTED} if event == "session-start" else {}
        found[name] = {**matcher, "hooks": [{"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}]}
    return found


def is_ours(handler: Any) -> bool:
    """Return whether an entry's handler runs brim for one of its events, and does nothing else."""
    command = handler.get("command") if isinstance(handler, Mapping) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    if words[1:3] == ["-m", "brim"]:
        words = ["brim", *words[3:]]
    if len(words) < 3 or PureWindowsPath(words[0]).stem != "brim" or words[1] != "hook":  # noqa: PLR2004
        return False
    options = words[3:]
    return words[2] in EVENTS and len(options) % 2 == 0 and set(options[::2]) <= {"--job"}


def with_entries(text: str, added: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a settings file with these entries by event, in place of brim's earlier ones (HOK_04).

    Raises InvalidInput where the text is not a JSON object, or its hooks have another form.
    """
    hooks = _read(without_entries(text)).get("hooks", {})
    made = _with_hooks(text, hooks | {event: [*hooks.get(event, []), entry] for event, entry in added.items()})
    return text if _read(made) == _read(text) else made


def without_entries(text: str) -> str:
    """Return the text of a settings file without brim's entries, and without what then holds nothing.

    Raises InvalidInput where the text is not a JSON object, or its hooks have another form.
    """
    hooks = _read(text).get("hooks", {})
    left = dict(hooks)
    for event in hooks.keys() & EVENTS.values():
        left[event] = [one for group in hooks[event] for one in _without_ours(group)]
        if hooks[event] and not left[event]:
            del left[event]
    return _with_hooks(text, left)


def _without_ours(group: Any) -> list[Any]:
    """Return a group without brim's handlers, in a list that is empty where it had no other."""
    handlers = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(handlers, list) or not any(map(is_ours, handlers)):
        return [group]
    left = [handler for handler in handlers if not is_ours(handler)]
    return [{**group, "hooks": left}] if left else []


def _read(text: str) -> dict[str, Any]:
    try:
        settings = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("is not valid JSON") from error
    if not isinstance(settings, dict):
        raise InvalidInput("is no JSON object")
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise InvalidInput(f"has hooks that are no object: {shown(hooks)}")
    for event, groups in hooks.items():
        if event in EVENTS.values() and not isinstance(groups, list):
            raise InvalidInput(f"has hooks of {event} that are no list: {shown(groups)}")
    return settings


def _once(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members as an object. Raises InvalidInput where two have one name: readers differ in which counts."""
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            raise InvalidInput(f"has two members of one name: {shown(name)}")
        found[name] = value
    return found


def _with_hooks(text: str, hooks: Mapping[str, Any]) -> str:
    """Return a text of settings with these hooks; what has the same value stays as it is written."""
    members = _members(text)
    lead = text[text.index("{") + 1 : members[0].start] if members else ""
    unit = lead.rpartition("\n")[2] if "\n" in lead else "  "
    own = next((one for one in members if one.name == "hooks"), None)
    inner = text[own.value : own.end] if own else "{}"
    before = json.loads(inner)
    if own is None or not (hooks and before):
        return text if hooks == before else _with_member(text, "hooks", hooks or None, unit)
    for event in {**before, **hooks}:
        if before.get(event) != hooks.get(event):
            inner = _with_member(inner, event, hooks.get(event), unit)
    return text[: own.value] + inner + text[own.end :]


def _with_member(text: str, name: str, value: Any, unit: str) -> str:
    """Return the text of an object with this member, or without it for None; `unit` sets in one level."""
    members, newline = _members(text), "\r\n" if "\r\n" in text else "\n"
    names = [one.name for one in members]
    begin, stop = text.index("{") + 1, text.rindex("}")
    lead = text[begin : members[0].start] if members else newline + unit
    if value is None:
        n = names.index(name)
        if n:
            return text[: members[n - 1].end] + text[members[n].end :]
        return text[: members[0].start] + text[members[1].start :] if members[1:] else text[:begin] + text[stop:]
    if name in names:
        own = members[names.index(name)]
        written = _with_groups(text[own.value : own.end], value, lead, unit, newline)
        return text[: own.value] + written + text[own.end :]
    written = _written(value, text, lead, unit, newline)
    member = f"{json.dumps(name)}: {written}"
    if members:
        return f"{text[: members[-1].end]},{lead or ' '}{member}{text[members[-1].end :]}"
    return text[:begin] + lead + member + newline + text[stop:]


def _with_groups(text: str, value: Any, lead: str, unit: str, newline: str) -> str:
    """Return the text of a list with these groups, of which those that it had stay as they are written."""
    members = _members(text) if isinstance(value, list) else []
    if not members:
        return _written(value, text, lead, unit, newline)
    begin, made = text[1 : members[0].start], text[: members[0].start]
    apart = f",{begin or ' '}"
    between = [apart, *(text[one.end : other.start] for one, other in pairwise(members))]
    groups = zip(between, (text[one.start : one.end] for one in members), strict=True)
    had = defaultdict[str, list[tuple[str, str]]](list)
    for group, place in zip(json.loads(text), groups, strict=True):
        had[json.dumps(group)].append(place)
    for n, group in enumerate(value):
        same = had[json.dumps(group)]  # of equal groups each as it is written itself
        before, written = same.pop(0) if same else (apart, _written(group, text, begin, unit, newline))
        made += before * bool(n) + written
    return made + text[members[-1].end :]


def _written(value: Any, text: str, lead: str, unit: str, newline: str) -> str:
    """Write a value as the text is written that it is put into, behind this white space."""
    try:
        indent = unit if "\n" in lead else None
        written = json.dumps(value, indent=indent, ensure_ascii=text.isascii(), allow_nan=False)
    except ValueError as error:
        raise InvalidInput("has a number that is beyond what JSON is read with") from error
    return written.replace("\n", newline + lead.rpartition("\n")[2])


def _members(text: str) -> list[Member]:
    """Find the members in the text of an object or a list that is valid JSON."""
    read, found, at = json.JSONDecoder().raw_decode, list[Member](), _next(text, 0)
    is_named = text[at] == "{"
    while text[start := _next(text, at + 1)] not in "]}":
        name, end = read(text, start) if is_named else ("", start)
        value = _next(text, _next(text, end) + 1) if is_named else start
        _, end = read(text, value)
        found.append(Member(name, start, value, end))
        at = _next(text, end)
        if text[at] in "]}":
            break
    return found


def _next(text: str, at: int) -> int:
    """Return where the next character stands that is no white space."""
    return next(index for index in range(at, len(text)) if not text[index].isspace())
