"""What an agent needed next, and a compaction has: `python -m tests.needed_next FOLDER`, or `make needed`.

A recorded session is cut before a response; what the agent wrote behind the cut, that stood before it and was not
learned again, is what it needed next. Each cut is compacted by the product, without a model, and the share of what was
needed that its messages still have is the measure. Exact strings are all that it sees: goals, constraints and reasons
count for nothing here, so that it ranks sizes, tails and indexes, not prose. It uses what users call alone, and none of
brim's readers of text, so that brim cannot learn from itself.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Final, NamedTuple, TypeAlias

import brim
from brim.errors import InvalidInput
from brim.transcripts import Transcript, read_transcript, view
from tests.real.oracle import blocks, one_line, strings

RawMessage: TypeAlias = dict[str, Any]

LEAST_STRETCH: Final = 12_000
"""Tokens between two replacements of a conversation, from which on it is cut."""
LEAST_CONTEXT: Final = 6_000
"""Tokens before a cut."""
LEAST_FUTURE: Final = 5
"""Responses behind a cut."""
FUTURE: Final = 30
"""Responses behind a cut that are read."""
PLACES: Final = (0.4, 0.6, 0.8)
"""Shares of a stretch's tokens near which it is cut, inside of a tool loop and where a turn begins."""
NEAR: Final = {"loop": 0.15, "turn": 0.1}
"""How far from such a place a cut may be, as a share of the stretch."""
CUTS: Final = 6
"""Cuts of a file at most, drawn by a seed."""
LEAST_ITEMS: Final = 3
LINES: Final = 40
"""Lines of edited text that count in a cut, drawn by a seed."""
NEWEST: Final = 0.2
"""The newest part of a context: what last stands before it is old, and only a summary can carry it."""
WEIGHTS: Final = {
    "path": 1, "symbol": 1, "command": 1, "hash": 1, "error": 1, "url": 1, "number": 1, "quoted": 0.5, "line": 0.25,
}  # fmt: skip
"""What one of each kind counts: a line is cheap to read again, and a quotation is often no need."""

URL: Final = re.compile(r"https?://[^\s\"'`<>()\[\]{}\\,;]{7,}")
HASH: Final = re.compile(
    r"(?<![\w-])(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40})(?![\w-])"
)
ERROR: Final = re.compile(
    r"(?<![\w.])(?:(?:TS|CS|RUF|PLR|SIM|SC|[EWFC])\d{3,5}|[A-Z][A-Za-z]{2,40}(?:Error|Exception)"
    r"|E(?:ACCES|ADDRINUSE|CONNREFUSED|CONNRESET|EXIST|INVAL|ISDIR|NOENT|NOTDIR|NOTEMPTY|NOTFOUND|PERM|PIPE|TIMEDOUT)"
    r"|ERR_[A-Z_]+)(?!\w)"
)
NUMBER: Final = re.compile(r"(?<![\w.,:/#-])(?!(?:19|20)\d\d(?!\d)|\d0{3,}(?!\d))\d{4,12}(?![\w.:/-])")
"""Of four digits or more: no year, no round thousand."""
ENDING: Final = re.compile(
    r"\.(?:bash|c|cc|cfg|cjs|conf|cpp|cs|css|csv|diff|feature|go|gradle|h|hpp|html|ini|ipynb|java|js|json|jsonl|jsx|kt"
    r"|lock|log|lua|md|mdx|mjs|mod|mts|patch|php|pl|png|po|proto|ps1|py|pyi|pyx|rb|rs|rst|scala|scss|sh|sql|sqlite|sum"
    r"|svelte|svg|swift|tape|toml|traj|ts|tsx|txt|vue|wasm|xml|yaml|yml|zig|zsh)$"
)
PATH: Final = re.compile(r"(?<![\w@./\\-])(?:[A-Za-z]:)?[~.]{0,2}[\\/]?(?:[\w@.+-]+[\\/])*[\w@.+-]*\w(?!\w)")
COMMON: Final = re.compile(
    r"(?:readme|claude|agents|changelog)\.md|(?:package|tsconfig|settings|config|package-lock)\.json|go\.(?:mod|sum)"
    r"|(?:pyproject|cargo)\.toml|(?:index|main|types|utils|test)\.(?:[jt]sx?|go|py)|__init__\.py|setup\.(?:py|cfg)"
    r"|(?:requirements|output|test)\.txt|(?:cargo|yarn|bun)\.lock|pnpm-lock\.yaml|config\.yaml|conftest\.py|n(?:ext|ode)\.js",
    re.IGNORECASE,
)
"""Names of files that every project has."""
SYMBOL: Final = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]{4,78}[A-Za-z0-9$](?!\w)")
COMPOUND: Final = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
"""In snake_case, camelCase or PascalCase."""
QUOTED: Final = re.compile(r"\"([^\"\n\\]{10,120})\"|(?<!\w)'([^'\n\\]{10,120})'(?!\w)|`([^`\n\\]{10,120})`")
BELOW: Final = re.compile(r"paths below ([^)\n]+)\)")
"""A folder that is written once for paths that stand behind it."""
OLD_TEXT: Final = frozenset({"old_string", "oldText", "old_str", "oldString", "old_text"})
"""Names of what an edit replaces."""
COMMANDS: Final = frozenset({"command", "cmd", "script"})
WAY_IN: Final = re.compile(r"^cd [^&;|]+(?:&&|;)\s*")
CLIP: Final = re.compile(r" ?(?:2>&1|2>/dev/null|\| ?(?:tail|head)\b[^|;&]*)")


