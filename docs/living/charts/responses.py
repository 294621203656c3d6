"""The window of the recorded session after each of its responses, with the thresholds of three profiles."""

from __future__ import annotations

from typing import Final

from matplotlib.axes import Axes

from brim.cli.output import sentence, tokens
from brim.transcripts.inspection import Due
from brim.transcripts.window import Walk
from living.charts.chart import Canvas, Chart, Margins, Table
from living.charts.labels import Ending, label_ends, short
from living.charts.recorded import LIMITS, inspected, transcript

__all__ = ["chart", "held", "thresholds"]

PROFILES: Final = {"usable": "-", "proactive": (0, (5, 2)), "codelet-typescript": (0, (1, 1.5))}
"""The default, the one that acts before it, and the one that waits for 90% of the window; each with its dash."""
OTHER: Final = "codelet-typescript"
"""The one of them that counts otherwise than the window does."""
TICKS: Final = range(0, 60_001, 10_000)

Points = tuple[tuple[int, int], ...]


def held(profile: str) -> Points:
    """Responses, from 0, and the tokens held after each as a profile counts them."""
    walked = Walk(transcript(), profile).held()
    return tuple((one.response, one.tokens) for one in walked if one.response is not None)


def thresholds() -> dict[str, Due]:
    """The threshold of each of the three, and the first response after which it is due."""
    return {name: inspected().profiles[name] for name in PROFILES}


def chart() -> Chart:
    """The chart, and its numbers."""
    window, counted, due = held("usable"), held(OTHER), thresholds()
    return Chart(
        name="responses",
        caption=(
            f"The window of the recorded session after each response, for a model of {LIMITS.context_window:,} tokens, "
            f"and when three profiles act. {_when(due)}"
        ),
        alternative=(
            f"Line chart of the tokens held after each response. They rise from {window[0][1]:,} after response "
            f"{window[0][0]} to {window[-1][1]:,} after response {window[-1][0]}, past the window of "
            f"{LIMITS.context_window:,}. Level lines show the thresholds. {_when(due)} A second, low line shows what "
            f"{OTHER} counts, the cost of what was read: it is never above {max(one for _, one in counted):,}."
        ),
        table=_table(window, counted, due),
        heights=(420, 420),
        draw=lambda canvas: _draw(canvas, window, counted, due),
    )


def _when(due: dict[str, Due]) -> str:
    return (
        sentence("; ".join(f"{name}, at {tokens(one.threshold)}, is {_after(one)}" for name, one in due.items())) + "."
    )


def _after(due: Due) -> str:
    return "never due" if due.first_due is None else f"due after {due.first_due}"


def _table(window: Points, counted: Points, due: dict[str, Due]) -> Table:
    firsts = {one.first_due: name for name, one in due.items() if one.first_due is not None}
    rows = (
        (str(response), f"{now:,}", f"{other:,}", firsts.get(response, ""))
        for (response, now), (_, other) in zip(window, counted, strict=True)
    )
    return Table(("after response", "tokens held", f"as {OTHER} counts", "first due"), tuple(rows))


def _draw(canvas: Canvas, window: Points, counted: Points, due: dict[str, Due]) -> None:
    theme, narrow = canvas.theme, canvas.size.narrow
    axes = canvas.axes(Margins(left=42, right=134 if narrow else 232, top=24))
    axes.set_xlim(0, window[-1][0])
    axes.set_ylim(0, TICKS[-1])
    axes.set_yticks(TICKS, [short(held) for held in TICKS])
    axes.set_xlabel("response, counted from 0")
    axes.set_title("tokens held", loc="left", color=theme.muted, size="medium")
    axes.plot(*zip(*window, strict=True), color=theme.blue)
    axes.plot(*zip(*counted, strict=True), color=theme.grey, linestyle=(0, (1, 1.5)))
    axes.axhline(LIMITS.context_window, color=theme.text, linewidth=1)
    for name, one in due.items():
        _threshold(canvas, axes, window, name, one)
    label_ends(canvas, axes, _endings(canvas, window, counted, due))


def _threshold(canvas: Canvas, axes: Axes, window: Points, name: str, due: Due) -> None:
    """A level line, and a ring where it is crossed."""
    colour = _colour(canvas, name)
    axes.axhline(due.threshold or 0, color=colour, linestyle=PROFILES[name], linewidth=1.25)
    for point in window:
        if point[0] == due.first_due:
            axes.plot(*point, marker="o", color=colour, markerfacecolor="none", markersize=8, markeredgewidth=1.5)


def _endings(canvas: Canvas, window: Points, counted: Points, due: dict[str, Due]) -> list[Ending]:
    last, join = window[-1][0], "\n" if canvas.size.narrow else ": "
    return [
        Ending(f"counted by\n{OTHER}", *counted[-1], canvas.theme.grey),
        *(
            Ending(f"{name}{join}{_after(one)}", last, one.threshold or 0, _colour(canvas, name))
            for name, one in due.items()
        ),
        Ending(f"the window: {LIMITS.context_window:,}", last, LIMITS.context_window, canvas.theme.text),
        Ending("held", *window[-1], canvas.theme.blue),
    ]


def _colour(canvas: Canvas, profile: str) -> str:
    return canvas.theme.grey if profile == OTHER else canvas.theme.orange
