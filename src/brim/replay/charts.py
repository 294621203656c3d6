"""Charts: inline SVG that is as wide as its place, while its text keeps its size. No script, no picture from elsewhere.

Horizontal coordinates are percentages and vertical ones pixels, so that one drawing serves a telephone, a wide page and
paper. Colors are custom properties of the page that shows the chart (charts.css has their values, light and dark);
lines differ by their dashes, marks by their shapes and parts by their patterns besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from typing import Any, Final

POINTS: Final = 400
"""Points of a line at most: what a screen shows of more."""
ABOVE, PLOT, BELOW = 18, 112, 18
"""Pixels of a line chart: above its plot, of the plot, and below it."""
TEXT = 15
"""Pixels of a line of text."""
NEW_LINE: Final = "\n"
ROW, BAR = 42, 14
"""Pixels of a row of bars, and of the bar in it."""
SHAPES: Final = {
    "summary": "M-5.5-9H5.5L0 0Z",
    "clearing": "M0-11L5-5.5L0 0L-5-5.5Z",
    "overflow": "M-5-10L5 0M5-10L-5 0",
}
"""The shapes of marks, whose points stand on the line."""
PATTERNS: Final = ("solid", "hatched", "dotted", "empty")
"""How the parts of a bar are filled, in order."""


class Markup(str):
    """HTML whose values are escaped already."""

    __slots__ = ()


def element(name: str, *children: object, **attributes: object) -> Markup:
    """An element of HTML or SVG. Children and attributes are escaped unless they are Markup; None is left out.

    A trailing underscore of an attribute's name is dropped, and others are hyphens: class_, aria_label.
    """
    given = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items() if value is not None)
    written = "".join(f' {key}="{escaped(value)}"' for key, value in given)
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[object]) -> Markup:
    """Children one after the other, escaped unless they are Markup; None is left out."""
    return Markup("".join(one if isinstance(one, Markup) else escaped(one) for one in children if one is not None))


def escaped(value: object) -> Markup:
    """A value as text of a page; characters that no page may hold or that turn the writing round are replaced."""
    text = str(value)
    return Markup(escape(text if text.isprintable() else "".join(map(_shown, text))))


def _shown(character: str) -> str:
    if character.isprintable() or character == "\N{NO-BREAK SPACE}":
        return character
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


def short(value: float) -> str:
    """A count as an axis has room for: 200k, 121.6k, 1M."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= unit:
            return f"{value / unit:.4g}{letter}"
    return f"{value:.4g}"


@dataclass(frozen=True, slots=True)
class Line:
    """Values one after the other, drawn as a line; None where there is none.

    `kind` is beside, or main, second or third, followed by dash or dots where it is no solid line.
    """

    values: Sequence[float | None]
    kind: str = "main"


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a line, which stands to the right of the plot at a value; `kind` is that of the line, or level.

    A line feed breaks it.
    """

    value: float
    text: str
    kind: str = "main"


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on the line: its index, its value, its shape (of SHAPES), and what a pointer over it is shown."""

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
    name: str,
    *,
    title: str,
    description: str,
    lines: Sequence[Line],
    top: float,
    ticks: Sequence[tuple[float, str]],
    levels: Sequence[float] = (),
    marks: Sequence[Mark] = (),
    plot: int = PLOT,
    grid: Sequence[tuple[float, str]] = (),
    names: Sequence[Name] = (),
) -> Markup:
    """Lines from 0 to `top`, with levels as dashed lines and marks. `ticks` name shares of the width, from 0 to 1.

    `name` begins the ids, of which a page has each once. `plot` is the height in pixels, and `grid` names values where
    half and all of `top` do not suffice.
    """

    def height(value: float) -> str:
        return f"{ABOVE + plot * (1 - value / top):.1f}"

    count = max([len(line.values) for line in lines], default=0)
    drawn = [
        _across_all(height(value), "rule") for value in ([0, *(at for at, _ in grid)] if grid else [0, top / 2, top])
    ]
    drawn += [_across_all(height(value), "level") for value in levels]
    drawn.append(_plot(lines, count, top, plot))
    if not grid:
        drawn.append(element("text", short(top), x="100%", y=ABOVE - 4, class_="end"))
    drawn += [element("text", text, x="0", y=float(height(value)) - 4) for value, text in grid]
    for mark in marks:
        shape = element("path", element("title", mark.text), d=SHAPES[mark.shape], class_=f"mark {mark.shape}")
        at = f"{100 * mark.index / max(count - 1, 1):.2f}%"
        drawn.append(element("svg", shape, x=at, y=height(mark.value), overflow="visible"))
    whole = ABOVE + plot + BELOW
    for share, text in ticks:
        anchor = "end" if share == 1 else "middle" if share else None
        drawn.append(element("text", text, x=f"{100 * share:.4g}%", y=whole - 4, class_=anchor))
    chart = _chart(name, title, description, whole, drawn)
    if not names:
        return chart
    return element(
        "div", chart, _names_beside(names, [float(height(one.value)) for one in names], whole), class_="named"
    )


