"""Settings files of Claude Code and Codex: brim's entries are put in and taken out, all else keeps values and order.

Specified by features/hooks/settings_file.feature (HOK_04).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PureWindowsPath
from typing import Any, Final

from brim.errors import InvalidInput, shown
from brim.hooks.events import AT_PROMPTS, COMPACTED, EVENTS

TIMEOUT_SECONDS: Final = 10
"""After which the agent ends the hook, if brim did not before."""
INDENT: Final = re.compile(r"^([ \t]+)\S", re.MULTILINE)
"""The indent of the first line that has one."""


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
    settings = _read(without_entries(text))
    hooks = settings.setdefault("hooks", {})
    for event, entry in added.items():
        hooks.setdefault(event, []).append(entry)
    return text if settings == _read(text) else _written(settings, text)


def without_entries(text: str) -> str:
    """Return the text of a settings file without brim's entries, and without what then holds nothing.

    Raises InvalidInput where the text is not a JSON object, or its hooks have another form.
    """
    settings = _read(text)
    hooks = settings.get("hooks", {})
    for event in EVENTS.values():
        groups = hooks.get(event, [])
        left = [group for group in map(_without_ours, groups) if group is not None]
        if left != groups:
            hooks[event] = left
            if not left:
                del hooks[event]
    if settings == _read(text):
        return text
    if not hooks:
        del settings["hooks"]
    return _written(settings, text)


def _without_ours(group: Any) -> Any:
    """Return a group without brim's handlers; None where it had no other."""
    handlers = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(handlers, list) or not any(map(is_ours, handlers)):
        return group
    left = [handler for handler in handlers if not is_ours(handler)]
    return {**group, "hooks": left} if left else None


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


def _written(settings: Mapping[str, Any], text: str) -> str:
    """Write settings as a text of theirs is written: its indent, its line ends, its escapes."""
    found = INDENT.search(text)
    one_line = found is None and len(text.strip().splitlines()) == 1 and text.strip("{} \r\n")
    indent = None if one_line else found[1] if found else 2
    try:
        written = json.dumps(settings, indent=indent, ensure_ascii=text.isascii(), allow_nan=False)
    except ValueError as error:
        raise InvalidInput("has a number that is beyond what JSON is read with") from error
    end = text[len(text.rstrip()) :]
    return (written.replace("\n", "\r\n") if "\r\n" in text else written) + end
