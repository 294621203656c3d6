"""Sphinx's own search, in which a number with separators and a rule's id are whole terms: 32,000, TRG_04 or TRG-04."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.search.en import SearchEnglish

TERM = re.compile(r"\d+(?:[.,]\d+)*%?|\w+")
ID = re.compile(r"\b([A-Za-z]{3})-(\d\d)\b", re.ASCII)
PLAIN = re.compile(r"\d{4,}")


class RulebookSearch(SearchEnglish):
    """English, but for numbers: 92% and 32,000 are terms, and 32000 is looked for as 32,000."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._stems: dict[str, str] = {}

    js_splitter_code = (Path(__file__).parent / "search.js").read_text(encoding="utf-8")
    """The same in the browser, and how results are called and ordered there."""

    def stem(self, word: str) -> str:
        """The stem of a word; most words are met on many pages, and looked up once."""
        if word not in self._stems:
            self._stems[word] = super().stem(word)
        return self._stems[word]

    def split(self, input: str) -> list[str]:  # noqa: A002  Sphinx calls it so
        """The terms of a text."""
        return [_separated(term) for term in TERM.findall(ID.sub(r"\1_\2", re.sub(r"(\d) %", r"\1%", input)))]


def setup(app: Sphinx) -> None:
    """Take the place of English, and keep the index whole."""
    app.add_search_language(RulebookSearch)
    app.connect("html-collect-pages", _made_whole)


def _made_whole(app: Sphinx) -> list[tuple[str, dict[str, Any], str]]:
    """Complete the index of a build that writes some pages: it is as one that was made from nothing.

    Sphinx takes over what an older index holds of the pages that are not written, but for the entries of rules; and it
    keeps words that are on no page any more.
    """
    if isinstance(app.builder, StandaloneHTMLBuilder) and (index := app.builder.indexer):
        noted = Path(app.doctreedir) / "index_entries.json"
        before = json.loads(noted.read_text(encoding="utf-8")) if noted.exists() else {}
        entries = {page: [tuple(one) for one in found] for page, found in before.items() if page in app.env.all_docs}
        index._index_entries = dict(sorted((entries | index._index_entries).items()))  # noqa: SLF001  there is no other way in
        for words in (index._mapping, index._title_mapping):  # noqa: SLF001
            for word in [word for word, pages in words.items() if not pages]:
                del words[word]
        noted.write_text(json.dumps(index._index_entries), encoding="utf-8")  # noqa: SLF001
    return []


def _separated(term: str) -> str:
    return f"{int(term):,}" if PLAIN.fullmatch(term) else term
