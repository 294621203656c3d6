"""Charts, where looking beats reading: `{chart} thresholds` shows one, with its numbers in a table below it.

Each is one inline SVG for both themes, every width and paper, drawn by brim.replay.charts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, log, log10
from os.path import relpath
from pathlib import Path
from typing import Final

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import brim.replay
from brim.cli.output import tokens
from brim.cli.profiling import EXAMPLE
from brim.compaction.policy import DEFAULT_POLICY, target_of
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.replay.charts import Bar, Line, bar_chart, line_chart, short
from brim.tokens.exact import exact
from brim.tokens.window import total_of
from brim.transcripts import read_transcript
from brim.transcripts.window import window_of
from brim.trigger.profiles import PROFILES, billing_equivalent_of_usage, profile_table, total_without_cache_write
from brim.trigger.usable_context import output_reserve, usable_context
from living.tables import folded, row, table

DOCS: Final = Path(__file__).parents[1]
LOOKS: Final = Path(brim.replay.__path__[0]) / "templates" / "charts.css"
"""The values of the colors, and what is drawn how; the site has values of its own for its two themes."""
BENCHMARKS: Final = DOCS / "benchmarks.json"
SESSION: Final = DOCS / "examples" / "recorded-session.jsonl"
LIMITS: Final = ModelLimits(context_window=32_000, max_output_tokens=4_096)
"""A model for which the recorded session is too long, as `make demo` has it."""
HEIGHT: Final = 280
"""Pixels of the plot of a line chart."""
WINDOWS: Final = (40_000, 64_000, 100_000, 128_000, 200_000, 400_000, 1_000_000)
NAMED: Final = (40_000, 100_000, 200_000, 400_000, 1_000_000)
"""Windows that have room for their names on the axis."""
POINTS: Final = 120
WORDS: Final = {">": "above", ">=": "at or above"}
KINDS: Final = {
    "usable": "main",
    "opencode-2025": "main",
    "proactive": "main dash",
    "anthropic-sdk": "second",
    "windowing": "second dash",
    "claude-code-2.0": "third",
    "claude-code-2.1": "third dots",
}
"""Color by family, dash by profile. A profile that is not named here is drawn all the same."""
COUNTS: Final = {
    total_of: "all tokens held",
    total_without_cache_write: "tokens held, without those written to the cache",
    billing_equivalent_of_usage: "the cost of what was read",
}
"""What a profile compares with its threshold, in words."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: what it shows in words, its numbers as they are read, and the drawing, which the words describe."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    drawing: Markup


class ChartDirective(SphinxDirective):
    """`{chart} budget` shows that chart."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The chart. Raises an error where there is none of this name."""
        name = self.arguments[0]
        if name not in CHARTS:
            raise self.error(f"there is no chart {name!r}; there are: {', '.join(CHARTS)}")
        chart = CHARTS[name]()
        label = f"The numbers of the chart: {chart.caption}"
        numbers = table(chart.columns, [row(cells) for cells in chart.rows], label=label, classes=["numbers"])
        return [
            nodes.container(
                "",
                nodes.raw("", chart.drawing, format="html"),
                nodes.paragraph("", chart.caption, classes=["chart-caption"]),
                *folded("The numbers", numbers),
                classes=["charted"],
            )
        ]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("chart", ChartDirective)
    app.connect("config-inited", lambda app, config: config.html_static_path.append(relpath(LOOKS, app.confdir)))
    app.add_css_file("charts.css")
    app.add_js_file("print.js")


def window() -> Chart:
    """The window: room for the answer, what is usable, and what a compaction of a full one leaves at most."""
    size, reserve, usable = EXAMPLE.context_window, output_reserve(EXAMPLE), usable_context(EXAMPLE)
    kept = target_of(DEFAULT_POLICY, EXAMPLE) or 0
    summary = int(usable * (exact(DEFAULT_POLICY.summary_share) + exact(DEFAULT_POLICY.words_share)))
    caption = (
        f"A window of {size:,} tokens. Compaction is due above {usable:,}. It keeps messages word for word, at most "
        f"{kept:,} tokens, and adds a template summary of at most {summary:,}."
    )
    numbers = (
        ("the window", f"{size:,}", "all that the model can hold, input and output together"),
        ("reserve", f"{reserve:,}", "kept free for the answer"),
        ("usable", f"{usable:,}", "left for the conversation; one token more, and compaction is due"),
        ("kept", f"{kept:,}", "messages that a compaction keeps word for word, at most"),
        ("summary", f"{summary:,}", "the template summary with the user's words, at most"),
    )
    drawing = bar_chart(
        "window",
        title="The window",
        description=caption,
        parts=["messages", "summary", f"reserve {reserve:,}"],
        bars=[
            Bar(f"before: usable {usable:,}", (usable, 0, reserve), f"{size:,}"),
            Bar("after a compaction", (kept, summary), f"at most {kept + summary:,}"),
        ],
    )
    return Chart(caption, ("part", "tokens", "what it is"), numbers, drawing)


