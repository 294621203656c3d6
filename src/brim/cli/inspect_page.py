"""The page of `brim inspect`."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Final

from rich.console import Console

from brim.cli.composition_page import show_composition
from brim.cli.faults_page import show_faults
from brim.cli.limits import unknown
from brim.cli.output import WIDEST, bar, console, safe, say, sentence, several, tokens
from brim.selection.anchors import Anchor
from brim.transcripts.inspection import Boundary, Inspection
from brim.trigger.overflow import window_filled

MADE: Final = {
    "auto": "automatic",
    "manual": "manual",
    "compaction": "compacted",
    "micro": "old tool outputs cleared",
    "prune": "old tool outputs pruned",
}
"""What a tool did to make room, in words."""


def show(found: Inspection, name: str, settings: bool) -> None:
    """Print the page, section by section; `settings` says whether some decide when it is due."""
    out = console()
    _head(out, found, name)
    _fill(out, found)
    show_composition(out, found.composition, found.window_now)
    _compactions(out, found)
    _anchors(out, found)
    _profiles(out, found, settings)
    show_faults(out, found)


def _head(out: Console, found: Inspection, name: str) -> None:
    version = f"{found.format} {found.version}" if found.version else found.format
    out.print(f"[bold]{safe(name)}[/]")
    out.print(" · ".join(safe(text) for text in (version, found.model) if text))
    counts = ((found.messages, "message"), (found.turns, "turn"), (found.responses, "response"))
    out.print(" · ".join(several(count, what) for count, what in (*counts, (found.tool_calls, "tool call"))))
    if found.conversations > 1:
        out.print(f"[dim]{found.conversations:,} conversations in the file; the window is that of the last[/]")


def _fill(out: Console, found: Inspection) -> None:
    now, window, width = found.window_now, found.window, min(out.width, WIDEST)
    out.print()
    if window:
        colour = "red" if now > window else "green"
        threshold = found.settings.threshold
        filled = f", [{colour}]{window_filled(now, threshold)}% of the threshold[/]" if threshold else ""
        out.print(f"[bold]The window now[/]  {now:,} of {window:,} tokens{filled}")
        out.print(_gauge(now, window, width))
    else:
        out.print(f"[bold]The window now[/]  {now:,} tokens")
    if found.window_peak and found.context_peak:
        out.print(f"[dim]reported at most: {found.window_peak:,} with the answer, {found.context_peak:,} read[/]")
    out.print()


def _gauge(now: int, window: int, width: int) -> str:
    """The window as a bar: what is held, what is free, or what is too much."""
    if now > window:
        inside = width * window // now
        return f"[green]{'█' * inside}[/][red]{'▓' * (width - inside)}[/]"
    full = bar(now / window, width)
    return f"[green]{full}[/][dim]{'░' * (width - len(full))}[/]"


def _compactions(out: Console, found: Inspection) -> None:
    if found.compactions:
        out.print("\n[bold]Compactions in the file[/]")
    for made in found.compactions:
        out.print(f"  {found.counted} {made.line:,}: {MADE.get(made.kind, made.kind)}{_held(made)}")


def _held(made: Boundary) -> str:
    """What the window held, as measured and as the file says."""
    if not made.held:
        return ", of what is not in the file"
    recorded = "" if made.recorded is None else f" (recorded: {made.recorded:,})"
    return f" at {made.held:,} tokens{', as recorded' if made.recorded == made.held else recorded}"


def _anchors(out: Console, found: Inspection) -> None:
    detected = [anchor for anchor in found.anchors if not anchor.synthetic]
    out.print("\n[bold]Anchors[/]  turns that are kept word for word first")
    if not detected:
        out.print("  none above the confidence limit; the newest turn is used instead" if found.anchors else "  none")
    by_kind = sorted(((anchor.kind.replace("_", " "), anchor.confidence, anchor) for anchor in detected), key=_order)
    for (kind, confidence), group in groupby(by_kind, key=itemgetter(0, 1)):
        turns = spans([anchor.turn for _, _, anchor in group])
        out.print(f"  {kind} [dim](confidence {confidence})[/]: {turns}")


def _order(entry: tuple[str, object, Anchor]) -> tuple[str, int]:
    return entry[0], entry[2].turn


def spans(numbers: list[int]) -> str:
    """Ascending numbers, neighbours drawn together to a span."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in runs)


def _profiles(out: Console, found: Inspection, settings: bool) -> None:
    out.print("\n[bold]When each profile would have compacted first[/]")
    refusals = {due.note for due in found.profiles.values() if due.threshold is None}
    if found.window and len(refusals) == 1 and all(due.threshold is None for due in found.profiles.values()):
        say(out, f"  {sentence(str(refusals.pop()))}; set --window and --max-output", style="yellow", indent=4)
        return
    own = {"with your settings": found.settings} if settings else {}
    for name, due in {**own, **found.profiles}.items():
        if due.threshold is not None:
            when = "[dim]not reached[/]" if due.first_due is None else f"after response {due.first_due:,}"
            out.print(f"  {name:<20}{tokens(due.threshold):>11}  {when}")
        elif found.window:
            out.print(f"  {name:<20}{tokens(None):>11}  [dim]no threshold above 0 for this window[/]")
    if not found.window:
        say(out, f"  {sentence(unknown(found.model))}: set --window", style="yellow", indent=4)
