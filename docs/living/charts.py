"""Charts, where looking beats reading: `{chart} window` shows one.

Each is one inline SVG for both themes, every width and paper, drawn by brim.replay.charts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import Final

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import brim.replay
from brim.cli.profiling import EXAMPLE
from brim.compaction.policy import DEFAULT_POLICY, target_of
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.replay.charts import Bar, bar_chart
from brim.tokens.exact import exact
from brim.transcripts import read_transcript
from brim.transcripts.window import window_of
from brim.trigger.usable_context import output_reserve, usable_context

DOCS: Final = Path(__file__).parents[1]
LOOKS: Final = Path(brim.replay.__path__[0]) / "templates" / "charts.css"
"""The values of the colors, and what is drawn how; the site has values of its own for its two themes."""
SESSION: Final = DOCS / "examples" / "recorded-session.jsonl"
LIMITS: Final = ModelLimits(context_window=32_000, max_output_tokens=4_096)
"""A model for which the recorded session is too long, as `make demo` has it."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: what it shows in words, with its numbers, and the drawing, which the words describe."""

    caption: str
    drawing: Markup


class ChartDirective(SphinxDirective):
    """`{chart} window` shows that chart."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The chart. Raises an error where there is none of this name."""
        name = self.arguments[0]
        if name not in CHARTS:
            raise self.error(f"there is no chart {name!r}; there are: {', '.join(CHARTS)}")
        chart = CHARTS[name]()
        return [
            nodes.container(
                "",
                nodes.raw("", chart.drawing, format="html"),
                nodes.paragraph("", chart.caption, classes=["chart-caption"]),
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
    summary = int(usable * exact(DEFAULT_POLICY.summary_share))
    caption = (
        f"A window of {size:,} tokens. Compaction is due above {usable:,}. It keeps messages word for word, at most "
        f"{kept:,} tokens, and adds a template summary of at most {summary:,}, the user's words among them: at most "
        f"{kept + summary:,}, pins and the last message apart."
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
    return Chart(caption, drawing)


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
    return Chart(caption, drawing)


CHARTS: Final[Mapping[str, Callable[[], Chart]]] = {one.__name__: one for one in (window, compaction)}
"""Every chart by its name."""