def compaction() -> Chart:
    """The recorded session before and after `brim compact`, as `brim compact` makes it."""
    compactor = Compactor()
    made = compactor.apply(compactor.plan(window_of(read_transcript(SESSION), LIMITS)))
    plan, before, after = made.plan, made.tokens_before, made.tokens_after
    kept = plan.context.message_tokens([one.message for one in plan.kept_pieces if one.message is not None])
    messages, stay, present = len(plan.summarized) + len(plan.kept), len(plan.kept), made.fidelity
    facts, words = present.facts, present.words
    caption = (
        f"The recorded session, compacted for a window of {LIMITS.context_window:,} tokens: {before:,} tokens before, "
        f"{after:,} after. "
        f"Still present: {facts.present} of {facts.total} facts, {words.present:,} of {words.total:,} characters of "
        "the user's words."
    )
    drawing = bar_chart(
        "compaction",
        title="Before and after a compaction",
        description=caption,
        parts=["messages", "summary"],
        bars=[
            Bar(f"before: {messages} messages", (before,), f"{before:,} tokens"),
            Bar(f"after: {stay} messages and a summary", (kept, after - kept), f"{after:,} tokens"),
        ],
    )
    numbers = (
        ("before", f"{messages}", f"{before:,}"),
        ("kept word for word", f"{stay}", f"{kept:,}"),
        ("the summary of the others", f"{messages - stay}", f"{after - kept:,}"),
        ("after", f"{stay + 1}", f"{after:,}"),
    )
    return Chart(caption, ("part", "messages", "tokens"), numbers, drawing)


def thresholds() -> Chart:
    """When each profile acts, over window sizes (TRG_08 to TRG_15)."""
    answer = EXAMPLE.max_output_tokens
    tables = [profile_table(ModelLimits(context_window=size, max_output_tokens=answer)) for size in WINDOWS]
    at = {name: [one[place].threshold for one in tables] for place, name in enumerate(PROFILES)}
    drawn = [name for name in PROFILES if PROFILES[name].measure is not billing_equivalent_of_usage]
    apart = " and ".join(name for name in PROFILES if name not in drawn)
    caption = (
        f"How full the window is when each profile acts, with an answer of up to {answer:,} tokens. A share that is "
        f"for one window is wrong for another. {apart} are not drawn: they compare the cost of what was read with "
        "their threshold, which tells nothing of how full the window is. The table lists their thresholds."
    )
    names = ("profile", "compares", "acts", *(f"{size:,}" for size in WINDOWS))
    numbers = tuple(
        (name, COUNTS[PROFILES[name].measure], WORDS[tables[0][place].comparison], *map(tokens, at[name]))
        for place, name in enumerate(PROFILES)
    )
    return Chart(caption, names, numbers, _thresholds(drawn, caption))


def _thresholds(drawn: list[str], description: str) -> Markup:
    first, last = WINDOWS[0], WINDOWS[-1]
    sizes = [round(first * (last / first) ** (point / (POINTS - 1))) for point in range(POINTS)]
    filled: dict[str, list[float | None]] = {name: [] for name in drawn}
    for size in sizes:
        limits = ModelLimits(context_window=size, max_output_tokens=EXAMPLE.max_output_tokens)
        for name, one in zip(PROFILES, profile_table(limits), strict=True):
            if name in filled:
                shown = one.threshold is not None and one.threshold <= size
                filled[name].append(100 * (one.threshold or 0) / size if shown else None)
    shared: dict[tuple[float | None, ...], list[str]] = {}
    for name in drawn:
        shared.setdefault(tuple(filled[name]), []).append(name)
    ordered = sorted(shared.items(), key=lambda one: filled[one[1][0]][-1] or 0, reverse=True)
    return line_chart(
        "How full the window is when each profile acts",
        description,
        [Line(values, KINDS.get(same[0], "beside"), ", ".join(same)) for values, same in ordered],
        top=100,
        ticks=[(log(size / first) / log(last / first), short(size)) for size in NAMED],
        grid=[(100, "100% of the window"), (75, "75%"), (50, "50%"), (25, "25%"), (0, "")],
        height=HEIGHT,
    )


WAYS: Final = ("main", "main dash", "main dots", "second", "third")
"""Of the lines of a benchmark those of brim, then the peers'; the plainest work is drawn beside them."""


def requests() -> Chart:
    """What is done before a request, over the messages of a conversation."""
    return _growth("a request", "Milliseconds before a request for which nothing is due, by messages so far.")


def compactions() -> Chart:
    """What a compaction takes, over the messages of a conversation."""
    return _growth("a compaction", "Milliseconds of a compaction, the model's own time apart, by messages.")


def _growth(what: str, caption: str) -> Chart:
    figures = [one for one in json.loads(BENCHMARKS.read_text(encoding="utf-8"))["figures"] if one["what"] == what]
    sizes, ways = (list(dict.fromkeys(one[field] for one in figures)) for field in ("size", "way"))
    took = {(one["way"], one["size"]): one["seconds"] for one in figures}
    brim = [way for way in ways if way.startswith("brim")]
    peers = [way for way in ways if way not in brim and not way.startswith("limit")]
    kinds = dict(zip([*brim, *peers], (*WAYS[: len(brim)], *WAYS[3:]), strict=False))
    lines = [
        Line([log10(took[way, size] * 1e6) for size in sizes], kinds.get(way, "beside"), way.removeprefix("limit: "))
        for way in ways
    ]
    grid = [(0, "1 µs"), (1, "10 µs"), (2, "100 µs"), (3, "1 ms"), (4, "10 ms"), (5, "100 ms"), (6, "1 s"), (7, "10 s")]
    top = ceil(max(value or 0 for line in lines for value in line.values))
    ticks = [(n / (len(sizes) - 1), size) for n, size in enumerate(sizes)]
    drawing = line_chart(what, caption, lines, top=top, ticks=ticks, grid=grid[: top + 1], height=HEIGHT)
    numbers = tuple((size, *(f"{took[way, size] * 1e3:,.3f}" for way in ways)) for size in sizes)
    return Chart(caption, ("messages", *(way.removeprefix("limit: ") for way in ways)), numbers, drawing)


CHARTS: Final[Mapping[str, Callable[[], Chart]]] = {
    one.__name__: one for one in (window, compaction, thresholds, requests, compactions)
}
"""Every chart by its name."""
