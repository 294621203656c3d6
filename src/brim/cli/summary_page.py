"""The summary on the page of `brim compact`, and who wrote it."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from brim.cli.outcome import Request
from brim.cli.output import cropped, safe, several
from brim.compaction.result import Compaction

SHOWN: Final = 16
"""Lines of the summary that are shown at most."""


def show_writer(out: Console, compaction: Compaction, request: Request) -> None:
    """Print who was asked for the summary, in which form and why; on a dry run who would be."""
    call = compaction.plan.call
    if call is None:
        return
    asked = "Would ask" if request.dry_run else "Asked"
    out.print(f"[bold]{asked:<11}[/] {safe(call.model)}, {call.tokens:,} tokens, {safe(call.reason)}")
    if request.dry_run:
        out.print("            [dim]no model is asked on a dry run: below is the template summary[/]")
    for attempt in compaction.attempts:
        waited = f" after {attempt.waited / 1_000:g} s" if attempt.waited else ""
        out.print(f"            attempt {attempt.number}{waited}, {attempt.strategy}: {safe(attempt.reason)}")


def show_summary(out: Console, summary: str, *, whole: bool) -> None:
    """Print the summary, or how its lines begin."""
    if not summary:
        return
    lines = summary.split("\n")
    out.print(f"\n[bold]The summary[/]  {len(summary):,} characters")
    if whole:
        out.print(safe(summary))
        return
    for line in lines[:SHOWN]:
        out.print(f"[dim]│[/] {safe(cropped(line, out.width - 2))}")
    if len(lines) > SHOWN:
        out.print(f"[dim]│ … {several(len(lines) - SHOWN, 'more line')}; --full-summary shows them all[/]")
    elif any(len(line) > out.width - 2 for line in lines):
        out.print("[dim]│ … --full-summary shows the lines whole[/]")
