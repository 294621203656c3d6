"""The page of `brim sessions show`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.console import Console

from brim.cli.inspecting import show_composition
from brim.cli.output import WIDEST, bar, console, safe, say, several
from brim.cli.sessions.history import STANDS, Change, Changed, Recorded
from brim.cli.sessions.standing import ActiveRecords
from brim.cli.sessions.words import NARROW, moment, show_line, show_notes, show_session
from brim.sessions.records import CompactionRecord, SummaryRecord
from brim.sessions.registry import SessionInfo
from brim.transcripts.inspection import Composition

SHOWN: Final = 10
"""Compactions and prunings that are shown at most; --json has them all."""
FULL_LINE: Final = 60
"""Columns below which the fill of the window stands on a line of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """All that the page tells."""

    standing: ActiveRecords
    recorded: Recorded
    turns: int
    composition: Composition
    notes: tuple[str, ...]


def show(shown: Shown, *, messages: bool = False) -> None:
    """Print the page, section by section."""
    out = console()
    show_session(out, shown.standing.info)
    _times(out, shown.standing.info)
    _fill(out, shown.standing)
    show_composition(out, shown.composition, shown.standing.held)
    _visible(out, shown)
    if messages:
        for name, message in zip(shown.standing.view.ids, shown.standing.view.messages, strict=True):
            show_line(out, message, name or "")
    _changes(out, shown.recorded)
    show_notes(out, shown.notes)


def _times(out: Console, info: SessionInfo) -> None:
    say(out, f"made {moment(info.created)} · last active {moment(info.last_active)}", style="dim")
    if info.parent:
        say(out, info.parent, lead="came from ", style="dim", lead_style="")
    if info.transcript:
        out.print(safe(info.transcript), style="dim", soft_wrap=True)
    out.print()


def _fill(out: Console, standing: ActiveRecords) -> None:
    held, room = standing.held, standing.room
    if not room:
        say(out, f" {held:,} tokens; set --window to see how full it is", lead="The window now ")
        return
    colour, width = "red" if held > room else "green", min(out.width, WIDEST)
    full = bar(held / room, width)
    apart, behind = ("\n  ", "\n  ") if out.width < FULL_LINE else ("  ", ", ")
    share = f"[{colour}]{standing.filled}% of the threshold[/]"
    out.print(f"[bold]The window now[/]{apart}{held:,} of {room:,} tokens{behind}{share}")
    out.print(f"[{colour}]{full}[/][dim]{'░' * (width - len(full))}[/]")


def _visible(out: Console, shown: Shown) -> None:
    sees = f"{several(len(shown.standing.view.messages), 'message')} in {several(shown.turns, 'turn')}"
    out.print()
    say(out, f" {sees}; {shown.recorded.messages:,} were recorded", lead="The model sees ")


def _changes(out: Console, whole: Recorded) -> None:
    if not whole.changes:
        say(out, "Nothing was compacted or cleared.", style="dim")
        return
    out.print()
    say(out, "  the newest first", lead="Compactions and clearings")
    for changed in whole.changes[: -SHOWN - 1 : -1]:
        _change(out, changed)
    if len(whole.changes) > SHOWN:
        out.print(f"[dim]  and {len(whole.changes) - SHOWN:,} more that --json names[/]")


def _change(out: Console, changed: Changed) -> None:
    record, colour = changed.record, "green" if changed.state == STANDS else "yellow"
    apart = "\n    " if out.width < NARROW else "  "
    out.print(f"  {safe(record.id)}{apart}{moment(record.time)}  [{colour}]{changed.state}[/]", soft_wrap=True)
    say(out, f"    {_words(record)}", indent=4)


def _words(record: Change) -> str:
    """What a compaction or a pruning did."""
    if not isinstance(record, CompactionRecord):
        saved = f", {record.saved:,} tokens" if record.saved else ""
        return f"{several(len(record.cleared), 'tool output')} cleared{saved}"
    if record.error is not None:
        return record.error
    return "no summary" if record.summary is None else _summary(record.summary, again=record.earlier is not None)


def _summary(summary: SummaryRecord, *, again: bool) -> str:
    among = ", the summary before among them" if again else ""
    by = f" by {summary.model or summary.by}" if summary.model or summary.by else ""
    after = f" → {summary.tokens_after:,}" if summary.tokens_after else ""
    tokens = f", {summary.tokens_before:,}{after} tokens" if summary.tokens_before else ""
    return f"{several(summary.summarised, 'message')} summarised{by}{among}{tokens}"
