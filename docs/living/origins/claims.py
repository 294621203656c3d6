"""The claims of the source documents, read from their pages in docs/sources as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docutils.nodes import make_id

FENCE = re.compile(r"(?m)^```\{claims\} *(.*)\n((?s:.*?))^```$")
HEADING = re.compile(r"(?m)^#+ +(.+?) *$")
MATTER = re.compile(r"(?m)^(\w+): (.+)$")
IDS = re.compile(r"[A-Z]{3}_\d\d(?:, [A-Z]{3}_\d\d)*")
NUMBERS = re.compile(r"decisions? (\d{4}(?:, \d{4})*)")
REMARK = re.compile(r"(?P<kind>not taken|note): (?P<words>.+)")
ISSUE = re.compile(r"([\w.-]+/[\w.-]+#\d+): ")
CELL = " | "


@dataclass(frozen=True, slots=True)
class Claim:
    """What a document says, in our words, and what became of it: rules, decisions, a note, or why it was not taken."""

    line: int
    gist: str
    rules: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    note: str = ""
    refused: str = ""
    stray: str = ""
    """What is none of these; empty on a page that can be built."""

    @property
    def issue(self) -> str:
        """The thread that it is about, such as owner/repo#7, or nothing."""
        found = ISSUE.match(self.gist)
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document: `key` as it is cited (10.5, retry logic), `names` by which a source may call it too."""

    document: str
    key: str
    names: tuple[str, ...]
    title: str
    line: int
    gist: str
    claims: tuple[Claim, ...]

    @property
    def anchor(self) -> str:
        """Its place on the page: source-s2-section-10-5."""
        key = self.key.replace(".", "-")
        return f"source-{self.document.lower()}-section-{make_id(key) or key}"


@dataclass(frozen=True, slots=True)
class Document:
    """A source document: how it is cited, its page, its title, its nature, its gist, and its sections."""

    name: str
    path: Path
    title: str
    nature: str
    gist: str
    sections: tuple[Section, ...]

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"sources/{self.path.stem}"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All its claims."""
        return tuple(claim for section in self.sections for claim in section.claims)


@cache
def read_documents(root: Path) -> tuple[Document, ...]:
    """The source documents of a tree, in the order of their pages; what goes beyond them comes last."""
    found = [_document(path) for path in sorted((root / "docs" / "sources").glob("*.md")) if path.stem != "index"]
    return tuple(sorted(found, key=lambda one: (one.name == "field", one.name)))


def _document(path: Path) -> Document:
    text = path.read_text(encoding="utf-8")
    matter = dict(MATTER.findall(text.split("---\n", 2)[1])) if text.startswith("---\n") else {}
    name, title = matter.get("source", path.stem.upper()), next(iter(HEADING.findall(text)), "")
    return Document(name, path, title, matter.get("nature", ""), matter.get("gist", ""), tuple(_sections(text)))


def _sections(text: str) -> Iterator[Section]:
    for fence in FENCE.finditer(text):
        document, key, *names = (*(part.strip() for part in fence[1].split(CELL)), "")
        line, title = text.count("\n", 0, fence.start()) + 1, (HEADING.findall(text[: fence.start()]) or [""])[-1]
        gist, _, claims = fence[2].partition("\n\n")
        first = line + gist.count("\n") + 3
        read = tuple(_claim(n, row) for n, row in enumerate(claims.splitlines(), first) if row.strip())
        yield Section(document, key, tuple(filter(None, names)), title, line, " ".join(gist.split()), read)


def _claim(line: int, row: str) -> Claim:
    gist, *cells = (cell.strip() for cell in row.split(CELL))
    met: dict[str, list[str]] = {"rules": [], "decisions": [], "note": [], "not taken": [], "stray": [*cells[1:]]}
    last = "stray"
    for part in cells[0].split("; ") if cells else ():
        if IDS.fullmatch(part):
            met["rules"] += part.split(", ")
        elif numbers := NUMBERS.fullmatch(part):
            met["decisions"] += numbers[1].split(", ")
        else:
            remark = REMARK.fullmatch(part)
            last = remark["kind"] if remark else last
            met[last].append(remark["words"] if remark else part)
    note, refused, stray = ("; ".join(met[kind]) for kind in ("note", "not taken", "stray"))
    return Claim(line, gist, tuple(met["rules"]), tuple(met["decisions"]), note, refused, stray)
