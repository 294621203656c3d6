"""Sphinx's own search, in which a number with separators and a rule's id are whole terms: 32,000, TRG_04 or TRG-04."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

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
        return [_separated(term) for term in TERM.findall(ID.sub(r"\1_\2", re.sub(r"(\d) %", r"\1%", input)))]


def setup(app: Sphinx) -> None:
    """Take the place of English."""
    app.add_search_language(RulebookSearch)


def _separated(term: str) -> str:
    return f"{int(term):,}" if PLAIN.fullmatch(term) else term
