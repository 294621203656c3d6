"""The start page: the verdicts of the last run."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.rules.feature_page import banners_of
from living.rules.rulebook import ids_of
from living.rules.verdicts import SIGNS, tally_of
from living.site import Site, site_of
from living.text import link


class Verdicts(SphinxDirective):
    """`{verdicts}` is the strip of what the last run of the rules showed; each part leads to the page behind it."""

    def run(self) -> list[nodes.Node]:
        """The strip, under a warning where the run was of another version."""
        site, docname = site_of(self.config), self.env.current_document.docname
        return [*banners_of(site), strip(site, docname)]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("verdicts", Verdicts)


def strip(site: Site, docname: str) -> nodes.bullet_list:
    """Packages, rules, examples, and how many of them passed or did not; each links to its page."""
    features = site.rulebook.features.values()
    tally = tally_of(site.results, features)
    parts = [
        (f"{len(site.rulebook.packages)}", "packages", "rulebook/index", ""),
        (f"{len(ids_of(features)):,}", "rules", "rulebook/rules", ""),
        (f"{tally.total:,}", "examples", "rulebook/index", "last-run"),
    ]
    for outcome, count in tally.counts.items():
        number = "all" if count == tally.total else f"{count:,}"
        parts.append((f"{SIGNS[outcome]} {number}", outcome, "rulebook/index", "last-run"))
    return nodes.bullet_list("", *_shown(docname, parts), classes=["verdict-strip", "no-search"])


def _shown(docname: str, parts: list[tuple[str, str, str, str]]) -> Iterator[nodes.list_item]:
    for number, words, page, anchor in parts:
        found = link(docname, page, "", anchor)
        found += [nodes.strong("", number), nodes.Text(f" {words}")]
        kind = [f"verdict-{words.replace(' ', '-')}"] if words in SIGNS else []
        yield nodes.list_item("", nodes.paragraph("", "", found), classes=kind)
