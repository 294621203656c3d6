"""The directive `{chart}`: a picture for each theme and width, its caption, and its numbers in a table that opens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living import freshness
from living.charts import budget, composition, responses, thresholds, window
from living.charts.chart import SIZES, THEMES, Chart, Size, Theme, drawn
from living.folds import folded
from living.site import Site
from living.tables import row, table

__all__ = ["CHARTS", "ChartDirective", "setup"]

CHARTS: Final[Mapping[str, Callable[[], Chart]]] = MappingProxyType(
    {
        "window": window.chart,
        "thresholds": thresholds.chart,
        "budget": budget.chart,
        "composition": composition.chart,
        "responses": responses.chart,
    }
)
"""Every chart by its name."""
NARROW: Final = "(max-width: 640px)"
"""Where the narrow drawing is shown."""


class picture(nodes.General, nodes.Element):  # noqa: N801  docutils calls its visitors by this name
    """The drawings of a chart; `chart` is its name, `alternative` what it shows to those who do not see it."""


class ChartDirective(SphinxDirective):
    """`{chart} budget` shows that chart."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The chart. Raises an error that lists the names where there is none of this name."""
        name = self.arguments[0]
        if name not in CHARTS:
            raise self.error(f"there is no chart {name!r}; there are: {', '.join(CHARTS)}")
        for module in sorted(Path(__file__).parent.glob("*.py")):
            self.env.note_dependency(str(module))
        freshness.note(self.env, self.env.current_document.docname, "chart", name)
        return [nodes_of(CHARTS[name]())]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    freshness.RECIPES["chart"] = ingredients
    app.add_node(picture, html=(_enter, _leave))
    app.add_directive("chart", ChartDirective)
    app.add_css_file("charts.css")
    app.add_css_file("start.css")
    app.add_js_file("print.js")


def nodes_of(chart: Chart) -> nodes.container:
    """The chart as nodes of a page."""
    rows = [row(cells) for cells in chart.table.rows]
    numbers = table(chart.table.columns, rows, label=f"The numbers of the chart: {chart.caption}", classes=["numbers"])
    return nodes.container(
        "",
        picture(chart=chart.name, alternative=chart.alternative),
        nodes.paragraph("", chart.caption, classes=["chart-caption"]),
        *folded("The numbers", numbers),
        classes=["chart"],
    )


def ingredients(_: Site, name: str) -> object:
    """What a chart shows, one drawing of it included: where that stays, so does the page."""
    if name not in CHARTS:
        return None
    chart = CHARTS[name]()
    return chart.caption, chart.alternative, chart.table, chart.heights, drawn(chart, THEMES[0], SIZES[0])


def _enter(visitor: Any, node: picture) -> None:
    """Write the drawings beside the page, and show the one for the theme and the width."""
    chart = CHARTS[node["chart"]]()
    folder = Path(visitor.builder.outdir) / visitor.builder.imagedir
    folder.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        for size in SIZES:
            (folder / _file(chart, theme, size)).write_bytes(drawn(chart, theme, size))
        visitor.body.append(_picture(visitor.builder.imgpath, chart, theme))


def _leave(visitor: Any, _: picture) -> None:
    visitor.body.append("\n")


def _picture(path: str, chart: Chart, theme: Theme) -> str:
    wide, narrow = ((size, f"{path}/{_file(chart, theme, size)}") for size in SIZES)
    return (
        f'<picture><source media="{NARROW}" srcset="{narrow[1]}" {_extent(chart, narrow[0])}>'
        f'<img class="only-{theme.name}" src="{wide[1]}" {_extent(chart, wide[0])} alt="{escape(chart.alternative)}">'
        "</picture>\n"
    )


def _extent(chart: Chart, size: Size) -> str:
    return f'width="{size.width}" height="{chart.heights[size.narrow]}"'


def _file(chart: Chart, theme: Theme, size: Size) -> str:
    return f"chart-{chart.name}-{size.name}-{theme.name}.svg"
