"""The damage of a transcript, its parts outside the conversation, and what it does not record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Final

from rich.console import Console

from brim.cli.output import NO_BREAK, say, several
from brim.transcripts.builder import SEVERAL
from brim.transcripts.inspection import Inspection

SHOWN: Final = 5
"""Rows of a list that are shown at most; --json has them all."""


def show_faults(out: Console, found: Inspection) -> None:
    """Print what was skipped or unpaired, what is no part of the conversation, and what the file does not record."""
    out.print()
    if not found.damaged and not found.unpaired:
        calls = ", and every tool call has its result" if found.tool_calls else ""
        out.print(f"[green]✓[/] no damaged {found.counted}{calls}")
    for damage in found.damaged[:SHOWN]:
        say(out, damage.reason, lead=f"{found.counted} {damage.line:,} was skipped: ", lead_style="yellow")
    if len(found.damaged) > SHOWN:
        out.print(f"[yellow]… and {several(len(found.damaged) - SHOWN, f'more damaged {found.counted}')}[/]")
    uncalled = set(found.uncalled)
    _alone(out, "tool call", "result", [name for name in found.unpaired if name not in uncalled])
    _alone(out, "tool result", "call", found.uncalled)
    if found.left_out:
        say(out, _kinds(found.left_out), lead="Beside the conversation: ", style="dim", lead_style="")
    for note in found.notes:
        if note != SEVERAL.format(found.conversations):  # said at the top
            say(out, note, lead="Note: ", style="dim", lead_style="")


def _alone(out: Console, what: str, lacks: str, names: Sequence[str]) -> None:
    """Calls or results that have no counterpart, by the first of their ids."""
    if names:
        told = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
        say(out, told, lead=f"{several(len(names), what)} without a {lacks}: ", lead_style="yellow")


def _kinds(counts: Mapping[str, int]) -> str:
    """What there is most of, and how many others."""
    ordered = sorted(counts.items(), key=itemgetter(1), reverse=True)
    told = [f"{kind}: {count:,}" for kind, count in ordered[:SHOWN]]
    others = sum(count for _, count in ordered[SHOWN:])
    return f"{NO_BREAK}· ".join([*told, *([f"others: {others:,}"] if others else [])])
