"""Planned rules: the promises on docs/rulebook/planned.md, and the tables of that page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.origins.claims import fences, rows
from living.rules.domain import Place, rules_of
from living.rules.rulebook import anchor_of
from living.site import Site, site_of
from living.tables import row, table
from living.text import span, with_links

ROOT = Path(__file__).resolve().parents[3]
PAGE = "rulebook/planned"
STATE = "◌ planned"


@dataclass(frozen=True, slots=True)
class Promise:
    """A rule that is planned: its id, its sentence, its source, and the line that it stands on."""

    id: str
    sentence: str
    source: str
    line: int


def page_of(root: Path) -> Path:
    """The page of a tree that holds them."""
    return root / "docs" / f"{PAGE}.md"


@cache
def planned(root: Path = ROOT) -> tuple[Promise, ...]:
    """Every rule that is planned, in the order of the page."""
    text = page_of(root).read_text(encoding="utf-8") if page_of(root).exists() else ""
    return tuple(promise for line, _, body in fences(text, "planned") for promise in promises(line + 1, body))


def promises(first: int, body: str) -> tuple[Promise, ...]:
    """The promises of a table: id, sentence and source in a line each."""
    cells = ((line, (*cells, "", "")) for line, cells in rows(first, body))
    return tuple(Promise(rule_id, sentence, source, line) for line, (rule_id, sentence, source, *_) in cells)


class PlannedTable(SphinxDirective):
    """`{planned}` with lines such as `CHK_01 | the promise | its source` is the table of these rules."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """One table, each row with the anchor of its rule."""
        site, docname = site_of(self.config), self.env.current_document.docname
        found = promises(1, "\n".join(self.content))
        lines = [self._row(site, docname, promise) for promise in found]
        return [table(["id", "promise"], lines, label="", classes=["planned"])]

    def _row(self, site: Site, docname: str, promise: Promise) -> nodes.row:
        anchor = anchor_of(promise.id)
        rules_of(self.env).note(Place(docname, anchor, promise.id, promise.sentence, home=True))
        sentence, _ = self.parse_inline(promise.sentence, lineno=self.lineno)
        links = with_links(docname, promise.source, site.root)
        source = nodes.paragraph("", "", nodes.Text("Source: "), *links, classes=["remark"])
        found = row([[span(promise.id, "rule-id")], [nodes.paragraph("", "", *sentence), source]])
        found["ids"] = [anchor]
        return found


def setup(app: Sphinx) -> None:
    """Make the table known."""
    app.add_directive("planned", PlannedTable)
