"""Links in prose: ids of rules, numbers of decisions, and on the pages about sources their sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.logging import getLogger

from living.origins.mentions import mentions
from living.results import SIGNS
from living.site import Site, site_of
from living.text import above, link, mention_link, verdict_span
from steps.rulebook import RULE_ID

RULE = re.compile(rf"\b({RULE_ID.pattern})\b")
SOURCES = ("decisions/", "sources/")
"""Pages on which S2 is a document; elsewhere it may be anything."""
WORTH_A_LOOK = re.compile(r"_\d\d|\bS[0-4]\b|decisions? \d|#\d")
LEFT_ALONE = (nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.comment)

logger = getLogger(__name__)


class LinksInProse(SphinxTransform):
    """Turns ids, numbers of decisions and sections that stand bare in a text into links; in code nothing is touched."""

    default_priority = 870

    def apply(self, **_: Any) -> None:
        """Go through the texts of a page."""
        site, docname = site_of(self.config), self.env.current_document.docname
        for text in list(self.document.findall(nodes.Text)):
            if WORTH_A_LOOK.search(text) and not _left_alone(text):
                for rule_id in RULE.findall(text.astext()):
                    if rule_id not in site.rulebook.by_id:
                        logger.warning("there is no rule %s", rule_id, location=text.parent, type="living")
                text.parent.replace(text, list(linked(site, docname, text.astext())))


def setup(app: Sphinx) -> None:
    """Make the transform known."""
    app.add_transform(LinksInProse)


def linked(site: Site, docname: str, text: str) -> Iterator[nodes.Node]:
    """A text with what it mentions as links."""
    for part in mentions(text, site.root):
        if not isinstance(part, str) and (part.document == "decisions" or docname.startswith(SOURCES)):
            yield mention_link(docname, part)
            continue
        for piece in filter(None, RULE.split(part if isinstance(part, str) else part.text)):
            yield rule_link(site, docname, piece) if RULE.fullmatch(piece) else nodes.Text(piece)


def rule_link(site: Site, docname: str, rule_id: str) -> nodes.Node:
    """A link to a rule; of an id that is nowhere, the id."""
    if place := site.rulebook.place(rule_id):
        found = link(docname, place.page, rule_id, place.anchor)
        found["reftitle"] = place.gist
        return found
    return nodes.Text(rule_id)


def state_of(site: Site, rule_id: str) -> Iterator[nodes.Node]:
    """The state of a rule in a sign and a word; nothing for an id that is nowhere."""
    rules = site.rulebook.by_id.get(rule_id, ())
    tallies = [site.results.tally(name, rule.scenarios) for name, rule in rules]
    if tallies:
        worst = min(tallies, key=lambda one: list(SIGNS).index(one.worst))
        yield verdict_span(worst.state, worst.worst)


def _left_alone(text: nodes.Text) -> bool:
    return any(isinstance(one, LEFT_ALONE) or (isinstance(one, nodes.inline) and one["classes"]) for one in above(text))