def _names_beside(names: Sequence[Name], heights: Sequence[float], whole: float) -> Markup:
    """The names in a column, each as near to its height as the others allow; of equal heights the first is lower."""
    ordered = sorted(zip(heights, range(len(names)), strict=True), key=lambda one: (one[0], -one[1]))
    shown = [names[index] for _, index in ordered]
    places = spread([at for at, _ in ordered], [TEXT * (one.text.count(NEW_LINE) + 1) for one in shown], whole)
    return element(
        "ul",
        *(
            element(
                "li",
                element("svg", line_key(one.kind), width=24, height=14, class_="chart", aria_hidden="true"),
                element("span", Markup(NEW_LINE.join(map(escaped, one.text.split(NEW_LINE))))),
                style=f"margin-top:{at - TEXT * (one.text.count(NEW_LINE) + 1) / 2:.0f}px",
            )
            for one, at in zip(shown, places, strict=True)
        ),
    )


def spread(places: Sequence[float], sizes: Sequence[float], whole: float) -> list[float]:
    """Ascending places, moved as little as it takes for sizes that stand around them not to overlap, within `whole`."""
    moved: list[float] = []
    for place, size in zip(places, sizes, strict=True):
        moved.append(max(place, moved[-1] + (sizes[len(moved) - 1] + size) / 2 if moved else size / 2))
    highest = whole
    for index in range(len(moved) - 1, -1, -1):
        moved[index] = min(moved[index], highest - sizes[index] / 2)
        highest = moved[index] - sizes[index] / 2
    return moved


def bar_chart(
    name: str, *, title: str, description: str, parts: Sequence[str], bars: Sequence[Bar], span: str | None = None
) -> Markup:
    """Bars of stacked parts, one a row, with a legend; `span` says what the line across a bar's end means."""
    whole = max([*(sum(bar.parts) for bar in bars), *(bar.span[1] for bar in bars if bar.span)], default=0) or 1
    drawn = [_patterns(name)]
    for row, bar in enumerate(bars):
        y, left = row * ROW + 18, 0.0
        drawn.append(element("text", bar.label, x="0", y=y - 5, class_="label"))
        drawn.append(element("text", bar.total, x="100%", y=y - 5, class_="end label"))
        for pattern, value in zip(PATTERNS, bar.parts, strict=False):
            width = 100 * value / whole
            if value:
                drawn.append(_part(name, pattern, x=f"{left:.3f}%", y=y, width=f"{width:.3f}%", height=BAR))
            left += width
        if bar.span:
            low, high = (f"{100 * end / whole:.3f}%" for end in bar.span)
            drawn += _across(low, high, y + BAR / 2)
    shown = [(one, text) for one, text in zip(PATTERNS, parts, strict=False) if text]
    keys = [(_part(name, one, x=1, y=2, width=22, height=10), text) for one, text in shown]
    if span is not None:
        keys.append((joined(_across("1", "23", 7)), span))
    return joined((legend(keys), _chart(name, title, description, len(bars) * ROW, drawn)))


