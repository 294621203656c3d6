"""All that a text can mention: sections of the source documents, decisions, threads in which others met a failure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from living.origins.claims import Claim, Document, Section, read_documents
from living.origins.decided import Decision, decisions

ROOT = Path(__file__).resolve().parents[3]
FIELD = "field"
"""The document that holds what goes beyond the documents."""


@dataclass(frozen=True)
class Library:
    """The documents and the decisions of a tree."""

    documents: tuple[Document, ...]
    decided: tuple[Decision, ...]

    @cached_property
    def by_name(self) -> dict[str, Document]:
        """The documents by the name they are cited by."""
        return {one.name: one for one in self.documents}

    @cached_property
    def by_number(self) -> dict[str, Decision]:
        """The decisions by number."""
        return {one.number: one for one in self.decided}

    @cached_property
    def issues(self) -> dict[str, Claim]:
        """The threads, by owner/repo#number."""
        field = self.by_name.get(FIELD)
        return {claim.issue: claim for claim in (field.claims if field else ()) if claim.issue}

    def issue(self, name: str) -> str:
        """The whole name of a thread that is called by it, or by the last part of it; nothing where there is none."""
        if name in self.issues:
            return name
        return next((one for one in self.issues if one.endswith(f"/{name}")), "")

    def section(self, document: str, key: str) -> Section | None:
        """A section by its key or another name of it, whatever the case of its letters."""
        wanted = " ".join(key.casefold().split())
        sections = self.by_name[document].sections if document in self.by_name else ()
        return next((one for one in sections if wanted in (one.key, *one.names)), None)

    def called(self, document: str) -> str:
        """A pattern of the names of its sections, as a group `key`, the longest first."""
        return self._called.get(document, r"(?P<key>(?!))")

    @cached_property
    def _called(self) -> dict[str, str]:
        return {one.name: _pattern(one) for one in self.documents}


@cache
def library(root: Path = ROOT) -> Library:
    """The library of a tree."""
    return Library(read_documents(root), decisions(root))


def _pattern(document: Document) -> str:
    names = {name for one in document.sections for name in (one.key, *one.names) if not name[:1].isdigit()}
    longest = sorted(names, key=lambda name: (-len(name), name))
    words = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest)
    return rf"[\"“]?(?P<key>{words or '(?!)'})\b[\"”]?"
