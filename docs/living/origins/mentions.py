"""Find what a text mentions: "(S2, section 10.5)", "S3, error handling", "decision 0203", "owner/repo#7"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docutils.nodes import make_id

from living.origins.claims import Claim, Document, Section, read_documents
from living.origins.decided import Decision, decisions

ROOT = Path(__file__).resolve().parents[3]
FIELD = "field"
"""The document that holds what goes beyond the documents."""
START = re.compile(
    r"\b(?P<document>S[0-4]\b|S\d+(?=,\s+sections?\s))"
    r"|\bdecisions? (?P<decision>\d{4})\b"
    r"|(?P<issue>[A-Za-z][\w.-]*(?:/[\w.-]+)?#\d+)"
    r"|(?<= )(?P<more>#\d+)"
)
NUMBERED = re.compile(r",\s+sections?\s+(?P<key>\d+(?:\.\d+)*)")
AND_NUMBERED = re.compile(r"(?P<and>\s+and\s+)(?P<key>\d+(?:\.\d+)*)\b(?!,\d)")
UNKNOWN = re.compile(r",\s+(?!S[0-4]\b)(?P<key>[^;()]+)")


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that a text mentions: where it is, and what is said there in a line.

    `document` is S0 to S4, "decisions" or "field"; `section` is the key of the section, empty for all of a document.
    `known` is false where there is no such place; `page` is then the nearest that there is, or empty. `at` is where in
    the text it begins.
    """

    document: str
    section: str
    text: str
    at: int
    page: str = ""
    anchor: str = ""
    gist: str = ""
    known: bool = False


class Library:
    """The documents, decisions and threads of a tree, by the names that texts call them."""

    def __init__(self, root: Path) -> None:
        """Read them."""
        self.documents: dict[str, Document] = {one.name: one for one in read_documents(root)}
        self.decided: dict[str, Decision] = {one.number: one for one in decisions(root)}
        field = self.documents.get(FIELD)
        self.issues: dict[str, Claim] = {one.issue: one for one in (field.claims if field else ()) if one.issue}

    def section(self, document: str, key: str) -> Section | None:
        """A section by its key or another name of it, whatever the case of its letters."""
        wanted = " ".join(key.casefold().split())
        sections = self.documents[document].sections if document in self.documents else ()
        return next((one for one in sections if wanted in (one.key, *one.names)), None)

    @cache  # noqa: B019 - a build has one library
    def called(self, document: str) -> str:
        """A pattern of the names of its sections, as a group `key`, the longest first."""
        sections = self.documents[document].sections if document in self.documents else ()
        names = {name for one in sections for name in (one.key, *one.names) if not name[:1].isdigit()}
        longest = sorted(names, key=lambda name: (-len(name), name))
        words = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest)
        return rf"[\"“]?(?P<key>{words or '(?!)'})\b[\"”]?"


@cache
def library(root: Path = ROOT) -> Library:
    """The library of a tree."""
    return Library(root)


def issue_anchor(issue: str) -> str:
    """The anchor of a thread on the page that goes beyond the documents."""
    return f"field-{make_id(issue)}"


def mentions(text: str, root: Path = ROOT) -> Iterator[str | Mention]:
    """The text in pieces: words, and the mentions that lead to a page."""
    for piece in scan(library(root), text):
        if isinstance(piece, Mention):
            yield piece if piece.page else piece.text
        elif piece:
            yield piece


def scan(shelf: Library, text: str) -> Iterator[str | Mention]:
    """The text in pieces: words, and mentions, those of nothing that is known included."""
    at, repository = 0, ""
    while found := START.search(text, at):
        if found["document"]:
            those = [*_sections(shelf, text, found)]
        elif found["decision"]:
            those = [_decision(shelf, found)]
        else:
            those = [_issue(shelf, found, repository)]
            repository = those[0].section.partition("#")[0]
        for mention in those:
            yield text[at : mention.at]
            yield mention
            at = mention.at + len(mention.text)
    yield text[at:]


def _sections(shelf: Library, text: str, found: re.Match[str]) -> Iterator[Mention]:
    """The sections that follow the name of a document, or the document as a whole."""
    document, start, end = found["document"], found.start(), found.end()
    following: re.Pattern[str] | None = None
    by_name = re.compile(rf",\s+{shelf.called(document)}", re.IGNORECASE)
    if numbered := NUMBERED.match(text, end):
        named = by_name.match(text, numbered.end())
        same = named and shelf.section(document, named["key"]) == shelf.section(document, numbered["key"])
        key, end, following = numbered["key"], (named if named and same else numbered).end(), AND_NUMBERED
    elif named := by_name.match(text, end):
        following = re.compile(rf"(?P<and>\s+and\s+){shelf.called(document)}", re.IGNORECASE)
        key, end = named["key"], named.end()
    else:
        in_brackets = text.rfind("(", 0, start) > text.rfind(")", 0, start)
        unknown = UNKNOWN.match(text, end) if in_brackets else None
        key, end = (unknown["key"].strip(), unknown.end()) if unknown else ("", end)
    yield _section(shelf, document, key, text[start:end], start)
    while following and (more := following.match(text, end)):
        yield _section(shelf, document, more["key"], text[more.end("and") : more.end()], more.end("and"))
        end = more.end()


def _section(shelf: Library, document: str, key: str, words: str, at: int) -> Mention:
    whole, section = shelf.documents.get(document), shelf.section(document, key) if key else None
    page = whole.page if whole else ""
    if section:
        return Mention(document, section.key, words, at, page, section.anchor, section.gist, known=True)
    return Mention(document, key, words, at, page, "", whole.gist if whole else "", known=bool(whole) and not key)


def _decision(shelf: Library, found: re.Match[str]) -> Mention:
    mention = "decisions", found["decision"], found[0], found.start()
    known = shelf.decided.get(found["decision"])
    return Mention(*mention, known.page, "", known.title, known=True) if known else Mention(*mention)


def _issue(shelf: Library, found: re.Match[str], repository: str) -> Mention:
    name = found["issue"] or f"{repository}{found['more']}"
    whole = next((one for one in shelf.issues if one == name or one.endswith(f"/{name}")), "")
    if not whole:
        return Mention(FIELD, name, found[0], found.start())
    place = f"sources/{FIELD}", issue_anchor(whole), shelf.issues[whole].gist
    return Mention(FIELD, whole, found[0], found.start(), *place, known=True)
