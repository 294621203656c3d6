"""What a compaction brings a conversation down to, over window sizes, and its step past 50,000 (TRG_16)."""

from __future__ import annotations

from typing import Final

from matplotlib.axes import Axes

from brim.trigger.budget import AUTOCOMPACT_BUFFER, summarization_budget
from living.charts.chart import Canvas, Chart, Margins, Table
from living.charts.labels import short

__all__ = ["chart", "steps"]

BEFORE: Final = (0, 10_000, 32_000, AUTOCOMPACT_BUFFER - 1, AUTOCOMPACT_BUFFER)
AFTER: Final = (AUTOCOMPACT_BUFFER + 1, 64_000, 90_000, 100_000, 128_000, 200_000)
"""Windows on either side of the step."""
NEW_LINE: Final = "\n"
TICKS: Final = (0, 50_000, 100_000, 150_000, 200_000)

Points = tuple[tuple[int, int], ...]


def steps() -> tuple[Points, Points]:
    """Windows and their budgets in tokens, before the step and after it."""
    before, after = (tuple((window, summarization_budget(window)) for window in part) for part in (BEFORE, AFTER))
    return before, after


def chart() -> Chart:
    """The chart, and its numbers."""
    before, after = steps()
    last, first = before[-1], after[0]
    return Chart(
        name="budget",
        caption=(
            f"The budget over the size of the window. It falls from {last[1]:,} tokens to {first[1]:,} "
            f"between a window of {last[0]:,} and one of {first[0]:,}."
        ),
        alternative=(
            f"Line chart of the budget over the size of the window, in tokens. It rises evenly to {last[1]:,} "
            f"at a window of {last[0]:,}, drops to {first[1]:,} at {first[0]:,}, and rises again from there, "
            f"token by token, to {after[-1][1]:,} at {after[-1][0]:,}."
        ),
        table=Table(("window", "budget"), tuple((f"{x:,}", f"{y:,}") for x, y in (*before, *after))),
        heights=(340, 330),
        draw=lambda canvas: _draw(canvas, before, after),
    )


def _draw(canvas: Canvas, before: Points, after: Points) -> None:
    axes = canvas.axes(Margins(left=48, right=40, top=24))
    axes.set_xlim(0, TICKS[-1])
    axes.set_ylim(0, 160_000)
    axes.set_xticks(TICKS, [short(window) for window in TICKS])
    axes.set_yticks(TICKS[:-1], [short(budget) for budget in TICKS[:-1]])
    axes.set_xlabel("size of the window, in tokens")
    axes.set_title("budget, in tokens", loc="left", color=canvas.theme.muted, size="medium")
    colour = canvas.theme.blue
    axes.plot(*zip(*before, strict=True), color=colour, clip_on=False)
    axes.plot(*zip(*after, strict=True), color=colour, clip_on=False)
    axes.plot(*zip(before[-1], after[0], strict=True), color=colour, linestyle=(0, (1, 2)), linewidth=1)
    _name_ends(canvas, axes, before, after)


def _name_ends(canvas: Canvas, axes: Axes, before: Points, after: Points) -> None:
    """The ends of both parts, a dot at each, with their numbers where the line is not."""
    narrow = canvas.size.narrow
    for (window, budget), beside, align in (
        (before[-1], (-5, 6), "right"),
        (after[0], (16 if narrow else 24, 4), "left"),
        (after[-1], (-8, -2), "right"),
    ):
        said = f"{budget:,}{NEW_LINE if narrow else ' '}at {window:,}"
        axes.plot([window], [budget], marker="o", color=canvas.theme.blue, clip_on=False)
        axes.annotate(
            said, (window, budget), xytext=beside, textcoords="offset points", color=canvas.theme.text, ha=align
        )
