"""What a window is made of: the breakdown of `brim inspect`, for the recorded session."""

from __future__ import annotations

from typing import Final

from matplotlib.axes import Axes

from brim.cli.inspecting import Row, rows
from living.charts.chart import Canvas, Chart, Margins, Table
from living.charts.recorded import inspected

__all__ = ["chart", "parts"]

COLOURS: Final = {"magenta": "grey", "green": "green", "cyan": "blue", "blue": "blue", "yellow": "orange"}
"""The colours of the terminal as those of the site."""
ROW: Final = 36
"""CSS pixels."""


def parts() -> tuple[Row, ...]:
    """What fills the window, as `brim inspect` lists it: the tools follow their outputs, and have no colour."""
    return tuple(row for row in rows(inspected().composition) if row.tokens)


def chart() -> Chart:
    """The chart, and its numbers."""
    found, now = parts(), inspected().window_now
    return Chart(
        name="composition",
        caption=f"What the {now:,} tokens of the recorded session are made of, at its end.",
        alternative=(
            f"Bar chart of what fills a window of {now:,} tokens: {_listed(found, by_tool=False)}. "
            f"The tool outputs are from: {_listed(found, by_tool=True)}."
        ),
        table=Table(
            ("part of the window", "tokens"),
            tuple((row.name if row.colour else f"of which {row.name.strip()}", f"{row.tokens:,}") for row in found),
        ),
        heights=(ROW * len(found), ROW * len(found)),
        draw=lambda canvas: _draw(canvas, found),
    )


def _listed(found: tuple[Row, ...], *, by_tool: bool) -> str:
    return ", ".join(f"{row.name.strip()} {row.tokens:,}" for row in found if by_tool is not bool(row.colour))


def _draw(canvas: Canvas, found: tuple[Row, ...]) -> None:
    axes = canvas.axes(Margins(left=4, right=4, top=0, bottom=4))
    axes.grid(visible=False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlim(0, max(row.tokens for row in found))
    axes.set_ylim(len(found), 0)
    for place, row in enumerate(found):
        _draw_row(canvas, axes, place, row)


def _draw_row(canvas: Canvas, axes: Axes, place: int, row: Row) -> None:
    """A bar with its name and number above it, which are read at any width; a tool's is thin and hatched."""
    whole = bool(row.colour)
    colour = getattr(canvas.theme, COLOURS.get(row.colour, "grey") if whole else "orange")
    axes.barh(
        place + 0.72,
        row.tokens,
        height=0.36 if whole else 0.2,
        facecolor=colour if whole else "none",
        edgecolor=colour,
        hatch=None if whole else "////",
        linewidth=1,
    )
    said = f"{'' if whole else 'of which '}{row.name.strip()}  {row.tokens:,}"
    axes.text(0, place + 0.47, said, color=canvas.theme.text if whole else canvas.theme.muted, va="bottom")
