"""An oracle of what must survive a compaction: it shares no code with brim, and reads plain dictionaries and files.

It knows two kinds of facts: the files that a successful call changed, and the commands whose last run failed. It reads
what a person wrote from the records of each tool's file, counts how much of it a new context holds, character by
character, and how much of an unfinished tool loop stays as messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any, NamedTuple

WRITERS = re.compile(
    r"(?:^|_)(?:edit|write|multi_?edit|notebook_?edit|apply_patch|str_replace\w*|create\w*|replace\w*)", re.IGNORECASE
)
"""Names of tools that change files."""
NO_WRITERS = re.compile(r"todo|task|plan|stdin", re.IGNORECASE)
PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "filename")
PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)
HARNESS = re.compile(
    r"<(system-reminder|local-command-\w+|task-notification|environment_context|INSTRUCTIONS)>.*?</\1>"
    r"|\[Request interrupted by user(?: for tool use)?\]",
    re.DOTALL,
)
"""What harnesses put between a person's words."""
COMMAND = re.compile(r"^\s*<command-.*?(?:<command-args>(.*?)</command-args>\s*)?$", re.DOTALL)
"""A slash command as Claude Code stores it: what a person wrote of it are its arguments."""
LOOKS = re.compile(
    r"(?:cd \S+ && )?(?:grep|rg|ls|cat|find|test|diff|head|tail|which|sed -n|git (?:diff|log|show|grep))\b"
)
"""Commands that look and change nothing: that they find nothing is no failure."""
SHELL_WRITES = re.compile(
    r"^(?:cd [\w./-]+ && )?(?:cat >>? ?([\w./-]+\.\w+) <<|sed -i '[^'\n]*' ([\w./-]+\.\w+)$)", re.MULTILINE
)
"""The plainest ways in which a command changes a file: a here-document, and an edit in place."""
NOT_RUN = ("The user doesn't want to", "The user rejected permission", "[Request interrupted by user")


class Wanted(NamedTuple):
    """Something that must survive, of one of two kinds: file, failure."""

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


def wanted(raws: list[dict[str, Any]]) -> list[Wanted]:
    """The facts that must survive of a conversation."""
    found: dict[Wanted, None] = {}
    calls: dict[str, dict[str, Any]] = {}
    last: dict[str, bool] = {}
    for raw in raws:
        for block in blocks(raw):
            if block["type"] == "tool_use":
                calls[block["id"]] = block
            elif block["type"] == "tool_result" and block["tool_use_id"] in calls:
                call, failed = calls[block["tool_use_id"]], block.get("is_error") is True
                command = command_of(call)
                if not failed:
                    found.update(dict.fromkeys(Wanted("file", one_line(path)) for path in changed(call)))
                    script = call["input"].get("command") if command else None
                    for written in SHELL_WRITES.findall(script if isinstance(script, str) else ""):
                        found[Wanted("file", next(filter(None, written)))] = None
                if command and not said(block).startswith(NOT_RUN):
                    last[command] = failed
    failures = (command for command, failed in last.items() if failed and not LOOKS.match(command))
    return [*found, *(Wanted("failure", command[:200].strip()) for command in failures)]


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


def survivors(facts: list[Wanted], text: str, summaries: str = "") -> list[Wanted]:
    """Those that can be found in a new context; of a path, in its summaries, the last parts are enough."""
    found = {"file": lambda path: is_named(path, text) or ends_in(path, summaries), "failure": text.__contains__}
    return [fact for fact in facts if found[fact.kind](fact.text)]


def is_named(path: str, text: str) -> bool:
    """Whether a path stands in a text by itself, or behind a folder that the text names once for the paths below it."""
    folders = [
        folder
        for folder in re.findall(r"\(paths below ([^)]+)\)", text)
        if path.startswith((f"{folder}/", f"{folder}\\"))
    ]
    return any(stands(name, text) for name in (path, *(path[len(folder) + 1 :] for folder in folders)))


def ends_in(path: str, text: str) -> bool:
    """Whether two or more last parts of a path stand in a text by themselves."""
    parts = re.split(r"([\\/])", path)
    return any(stands("".join(parts[start:]), text) for start in range(2, len(parts) - 2, 2))


def stands(name: str, text: str) -> bool:
    """Whether a name stands in a text with no character of a path around it."""
    return bool(re.search(rf"(?<![\w/\\.~-]){re.escape(name)}(?![\w/-])(?!\.\w)", text))


def spoken(path: Path, kind: str) -> list[str]:
    """What a person wrote in a transcript, in the order of time, read from the tool's own records."""
    text = path.read_text(encoding="utf-8")
    cleaned = (COMMAND.sub(r"\1", HARNESS.sub("", one)).strip() for one in _SPOKEN[kind](text))
    return [one for one in cleaned if one]


def _lines(text: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in text.splitlines() if line.strip())


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if block.get("type", "text") == "text"]


def _claude_code(text: str) -> Iterator[str]:
    for record in _lines(text):
        by_harness = any(record.get(name) for name in ("isMeta", "isCompactSummary", "isSidechain"))
        if record["type"] == "user" and not by_harness:
            yield from _texts(record["message"]["content"])
            yield from _replies(record.get("toolUseResult"))


def _replies(result: Any) -> Iterator[str]:
    """What a person replied to a call: words to one that was declined, and the answers to questions."""
    if isinstance(result, str) and "the user said:" in result and NOT_RUN[0] in result:
        yield result.partition("the user said:")[2].partition("\n\nNote: The user's next message may")[0]
    if isinstance(result, dict) and isinstance(result.get("answers"), dict):
        yield from result["answers"].values()


def _codex(text: str) -> Iterator[str]:
    for record in _lines(text):
        if record["type"] == "event_msg" and record["payload"]["type"] == "user_message":
            yield record["payload"]["message"]


