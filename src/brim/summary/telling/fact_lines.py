"""Fact lines: how facts are written into a summary, one form for all of them, and read back exactly as they were.

What the template, the preserved facts and succession share; specified by their features (SUM_07, SUM_09, SUM_14).
A text stands as it is wherever it can be read back so; else it stands in backticks, more of them than it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from brim.summary.facts import FILES, HANDED_ON, Fact, Kind
from brim.summary.fidelity import below_folder

TITLES: Final[Mapping[Kind, str]] = {
    "request": "Goals, as the user put them",
    "constraint": "Constraints the user stated",
    "decision": "Decisions the user marked",
    "failed_command": "Unresolved errors",
    "todo": "Open to-dos",
}
"""What stands above the facts of a kind; files have one title for all their kinds."""
FILES_TITLE: Final = "Active files"
HEADINGS: Final[Mapping[str, Kind]] = {f"{title}:": kind for kind, title in TITLES.items()}
FILES_HEADING: Final = re.compile(rf"{FILES_TITLE}(?: \(paths below ([^)]+)\))?:\Z")
ROWS: Final[Mapping[str, Kind]] = {kind.removesuffix("_file"): kind for kind in FILES}
BULLET: Final = "- "
MORE: Final = re.compile(r"… [\d,]+ more\Z")
MARKS: Final[Mapping[Kind, re.Pattern[str]]] = {
    "failed_command": re.compile(r" \((tests)\)\Z"),
    "todo": re.compile(r" \((#\w+)\)\Z"),
}
"""What may follow a text in brackets: what later events know the fact by."""
TICKS: Final = re.compile(r"`+")
FENCED: Final = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
ROOTED: Final = re.compile(r"/|[A-Za-z]:[\\/]")
"""A path from the root, of either kind of system."""


def more(count: int) -> str:
    """How many facts are left out."""
    return f"… {count:,} more"


def fact_line(fact: Fact) -> str:
    """A fact that is no file, on one line without its bullet."""
    if fact.kind == "request":
        return f'"{fact.text}"'
    behind = f" ({fact.mark})" if fact.mark else ""
    if fact.detail:
        behind = f"{behind}: {fact.detail}"
    line = f"{fact.text}{behind}"
    return line if _read_line(fact.kind, line) == _parts(fact) else f"{_fenced(fact.text)}{behind}"


def path_name(path: str, folder: str) -> str:
    """A path as it stands in the list of a kind: below the folder where it is in it and can be read back so."""
    name = below_folder(path, folder)
    plain = name and not name.startswith("`") and ", " not in name and not MORE.match(name)
    return name if plain and _joined(name, folder) == path else _fenced(path)


def read_facts(text: str) -> Iterator[Fact]:
    """The facts that stand in a text under their titles, in the order of the text."""
    kind: Kind | None = None
    files: re.Match[str] | None = None
    for line in text.split("\n"):
        if not line.startswith(BULLET):
            kind, files = HEADINGS.get(line), FILES_HEADING.match(line)
        elif files:
            yield from _read_row(line.removeprefix(BULLET), files[1] or "")
        elif kind and (parts := _read_line(kind, line.removeprefix(BULLET))):
            yield Fact(kind, parts[0], HANDED_ON, parts[2], parts[1])


def _parts(fact: Fact) -> tuple[str, str, str]:
    return fact.text, fact.mark, fact.detail


def _read_line(kind: Kind, line: str) -> tuple[str, str, str] | None:
    """The text, the mark and the detail of a line; None where it tells of no fact."""
    if kind == "request":
        return (line[1:-1], "", "") if len(line) > len('""') and line[0] == line[-1] == '"' else None
    if MORE.match(line) or not line:
        return None
    fenced = FENCED.match(line)
    if fenced:
        head, mark, detail = _split(kind, line[fenced.end() :])
        if not head:
            return _unfenced(fenced), mark, detail
    return _split(kind, line)


def _split(kind: Kind, line: str) -> tuple[str, str, str]:
    head, _, detail = line.partition(": ") if kind == "failed_command" else (line, "", "")
    mark = MARKS[kind].search(head) if kind in MARKS else None
    return (head[: mark.start()], mark[1], detail) if mark else (head, "", detail)


def _read_row(row: str, folder: str) -> Iterator[Fact]:
    label, _, names = row.partition(": ")
    kind = ROWS.get(label)
    while kind and names:
        fenced = FENCED.match(names)
        if fenced and names[fenced.end() :][:2] in {"", ", "}:
            path, names = _unfenced(fenced), names[fenced.end() + 2 :]
        else:
            name, _, names = names.partition(", ")
            path = "" if MORE.match(name) else _joined(name, folder)
        if path:
            yield Fact(kind, path, HANDED_ON)


def _joined(name: str, folder: str) -> str:
    if not folder or ROOTED.match(name):
        return name
    return f"{folder}{'/' if '/' in folder else chr(92)}{name}"


def _fenced(text: str) -> str:
    ticks = "`" * (max(map(len, TICKS.findall(text)), default=0) + 1)
    inside = f" {text} " if "`" in (text[0], text[-1]) else text
    return f"{ticks}{inside}{ticks}"


def _unfenced(fenced: re.Match[str]) -> str:
    return fenced[2].strip(" ")
