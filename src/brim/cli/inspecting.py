"""`brim inspect` and its page: what fills the window, what is damaged, and when each profile would compact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.console import Console

from brim.cli.limits import check_flags, limits_for, unknown
from brim.cli.options import title_of
from brim.cli.output import (
    NO_BREAK,
    WIDEST,
    bar,
    console,
    cropped,
    print_json,
    rounded,
    safe,
    say,
    sentence,
    several,
    tokens,
    working,
)
from brim.cli.reading import read_file
from brim.cli.settings import is_set
from brim.models import known_limits
from brim.selection.anchors import Anchor
from brim.settings import Settings
from brim.transcripts.inspection import Boundary, Composition, Inspection, inspect_transcript
from brim.transcripts.reader import SEVERAL
from brim.transcripts.values import TAKEN_BACK, Transcript
from brim.trigger.overflow import window_filled

DECIDES: Final = ("profile", "threshold", "proactive_share", "share_basis", "output_cap")
"""Settings that decide when a compaction is due."""


def run(
    file: Path, *, model: str | None, window: int | None, max_output: int | None, settings: Settings, as_json: bool
) -> None:
    """Read, look and show. Raises InvalidInput or Refused."""
    check_flags(window, max_output)
    with working(f"reading {title_of(file)}"):
        transcript = read_file(file, default_model=settings.preferences.default_model)
        found = inspect_transcript(transcript, limits_for(transcript, model, window, max_output), settings.policy)
        found = replace(found, model=model or found.model)
        whose = "" if window else _whose(found, transcript)
    if as_json:
        print_json(answer(found))
    else:
        show(found, title_of(file), is_set(settings, *DECIDES), whose)


def _whose(found: Inspection, transcript: Transcript) -> str:
    """Return whose the window is, which no option names: the model's, the file's, or that of the tool."""
    known = known_limits(found.model or "")
    if known is not None and known.context_window == found.window:
        return " (the model's)"
    return " (the file's)" if transcript.window == found.window else f" ({found.format}'s)"


def answer(found: Inspection) -> dict[str, Any]:
    """The inspection as JSON."""
    return {
        "format": found.format,
        "version": found.version,
        "model": found.model,
        "window": found.window,
        "messages": found.messages,
        "turns": found.turns,
        "tool_calls": found.tool_calls,
        "damaged_lines": [damage.line for damage in found.damaged],
        "damage": [{"line": damage.line, "reason": damage.reason} for damage in found.damaged],
        "counted": found.counted,
        "left_out": dict(found.left_out),
        "unpaired": list(found.unpaired),
        "notes": list(found.notes),
        "conversations": found.conversations,
        "responses": found.responses,
        "context_peak": found.context_peak,
        "window_peak": found.window_peak,
        "window_now": found.window_now,
        "characters_per_token": found.characters_per_token,
        "composition": found.composition.shares,
        "tool_output_by_tool": found.composition.by_tool,
        "not_in_file": found.composition.unseen,
        "compactions": [
            {"kind": made.kind, "recorded": made.recorded, "held": made.held, "line": made.line}
            for made in found.compactions
        ],
        "anchors": [
            {
                "turn": anchor.turn,
                "kind": anchor.kind,
                "confidence": anchor.confidence,
                "weight": anchor.weight,
                "synthetic": anchor.synthetic,
            }
            for anchor in found.anchors
        ],
        "settings": asdict(found.settings),
        "profiles": {name: asdict(due) for name, due in found.profiles.items()},
    }


MADE: Final = {
    "auto": "automatic",
    "manual": "manual",
    "compaction": "compacted",
    "micro": "old tool outputs cleared",
    "prune": "old tool outputs pruned",
}
"""What a tool did to make room, in words."""


def show(found: Inspection, name: str, settings: bool, whose: str) -> None:
    """Print the page, section by section; `settings` says whether some decide when it is due, `whose` the window is."""
    out = console()
    _head(out, found, name)
    _fill(out, found, whose)
    show_composition(out, found.composition, found.window_now, lacks=found.lacks is not None)
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


def _fill(out: Console, found: Inspection, whose: str) -> None:
    out.print()
    threshold = found.settings.threshold if found.window else None
    filled = window_filled(found.window_now, threshold) if threshold else None
    show_window(out, found.window_now, found.window, filled, whose=whose)
    if found.window_peak and found.context_peak:
        out.print(f"[dim]reported at most: {found.window_peak:,} with the answer, {found.context_peak:,} read[/]")
    else:
        out.print(f"[dim]Estimated at {float(found.characters_per_token):.2g} characters a token.[/]")
    for notice in found.settings.notices:
        say(out, notice, style="yellow")
    out.print()


def show_window(out: Console, held: int, room: int | None, filled: int | None, cure: str = "", whose: str = "") -> None:
    """Print how full the window is, in tokens and in percent of the threshold, and as a bar where its size is known."""
    if not room:
        say(out, f"{held:,} tokens{cure}", lead="The window now  ")
        return
    colour = "red" if held > room else "green"
    share = "" if filled is None else f", [{colour}]{filled}% of the threshold[/]"
    out.print(f"[bold]The window now[/]  {held:,} of {room:,} tokens{whose}{share}")
    width = min(out.width, WIDEST)
    inside = bar(min(room / held, 1) if held > room else held / room, width)
    rest = f"[red]{'▓' * (width - len(inside))}[/]" if held > room else f"[dim]{'░' * (width - len(inside))}[/]"
    out.print(f"[green]{inside}[/]{rest}")


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


TOOLS_SHOWN: Final = 5
LABEL: Final = 26
"""Columns of a row's name."""
FIGURES: Final = 17
"""Columns of a row's tokens and share."""
LEAST: Final = 8
"""Columns of a row's name at least, where the terminal is narrow."""
LONGEST_BAR: Final = 30
ESTIMATED: Final = "The parts and their shares are estimated from the texts"


