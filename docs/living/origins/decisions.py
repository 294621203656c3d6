"""The page of decisions: tables of what each is about, and on which rules."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.origins.decided import Decision, decisions, decisions_on, gists_in
from living.origins.rule_links import rule_link
from living.site import Site, site_of
from living.tables import row, table
from living.text import between, link

__all__ = ["Decision", "DecisionTable", "decisions", "decisions_on", "setup"]


class DecisionTable(SphinxDirective):
    """`{decisions}` with lines such as `0004 | what it is about` is the table of these decisions."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """One table."""
        site, docname = site_of(self.config), self.env.current_document.docname
        known = {one.number: one for one in decisions(site.root)}
        told = [(known[one.number], one.words) for one in gists_in(1, "\n".join(self.content)) if one.number in known]
        lines = [self._row(site, docname, decision, words) for decision, words in told]
        return [table(["decision", "what it is about", "rules"], lines, label="", classes=["decisions"])]

    def _row(self, site: Site, docname: str, decision: Decision, words: str) -> nodes.row:
        title = [nodes.Text(f"{decision.number} "), link(docname, decision.page, decision.title)]
        about, _ = self.parse_inline(words, lineno=self.lineno)
        rules = between([rule_link(site, docname, one) for one in decision.rules], ", ") or "–"
        return row([title, about, rules])


def setup(app: Sphinx) -> None:
    """Make the table known."""
    app.add_directive("decisions", DecisionTable)
