"""Settings files of Claude Code and Codex: brim's entries are put in and taken out, all else stays byte for byte.

Specified by features/hooks/settings_file.feature (HOK_04).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PureWindowsPath
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from brim.errors import InvalidInput, shown
from brim.hooks.events import AT_PROMPTS, COMPACTED, EVENTS

TIMEOUT_SECONDS: Final = 10
"""After which the agent ends the hook, if brim did not before."""
INDENT: Final = re.compile(r"^([ \t]+)\S", re.MULTILINE)
"""The indent of the first line that has one."""
DECODER: Final = json.JSONDecoder()
Empty: TypeAlias = Mapping[tuple[str, ...], str]
"""Objects and lists that held nothing before brim's entries, by their paths: what stood between the brackets."""


def entries(program: str, jobs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """For each event of the agent the entry that runs brim with those of the jobs that act on it.

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
    """Whether an entry's handler runs brim for one of its events, and does nothing else."""
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


def empty_in(text: str) -> dict[tuple[str, ...], str]:
    """The objects and lists on the way to the entries that hold nothing; removing the entries leaves them."""
    _require_hooks(text)
    found: dict[tuple[str, ...], str] = {}
    for path in ((), ("hooks",), *(("hooks", event) for event in EVENTS.values())):
        container: _Container | None = _root(text)
        for name in path:
            item = container.item(name) if container is not None else None
            container = _Container(text, item.value) if item is not None else None
        if container is not None and not container.items:
            found[path] = text[container.start + 1 : container.stop]
    return found


def has_entries(text: str) -> bool:
    """Whether the text of a settings file has an entry of brim's. Raises InvalidInput as with_entries does."""
    _require_hooks(text)
    return next(_places(text), None) is not None


def with_entries(text: str, added: Mapping[str, Mapping[str, Any]], empty: Empty = MappingProxyType({})) -> str:
    """The text of a settings file with these entries by their events, in place of brim's earlier ones.

    Args:
        text: what the file holds.
        added: the entries.
        empty: what held nothing before the earlier ones.

    Raises InvalidInput where the text is not a JSON object, or its hooks have another form.
    """
    _require_hooks(text)
    if _ours_in(text) == [(event, entry) for event, entry in added.items()]:
        return text
    text = without_entries(text, empty)
    for event, entry in added.items():
        text = _with(text, ("hooks", event), entry)
    return text


def _with(text: str, path: Sequence[str], entry: Any) -> str:
    """The text with an entry at the end of the list at a path; what is missing on the way is added."""
    container = _root(text)
    for depth, name in enumerate(path, 1):
        item = container.item(name)
        if item is None:
            value: Any = [entry]
            for missing in reversed(path[depth:]):
                value = {missing: value}
            return container.insert(f"{json.dumps(name)}: ", value, depth)
        container = _Container(text, item.value)
    return container.insert("", entry, len(path) + 1)


def without_entries(text: str, empty: Empty = MappingProxyType({})) -> str:
    """The text of a settings file without brim's entries, and without the lists that were there for them alone.

    Those of `empty` stay, and are what they were.

    Raises InvalidInput where the text is not a JSON object, or its hooks have another form.
    """
    _require_hooks(text)
    while (place := next(_places(text), None)) is not None:
        text = _without(text, place, empty)
    return text


def _require_hooks(text: str) -> None:
    try:
        given = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("is not valid JSON") from error
    if not isinstance(given, dict):
        raise InvalidInput("is no JSON object")
    hooks = given.get("hooks", {})
    if not isinstance(hooks, dict):
        raise InvalidInput(f"has hooks that are no object: {shown(hooks)}")
    for event, groups in hooks.items():
        if event in EVENTS.values() and not isinstance(groups, list):
            raise InvalidInput(f"has hooks of {event} that are no list: {shown(groups)}")


def _once(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The members as an object. Raises InvalidInput where two have one name: readers differ in which of them counts."""
    held: dict[str, Any] = {}
    for name, value in members:
        if name in held:
            raise InvalidInput(f"has two members of one name: {shown(name)}")
        held[name] = value
    return held


def _ours_in(text: str) -> list[tuple[str, Any]]:
    """Brim's entries, each with its event; None in place of one that runs something else too."""
    hooks = json.loads(text).get("hooks", {})
    found: list[tuple[str, Any]] = []
    for event in EVENTS.values():
        for group in hooks.get(event, []):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            ours = [handler for handler in handlers or () if is_ours(handler)] if isinstance(handlers, list) else []
            if ours:
                found.append((event, group if len(ours) == len(handlers or ()) else None))
    return found


def _places(text: str) -> Iterator[tuple[str | int, ...]]:
    """The paths to brim's handlers."""
    hooks = json.loads(text).get("hooks", {})
    for event in EVENTS.values():
        for number, group in enumerate(hooks.get(event, [])):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for position, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if is_ours(handler):
                    yield "hooks", event, number, "hooks", position


class Item(NamedTuple):
    """A member of an object or an element of a list: where it begins, where its value does, and where it ends."""

    name: str | int
    start: int
    value: int
    stop: int


class _Container:
    """An object or a list in a text of JSON, with the places of what it holds."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start
        self.items: list[Item] = []
        at = self._skip(start + 1)
        while text[at] not in "}]":
            begin = at
            name: str | int = len(self.items)
            if text[start] == "{":
                name, at = DECODER.raw_decode(text, at)
                at = self._skip(self._skip(at) + 1)
            value = at
            _, at = DECODER.raw_decode(text, at)
            self.items.append(Item(name, begin, value, at))
            at = self._skip(at)
            at = self._skip(at + 1) if text[at] == "," else at
        self.stop = at

    def _skip(self, at: int) -> int:
        while self.text[at : at + 1].isspace():
            at += 1
        return at

    def item(self, name: str | int) -> Item | None:
        """The last item of this name, which is the one that counts."""
        return next((one for one in reversed(self.items) if one.name == name), None)

    def insert(self, name: str, value: Any, depth: int) -> str:
        """The text with an item behind the others: in lines, unless what is there is on one line."""
        text, line_break, unit = self.text, "\r\n" if "\r\n" in self.text else "\n", _indent(self.text)
        if self.items and "\n" not in text[self.start : self.stop]:
            at = self.items[-1].stop
            return f"{text[:at]}, {name}{json.dumps(value)}{text[at:]}"
        inside, after = f"{line_break}{unit * depth}", f"{line_break}{unit * (depth - 1)}"
        written = inside + name + json.dumps(value, indent=unit).replace("\n", inside)
        if self.items:
            at = self.items[-1].stop
            return f"{text[:at]},{written}{text[at:]}"
        return f"{text[: self.start + 1]}{written}{after}{text[self.stop :]}"

    def without(self, item: Item, inside: str) -> str:
        """The text without an item, and without the comma that it needed; `inside` stands where no other is left."""
        number = self.items.index(item)
        if len(self.items) == 1:
            return self.text[: self.start + 1] + inside + self.text[self.stop :]
        start = self.items[number - 1].stop if number else item.start
        stop = item.stop if number else self.items[1].start
        return self.text[:start] + self.text[stop:]


def _root(text: str) -> _Container:
    return _Container(text, len(text) - len(text.lstrip()))


def _without(text: str, path: Sequence[str | int], empty: Mapping[Any, str]) -> str:
    """The text without the value at a path, and without what held nothing else."""
    containers = [_root(text)]
    held: list[Item] = []
    for name in path:
        item = containers[-1].item(name)
        if item is None:
            raise KeyError(name)
        held.append(item)
        if len(held) < len(path):
            containers.append(_Container(text, item.value))
    level = len(path) - 1
    while (
        level > 0 and tuple(path[:level]) not in empty and (len(containers[level].items) == 1 or path[level] == "hooks")
    ):
        level -= 1  # a list of brim's entries alone goes with them, and a group with its last handler
    return containers[level].without(held[level], empty.get(tuple(path[:level]), ""))


def _indent(text: str) -> str:
    found = INDENT.search(text)
    return found[1] if found else "  "
