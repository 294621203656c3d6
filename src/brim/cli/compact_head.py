"""The head of the page of `brim compact`: what is compacted, and whether it is due."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from brim.cli.outcome import Outcome, Request
from brim.cli.output import safe, say, sentence, several
from brim.cli.standard import title_of
from brim.compaction.plan import Plan

SHOWN: Final = 5
"""Damaged places that are shown at most; --json has them all."""


def show_head(out: Console, outcome: Outcome, request: Request) -> None:
    """Print the file, what of it is in the window, and whether a compaction is due."""
    plan = outcome.compaction.plan
    when = "" if request.at is None else f" as after response {request.at:,}"
    out.print(f"[bold]{safe(title_of(request.file))}[/]")
    out.print(" · ".join(safe(text) for text in (outcome.transcript.format, outcome.model) if text))
    out.print(f"{several(outcome.messages, 'message')} in the window{when}{_of_file(outcome)}")
    _due(out, plan, outcome.unjudged, own=request.settings.policy.threshold is not None)
    for notice in plan.notices:
        say(out, notice, style="yellow")
    damaged, counted = outcome.transcript.damaged, outcome.transcript.counted
    if damaged:
        places = ", ".join(f"{damage.line:,}" for damage in damaged[:SHOWN])
        more = ", …" if len(damaged) > SHOWN else ""
        say(out, f"{several(len(damaged), f'damaged {counted}')} skipped: {places}{more}", style="yellow")
    out.print()


def _of_file(outcome: Outcome) -> str:
    """How many there are in the file, where that is more than the window shows."""
    whole, begins = len(outcome.transcript.messages), outcome.transcript.begins
    several_in = f", in {len(begins) + 1:,} conversations" if begins else ""
    return f"; {whole:,} in the file{several_in}" if whole > outcome.messages else ""


def _due(out: Console, plan: Plan, unjudged: str | None, *, own: bool) -> None:
    by = " by your threshold: " if own else f" by the profile {plan.profile}: "
    held, threshold = plan.verdict.held, plan.verdict.threshold
    if unjudged:
        say(out, f"{sentence(unjudged)}: set --window", lead="Due? ", style="yellow", lead_style="")
    elif plan.verdict.due:
        say(out, f"{by}{plan.verdict.reason}", lead="Due", lead_style="red")
    else:
        say(out, f"{by}{held:,} tokens held, threshold {threshold:,}", lead="Not due yet", lead_style="green")
