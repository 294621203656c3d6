"""The index of all rules by id, with state and source."""

from __future__ import annotations

from itertools import groupby

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.rules.feature_page import banners_of
from living.rules.rulebook import anchors, counted, portability, source_of, title_of
from living.rules.verdicts import state
from living.site import Site, site_of
from living.tables import row, table
from living.text import link, span, verdict_span, with_links
from steps.rulebook import Rule


class RuleIndex(SphinxDirective):
    """`{rule-index}` is the table of every rule, a section for each family of ids."""

    def run(self) -> list[nodes.Node]:
        """How many rules there are, and the sections."""
        site, docname = site_of(self.config), self.env.current_document.docname
        told = f"{counted(site.rulebook.features.values())}. A portable rule holds in every language."
        totals = nodes.paragraph("", told, classes=["totals"])
        return [*banners_of(site), totals, *family_sections(docname, site)]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("rule-index", RuleIndex)


def family_sections(docname: str, site: Site) -> list[nodes.section]:
    """The rules of each family of ids: families in the order of the packages, rules by id, a line for each sentence."""
    families = list(dict.fromkeys(one[:3] for one in site.rulebook.by_id))
    found = sorted(site.rulebook.by_id, key=lambda one: (families.index(one[:3]), one))
    sections = []
    for family, ids in groupby(found, key=lambda one: one[:3]):
        members = [(one, *written) for one in ids for written in site.rulebook.by_id[one]]
        packages = dict.fromkeys(title_of(site.root, name.split("/")[0]) for _, name, _ in members)
        rows = [_row(docname, site, *one) for one in members]
        index = table(["id", "rule", "state", "source"], rows, label=f"Rules {family}", classes=["rule-index"])
        title = nodes.title("", f"{family}: {', '.join(packages)}")
        sections.append(nodes.section("", title, index, ids=[f"rules-{family.lower()}"]))
    return sections


def _row(docname: str, site: Site, rule_id: str, name: str, rule: Rule) -> nodes.row:
    feature, tally = site.rulebook.features[name], site.results.tally(name, rule.scenarios)
    anchor = anchors(feature)[rule.line][rule.ids.index(rule_id)]
    verdict: list[nodes.Node] = [nodes.paragraph("", "", verdict_span(state(tally), tally.worst))]
    if portable := portability(feature, rule):
        verdict.append(nodes.paragraph("", portable, classes=["portable"]))
    classes = [f"is-{one.replace(' ', '-')}" for one in (tally.worst, portable) if one]
    sentence = link(docname, f"rulebook/{name}", rule.sentence, anchor)
    source = list(with_links(docname, source_of(rule), site.root))
    return row([[span(rule_id, "rule-id")], [sentence], verdict, source], *classes)
