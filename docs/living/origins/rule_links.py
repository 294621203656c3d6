"""Links in prose: ids of rules, numbers of decisions, and on the pages about sources their sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from living.origins.mentions import Mention, mentions
from living.results import Tally
from living.rules.verdicts import state
from living.site import Site, site_of
from living.text import above, link
from steps.rulebook import RULE_ID

RULE = re.compile(rf"\b({RULE_ID.pattern})\b")
SOURCES = ("decisions/", "sources/")
"""Pages on which S2 is a document; elsewhere it may be anything."""
WORTH_A_LOOK = re.compile(r"_\d\d|\bS[0-4]\b|decisions? \d|#\d")
LEFT_ALONE = (nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.comment)

logger = logging.getLogger(__name__)


class LinksInProse(SphinxTransform):
    """Turns ids, numbers of decisions and sections that stand bare in a text into links; in code nothing is touched."""

    default_priority = 870

    def apply(self, **_: Any) -> None:
        """Go through the texts of a page."""
        docname = self.env.current_document.docname
        if docname.startswith("code/"):
            return
        for text in list(self.document.findall(nodes.Text)):
            if WORTH_A_LOOK.search(text) and not _left_alone(text):
                parts = list(linked(site_of(self.config), docname, text.astext()))
                self._look_at(text, parts)
                text.parent.replace(text, parts)

    def _look_at(self, text: nodes.Text, parts: list[nodes.Node]) -> None:
        for rule_id in (found for part in parts for found in RULE.findall(part.astext())):
            if rule_id not in site_of(self.config).rulebook.homes:
                logger.warning("there is no rule %s", rule_id, location=text.parent, type="living")


def linked(site: Site, docname: str, text: str) -> Iterator[nodes.Node]:
    """A text with what it mentions as links."""
    for part in mentions(text, site.root):
        if isinstance(part, str) or not (part.document == "decisions" or docname.startswith(SOURCES)):
            yield from _with_rules(site, docname, part if isinstance(part, str) else part.text)
        else:
            yield mention_link(docname, part)


def mention_link(docname: str, mention: Mention) -> nodes.reference:
    """The link that a mention is."""
    found = link(docname, mention.page, mention.text, mention.anchor)
    found["reftitle"] = mention.gist
    return found


def rule_link(site: Site, docname: str, rule_id: str) -> nodes.Node:
    """A link to a rule; of an id that is nowhere, the id."""
    if place := site.rulebook.place(rule_id):
        found = link(docname, place.page, rule_id, place.anchor)
        found["reftitle"] = place.gist
        return found
    return nodes.Text(rule_id)


def state_of(site: Site, rule_id: str) -> tuple[str, str]:
    """The state of a rule in a sign and a word, and the class it is shown in; nothing for an id that is nowhere."""
    found = site.rulebook.by_id.get(rule_id, ())
    tally = Tally.together(site.results.tally(name, rule.scenarios) for name, rule in found)
    return (state(tally), f"verdict-{tally.worst.replace(' ', '-')}") if found else ("", "")


def setup(app: Sphinx) -> None:
    """Make the transform known."""
    app.add_transform(LinksInProse)


def _with_rules(site: Site, docname: str, text: str) -> Iterator[nodes.Node]:
    for part in RULE.split(text):
        if part:
            yield rule_link(site, docname, part) if RULE.fullmatch(part) else nodes.Text(part)


def _left_alone(text: nodes.Text) -> bool:
    return any(isinstance(one, LEFT_ALONE) or (isinstance(one, nodes.inline) and one["classes"]) for one in above(text))
