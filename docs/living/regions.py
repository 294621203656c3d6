"""What is too wide for a phone: tables scroll in a region that the keyboard reaches, and options stay whole."""

from __future__ import annotations

from collections import Counter
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from living.text import above

LONG = 30
"""Characters of a word that a phone cannot show on one line."""


class region(nodes.General, nodes.Element):  # noqa: N801  docutils calls its visitors by this name
    """A part of a page that scrolls by itself."""


class TablesInRegions(SphinxTransform):
    """Every table stands in a region; its label is the table's own, or the heading that it stands under."""

    default_priority = 880

    def apply(self, **_: Any) -> None:
        """Wrap them; labels of one page are told apart by a number."""
        met: Counter[str] = Counter()
        for table in list(self.document.findall(nodes.table)):
            label = table.get("label") or _heading(table)
            met[label] += 1
            number = f" ({met[label]})" if met[label] > 1 else ""
            around = region(label=f"{label}{number}")
            table.parent.replace(table, around)
            around += table


class OptionNames(SphinxTransform):
    """A literal with an option in it, such as --target, breaks at its spaces alone."""

    default_priority = 880

    def apply(self, **_: Any) -> None:
        """Mark them, but for those with a long word, which a phone has to break."""
        for literal in self.document.findall(nodes.literal):
            words = literal.astext().split()
            if any(word.startswith("-") for word in words) and max(map(len, words)) < LONG:
                literal["classes"].append("option-name")


def setup(app: Sphinx) -> None:
    """Make the regions known."""
    app.add_node(region, html=(_enter, _leave))
    app.add_transform(TablesInRegions)
    app.add_transform(OptionNames)
    app.add_js_file("tables.js", defer="defer")


def _heading(table: nodes.table) -> str:
    titles = (one.next_node(nodes.title) for one in above(table) if isinstance(one, nodes.section))
    title = next(titles, None)
    return f"Table: {title.astext()}" if title is not None else "Table"


def _enter(visitor: Any, node: region) -> None:
    attributes = {"role": "region", "aria-label": node["label"], "tabindex": "0"}
    visitor.body.append(visitor.starttag(node, "div", CLASS="table-region", **attributes))


def _leave(visitor: Any, _: region) -> None:
    visitor.body.append("</div>\n")