class Row(NamedTuple):
    """A line of the composition: its name, tokens, and the colour of its bar; none where it is part of another."""

    name: str
    tokens: int
    colour: str


def show_composition(out: Console, composition: Composition, now: int, *, lacks: bool = False) -> None:
    """Print the rows that hold anything, each with its part of the whole, and why that is not the `now` tokens.

    `lacks`: whether an earlier part of the conversation could not be read.
    """
    whole = sum(composition.shares.values())
    for row in rows(composition):
        if row.tokens:
            _row(out, row, row.tokens / whole)
    if composition.unseen:
        what = "what came before" if lacks else "what is not in the file, such as the system prompt and tools"
        say(out, f"The API counted {what}.", style="dim")
    elif whole - now >= len(composition.shares):  # each of them is rounded up
        say(out, f"{ESTIMATED}: {whole:,} tokens in all. The API counted fewer.", style="dim")


def _row(out: Console, row: Row, share: float) -> None:
    label = min(LABEL, max(out.width - FIGURES, LEAST))
    width = min(out.width - label - FIGURES - 2, LONGEST_BAR)
    line = safe(f"{cropped(row.name, label):<{label}}{row.tokens:>11,}{rounded(share):>6}")
    if not row.colour:
        out.print(f"[dim]{line}[/]")
    elif width > 0:
        out.print(f"{line}  [{row.colour}]{bar(share, width)}[/]")
    else:
        out.print(line)


def rows(composition: Composition) -> Iterator[Row]:
    """The rows in the order of the shares, tool outputs by tool, and what the file does not hold apart."""
    shares = composition.shares
    yield Row("system prompt", shares["system"] - composition.tools, "magenta")
    yield Row("tool definitions", composition.tools, "magenta")
    yield Row("user", shares["user"], "green")
    yield Row("assistant", shares["assistant"], "cyan")
    yield Row("thinking", shares["thinking"], "blue")
    yield Row("tool calls", shares["tool_input"], "yellow")
    yield Row("tool outputs", shares["tool_output"], "yellow")
    yield from _by_tool(composition)
    yield Row("summaries", shares["summaries"], "green")
    yield Row("injected text", shares["other"] - composition.unseen, "white")
    yield Row("not in the file", composition.unseen, "white")


def _by_tool(composition: Composition) -> Iterator[Row]:
    tools = list(composition.by_tool.items())
    for tool, taken in tools[:TOOLS_SHOWN]:
        yield Row(f"  {tool}", taken, "")
    left = tools[TOOLS_SHOWN:]
    if left:
        yield Row(f"  {len(left)} more", sum(taken for _, taken in left), "")


SHOWN_ROWS: Final = 5
"""Rows of a list that are shown at most; --json has them all."""


def show_faults(out: Console, found: Inspection) -> None:
    """Print what was skipped or unpaired, what is no part of the conversation, and what the file does not record."""
    out.print()
    if not found.damaged and not found.unpaired:
        calls = ", and every tool call has its result" if found.tool_calls else ""
        out.print(f"[green]✓[/] no damaged {found.counted}{calls}")
    for damage in found.damaged[:SHOWN_ROWS]:
        say(out, damage.reason, lead=f"{found.counted} {damage.line:,} was skipped: ", lead_style="yellow")
    if len(found.damaged) > SHOWN_ROWS:
        out.print(f"[yellow]… and {several(len(found.damaged) - SHOWN_ROWS, f'more damaged {found.counted}')}[/]")
    uncalled = set(found.uncalled)
    _alone(out, "tool call", "result", [name for name in found.unpaired if name not in uncalled])
    _alone(out, "tool result", "call", found.uncalled)
    show_beside(out, found.left_out)
    for note in found.notes:
        if note != SEVERAL.format(found.conversations):  # said at the top
            say(out, note, lead="Note: ", style="dim", lead_style="")


def show_beside(out: Console, counts: Mapping[str, int]) -> None:
    """Print what is no part of the conversation, first what was taken back."""
    if counts:
        say(out, _kinds(counts), lead="Beside the conversation: ", style="dim", lead_style="")


def _alone(out: Console, what: str, lacks: str, names: Sequence[str]) -> None:
    """Calls or results that have no counterpart, by the first of their ids."""
    if names:
        line = ", ".join(names[:SHOWN_ROWS]) + (", …" if len(names) > SHOWN_ROWS else "")
        say(out, line, lead=f"{several(len(names), what)} without a {lacks}: ", lead_style="yellow")


def _kinds(counts: Mapping[str, int]) -> str:
    """What was taken back, then what there is most of, and how many others."""
    ordered = sorted(counts.items(), key=lambda one: (one[0] in TAKEN_BACK, one[1]), reverse=True)
    line = [
        f"{kind}: {several(count, 'message') if kind in TAKEN_BACK else f'{count:,}'}"
        for kind, count in ordered[:SHOWN_ROWS]
    ]
    others = sum(count for _, count in ordered[SHOWN_ROWS:])
    return f"{NO_BREAK}· ".join([*line, *([f"others: {others:,}"] if others else [])])
