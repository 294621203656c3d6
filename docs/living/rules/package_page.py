"""Pages of packages of rules: which features a package has, and which packages there are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.rules.feature_page import banners_of
from living.rules.rulebook import Package, anchors, counted, ids_of, name_of, paragraphs, title_of
from living.rules.verdicts import state, tally_of, told
from living.site import Site, site_of
from living.tables import row, table
from living.text import link, span, verdict_span, with_links
from steps.rulebook import Feature


class PackageDirective(SphinxDirective):
    """`{package} trigger` lists the features of a package, in the order that its content gives them."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The features with their rules. Raises an error where the order does not name each of them once."""
        site, docname = site_of(self.config), self.env.current_document.docname
        package = site.rulebook.package(self.arguments[0])
        if package is None:
            raise self.error(f"there is no package {self.arguments[0]!r}")
        order = [line.strip() for line in self.content if line.strip()]
        features = {feature.path.stem: feature for feature in package.features}
        if sorted(order) != sorted(features):
            raise self.error(f"the package holds {', '.join(sorted(features))}; the list names {', '.join(order)}")
        sections = [feature_entry(docname, site, features[name]) for name in order]
        return [*banners_of(site), *sections, toctree(docname, [f"rulebook/{package.name}/{name}" for name in order])]


class PackagesDirective(SphinxDirective):
    """`{packages}` is the table of the packages, under the totals of the last run."""

    def run(self) -> list[nodes.Node]:
        """The totals, then a row for each package."""
        site, docname = site_of(self.config), self.env.current_document.docname
        return [*totals(site), package_table(docname, site)]


def setup(app: Sphinx) -> None:
    """Make the directives known."""
    app.add_directive("package", PackageDirective)
    app.add_directive("packages", PackagesDirective)


def feature_entry(docname: str, site: Site, feature: Feature) -> nodes.section:
    """A feature on the page of its package: what it is about, its rules, and whether they hold."""
    name, places = name_of(feature), anchors(feature)
    page, tally = f"rulebook/{name}", site.results.tally(name, feature.scenarios)
    title = nodes.title("", "", link(docname, page, feature.name))
    section = nodes.section("", title, ids=[nodes.make_id(feature.name)])
    section += nodes.paragraph("", "", *_first_words(docname, site, feature))
    rules = nodes.bullet_list(classes=["rules"])
    for rule in feature.rules:
        one = site.results.tally(name, rule.scenarios)
        sentence = link(docname, page, rule.sentence, places[rule.line][0])
        ids = span(" ".join(rule.ids), "rule-id")
        rest = [nodes.Text(" "), ids, nodes.Text(" "), verdict_span(state(one), one.worst)]
        rules += nodes.list_item("", nodes.paragraph("", "", sentence, *rest))
    section += [rules, nodes.paragraph("", "", verdict_span(told(tally), tally.worst), classes=["facts"])]
    return section


def _first_words(docname: str, site: Site, feature: Feature) -> Iterator[nodes.Node]:
    return with_links(docname, next(paragraphs(feature.description), ""), site.root)


def package_table(docname: str, site: Site) -> nodes.table:
    """A row for each package."""
    columns = ["package", "what it is about", "features", "rules", "last run"]
    rows = [_row(docname, site, package) for package in site.rulebook.packages]
    return table(columns, rows, label="The packages", classes=["packages"])


def toctree(docname: str, pages: list[str]) -> nodes.Node:
    """A hidden table of contents."""
    tree = addnodes.toctree(parent=docname, entries=[(None, page) for page in pages], includefiles=pages)
    shown = {"maxdepth": 1, "caption": None, "glob": False, "hidden": True, "includehidden": False}
    tree.attributes.update(shown, numbered=0, titlesonly=True, rawentries=[])
    return nodes.compound("", tree, classes=["toctree-wrapper"])


def totals(site: Site) -> list[nodes.Node]:
    """Packages, features and rules, the results of the last run, and which version ran."""
    features = site.rulebook.features.values()
    tally = tally_of(site.results, features)
    words = f"{len(site.rulebook.packages)} packages, {len(features)} features, {counted(features)}: "
    all_of_it = nodes.paragraph("", words, verdict_span(told(tally), tally.worst), classes=["totals"], ids=["last-run"])
    ran = site.results.version and f"The version that ran: {site.results.version[:12]}."
    version = ran if site.results.there else "Nothing has been run."
    return [
        *banners_of(site),
        all_of_it,
        *([nodes.paragraph("", version, classes=["version", "no-search"])] if version else []),
    ]


def _row(docname: str, site: Site, package: Package) -> nodes.row:
    tally = tally_of(site.results, package.features)
    name = link(docname, f"rulebook/{package.name}/index", title_of(site.root, package.name))
    verdict = verdict_span(told(tally), tally.worst)
    return row(
        [[name], _about(site, package), str(len(package.features)), str(len(ids_of(package.features))), [verdict]]
    )


def _about(site: Site, package: Package) -> str:
    """What a package is about: the first sentence of its code."""
    code = site.root / "src" / "brim" / package.name / "__init__.py"
    docstring = ast.get_docstring(ast.parse(code.read_text(encoding="utf-8"))) if code.exists() else None
    return " ".join((docstring or "").split("\n\n")[0].split())
