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
    """Values one after the other, drawn as a line; `kind` is main or beside."""

    values: Sequence[float]
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
    ends: tuple[str, str],
    levels: Sequence[float] = (),
    marks: Sequence[Mark] = (),
) -> Markup:
    """Lines from 0 to `top`, with levels as dashed lines and marks. `ends` name the first and the last index.

    `name` begins the ids, of which a page has each once.
    """

    def height(value: float) -> str:
        return f"{ABOVE + PLOT * (1 - value / top):.1f}"

    count = max([len(line.values) for line in lines], default=0)
    drawn = [_across_all(height(part * top), "rule") for part in (0, 0.5, 1)]
    drawn += [_across_all(height(value), "level") for value in levels]
    drawn.append(_plot(lines, count, top))
    drawn.append(element("text", short(top), x="100%", y=ABOVE - 4, class_="end"))
    for mark in marks:
        shape = element("path", element("title", mark.text), d=SHAPES[mark.shape], class_=f"mark {mark.shape}")
        at = f"{100 * mark.index / max(count - 1, 1):.2f}%"
        drawn.append(element("svg", shape, x=at, y=height(mark.value), overflow="visible"))
    whole = ABOVE + PLOT + BELOW
    drawn.append(element("text", ends[0], x="0", y=whole - 4))
    drawn.append(element("text", ends[1], x="100%", y=whole - 4, class_="end"))
    return _chart(name, title, description, whole, drawn)


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
    keys = [(_part(name, one, x=1, y=2, width=22, height=10), text) for one, text in zip(PATTERNS, parts, strict=False)]
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


def _plot(lines: Sequence[Line], count: int, top: float) -> Markup:
    """The lines, stretched over the whole width; their strokes are not."""
    paths = [element("path", d=_path(line.values, count, top), class_=line.kind) for line in lines]
    stretched: dict[str, Any] = {"viewBox": f"0 0 1000 {PLOT}", "preserveAspectRatio": "none"}
    return element("svg", *paths, y=ABOVE, width="100%", height=PLOT, overflow="visible", **stretched)


def _path(values: Sequence[float], count: int, top: float) -> str:
    points = [(1_000 * index / max(count - 1, 1), PLOT * (1 - value / top)) for index, value in thinned(values)]
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
