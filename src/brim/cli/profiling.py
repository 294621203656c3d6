"""`brim profiles`: the thresholds of every profile for a model, side by side (TRG_15)."""

from __future__ import annotations

from textwrap import fill
from typing import Any, Final

from rich.console import Console

from brim.cli.limits import required_limits
from brim.cli.output import UNWRAPPED, bar, console, print_json, safe, tokens
from brim.compaction.policy import CompactionPolicy, target_of
from brim.models import ModelLimits, known_limits
from brim.settings import load_settings
from brim.trigger.budget import summarization_budget
from brim.trigger.profiles import ProfileRow, profile_table
from brim.trigger.usable_context import output_reserve, usable_context

EXAMPLE: Final = ModelLimits(context_window=200_000, max_output_tokens=32_000)
"""Shown where nothing was asked for: the size that most of the sources speak of."""
FIGURES: Final = 44
"""Columns before a bar."""
LONGEST_BAR: Final = 30


def run(*, model: str | None, window: int | None, max_output: int | None, as_json: bool) -> None:
    """Show the table. Raises Refused or InvalidInput."""
    settings = load_settings()
    default = settings.preferences.default_model
    if model is None and window is None and known_limits(default):
        model = default
    asked = (model, window, max_output) != (None, None, None)
    limits = required_limits(model, window, max_output) if asked else EXAMPLE
    rows = profile_table(limits)
    if as_json:
        print_json(answer(limits, rows, settings.policy))
    else:
        _show(limits, rows, settings.policy, asked=asked)


def answer(limits: ModelLimits, rows: tuple[ProfileRow, ...], policy: CompactionPolicy) -> dict[str, Any]:
    """The table as JSON."""
    return {
        "context_window": limits.context_window,
        "max_output_tokens": limits.max_output_tokens,
        "output_reserve": output_reserve(limits),
        "usable_context": usable_context(limits),
        "summarization_budget": summarization_budget(limits.context_window),
        "keep_tokens": target_of(policy, limits),
        "profiles": {
            row.name: {
                "threshold": row.threshold,
                "comparison": row.comparison,
                "due": None if row.threshold is None else f"held {row.comparison} {row.threshold}",
                "description": row.description,
                "note": row.note,
            }
            for row in rows
        },
    }


def _show(limits: ModelLimits, rows: tuple[ProfileRow, ...], policy: CompactionPolicy, *, asked: bool) -> None:
    out = console()
    if not asked:
        out.print("[dim]An example; set --model, or --window and --max-output, for your own.[/]")
    figures = (
        ("window", limits.context_window),
        ("set aside for the answer", output_reserve(limits)),
        ("usable", usable_context(limits)),
        ("kept verbatim, at most", target_of(policy, limits) or 0),
    )
    for label, count in figures:
        out.print(f"{label:<28}[bold]{count:>11,}[/]")
    out.print("\n[bold]Due[/] when the window holds")
    for row in rows:
        _row(out, row, limits.context_window)


def _row(out: Console, row: ProfileRow, window: int) -> None:
    out.print()
    if row.threshold is None:
        out.print(f"[bold]{row.name:<20}[/]{tokens(None):>14}")
    else:
        share = row.threshold / window
        drawn = bar(share, min(max(out.width - FIGURES, 0), LONGEST_BAR))
        colour = "red" if share > 1 else "cyan"
        due = f"{row.comparison:<2} {row.threshold:>11,}"
        out.print(f"[bold]{row.name:<20}[/]{due}  {share:>5.0%} [{colour}]{drawn}[/]")
    out.print(f"[dim]{_indented(row.description, out.width)}[/]")
    if row.note:
        out.print(f"[yellow]{_indented(row.note, out.width)}[/]")


def _indented(text: str, width: int) -> str:
    """Lines of words that fit the terminal, set in by two."""
    lines = width if width == UNWRAPPED else max(min(width, 100), 20)
    return safe(fill(text, lines, initial_indent="  ", subsequent_indent="  "))
