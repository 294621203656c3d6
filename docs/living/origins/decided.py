"""The decisions of a tree, read from docs/decisions as plain text: their titles, the rules they are on, their gists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from living.origins.claims import CELL, fences, rows

ROOT = Path(__file__).resolve().parents[3]
TITLE = re.compile(r"# (?P<number>\d{4}): (?P<title>.+)")
STATUS = re.compile(r"(?m)^(?:Rules?: (?P<ids>[^\n]*?)\. )?Status: ")


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: its number, its title, its page, the rules that it is on, and the line with its status (0: none)."""

    number: str
    title: str
    page: str
    path: Path
    rules: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Gist:
    """What a decision is about in a line, as the page of decisions tells it."""

    line: int
    number: str
    words: str


@cache
def decisions(root: Path = ROOT) -> tuple[Decision, ...]:
    """Every decision of a tree, by number."""
    return tuple(_decision(path) for path in sorted((root / "docs" / "decisions").glob("[0-9]*.md")))


def decisions_on(rule_id: str, root: Path = ROOT) -> tuple[Decision, ...]:
    """The decisions on a rule."""
    return tuple(one for one in decisions(root) if rule_id in one.rules)


def index_of(root: Path) -> Path:
    """The page of decisions."""
    return root / "docs" / "decisions" / "index.md"


def gists(root: Path) -> tuple[Gist, ...]:
    """What the page of decisions tells of each."""
    text = index_of(root).read_text(encoding="utf-8") if index_of(root).exists() else ""
    return tuple(one for line, _, body in fences(text, "decisions") for one in gists_in(line + 1, body))


def gists_in(first: int, body: str) -> tuple[Gist, ...]:
    """What a table of the page tells: number and gist in a line each."""
    return tuple(Gist(line, cells[0], CELL.join(cells[1:])) for line, cells in rows(first, body))


def _decision(path: Path) -> Decision:
    text = path.read_text(encoding="utf-8")
    heading, said = TITLE.match(text), STATUS.search(text)
    ids = tuple(re.split(r",\s*", said["ids"])) if said and said["ids"] else ()
    line = text.count("\n", 0, said.start()) + 1 if said else 0
    number, title = (heading["number"], heading["title"]) if heading else (path.stem[:4], path.stem)
    return Decision(number, title, f"decisions/{path.stem}", path, ids, line)
