"""The decisions of a tree, read from docs/decisions as plain text: their titles, and the rules they are on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

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


@cache
def decisions(root: Path = ROOT) -> tuple[Decision, ...]:
    """Every decision of a tree, by number."""
    return tuple(_decision(path) for path in sorted((root / "docs" / "decisions").glob("[0-9]*.md")))


def decisions_on(rule_id: str, root: Path = ROOT) -> tuple[Decision, ...]:
    """The decisions on a rule."""
    return tuple(one for one in decisions(root) if rule_id in one.rules)


def _decision(path: Path) -> Decision:
    text = path.read_text(encoding="utf-8")
    heading, said = TITLE.match(text), STATUS.search(text)
    ids = tuple(re.split(r",\s*", said["ids"])) if said and said["ids"] else ()
    line = text.count("\n", 0, said.start()) + 1 if said else 0
    number, title = (heading["number"], heading["title"]) if heading else (path.stem[:4], path.stem)
    return Decision(number, title, f"decisions/{path.stem}", path, ids, line)