def _opencode(text: str) -> Iterator[str]:
    for message in json.loads(text)["messages"]:
        if message["info"]["role"] == "user":
            yield from (
                part["text"] for part in message["parts"] if part["type"] == "text" and not part.get("synthetic")
            )


def _pi(text: str) -> Iterator[str]:
    for record in _lines(text):
        if record["type"] == "message" and record["message"]["role"] == "user":
            yield from _texts(record["message"]["content"])


def _gemini(text: str) -> Iterator[str]:
    for message in json.loads(text)["messages"]:
        if message["type"] == "user":
            yield from _texts(message["content"])


def _task(messages: Iterable[dict[str, Any]]) -> Iterator[str]:
    """An agent that works alone: what stands before its first answer is a person's, all else is output."""
    for message in takewhile(lambda one: one["role"] != "assistant", messages):
        if message["role"] == "user":
            yield from _texts(message["content"])


def _openhands(text: str) -> Iterator[str]:
    for record in _lines(text):
        for event in record["history"]:
            one = event[0] if isinstance(event, list) else event
            if one.get("source") == "user" and one.get("action") == "message":
                yield one["args"]["content"]


def _cline(text: str) -> Iterator[str]:
    for message in json.loads(text)["messages"]:
        if message["role"] == "user":
            texts = _texts(message["content"])
            yield from (one for one in texts if not one.startswith(("<SYSTEM_NOTICE>", "Context summary:")))


def _aider(text: str) -> Iterator[str]:
    for asked, lines in groupby(text.splitlines(), lambda line: line.startswith("#### ")):
        if asked:
            yield "\n".join(line.removeprefix("#### ").rstrip() for line in lines if "(Y)es/(N)o" not in line)


_SPOKEN = {
    "claude-code": _claude_code,
    "codex": _codex,
    "opencode": _opencode,
    "pi": _pi,
    "gemini-cli": _gemini,
    "mini-swe-agent": lambda text: _task(json.loads(text)["messages"]),
    "swe-agent": lambda text: _task(json.loads(text)["history"]),
    "openhands": _openhands,
    "cline": _cline,
    "aider": _aider,
}

TOKEN = re.compile(r"\w+|[^\w\s]")
RUN = 8
"""So many words and signs in a row are found by chance nowhere else."""


class Runs:
    """The runs of words in a text."""

    def __init__(self, text: str) -> None:
        tokens = TOKEN.findall(text)
        self.line = f" {' '.join(tokens)} "
        self.runs = {tuple(tokens[at : at + RUN]) for at in range(len(tokens) - RUN + 1)}


def characters(words: str) -> int:
    """The characters of words, white space apart."""
    return sum(map(len, TOKEN.findall(words)))


def _held(tokens: list[str], text: Runs) -> Iterator[str]:
    if len(tokens) < RUN:
        return iter(tokens if f" {' '.join(tokens)} " in text.line else ())
    covered = bytearray(len(tokens))
    for at in range(len(tokens) - RUN + 1):
        if tuple(tokens[at : at + RUN]) in text.runs:
            covered[at : at + RUN] = b"\1" * RUN
    return (token for token, held in zip(tokens, covered, strict=True) if held)


def words_present(words: Iterable[str], text: str) -> int:
    """How many characters of a person's words a text holds, white space apart.

    A word counts in a run of eight that the text holds in this order; words of fewer count if all are there in a row.
    """
    runs = Runs(text)
    return sum(len(token) for one in words for token in _held(TOKEN.findall(one), runs))


def asked(words: Iterable[str], raws: Iterable[dict[str, Any]]) -> list[str]:
    """Those of a person's words that the messages of the user hold whole."""
    said = context([raw for raw in raws if raw["role"] == "user"])
    return [one for one in words if words_present([one], said) == characters(one)]


def unfinished_loop(raws: list[dict[str, Any]]) -> list[str]:
    """The ids of the calls since the last words of a person, where the conversation ends with calls or results."""
    ids: list[str] = []
    for raw in reversed(raws):
        found = [block["id"] for block in blocks(raw) if block["type"] == "tool_use"]
        results = any(block["type"] == "tool_result" for block in blocks(raw))
        if not ids and not found and not results:
            return []
        if raw["role"] == "user" and not results:
            break
        ids += reversed(found)
    return ids[::-1]


def loop_characters(raws: list[dict[str, Any]], ids: Iterable[str]) -> int:
    """The characters of these calls and their results that are messages here."""
    wanted_ids = set(ids)
    return sum(
        len(json.dumps(block["input"], ensure_ascii=False)) if block["type"] == "tool_use" else len(said(block))
        for raw in raws
        for block in blocks(raw)
        if block.get("id" if block["type"] == "tool_use" else "tool_use_id") in wanted_ids
    )


def next_of_loop(raws: list[dict[str, Any]], ids: list[str], made: list[dict[str, Any]]) -> int:
    """The characters of the newest response of a loop, with its results, that is no message any more; 0 without one."""
    kept = {block["id"] for raw in made for block in blocks(raw) if block["type"] == "tool_use"}
    for raw in reversed(raws):
        called = [block["id"] for block in blocks(raw) if block["type"] == "tool_use" and block["id"] in ids]
        if called and kept.isdisjoint(called):
            return loop_characters(raws, called) + len(context([raw]))
    return 0


def last_request(raws: list[dict[str, Any]]) -> int:
    """The characters of the last message of a user that is no result of a tool."""
    asked = (raw for raw in reversed(raws) if raw["role"] == "user")
    plain = (raw for raw in asked if all(block["type"] != "tool_result" for block in blocks(raw)))
    return len(context([next(plain, {"content": ""})]))
