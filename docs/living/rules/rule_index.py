"""The index of all rules by id, with state and source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.rules.counting import Portability, counted, portability
from living.rules.feature_page import banners_of
from living.rules.rulebook import anchors, name_of, source_of
from living.rules.verdicts import state
from living.site import Site, site_of
from living.tables import row, table
from living.text import link, span, verdict_span, with_links


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the index: a rule under one of its ids."""

    rule_id: str
    sentence: str
    page: str
    anchor: str
    state: str
    outcome: str
    source: str
    portable: Portability = ""


class RuleIndex(SphinxDirective):
    """`{rule-index}` is the table of every rule, a section for each family of ids."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        site, docname = site_of(self.config), self.env.current_document.docname
        found = lines(site)
        families = groupby(found, key=lambda line: line.rule_id[:3])
        sections = [family_section(docname, site, family, list(members)) for family, members in families]
        return [*banners_of(site), totals(site), *sections]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("rule-index", RuleIndex)


def lines(site: Site) -> list[Line]:
    """Every line, families in the order of the packages, then by id."""
    found = list(_lines(site))
    families = list(dict.fromkeys(line.rule_id[:3] for line in found))
    return sorted(found, key=lambda line: (families.index(line.rule_id[:3]), line.rule_id))


def _lines(site: Site) -> Iterator[Line]:
    for name, feature in site.rulebook.features.items():
        places = anchors(feature)
        for rule in feature.rules:
            tally = site.results.tally(name, rule.scenarios)
            for rule_id, anchor in zip(rule.ids, places[rule.line], strict=True):
                place = (f"rulebook/{name_of(feature)}", anchor)
                yield Line(
                    rule_id,
                    rule.sentence,
                    *place,
                    state(tally),
                    tally.worst,
                    source_of(rule),
                    portability(feature, rule),
                )


def totals(site: Site) -> nodes.paragraph:
    """How many rules there are."""
    told = f"{counted(site.rulebook.features.values())}. A portable rule holds in every language."
    return nodes.paragraph("", told, classes=["totals"])


def family_section(docname: str, site: Site, family: str, members: list[Line]) -> nodes.section:
    """The rules of a family of ids."""
    packages = dict.fromkeys(line.page.split("/")[1].capitalize() for line in members)
    title = f"{family}: {', '.join(packages)}"
    rows = [_row(docname, site, line) for line in members]
    index = table(["id", "rule", "state", "source"], rows, label=f"Rules {family}", classes=["rule-index"])
    return nodes.section("", nodes.title("", title), index, ids=[f"rules-{family.lower()}"])


def _row(docname: str, site: Site, line: Line) -> nodes.row:
    sentence = link(docname, line.page, line.sentence, line.anchor)
    source = list(with_links(docname, line.source, site.root))
    verdict: list[nodes.Node] = [nodes.paragraph("", "", verdict_span(line.state, line.outcome))]
    if line.portable:
        verdict.append(nodes.paragraph("", line.portable, classes=["portable"]))
    classes = [f"is-{one.replace(' ', '-')}" for one in (line.outcome, line.portable) if one]
    return row([[span(line.rule_id, "rule-id")], [sentence], verdict, source], *classes)
