"""When each profile acts, over window sizes (TRG_08 to TRG_15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from matplotlib.ticker import NullLocator

from brim.cli.output import tokens
from brim.cli.profiling import EXAMPLE
from brim.models import ModelLimits
from brim.tokens.window import total_of
from brim.trigger.overflow import window_filled
from brim.trigger.profiles import PROFILES, billing_equivalent_of_usage, profile_table, total_without_cache_write
from living.charts.chart import Canvas, Chart, Margins, Table, Theme
from living.charts.labels import Ending, label_ends, short

__all__ = ["Line", "chart", "lines"]

WINDOWS: Final = (40_000, 64_000, 100_000, 128_000, 200_000, 400_000, 1_000_000)
NAMED: Final = (40_000, 64_000, 100_000, 200_000, 400_000, 1_000_000)
NAMED_WHERE_NARROW: Final = (40_000, 100_000, 200_000, 400_000, 1_000_000)
"""Windows that have room for their names on the axis."""
WORDS: Final = {">": "above", ">=": "at or above"}
STYLES: Final = {
    "usable": ("blue", "-", "o"),
    "opencode-2025": ("blue", "-", "o"),
    "proactive": ("blue", (0, (5, 2)), "s"),
    "anthropic-sdk": ("orange", "-", "^"),
    "windowing": ("orange", (0, (5, 2)), "v"),
    "claude-code-2.0": ("green", "-", "D"),
    "claude-code-2.1": ("green", (0, (2, 1.5)), "d"),
}
"""Colour by family, dash and marker by profile. A profile that is not named here is drawn all the same."""
PLAIN: Final = ("grey", "-", ".")


COUNTS: Final = {
    total_of: "all that is held",
    total_without_cache_write: "held, less what was written to the cache",
    billing_equivalent_of_usage: "the cost of what was read",
}
"""What a profile compares with its threshold, in words."""


@dataclass(frozen=True, slots=True)
class Line:
    """A profile over the windows: its threshold in tokens, and how full the window is there, in percent.

    Both are None where the profile is refused. One that compares a cost tells nothing of how full the window is: it is
    in the table and not drawn.
    """

    profile: str
    comparison: str
    counts: str
    drawn: bool
    thresholds: tuple[int | None, ...]
    filled: tuple[int | None, ...]


def lines() -> tuple[Line, ...]:
    """Every profile, in the order they are shown."""
    answer = EXAMPLE.max_output_tokens
    tables = [profile_table(ModelLimits(context_window=window, max_output_tokens=answer)) for window in WINDOWS]
    found = []
    for place, profile in enumerate(PROFILES):
        at = tuple(table[place].threshold for table in tables)
        filled = tuple(None if one is None else window_filled(one, of) for one, of in zip(at, WINDOWS, strict=True))
        measure = PROFILES[profile].measure
        found.append(
            Line(
                profile,
                tables[0][place].comparison,
                COUNTS[measure],
                measure is not billing_equivalent_of_usage,
                at,
                filled,
            )
        )
    return tuple(found)


def chart() -> Chart:
    """The chart, and its numbers in tokens."""
    found = lines()
    return Chart(
        name="thresholds",
        caption=(
            "How full the window is when each profile acts, with an answer of up to "
            f"{EXAMPLE.max_output_tokens:,} tokens. A share that is right for one window is wrong for another. "
            f"{_apart(found)} are not drawn: they compare the cost of what was read with their threshold, which tells "
            "nothing of how full the window is. Their thresholds stand in the table."
        ),
        alternative=_alternative(found),
        table=Table(
            ("profile", "compares", "acts", *(f"{window:,}" for window in WINDOWS)),
            tuple((one.profile, one.counts, WORDS[one.comparison], *map(tokens, one.thresholds)) for one in found),
        ),
        heights=(430, 400),
        draw=lambda canvas: _draw(canvas, tuple(line for line in found if line.drawn)),
    )


def _apart(found: tuple[Line, ...]) -> str:
    return " and ".join(line.profile for line in found if not line.drawn)


def _alternative(found: tuple[Line, ...]) -> str:
    said = "; ".join(f"at {WINDOWS[place]:,}: " + ", ".join(_said(one, place) for one in found) for place in (1, 4, 6))
    return (
        "Line chart with a line for every profile that counts tokens of the window: how full the window is when the "
        f"profile acts, in percent, for windows from {WINDOWS[0]:,} to {WINDOWS[-1]:,} tokens on a logarithmic axis. "
        f"The thresholds are, {said}. {_apart(found)} are not drawn, since they compare a cost with theirs. More sizes "
        "stand in the table below."
    )


def _said(line: Line, place: int) -> str:
    threshold = line.thresholds[place]
    return f"{line.profile} refused" if threshold is None else f"{line.profile} {threshold:,}"


def _draw(canvas: Canvas, found: tuple[Line, ...]) -> None:
    narrow = canvas.size.narrow
    axes = canvas.axes(Margins(left=46, right=128 if narrow else 170))
    axes.set_xscale("log")
    axes.set_xlim(WINDOWS[0] * 0.95, WINDOWS[-1] * 1.05)
    axes.set_ylim(0, 112)
    axes.set_yticks(range(0, 101, 20 if narrow else 10), [f"{n}%" for n in range(0, 101, 20 if narrow else 10)])
    named = NAMED_WHERE_NARROW if narrow else NAMED
    axes.set_xticks(named, [short(window) for window in named])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("size of the window, in tokens")
    axes.axhline(100, color=canvas.theme.muted, linewidth=1)
    axes.text(0.98, 103, "the whole window", transform=axes.get_yaxis_transform(), color=canvas.theme.muted, ha="right")
    for line in found:
        _draw_line(canvas, line)
    label_ends(canvas, axes, _endings(found, canvas.theme))


def _draw_line(canvas: Canvas, line: Line) -> None:
    colour, dash, marker = STYLES.get(line.profile, PLAIN)
    points = [(window, full) for window, full in zip(WINDOWS, line.filled, strict=True) if full is not None]
    canvas.figure.axes[0].plot(
        *zip(*points, strict=True), color=getattr(canvas.theme, colour), linestyle=dash, marker=marker
    )


def _endings(found: tuple[Line, ...], theme: Theme) -> list[Ending]:
    """One label a line, the lowest threshold first; profiles whose lines are one share it."""
    shared: dict[tuple[int | None, ...], list[Line]] = {}
    for line in sorted(found, key=lambda one: one.thresholds[-1] or 0):
        shared.setdefault(line.thresholds, []).append(line)
    return [
        Ending(
            text=",\n".join(one.profile for one in same),
            x=WINDOWS[-1],
            y=same[0].filled[-1] or 0,
            colour=getattr(theme, STYLES.get(same[0].profile, PLAIN)[0]),
        )
        for same in shared.values()
    ]