class Item(NamedTuple):
    """A string that the agent wrote, and of which kind it is."""

    kind: str
    text: str


class Cut(NamedTuple):
    """A place in a session, and what was needed next there."""

    file: str
    response: int
    """The response before which it is, from 0."""
    place: str
    """`loop` or `turn`."""
    context: list[RawMessage]
    needed: dict[Item, bool]
    """Whether each is old."""


Strategy: TypeAlias = Callable[[list[RawMessage]], list[RawMessage]]


# What a message says


def texts(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a message that a model reads: prose, the values of calls, outputs."""
    for block in blocks(dict(message)):
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_use":
            yield from values(block["input"])
        elif block["type"] == "tool_result":
            yield "\n".join(strings([one for one in [block.get("content")] if one]))


def values(value: Any) -> Iterator[str]:
    """Yield every string and number of a JSON value."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list):
        for one in value:
            yield from values(one)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def joined(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return all that messages say, on one line."""
    return one_line("\n".join(text for message in messages for text in texts(message)))


def tokens(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return the tokens of messages at four characters a token, for every strategy alike."""
    return sum(len(text) for message in messages for text in texts(message)) // 4


def holds(text: str, item: str) -> bool:
    """Return whether a text on one line holds an item by itself, not within a longer word."""
    return last_place(text, item) >= 0


def last_place(text: str, item: str) -> int:
    """Return the offset of the last place of an item by itself; -1 without one."""
    at = text.rfind(item)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(item) : at + len(item) + 1]
        if not (_is_of_word(item[0]) and _is_of_word(before)) and not (_is_of_word(item[-1]) and _is_of_word(after)):
            return at
        at = text.rfind(item, 0, at + len(item) - 1)
    return -1


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character in ("_", "$")


# What is needed


def identifiers(text: str, folder: str | None, *, prose: bool) -> Iterator[Item]:
    """Yield the links, hashes, errors, numbers, paths, symbols and quotations of a text."""
    for match in URL.finditer(text):
        yield Item("url", match[0].rstrip(".:*_)`'"))
    text = URL.sub(" ", text)
    for kind, pattern in (("hash", HASH), ("error", ERROR), ("number", NUMBER)):
        yield from (Item(kind, match[0]) for match in pattern.finditer(text))
    for match in PATH.finditer(text):
        path = _project_path(match[0].rstrip(".-+"), folder, prose=prose)
        if path:
            yield Item("path", path)
    for match in SYMBOL.finditer(text):
        word = match[0].strip("_$")
        if len(word) >= 6 and COMPOUND.search(word) and not ERROR.fullmatch(match[0]):
            yield Item("symbol", match[0])
    for match in QUOTED.finditer(text):
        quoted = one_line("".join(one or "" for one in match.groups()))
        if " " in quoted and len(quoted) >= 10 and sum(map(str.isalpha, quoted)) >= 8 and quoted[0] not in ").,;:":
            yield Item("quoted", quoted)


def _project_path(path: str, folder: str | None, *, prose: bool) -> str:
    """Return a path from the project's folder on; nothing for what is no path, or one that every project has."""
    names = [name for name in re.split(r"[\\/]", path) if name]
    known = ENDING.search(path)
    if len(names) < 2:
        wanted = bool(known)
    else:
        rooted = path[0] in "/~." and not path.startswith("/dev/")
        wanted = any(map(str.isalpha, names[-1])) and bool(known or rooted or (len(names) > 2 and not prose))
    for root in (folder, folder.replace("\\", "/")) if folder else ():
        path = path.removeprefix(f"{root}/").removeprefix(f"{root}\\")
    path = path.removeprefix("./")
    return path if wanted and len(path) >= 6 and not COMMON.fullmatch(path) and path != folder else ""


def written(message: Mapping[str, Any], folder: str | None) -> Iterator[Item]:
    """Yield what an assistant's message writes: its prose, and the inputs of its calls."""
    for block in blocks(dict(message)):
        if block["type"] == "text":
            yield from identifiers(block["text"], folder, prose=True)
        if block["type"] != "tool_use":
            continue
        old: list[str] = []
        new: list[str] = []
        _part(block["input"], old, new)
        retyped = one_line("\n".join(old))
        for text in new:
            yield from (
                item
                for item in identifiers(text, folder, prose=False)
                if item.kind == "path" or not holds(retyped, item.text)
            )
        yield from _commands(block["input"])
        for line in map(one_line, old):
            if len(line) >= 15 and sum(map(str.isalnum, line)) >= 8:
                yield Item("line", line)


def _part(value: Any, old: list[str], new: list[str], name: str = "") -> None:
    """Part the strings of a call's input in lines that an edit replaces and texts that it writes."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _part(inner, old, new, str(key))
    elif isinstance(value, list):
        for inner in value:
            _part(inner, old, new)
    elif isinstance(value, str):
        lines = value.split("\n")
        if name in OLD_TEXT:
            old += lines
        elif "*** Begin Patch" in value:
            old += [line[1:] for line in lines if line[:1] in ("-", " ") and not line.startswith("---")]
            new.append("\n".join(line for line in lines if line[:1] not in ("-", " ")))
        else:
            new.append(value)


def _commands(given: Any) -> Iterator[Item]:
    """Yield the commands of one line that a call runs, without the way to their folder and what clips their output."""
    for name, value in given.items() if isinstance(given, Mapping) else ():
        command = value[-1] if isinstance(value, list) and value else value
        if name not in COMMANDS or not isinstance(command, str) or "\n" in command.strip() or len(command) > 300:
            continue
        command = one_line(command)
        while WAY_IN.match(command):
            command = WAY_IN.sub("", command)
        command = CLIP.sub("", command).strip()
        if len(command) >= 12 and " " in command:
            yield Item("command", command)


# Where a session is cut


def stretches(transcript: Transcript) -> list[tuple[int, int]]:
    """Return the stretches of messages from one replacement of the conversation to the next; clearings end none."""
    replaced = (one.after_message for one in transcript.compactions if one.opening is not None)
    return [*pairwise(sorted({0, transcript.end, *transcript.begins, *replaced}))]


def places(transcript: Transcript, file: str) -> Iterator[tuple[int, str, int]]:
    """Yield of each cut the response before which it is, its place, and the message where its future ends."""
    raws = [message.raw for message in transcript.messages]
    responses = {one.message: one.index for one in transcript.responses}
    for number, (start, stop) in enumerate(stretches(transcript)):
        opening = tokens(context_before(transcript, responses[start])) if start in responses else 0
        sizes = [0 if i in transcript.unsent else tokens([raws[i]]) for i in range(start, stop)]
        before = dict(zip(range(start, stop + 1), accumulate(sizes, initial=opening), strict=True))
        total = before[stop]
        if total < LEAST_STRETCH:
            continue
        legal = [
            i
            for i in range(start + 1, stop)
            if i in responses
            and raws[i]["role"] == "assistant"
            and raws[i - 1]["role"] == "user"
            and not {i, i - 1} & {*transcript.unsent}
            and before[i] >= LEAST_CONTEXT
            and sum(raw["role"] == "assistant" for raw in raws[i:stop]) >= LEAST_FUTURE
        ]
        by_place = {"loop": [i for i in legal if _answers(raws[i - 1])]}
        by_place["turn"] = [i for i in legal if i not in by_place["loop"]]
        draw = Random(f"{file} {number}")  # noqa: S311  the same in every run
        taken: set[int] = set()
        for share in PLACES:
            wanted = total * (share + draw.uniform(-0.05, 0.05))
            for place, ones in by_place.items():
                nearest = min(ones, key=lambda i: abs(before[i] - wanted), default=None)
                if nearest is None or nearest in taken or abs(before[nearest] - wanted) >= total * NEAR[place]:
                    continue
                taken.add(nearest)
                yield responses[nearest], place, stop


def _answers(message: Mapping[str, Any]) -> bool:
    return any(block["type"] == "tool_result" for block in blocks(dict(message)))


def context_before(transcript: Transcript, response: int) -> list[RawMessage]:
    """Return the messages that stood when a response began, without thinking that nobody signed."""
    seen = view(transcript, response).messages[:-1]
    return [raw for message in seen if (raw := _signed(message.raw))["content"]]


def _signed(raw: Mapping[str, Any]) -> RawMessage:
    content = raw["content"]
    if not isinstance(content, str):
        content = [dict(block) for block in content if not (block["type"] == "thinking" and not block.get("signature"))]
    return {**raw, "content": content}


def cuts(transcript: Transcript, file: str, general: set[Item]) -> list[Cut]:
    """Return the cuts of a session in which enough was needed."""
    found = []
    for response, place, stop in places(transcript, file):
        context = context_before(transcript, response)
        needed = needed_behind(transcript, response, stop, context=context, general=general, seed=f"{file} {response}")
        if len(needed) >= LEAST_ITEMS:
            found.append(Cut(file, response, place, context, needed))
    drawn = Random(file).sample(found, min(CUTS, len(found)))  # noqa: S311  the same in every run
    return sorted(drawn, key=lambda cut: cut.response)


def needed_behind(
    transcript: Transcript, response: int, stop: int, *, context: list[RawMessage], general: set[Item], seed: str
) -> dict[Item, bool]:
    """Return what was needed behind a cut, and whether it is old there.

    Args:
        transcript: the session.
        response: the one before which it is cut.
        stop: the message before which the future ends.
        context: the messages before the cut.
        general: what more than one project knows.
        seed: of the lines that count.
    """
    parts = [joined([message]) for message in context]
    whole = "\n".join(parts)
    given = one_line("\n".join([*values(transcript.system), *values([dict(one) for one in transcript.tools or ()])]))
    learned = ""
    decided: dict[Item, bool] = {}
    answers = 0
    for index in range(transcript.responses[response].message, stop):
        message = transcript.messages[index].raw
        if index in transcript.unsent:
            continue
        if message["role"] != "assistant":
            learned += f"\n{joined([message])}"
            continue
        answers += 1
        if answers > FUTURE:
            break
        for item in written(message, transcript.folder):
            if item not in decided:
                decided[item] = (
                    item not in general
                    and holds(whole, item.text)
                    and not holds(given, item.text)
                    and not holds(learned, item.text)
                )
    items = [item for item, wanted in decided.items() if wanted]
    lines = [item for item in items if item.kind == "line"]
    if len(lines) > LINES:
        kept = {*Random(seed).sample(lines, LINES)}  # noqa: S311  the same in every run
        items = [item for item in items if item.kind != "line" or item in kept]
    behind = [*accumulate((len(part) for part in reversed(parts)), initial=0)][::-1]
    newest = behind[0] * NEWEST
    needed = {}
    for item in items:
        last = max((i for i, part in enumerate(parts) if holds(part, item.text)), default=None)
        if last is not None:
            needed[item] = behind[last] - last_place(parts[last], item.text) > newest
    return needed


# What is left of it


class Presence:
    """Looks items up in what a strategy leaves; a path may stand behind a folder that is written once."""

    def __init__(self, messages: Sequence[Mapping[str, Any]], folder: str | None) -> None:
        self.text = joined(messages)
        self.folders = {f"{one.removeprefix(f'{folder}/')}/" for one in BELOW.findall(self.text)}

    def has(self, item: Item) -> bool:
        """Return whether an item is there."""
        below = (item.text.removeprefix(folder) for folder in self.folders if item.text.startswith(folder))
        return holds(self.text, item.text) or any(holds(self.text, rest) for rest in below if item.kind == "path")


def compacted(context: list[RawMessage], **policy: Any) -> list[RawMessage]:
    """Return the messages as brim leaves them, by the template, in a window that they fill."""
    held = brim.ContextWindow(messages=context).estimated
    answer = min(held // 5, 32_000)
    limits = brim.ModelLimits(context_window=held + answer, max_output_tokens=answer)
    settings = brim.CompactionPolicy(**policy)
    compactor = brim.Compactor(policy=settings)
    return [*compactor.apply(compactor.plan(brim.ContextWindow(limits, settings, messages=context))).messages]


def newest_as_large(context: list[RawMessage]) -> list[RawMessage]:
    """Return the end of the text, as large as brim's result."""
    rendered = "\n".join(text for message in context for text in texts(message))
    return [{"role": "user", "content": rendered[-4 * tokens(compacted(context)) :]}]


STRATEGIES: Final[Mapping[str, Strategy]] = {"brim": compacted, "the newest, as large": newest_as_large}


def score(needed: Mapping[Item, bool], present: Mapping[Item, bool], *, old: bool) -> float | None:
    """Return the weighted share, 0 to 1, of what is present; None where nothing was needed."""
    items = [item for item, is_old in needed.items() if is_old or not old]
    whole = sum(WEIGHTS[item.kind] for item in items)
    return sum(WEIGHTS[item.kind] for item in items if present[item]) / whole if whole else None


def read_all(folder: Path) -> dict[str, Transcript]:
    """Return the sessions of a folder of tools and their sources that call tools, by their paths in it."""
    found = {}
    for path in sorted(folder.rglob("*/*/*")):
        try:
            transcript = read_transcript(path)
        except (InvalidInput, IsADirectoryError) as error:
            print(f"not read: {path.relative_to(folder)}: {error}", file=sys.stderr)
            continue
        if transcript.format != "aider":  # its files are edited in prose
            found[path.relative_to(folder).as_posix()] = transcript
    return found


def general_knowledge(sessions: Mapping[str, Transcript]) -> set[Item]:
    """Return what sessions of two projects or more have, and the names of tools and their parameters."""
    seen: dict[Item, set[str]] = defaultdict(set)
    names: set[str] = set()
    for file, transcript in sessions.items():
        project = Path(file).parts[1]
        for message in transcript.messages:
            for block in blocks(dict(message.raw)):
                if block["type"] == "tool_use":
                    names |= {block["name"], *block["input"]}
            items = [one for text in texts(message.raw) for one in identifiers(text, transcript.folder, prose=False)]
            if message.role == "assistant":
                items += written(message.raw, transcript.folder)
            for item in items:
                seen[item].add(project)
    shared = {item for item, projects in seen.items() if len(projects) > 1}
    return shared | {Item(kind, name) for name in names for kind in WEIGHTS}


def measured(folder: Path, strategies: Mapping[str, Strategy] = STRATEGIES) -> list[dict[str, Any]]:
    """Return the figures of every cut of the sessions in a folder: a row for each."""
    sessions = read_all(folder)
    general = general_knowledge(sessions)
    rows = []
    for file, transcript in sessions.items():
        for cut in cuts(transcript, file, general):
            row: dict[str, Any] = {
                "file": file,
                "response": cut.response,
                "place": cut.place,
                "tokens": tokens(cut.context),
                "needed": len(cut.needed),
            }
            for name, strategy in strategies.items():
                left = strategy(cut.context)
                presence = Presence(left, transcript.folder)
                present = {item: presence.has(item) for item in cut.needed}
                row[name] = {
                    "tokens": tokens(left),
                    "all": score(cut.needed, present, old=False),
                    "old": score(cut.needed, present, old=True),
                }
            if left_over(row) < 1:
                rows.append(row)
    return rows


def left_over(row: Mapping[str, Any]) -> float:
    """Return the share of the tokens that brim leaves: 1 where it finds nothing to compact."""
    share: float = row["brim"]["tokens"] / row["tokens"]
    return share


def mean_of_files(rows: Sequence[Mapping[str, Any]], figure: Callable[[Any], float | None]) -> float:
    """Return the mean over the sessions of their means over their cuts."""
    by_file: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        value = figure(row)
        if value is not None:
            by_file[row["file"]].append(value)
    return mean(map(mean, by_file.values())) if by_file else 0.0


def show(rows: Sequence[Mapping[str, Any]], names: Iterable[str] = STRATEGIES) -> None:
    """Print a line for each session and strategy, and one for all."""
    for file in [*dict.fromkeys(row["file"] for row in rows), "all"]:
        ones = [row for row in rows if file in (row["file"], "all")]
        print(f"{file}: {len(ones)} cuts, {sum(row['needed'] for row in ones)} needed")
        for name in names:
            everything, old, share = (
                mean_of_files(ones, figure)
                for figure in (
                    lambda row: row[name]["all"],  # noqa: B023  called at once
                    lambda row: row[name]["old"],  # noqa: B023
                    lambda row: row[name]["tokens"] / row["tokens"],  # noqa: B023
                )
            )
            print(f"  {name:<22} {everything:6.1%} of all, {old:6.1%} of the old, with {share:.0%} of the tokens")


def main(folder: str, *options: str) -> int:
    """Measure and show; `--json` prints the rows instead."""
    rows = measured(Path(folder).resolve())
    if "--json" in options:
        print(json.dumps(rows, indent=1))
    else:
        show(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
