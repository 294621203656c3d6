"""The pages of docs lead where they say."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

DOCS = Path(__file__).parent.parent.parent / "docs"
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("guides/**/*.md")])
NAMES = [str(path.relative_to(DOCS)) for path in PAGES]


def anchors(page):
    """The names of a page's headings, as they are linked to."""
    tokens = MarkdownIt("commonmark").parse(page)
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_every_link_of_a_page_leads_somewhere(path):
    """A link to the project's own files names one that is there, and one within a page a heading of it."""
    lost = []
    for link in LINK.findall(path.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            lost.append(link)
    assert lost == []
