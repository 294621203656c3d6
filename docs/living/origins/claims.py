"""The claims of the source documents, read from their pages in docs/sources as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docutils.nodes import make_id

FENCE = re.compile(r"(?m)^```\{(?P<name>claims|decisions)\} *(?P<argument>.*)\n(?P<body>(?s:.*?))^```$")
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
        """The thread that it tells of, such as owner/repo#7, or nothing."""
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


def issue_anchor(issue: str) -> str:
    """The anchor of a thread on the page that goes beyond the documents."""
    return f"field-{make_id(issue)}"


def fences(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    """The directives of a name on a page: the line of the opening fence, the argument, the body."""
    for fence in FENCE.finditer(text):
        if fence["name"] == name:
            yield text.count("\n", 0, fence.start()) + 1, fence["argument"].strip(), fence["body"]


def rows(first: int, body: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines of a body with their cells, by number; the first line of the body is `first`."""
    for number, line in enumerate(body.splitlines(), first):
        if line.strip():
            yield number, tuple(cell.strip() for cell in line.split(CELL))


def _document(path: Path) -> Document:
    text = path.read_text(encoding="utf-8")
    matter = dict(MATTER.findall(text.split("---\n", 2)[1])) if text.startswith("---\n") else {}
    title = next(iter(HEADING.findall(text)), "")
    sections = tuple(_section(text, *fence) for fence in fences(text, "claims"))
    name = matter.get("source", path.stem.upper())
    return Document(name, path, title, matter.get("nature", ""), matter.get("gist", ""), sections)


def _section(text: str, line: int, argument: str, body: str) -> Section:
    document, key, *names = (*(part.strip() for part in argument.split(CELL)), "")
    above = "\n".join(text.splitlines()[: line - 1])
    gist, _, claims = body.partition("\n\n")
    first = line + gist.count("\n") + 3
    read = tuple(_claim(number, cells) for number, cells in rows(first, claims))
    title = (HEADING.findall(above) or [""])[-1]
    return Section(document, key, tuple(filter(None, names)), title, line, " ".join(gist.split()), read)


def _claim(line: int, cells: tuple[str, ...]) -> Claim:
    met: dict[str, list[str]] = {"rules": [], "decisions": [], "note": [], "not taken": [], "stray": [*cells[2:]]}
    last = "stray"
    for part in cells[1].split("; ") if len(cells) > 1 else ():
        if IDS.fullmatch(part):
            met["rules"] += part.split(", ")
        elif numbers := NUMBERS.fullmatch(part):
            met["decisions"] += numbers[1].split(", ")
        else:
            remark = REMARK.fullmatch(part)
            last = remark["kind"] if remark else last
            met[last].append(remark["words"] if remark else part)
    note, refused, stray = ("; ".join(met[kind]) for kind in ("note", "not taken", "stray"))
    return Claim(line, cells[0], tuple(met["rules"]), tuple(met["decisions"]), note, refused, stray)
