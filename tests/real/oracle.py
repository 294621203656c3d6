"""An oracle of what must survive a compaction, apart from brim's own facts: it reads nothing but plain dictionaries.

It knows three kinds: the files that a successful call changed, how each message of the human begins, and the commands
whose last run failed. It asks of a new context whether each can still be found there.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

WRITERS = re.compile(
    r"(?:^|_)(?:edit|write|multi_?edit|notebook_?edit|apply_patch|str_replace\w*|create\w*|replace\w*)", re.IGNORECASE
)
"""Names of tools that change files."""
NO_WRITERS = re.compile(r"todo|task|plan|stdin", re.IGNORECASE)
PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "filename")
PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
COMMAND = re.compile(r"^\s*<command-.*<command-args>(.*)</command-args>", re.DOTALL)
"""A slash command as Claude Code stores it: what a person wrote of it are its arguments."""
NOT_RUN = ("The user doesn't want to", "The user rejected permission", "[Request interrupted by user")


class Wanted(NamedTuple):
    """Something that must survive, of one of three kinds: file, words, failure."""

    kind: str
    text: str


def one_line(text: str) -> str:
    """The text with every stretch of white space as one space."""
    return re.sub(r"\s+", " ", text).strip()


def blocks(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """The content blocks of a message."""
    content = raw["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def said(block: dict[str, Any]) -> str:
    """All text in a block, a call's input as JSON and as its bare strings."""
    if block["type"] == "text":
        return block["text"]
    if block["type"] == "tool_use":
        return "\n".join([json.dumps(block["input"], ensure_ascii=False), *strings(block["input"])])
    if block["type"] == "tool_result":
        content = block.get("content") or ""
        return content if isinstance(content, str) else "\n".join(str(one.get("text", "")) for one in content)
    return ""


def strings(value: Any) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in strings(one)]


def context(raws: list[dict[str, Any]]) -> str:
    """All that a conversation says, on one line."""
    return one_line("\n".join(said(block) for raw in raws for block in blocks(raw)))


def wanted(raws: list[dict[str, Any]], human: list[bool]) -> list[Wanted]:
    """What must survive of a conversation; `human` says of each message whether a person wrote it."""
    found: dict[Wanted, None] = {}
    calls: dict[str, dict[str, Any]] = {}
    last: dict[str, bool] = {}
    for raw, by_human in zip(raws, human, strict=True):
        if by_human:
            words = "\n".join(block["text"] for block in blocks(raw) if block["type"] == "text")
            opening = one_line(COMMAND.sub(r"\1", REMINDER.sub("", words)))[:200].strip()
            if opening:
                found[Wanted("words", opening)] = None
        for block in blocks(raw):
            if block["type"] == "tool_use":
                calls[block["id"]] = block
            elif block["type"] == "tool_result" and block["tool_use_id"] in calls:
                call, failed = calls[block["tool_use_id"]], block.get("is_error") is True
                if not failed:
                    found.update(dict.fromkeys(Wanted("file", one_line(path)) for path in changed(call)))
                command = command_of(call)
                if command and not said(block).startswith(NOT_RUN):
                    last[command] = failed
    return [*found, *(Wanted("failure", command[:200].strip()) for command, failed in last.items() if failed)]


def changed(call: dict[str, Any]) -> list[str]:
    """The paths that a call changed, if it went well."""
    patches = [text for text in strings(call["input"]) if "*** Begin Patch" in text]
    if patches and (WRITERS.search(call["name"]) or any("apply_patch" in text for text in patches)):
        return [path for text in patches for path in PATCHED.findall(text)]
    if not WRITERS.search(call["name"]) or NO_WRITERS.search(call["name"]) or call["input"].get("command") == "view":
        return []
    path = next((call["input"][name] for name in PATHS if isinstance(call["input"].get(name), str)), "")
    return [path] if path else []


def command_of(call: dict[str, Any]) -> str:
    """The command that a call ran, on one line; empty where it ran none."""
    given = call["input"]
    command = given.get("command", given.get("cmd"))
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return one_line(command) if isinstance(command, str) and "path" not in given else ""


def survivors(facts: list[Wanted], text: str) -> list[Wanted]:
    """Those that can be found in a new context."""
    return [fact for fact in facts if (is_named(fact.text, text) if fact.kind == "file" else fact.text in text)]


def is_named(path: str, text: str) -> bool:
    """Whether a path stands in a text by itself, or behind a folder that the text names once for the paths below it."""
    folders = [
        folder
        for folder in re.findall(r"\(paths below ([^)]+)\)", text)
        if path.startswith((f"{folder}/", f"{folder}\\"))
    ]
    names = [path, *(path[len(folder) + 1 :] for folder in folders)]
    return any(re.search(rf"(?<![\w/\\.~-]){re.escape(name)}(?![\w/-])(?!\.\w)", text) for name in names)
