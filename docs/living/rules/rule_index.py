"""The index of all rules by id, with state and source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.rules.feature_page import banners_of
from living.rules.rulebook import anchors, counted, portability, source_of, title_of
from living.site import Site, site_of
from living.tables import row, table
from living.text import coded, link, span, verdict_span, with_links
from steps.rulebook import Rule

NAMED = re.compile(r"[A-Z]{3}_\d\d\)")
KEPT = re.compile(r"(.+) \(((?:[A-Z]{3}_\d\d(?:, )?)+)\)\.?", re.DOTALL)
"""A test's docstring that keeps a rule: a sentence, and the ids of the rules in brackets."""


class RuleIndex(SphinxDirective):
    """`{rule-index}` is the table of every rule, a section for each family of ids."""

    def run(self) -> list[nodes.Node]:
        """Return the number of rules, a section for each family, and the table of what tests keep."""
        site, docname = site_of(self.config), self.env.current_document.docname
        text = f"{counted(site.rulebook)}. A portable rule holds in every language."
        totals = nodes.paragraph("", text, classes=["totals"])
        return [*banners_of(site), totals, *family_sections(docname, site), *kept_section(site)]


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
    verdict: list[nodes.Node] = [nodes.paragraph("", "", verdict_span(tally.state, tally.worst))]
    if portable := portability(feature, rule):
        verdict.append(nodes.paragraph("", portable, classes=["portable"]))
    classes = [f"is-{one.replace(' ', '-')}" for one in (tally.worst, portable) if one]
    sentence = link(docname, f"rulebook/{name}", rule.sentence, anchor)
    source = list(with_links(docname, source_of(rule), site.root))
    return row([[span(rule_id, "rule-id")], [sentence], verdict, source], *classes)


def kept_section(site: Site) -> Iterator[nodes.section]:
    """Yield the table of docstrings of tests that name rules, a line for each; none where no test names one."""
    kept = ((one, *said) for ids, *said in kept_by_tests(site.root) for one in ids if one in site.rulebook.by_id)
    if rows := [row([[span(one, "rule-id")], coded(said), test]) for one, said, test in sorted(kept)]:
        intro = "Promises of brim's own that no feature shows, and rows beyond those of a feature. Each is a test."
        listed = table(["id", "sentence", "test"], rows, label="Kept by tests", classes=["kept-by-tests"])
        title = nodes.title("", "Kept by tests")
        yield nodes.section("", title, nodes.paragraph("", intro), listed, ids=["kept-by-tests"])


def kept_by_tests(root: Path) -> Iterator[tuple[list[str], str, str]]:
    """Yield of each test whose docstring ends with ids of rules: the ids, the sentence, and its file and name."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text if NAMED.search(text) else "")
        named: list[ast.Module | ast.FunctionDef] = [tree]
        named += (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name.startswith("test_"))
        for node in named:
            if found := KEPT.fullmatch((ast.get_docstring(node) or "").split("\n\n")[0]):
                name = node.name.removeprefix("test_").replace("_", " ") if isinstance(node, ast.FunctionDef) else ""
                file = path.relative_to(root / "tests").as_posix()
                yield found[2].split(", "), " ".join(found[1].split()), f"{file}: {name}" if name else file
