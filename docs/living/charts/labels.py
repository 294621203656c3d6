"""Labels at the ends of lines, moved apart where they would run into each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from matplotlib.axes import Axes

from living.charts.chart import Canvas

__all__ = ["Ending", "label_ends", "short", "spread"]

LEADER: Final = 18
"""CSS pixels from the axes to a label."""
LINE: Final = 1.35
"""The height of a line of text, in sizes of the text."""
MILLION: Final = 1_000_000
THOUSAND: Final = 1_000


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a line ends, as data, and what it is called; a text of two lines needs twice the room."""

    text: str
    x: float
    y: float
    colour: str

    @property
    def lines(self) -> int:
        """How many lines of text it takes."""
        return self.text.count("\n") + 1


def label_ends(canvas: Canvas, axes: Axes, endings: list[Ending], *, top: float = 1.0) -> None:
    """Name each line to the right of the axes, with a thin leader to its end; of equal ends the first is lower."""
    ordered = sorted(endings, key=lambda one: one.y)
    ends = [(axes.transScale + axes.transLimits).transform((one.x, one.y)) for one in ordered]
    box = axes.get_position()
    line = LINE * canvas.size.text / (box.height * canvas.height)
    beside = 1 + LEADER / (box.width * canvas.size.width)
    places = spread([float(y) for _, y in ends], [one.lines * line for one in ordered], top)
    for one, (x, y), place in zip(ordered, ends, places, strict=True):
        axes.plot(
            [x, (1 + 3 * beside) / 4, beside - 0.005],
            [y, place, place],
            transform=axes.transAxes,
            color=one.colour,
            linewidth=0.9,
            clip_on=False,
        )
        axes.text(beside, place, one.text, transform=axes.transAxes, color=one.colour, va="center", linespacing=1.2)


def spread(places: list[float], sizes: list[float], top: float = 1.0) -> list[float]:
    """Ascending places, moved as little as it takes for sizes not to overlap, none beyond the top."""
    moved: list[float] = []
    for place, size in zip(places, sizes, strict=True):
        lowest = moved[-1] + (sizes[len(moved) - 1] + size) / 2 if moved else size / 2
        moved.append(max(place, lowest))
    highest = top
    for index in range(len(moved) - 1, -1, -1):
        moved[index] = min(moved[index], highest - sizes[index] / 2)
        highest = moved[index] - sizes[index] / 2
    return moved


def short(tokens: int) -> str:
    """A count for an axis: 50k, 1M; below a thousand as it is."""
    if tokens >= MILLION:
        return f"{tokens / MILLION:g}M"
    return f"{tokens / THOUSAND:g}k" if tokens >= THOUSAND else str(tokens)
