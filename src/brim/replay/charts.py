"""Charts as HTML: lines and bars as wide as their place, whose text keeps its size. No script, nothing from elsewhere.

They are drawn by templates/macros.html. Colors are custom properties of the page (templates/charts.css has their
values, light and dark); lines differ by their dashes, marks by their shapes and parts by their patterns besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from brim.errors import Refused, lacks_extra

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

POINTS: Final = 400
"""Points of a line at most: what a screen shows of more."""
SHAPES: Final = {"summary": "▼", "clearing": "◇", "overflow": "✕"}
"""The shapes of marks, by what they mark."""
PATTERNS: Final = ("solid", "hatched", "dotted", "empty")
"""How the parts of a bar are filled, in order."""


@cache
def templates() -> Environment:
    """Return the templates of pages. Raises Refused where Jinja2 is not installed."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  an extra has it
    except ImportError as error:
        raise Refused(lacks_extra("a page", "replay", error)) from error
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_printable,
    )
    environment.filters |= {"count": "{:,}".format, "counted": counted}
    return environment


def macro(name: str, *arguments: object) -> Markup:
    """Return what a macro of templates/macros.html writes."""
    written: Markup = getattr(templates().get_template("macros.html").module, name)(*arguments)
    return written


def _printable(value: object) -> object:
    """Replace the characters of a text from outside that no page may hold, or that turn the writing round."""
    if type(value) is not str or value.isprintable():
        return value
    return "".join(one if one.isprintable() else " " if one.isspace() else "\N{REPLACEMENT CHARACTER}" for one in value)


def counted(number: int, what: str) -> str:
    """Return a number of things: 1 session, 2 sessions."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def short(value: float) -> str:
    """Return a count as an axis has room for it: 200k, 121.6k, 1M."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= unit:
            return f"{value / unit:.4g}{letter}"
    return f"{value:.4g}"


@dataclass(frozen=True, slots=True)
class Line:
    """Values one after the other, None where there is none, and the name of their line in the legend.

    `kind` is main, second, third or beside, followed by dash or dots where the line is not solid.
    """

    values: Sequence[float | None]
    kind: str = "main"
    name: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a line: its index, its value, its shape (of SHAPES), and what a pointer over it is shown."""

    index: int
    value: float
    shape: str
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a bar chart: its parts in order, and from where to where their sum may lie."""

    label: str
    parts: Sequence[float]
    total: str
    span: tuple[float, float] | None = None


def line_chart(
    title: str,
    description: str,
    lines: Sequence[Line],
    *,
    top: float,
    ticks: Sequence[tuple[float, str]],
    grid: Sequence[tuple[float, str]],
    marks: Sequence[Mark] = (),
) -> Markup:
    """Draw lines from 0 to `top`. `ticks` name shares of the width, from 0 to 1, `grid` values."""
    count = max(len(line.values) for line in lines) - 1 or 1
    paths = [(line.kind, _path([*thinned(line.values)], 1_000 / count, 100 / top)) for line in lines]
    placed = [(100 * one.index / count, 100 * one.value / top, one) for one in marks]
    levels = [(100 * value / top, text) for value, text in grid]
    return macro("plot", f"{title}. {description}", lines, paths, levels, placed, ticks, SHAPES)


def _path(points: Sequence[tuple[int, float]], across: float, up: float) -> str:
    """Return the path of a line; one value alone is a level."""
    path = " ".join(f"{x * across:.1f} {100 - y * up:.1f}" for x, y in points)
    return f"{path}H1000" if len(points) == 1 else path


def thinned(values: Sequence[float | None]) -> Iterator[tuple[int, float]]:
    """Yield the values with their indices; of more than POINTS the highest of each of some stretches."""
    there = [(n, value) for n, value in enumerate(values) if value is not None]
    stretch = ceil(len(there) / POINTS)
    for start in range(0, len(there), stretch or 1):
        yield max(there[start : start + stretch], key=itemgetter(1))


def bar_chart(
    name: str, *, title: str, description: str, parts: Sequence[str], bars: Sequence[Bar], span: str | None = None
) -> Markup:
    """Draw bars of stacked parts with a legend; `span` says what the line across a bar's end means."""
    whole = max([*(sum(bar.parts) for bar in bars), *(bar.span[1] for bar in bars if bar.span)], default=0) or 1
    keys = [(pattern, text) for pattern, text in zip(PATTERNS, parts, strict=False) if text]
    rows = [(bar, [(one, part) for one, part in zip(PATTERNS, bar.parts, strict=False) if part]) for bar in bars]
    return macro("bars", name, f"{title}. {description}", keys, rows, 100 / whole, span)


def element(name: str, *children: object, **attributes: object) -> Markup:
    """Write an element of HTML with what it holds, None left out; `class_` is the attribute class."""
    return macro("element", name, children, {key.rstrip("_"): one for key, one in attributes.items()})
