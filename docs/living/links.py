"""Links to what a text mentions: rules, sections of the sources, decisions, and threads of other repositories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.logging import getLogger

from living.site import Site, site_of
from living.text import above, coded, link
from steps.rulebook import RULE_ID

MENTION = re.compile(
    rf"\b(?P<rule>{RULE_ID.pattern})\b"
    r"|\b(?P<document>S[0-4])\b(?:,\s+sections?\s+(?P<section>\d+(?:\.\d+)?))?"
    r"|\bdecisions? (?P<decision>\d{4})\b"
    r"|\b(?P<thread>[A-Za-z][\w.-]*/[\w.-]+#\d+)"
)
HEADING = re.compile(r"(?m)^##+ (Section (\d+(?:\.\d+)?): .+?) *$")
DECISION = re.compile(r"# (?P<number>\d{4}): (?P<title>.+)(?:\n+Rules?: (?P<rules>[^\n]*?)\. Status: )?")
SOURCES = ("decisions/", "sources/")
"""Pages on which S2 is a document; elsewhere it may be anything."""
LEFT_ALONE = (nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.comment)

logger = getLogger(__name__)


class Decision(NamedTuple):
    """A decision: its number, its title, its page, and the rules that it is on."""

    number: str
    title: str
    page: str
    rules: tuple[str, ...]


@cache
def decisions(root: Path) -> dict[str, Decision]:
    """Every decision by its number."""
    found = {}
    for path in sorted((root / "docs" / "decisions").glob("[0-9]*.md")):
        if one := DECISION.match(path.read_text(encoding="utf-8")):
            rules = tuple(re.split(r",\s*", one["rules"] or ""))
            found[one["number"]] = Decision(one["number"], one["title"], f"decisions/{path.stem}", rules)
    return found


@cache
def sections(root: Path) -> dict[str, str]:
    """The anchors of the sections of the sources: that of "S2 10.5"."""
    found = {}
    for path in sorted((root / "docs" / "sources").glob("s?.md")):
        for title, number in HEADING.findall(path.read_text(encoding="utf-8")):
            found[f"{path.stem.upper()} {number}"] = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    return found


class LinksInProse(SphinxTransform):
    """Turns what a text mentions into links; in code and in steps nothing is touched."""

    default_priority = 870

    def apply(self, **_: Any) -> None:
        """Go through the texts of a page."""
        site, docname = site_of(self.config), self.env.current_document.docname
        for text in list(self.document.findall(nodes.Text)):
            if MENTION.search(text) and not _left_alone(text):
                for one in MENTION.finditer(text):
                    if one["rule"] and one["rule"] not in site.rulebook.by_id:
                        logger.warning("there is no rule %s", one["rule"], location=text.parent, type="living")
                text.parent.replace(text, list(linked(site, docname, text, documents=docname.startswith(SOURCES))))


def setup(app: Sphinx) -> None:
    """Make the role and the transform known."""
    app.add_generic_role("rule", nodes.inline)
    app.add_transform(LinksInProse)


def linked(site: Site, docname: str, text: str, *, documents: bool = True) -> Iterator[nodes.Node]:
    """A text with what it mentions as links, documents among it or not; what is between backticks is code."""
    at = 0
    for one in MENTION.finditer(text):
        if found := _link(site, docname, one, documents=documents):
            yield from coded(text[at : one.start()])
            yield found
            at = one.end()
    yield from coded(text[at:])


def _link(site: Site, docname: str, one: re.Match[str], *, documents: bool) -> nodes.reference | None:
    if one["rule"]:
        where = site.rulebook.place(one["rule"])
    elif one["decision"]:
        known = decisions(site.root).get(one["decision"])
        where = known and (known.page, "", known.title)
    elif one["thread"]:
        address = "https://github.com/{}/issues/{}".format(*one["thread"].split("#"))
        return nodes.reference("", one[0], refuri=address, internal=False)
    else:
        anchor = sections(site.root).get(f"{one['document']} {one['section']}", "")
        where = (f"sources/{one['document'].lower()}", anchor, "") if documents else None
    if not where:
        return None
    page, anchor, gist = where
    found = link(docname, page, one[0], anchor)
    found["reftitle"] = gist
    return found


def _left_alone(text: nodes.Text) -> bool:
    return any(isinstance(one, LEFT_ALONE) or (isinstance(one, nodes.inline) and one["classes"]) for one in above(text))