def legend(keys: Iterable[tuple[Markup, str]]) -> Markup:
    """What the lines, marks and patterns mean: each drawn on 24 by 14 pixels, with its text."""
    shown = (
        (element("svg", drawn, width=24, height=14, class_="chart", aria_hidden="true"), text) for drawn, text in keys
    )
    return element("ul", *(element("li", *one) for one in shown), class_="legend")


def line_key(kind: str) -> Markup:
    """A line as a legend shows it; `kind` is that of a Line, or level."""
    return element("line", x1=0, x2=24, y1=7, y2=7, class_=kind)


def mark_key(shape: str) -> Markup:
    """A mark as a legend shows it."""
    return element("path", d=SHAPES[shape], class_=f"mark {shape}", transform="translate(12 12.5)")


def _chart(name: str, title: str, description: str, height: float, drawn: Iterable[Markup]) -> Markup:
    ids = f"{name}-title", f"{name}-description"
    said = element("title", title, id=ids[0]), element("desc", description, id=ids[1])
    named = {"role": "img", "aria_labelledby": ids[0], "aria_describedby": ids[1]}
    return element("svg", *said, *drawn, width="100%", height=height, class_="chart", **named)


def _across_all(y: str, kind: str) -> Markup:
    return element("line", x1="0", x2="100%", y1=y, y2=y, class_=kind)


def _plot(lines: Sequence[Line], count: int, top: float, plot: int) -> Markup:
    """The lines, stretched over the whole width; their strokes are not."""
    paths = [element("path", d=_path(line.values, count, top, plot), class_=line.kind) for line in lines]
    stretched: dict[str, Any] = {"viewBox": f"0 0 1000 {plot}", "preserveAspectRatio": "none"}
    return element("svg", *paths, y=ABOVE, width="100%", height=plot, overflow="visible", **stretched)


def _path(values: Sequence[float | None], count: int, top: float, plot: int) -> str:
    there = [(index, value) for index, value in enumerate(values) if value is not None]
    kept = thinned([value for _, value in there])
    points = [(1_000 * there[place][0] / max(count - 1, 1), plot * (1 - value / top)) for place, value in kept]
    path = " ".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{path}" + ("H1000" if len(points) == 1 else "")


def thinned(values: Sequence[float]) -> Iterator[tuple[int, float]]:
    """The values with their indices; of many, the first, the last, and the extremes of each of some stretches."""
    count = len(values)
    stretch = ceil(2 * count / (POINTS - 2)) if count > POINTS else 1
    kept = {0, count - 1} if count else set()
    for start in range(0, count, stretch):
        indices = range(start, min(start + stretch, count))
        kept |= {min(indices, key=values.__getitem__), max(indices, key=values.__getitem__)}
    yield from ((index, values[index]) for index in sorted(kept))


def _part(name: str, pattern: str, **place: object) -> Markup:
    fill = {"fill": f"url(#{name}-{pattern})"} if pattern in {"hatched", "dotted"} else {}
    return element("rect", class_=f"part {pattern}", **fill, **place)


def _patterns(name: str) -> Markup:
    size: dict[str, Any] = {"patternUnits": "userSpaceOnUse", "width": 5, "height": 5}
    turned: dict[str, Any] = {"patternTransform": "rotate(45)"}
    hatch = element("rect", width=2.5, height=5)
    dots = element("circle", cx=2.5, cy=2.5, r=1.3)
    return element(
        "defs",
        element("pattern", hatch, id=f"{name}-hatched", class_="hatched", **size, **turned),
        element("pattern", dots, id=f"{name}-dotted", class_="dotted", **size),
    )


def _across(low: str, high: str, y: float) -> list[Markup]:
    """From where to where a sum may lie: a line with an end on each side."""
    ends = [
        {"x1": low, "x2": high, "y1": y, "y2": y},
        *({"x1": end, "x2": end, "y1": y - 4, "y2": y + 4} for end in (low, high)),
    ]
    return [element("line", class_=kind, **end) for kind in ("halo", "span") for end in ends]
