"""The window in a picture: room for the answer, what is usable, what is held, and what a compaction leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from matplotlib.axes import Axes

from brim.cli.profiling import EXAMPLE
from brim.trigger.budget import summarization_budget
from brim.trigger.overflow import window_filled
from brim.trigger.usable_context import output_reserve, usable_context
from living.charts.chart import Canvas, Chart, Margins, Table

__all__ = ["Parts", "chart", "parts"]

HELD: Final = 120_000
"""A conversation to look at; any number that is usable would do."""
TOP: Final = 62
BOTTOM: Final = 106
"""Where the bar is, in CSS pixels from the top."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The window and its parts, in tokens; `filled` is what is held of what is usable, in percent."""

    window: int
    reserve: int
    usable: int
    held: int
    filled: int
    budget: int


def parts() -> Parts:
    """The parts, for the limits that `brim profiles` takes as its example."""
    usable = usable_context(EXAMPLE)
    return Parts(
        window=EXAMPLE.context_window,
        reserve=output_reserve(EXAMPLE),
        usable=usable,
        held=HELD,
        filled=window_filled(HELD, usable),
        budget=summarization_budget(EXAMPLE.context_window),
    )


def chart() -> Chart:
    """The picture, and its numbers."""
    of = parts()
    meanings = (
        ("the window", of.window, "all that the model can hold, read and written together"),
        ("reserve", of.reserve, "kept free for the answer"),
        ("usable", of.usable, "what is left for the conversation; one token more, and it is compacted"),
        ("held", of.held, f"the conversation so far, as an example; {of.filled}% of what is usable"),
        ("budget", of.budget, "what a compaction leaves at most"),
    )
    return Chart(
        name="window",
        caption=(
            f"A window of {of.window:,} tokens. What is held grows with every message; above {of.usable:,} it is "
            f"compacted, to {of.budget:,} or less."
        ),
        alternative=(
            f"A bar, the window of {of.window:,} tokens. Its end, the reserve of {of.reserve:,}, is kept free for the "
            f"answer. The rest, {of.usable:,}, is usable. The conversation holds {of.held:,} of it, from the left. "
            f"Two marks below the bar: {of.usable:,}, above which it is compacted, and {of.budget:,}, the budget, "
            "which a compaction leaves at most."
        ),
        table=Table(("part", "tokens", "what it is"), tuple((name, f"{n:,}", what) for name, n, what in meanings)),
        heights=(178, 178),
        draw=lambda canvas: _draw(canvas, of),
    )


def _draw(canvas: Canvas, of: Parts) -> None:
    axes = canvas.axes(Margins(left=4, right=4, top=0, bottom=0))
    axes.grid(visible=False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlim(0, of.window)
    axes.set_ylim(canvas.height, 0)
    _brackets(canvas, axes, of)
    _bar(canvas, axes, of)
    _mark(canvas, axes, of.budget, BOTTOM + 28, f"budget {of.budget:,}: left at most")
    _mark(canvas, axes, of.usable, BOTTOM + 54, f"above {of.usable:,} it is compacted")


def _brackets(canvas: Canvas, axes: Axes, of: Parts) -> None:
    """What the whole is called, and below it its two parts."""
    theme, up = canvas.theme, "bottom"
    for start, end, row, colour in (
        (0, of.window, 24, theme.muted),
        (0, of.usable, TOP - 8, theme.blue),
        (of.usable, of.window, TOP - 8, theme.orange),
    ):
        axes.annotate(
            "",
            (start, row),
            (end, row),
            arrowprops={"arrowstyle": "|-|, widthA=0.25, widthB=0.25", "color": colour, "shrinkA": 1.5, "shrinkB": 1.5},
        )
    axes.text(of.window, 18, f"the window {of.window:,}", ha="right", va=up, color=theme.text)
    axes.text(0, TOP - 14, f" usable {of.usable:,}", va=up, color=theme.blue)
    axes.text(of.window, TOP - 14, f"reserve {of.reserve:,}", ha="right", va=up, color=theme.orange)


def _bar(canvas: Canvas, axes: Axes, of: Parts) -> None:
    """What is held in full, what is free beside it, the reserve hatched."""
    theme, middle = canvas.theme, (TOP + BOTTOM) / 2
    for left, tokens, colour, filled, hatch in (
        (0, of.usable, theme.blue, "none", None),
        (0, of.held, theme.green, theme.green, None),
        (of.usable, of.reserve, theme.orange, "none", "////"),
    ):
        axes.barh(middle, tokens, BOTTOM - TOP, left, facecolor=filled, edgecolor=colour, hatch=hatch, linewidth=1.25)
    axes.text(of.held, middle, f"held {of.held:,}  ", ha="right", va="center", color=theme.page)


def _mark(canvas: Canvas, axes: Axes, at: int, row: int, said: str) -> None:
    """A line down from the bar, and what it means to its left."""
    axes.plot([at, at], [BOTTOM - 5, row], color=canvas.theme.text, linestyle=(0, (3, 2)), linewidth=1.25)
    axes.text(at, row - 2, f"{said}  ", ha="right", va="bottom", color=canvas.theme.text)
