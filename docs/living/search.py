"""Sphinx's own search, which finds rules by id and sentence, and numbers with separators: 32,000, TRG_04 or TRG-04."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import ClassVar

from sphinx.application import Sphinx
from sphinx.domains import Domain, ObjType
from sphinx.search.en import SearchEnglish

from living.rules.rulebook import anchors
from living.site import site_of

TERM = re.compile(r"\d+(?:[.,]\d+)*%?|\w+")
ID = re.compile(r"\b([A-Za-z]{3})-?(\d\d)\b", re.ASCII)
PLAIN = re.compile(r"[1-9]\d{3,}")


class RulebookSearch(SearchEnglish):
    """English, but for numbers and ids."""

    js_splitter_code = (Path(__file__).parent / "search.js").read_text(encoding="utf-8")
    """The same in the browser, and how results are called and ordered."""

    @cache  # noqa: B019 - a build has one
    def stem(self, word: str) -> str:
        """The stem of a word; most words are on many pages, and looked up once."""
        return super().stem(word)

    def split(self, input: str) -> list[str]:  # noqa: A002  Sphinx calls it so
        """The terms of a text."""
        terms = TERM.findall(ID.sub(r"\1_\2", re.sub(r"(\d) %", r"\1%", input)))
        return [f"{int(term):,}" if PLAIN.fullmatch(term) else term for term in terms]


class RuleDomain(Domain):
    """The rules, for the search."""

    name = "rule"
    label = "Rule"
    object_types: ClassVar[dict[str, ObjType]] = {"rule": ObjType("Rule")}

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """Each sentence with its ids; that of the most important kind of object."""
        book = site_of(self.env.config).rulebook
        for name, feature in book.features.items():
            for rule in feature.rules:
                for one, anchor in zip(rule.ids, anchors(feature)[rule.line], strict=True):
                    yield f"{anchor}: {rule.sentence}", f"{one}: {rule.sentence}", "rule", book.page(name), anchor, 0

    def merge_domaindata(self, docnames: object, otherdata: object) -> None:
        """Take over nothing: all of it is in the features."""


def setup(app: Sphinx) -> None:
    """Take the place of English, and make the rules known."""
    app.add_search_language(RulebookSearch)
    app.add_domain(RuleDomain)
