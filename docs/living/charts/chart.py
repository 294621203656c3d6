"""A chart as a value: its numbers, its words and how it is drawn; and the drawing, the same to the byte each time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["SIZES", "THEMES", "Canvas", "Chart", "Margins", "Size", "Table", "Theme", "drawn", "figure_of", "settings"]

PIXELS_PER_INCH: Final = 96
POINTS_PER_PIXEL: Final = 0.75


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a theme: text at 4.5 to 1 against the page or more, lines at 3 to 1."""

    name: str
    page: str
    text: str
    muted: str
    grid: str
    blue: str
    orange: str
    green: str
    grey: str


THEMES: Final = (
    Theme("light", "#ffffff", "#1f2328", "#545b64", "#d5d9de", "#0a5ca8", "#a63d00", "#176b3f", "#6a7079"),
    Theme("dark", "#14181e", "#e6e9ed", "#aab2bc", "#3a424d", "#74b9ff", "#f2a765", "#63d39b", "#a2a9b3"),
)


@dataclass(frozen=True, slots=True)
class Size:
    """A width to draw for, and the size of its text, in CSS pixels."""

    name: str
    width: int
    text: int

    @property
    def narrow(self) -> bool:
        """Whether it is the one for a telephone."""
        return self.name == "narrow"


SIZES: Final = (Size("wide", 680, 13), Size("narrow", 328, 11))


@dataclass(frozen=True, slots=True)
class Margins:
    """Room around the axes for what is written there, in CSS pixels."""

    left: int
    right: int
    top: int = 12
    bottom: int = 50


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a chart is drawn on."""

    figure: Figure
    theme: Theme
    size: Size
    height: int

    def axes(self, margins: Margins) -> Axes:
        """Axes within these margins: a grid of faint lines, and no frame."""
        width, height = self.size.width, self.height
        across, up = width - margins.left - margins.right, height - margins.top - margins.bottom
        axes = self.figure.add_axes((margins.left / width, margins.bottom / height, across / width, up / height))
        axes.spines[["top", "right", "left", "bottom"]].set_visible(False)
        axes.tick_params(length=0, pad=6, colors=self.theme.muted)
        axes.grid(color=self.theme.grid, linewidth=0.75)
        axes.set_axisbelow(True)
        return axes


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers of a chart: the names of the columns, and rows of cells as they are read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: what it is called, what it shows, what it shows to those who do not see it, and its numbers."""

    name: str
    caption: str
    alternative: str
    table: Table
    heights: tuple[int, int]
    """CSS pixels: the wide one, the narrow one."""
    draw: Callable[[Canvas], None]


def drawn(chart: Chart, theme: Theme, size: Size) -> bytes:
    """The chart as SVG. Letters are drawn as outlines, so that no label depends on the fonts of who reads it."""
    with style.context(settings(theme, size), after_reset=True):
        written = BytesIO()
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure_of(chart, theme, size).savefig(written, format="svg", transparent=True, metadata=metadata)
    return written.getvalue()


def figure_of(chart: Chart, theme: Theme, size: Size) -> Figure:
    """The chart as matplotlib holds it, under the settings of the moment."""
    height = chart.heights[size.narrow]
    figure = Figure(figsize=(size.width / PIXELS_PER_INCH, height / PIXELS_PER_INCH), dpi=PIXELS_PER_INCH)
    chart.draw(Canvas(figure, theme, size, height))
    return figure


def settings(theme: Theme, size: Size) -> dict[str, object]:
    """What matplotlib is told for every chart."""
    return {
        "axes.labelcolor": theme.muted,
        "axes.unicode_minus": True,
        "font.family": ["DejaVu Sans"],
        "font.size": size.text * POINTS_PER_PIXEL,
        "hatch.linewidth": 0.75,
        "lines.linewidth": 1.75,
        "lines.markersize": 5.5,
        "svg.fonttype": "path",
        "svg.hashsalt": "brim",
        "text.color": theme.text,
    }
