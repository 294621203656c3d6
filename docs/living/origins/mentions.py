"""What a text mentions, piece by piece: "(S2, section 10.5)", "S3, error handling", "decision 0203", "owner/repo#7"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from living.origins.claims import issue_anchor
from living.origins.library import FIELD, ROOT, Library, library

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
    page: str = ""
    anchor: str = ""
    gist: str = ""
    known: bool = True
    at: int = 0


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
        yield text[at : found.start()]
        at = found.end()
        if found["document"]:
            for mention in _sections(shelf, text, found):
                yield text[at : mention.at]
                yield mention
                at = mention.at + len(mention.text)
        elif found["decision"]:
            yield _decision(shelf, found)
        else:
            mention = _issue(shelf, found, repository)
            repository = mention.section.partition("#")[0]
            yield mention
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
        unknown = UNKNOWN.match(text, end) if _in_brackets(text, start) else None
        key, end = (unknown["key"].strip(), unknown.end()) if unknown else ("", end)
    yield _section(shelf, document, key, text[start:end], start)
    while following and (more := following.match(text, end)):
        yield _section(shelf, document, more["key"], text[more.end("and") : more.end()], more.end("and"))
        end = more.end()


def _section(shelf: Library, document: str, key: str, words: str, at: int) -> Mention:
    whole, section = shelf.by_name.get(document), shelf.section(document, key) if key else None
    page = whole.page if whole else ""
    if section:
        return Mention(document, section.key, words, page, section.anchor, section.gist, at=at)
    return Mention(document, key, words, page, "", whole.gist if whole else "", known=bool(whole) and not key, at=at)


def _decision(shelf: Library, found: re.Match[str]) -> Mention:
    words, number, at = found[0], found["decision"], found.start()
    if decision := shelf.by_number.get(number):
        return Mention("decisions", number, words, decision.page, "", decision.title, at=at)
    return Mention("decisions", number, words, known=False, at=at)


def _issue(shelf: Library, found: re.Match[str], repository: str) -> Mention:
    words, at = found[0], found.start()
    name = found["issue"] or f"{repository}{found['more']}"
    if whole := shelf.issue(name):
        return Mention(FIELD, whole, words, "sources/field", issue_anchor(whole), shelf.issues[whole].gist, at=at)
    return Mention(FIELD, name, words, known=False, at=at)


def _in_brackets(text: str, at: int) -> bool:
    return text.rfind("(", 0, at) > text.rfind(")", 0, at)
