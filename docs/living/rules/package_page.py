"""The rulebook in short: the totals of the last run, the table of the packages, the features of a package."""

from __future__ import annotations

import ast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.results import SIGNS, name_of
from living.rules.feature_page import banners_of, feature_section
from living.rules.rulebook import anchors, counted, title_of
from living.site import Site, site_of
from living.tables import row, table
from living.text import add_directive, between, coded, link, parsed, span, verdict_span
from steps.rulebook import Feature


def setup(app: Sphinx) -> None:
    """Make the directives known."""
    add_directive(app, "package", package)
    add_directive(app, "packages", packages)
    add_directive(app, "verdicts", totals)


def package(directive: SphinxDirective) -> list[nodes.Node]:
    """`{package} trigger` is the features of a package with their rules, in the order that its content gives them.

    Raises an error where the order does not name each of them once.
    """
    site, name, docname = site_of(directive.config), directive.arguments[0], directive.env.current_document.docname
    order = [line.strip() for line in directive.content if line.strip()]
    features = {feature.path.stem: feature for feature in site.rulebook.packages.get(name, ())}
    if sorted(order) != sorted(features):
        raise directive.error(f"the package holds {', '.join(sorted(features))}; the list names {', '.join(order)}")
    if site.rulebook.is_whole(name):
        return [*banners_of(site), *(feature_section(docname, site, features[one]) for one in order)]
    rules = (node for one in order for node in feature_rules(docname, site, features[one]))
    return [*banners_of(site), *rules, *parsed(directive, ["```{toctree}", ":hidden:", *order, "```"])]


def feature_rules(docname: str, site: Site, feature: Feature) -> tuple[nodes.paragraph, nodes.bullet_list]:
    """The name of a feature, and its rules with ids and states."""
    name, places = name_of(feature), anchors(feature)
    page = site.rulebook.page(name)
    rules = nodes.bullet_list()
    for rule in feature.rules:
        worst = site.results.tally(name, rule.scenarios).worst
        marks = (span(" ".join(rule.ids), "rule-id"), verdict_span(f"{SIGNS[worst]} {worst}", worst))
        sentence = link(docname, page, rule.sentence, places[rule.line][0])
        rules += nodes.list_item("", nodes.paragraph("", "", *between((sentence, *marks), " ")))
    return nodes.paragraph("", "", link(docname, page, feature.name, nodes.make_id(feature.name))), rules


def packages(directive: SphinxDirective) -> list[nodes.Node]:
    """`{packages}` is the table of the packages."""
    site, docname = site_of(directive.config), directive.env.current_document.docname
    columns = ["package", "what it is about", "features", "rules", "last run"]
    rows = [_row(docname, site, *one) for one in site.rulebook.packages.items()]
    return [table(columns, rows, "packages")]


def totals(directive: SphinxDirective) -> list[nodes.Node]:
    """`{verdicts}` is how many packages, features and rules there are, what the last run came to, and its version."""
    site = site_of(directive.config)
    book, results = site.rulebook, site.results
    tally = results.tally_of(book.features.values())
    words = f"{len(book.packages)} packages, {len(book.features)} features, {counted(book.features.values())}: "
    all_of_it = nodes.paragraph("", words, verdict_span(str(tally), tally.worst))
    never = "Nothing has been run yet: `make test`, then `make docs`, shows results."
    version = f"The version that ran: {results.version[:12]}." if results.verdicts else never
    return [*banners_of(site), all_of_it, nodes.paragraph("", "", *coded(version), classes=["version", "no-search"])]


def _row(docname: str, site: Site, package: str, features: tuple[Feature, ...]) -> nodes.row:
    """A package; what it is about is the first sentence of its code."""
    code = site.root / "src" / "brim" / package / "__init__.py"
    doc = ast.get_docstring(ast.parse(code.read_text(encoding="utf-8"))) if code.exists() else ""
    tally, ids = site.results.tally_of(features), {one for each in features for rule in each.rules for one in rule.ids}
    name = link(docname, f"rulebook/{package}/index", title_of(site.root, package))
    about = " ".join((doc or "").split("\n\n")[0].split())
    return row([[name], about, str(len(features)), str(len(ids)), [verdict_span(str(tally), tally.worst)]])
