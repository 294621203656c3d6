"""The pages of `brim replay`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from brim.cli.output import console, percent, safe, say, sentence, several, tokens
from brim.replay.check import JUDGED
from brim.replay.page import RECORDED, UNKNOWN, record_lacks, sub_agents

BLOCKS: Final = "▁▂▃▄▅▆▇█"
NAMES: Final = 19
"""Columns of a policy's name."""
COLUMNS: Final = ("policy", "compacted", "cost", "facts", "words", "sent")
LEAST: Final = 3
"""Columns of the table that are there in any terminal."""
GAP: Final = 2
"""Columns of the terminal between two of the table."""
SOME: Final = " in "
"""Between a cost and the sessions that have one, where some have none."""
LONGEST: Final = 40
"""Columns of a sparkline at most."""
BASELINE: Final = "*"
"""The mark of a baseline, after its name."""


def show(made: Mapping[str, Any]) -> None:
    """Print one replay."""
    out = console()
    _head(out, made)
    rows = [made["recorded"] | {"name": RECORDED}, *(one for one in made["policies"] if not one["refusal"])]
    cells = [_cells(_named(one), [one]) for one in rows]
    out.print(_table(out, cells, [one["windows"] for one in rows], made["window"]))
    _say_lacks(out, [made])
    if made["sub_agents"]:
        say(out, f"sub-agents, in no row: {sub_agents(made)}", style="dim")
    refused = [one for one in made["policies"] if one["refusal"]]
    for one in refused:
        say(out, f"{one['name']}: {one['refusal']}", style="yellow")
    out.print()
    say(out, made["recommendation"]["sentence"], style="bold")
    out.print("\n[bold]Assumed[/]")
    for one in made["assumptions"]:
        say(out, f"  {sentence(one)}", style="dim", indent=4)
    _notes(out, made)


def _head(out: Console, made: Mapping[str, Any]) -> None:
    version = f"{made['format']} {made['version']}" if made["version"] else made["format"]
    out.print(f"[bold]{safe(made['file'])}[/]")
    out.print(" · ".join(safe(text) for text in (version, made["model"], (made["date"] or "")[:10]) if text))
    out.print(f"{several(made['responses'], 'response')} · window {made['window']:,} tokens\n")


def _notes(out: Console, made: Mapping[str, Any]) -> None:
    if made["notes"]:
        out.print("\n[bold]What the file lacks[/]")
    for one in made["notes"]:
        say(out, f"  {sentence(one)}", style="dim", indent=4)


def _cells(name: str, rows: Sequence[Mapping[str, Any]], sessions: int = 1) -> list[str]:
    """The row of a policy over the sessions in which it is not refused."""
    shares = _shares([one["facts"] for one in rows if one.get("facts")])
    cuts, sent = sum(len(one["compactions"]) for one in rows), sum(one["sent"] for one in rows)
    return [name, f"{cuts:,}", _sum(rows, sessions), *shares, tokens(sent)]


def _sum(rows: Sequence[Mapping[str, Any]], sessions: int) -> str:
    """The cost in all sessions, or in how many of them it is known."""
    priced = [one["cost"] for one in rows if not isinstance(one["cost"], str)]
    if not priced:
        return UNKNOWN
    missing = "" if len(priced) == sessions else f"{SOME}{len(priced):,} of {sessions:,}"
    return f"{cost(float(sum(priced)))}{missing}"


def _table(out: Console, rows: Sequence[Sequence[str]], drawn: Sequence[Sequence[int]] = (), window: int = 0) -> Table:
    """A row for each policy; what there is no room for is left out: the sparkline, then the columns from the last."""
    widths = [NAMES, *(max(map(len, column)) for column in [*zip(COLUMNS, *rows, strict=True)][1:])]
    fits = (n for n in range(len(COLUMNS), LEAST, -1) if sum(widths[:n]) + GAP * (n - 1) <= out.width)
    count = next(fits, LEAST)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(COLUMNS[0], width=NAMES, no_wrap=True)
    for name in COLUMNS[1:count]:
        table.add_column(name, justify="right", no_wrap=True)
    room = min(out.width - sum(widths[:count]) - GAP * count, LONGEST) if drawn else 0
    if room >= len(BLOCKS):
        table.add_column("window", no_wrap=True)
        rows = [[*row[:count], sparkline(held, room, window)] for row, held in zip(rows, drawn, strict=True)]
    for name, *cells in rows:
        table.add_row(safe(name), *cells[: len(table.columns) - 1])
    if any(row[0].endswith(BASELINE) for row in rows):
        table.caption, table.caption_justify = f"{BASELINE} a baseline to compare with, no policy of brim", "left"
    return table


def _named(row: Mapping[str, Any]) -> str:
    """The name of a policy, a baseline with its mark."""
    return f"{row['name']}{BASELINE}" if row.get("baseline") else str(row["name"])


def cost(usd: float | str) -> str:
    """A cost in dollars; the word where it is unknown."""
    return usd if isinstance(usd, str) else f"${usd:,.2f}"


def sparkline(windows: Sequence[int], width: int, window: int) -> str:
    """Tokens held as so many blocks at most, each the most of its responses; a full block is the whole window."""
    count = min(width, len(windows))
    edges = [index * len(windows) // count for index in range(count + 1)] if count else []
    peaks = [max(windows[start:stop]) for start, stop in pairwise(edges)]
    return "".join(BLOCKS[min(peak * len(BLOCKS) // max(window, 1), len(BLOCKS) - 1)] for peak in peaks)


def _shares(found: Sequence[Mapping[str, int]]) -> Iterator[str]:
    """The shares of the facts and of the user's words that are present."""
    for present, total in (("kept", "facts"), ("words_present", "words")):
        most = sum(facts[total] for facts in found)
        yield percent(Fraction(sum(facts[present] for facts in found), most)) if most else "–"


def show_line(made: Mapping[str, Any]) -> None:
    """Print what one replay of several came to, in a line or two."""
    out = console()
    say(out, f"{made['file']}: {made['recommendation']['sentence']}")


def show_all(replays: Sequence[Mapping[str, Any]]) -> None:
    """Print each policy over all replays, beside what the sessions report: a cost is that of the sessions with one."""
    out, sessions = console(), len(replays)
    out.print(f"\n[bold]{several(sessions, 'transcript')} together[/]")
    found = {RECORDED: [made["recorded"] for made in replays]}
    for made in replays:
        for one in made["policies"]:
            found.setdefault(_named(one), []).append(one)
    fitting = {name: [one for one in every if not one.get("refusal")] for name, every in found.items()}
    rows = [_cells(name, every, sessions) for name, every in fitting.items() if every]
    out.print(_table(out, rows))
    if any(SOME in row[COLUMNS.index("cost")] for row in rows):
        say(out, "a cost in some of the sessions: the others have an unknown price, or refuse the policy", style="dim")
    _say_lacks(out, replays)
    for name, every in found.items():
        refusals = [one["refusal"] for one in every if one.get("refusal")]
        if refusals:
            where = f"refused in {len(refusals):,} of {several(sessions, 'session')}"
            say(out, f"{name}: {where}, first since {refusals[0]}", style="yellow")


def _say_lacks(out: Console, made: Sequence[Mapping[str, Any]]) -> None:
    if lacks := record_lacks(made):
        say(out, f"{RECORDED}: {lacks}", style="dim")


def show_check(made: Mapping[str, Any]) -> None:
    """Print the check of one transcript."""
    out = console()
    out.print(f"[bold]{safe(made['file'])}[/]")
    if made["judged"]:
        verdict = "not as recorded" if made["missed"] or made["early"] else "as recorded"
        count = several(len(made["predicted"]), "compaction")
        out.print(f"{made['profile']} in {made['window']:,} tokens: {count} predicted, [bold]{verdict}[/] ({JUDGED})")
    for kind in ("recorded", "cleared"):
        for one in made[kind]:
            held, after = (tokens(one[key]) for key in ("held", "after"))
            apart = "" if one["trigger"] == "auto" else ", not judged"
            at = "before the first response" if one["response"] is None else f"after response {one['response']}"
            out.print(f"  {kind} {at}: {one['trigger']} at {held}, then {after}{apart}")
    for one in made["predicted"]:
        flaw = " [red]early[/]" if one["response"] in made["early"] else ""
        told = f"predicted after response {one['response']}: {one['held']:,} of {one['threshold']:,}"
        out.print(f"  {told}{flaw}")
    for response in made["missed"]:
        out.print(f"  [red]missed[/] after response {response}")
    for note in made["notes"]:
        say(out, f"  {sentence(note)}", style="dim", indent=4)
    out.print()


def show_checks(checks: Sequence[Mapping[str, Any]], *, stderr: bool = False) -> None:
    """Print the checks of all transcripts together, on stderr where the checks themselves are JSON lines."""
    judged = [one for one in checks if one["judged"]]
    automatic = sum(made["trigger"] == "auto" for one in judged for made in one["recorded"])
    missed, early = (sum(len(one[key]) for one in judged) for key in ("missed", "early"))
    console(stderr=stderr).print(
        f"[bold]{several(len(checks), 'transcript')}[/], {len(judged):,} with a known profile: "
        f"{automatic - missed:,} of {several(automatic, 'automatic compaction')} predicted, {early:,} early"
    )


@contextmanager
def progress(count: int) -> Iterator[Callable[[], None]]:
    """Show on stderr how many transcripts are done and the time left, if it is a terminal and there are several."""
    watched = console(stderr=True)
    columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=watched, transient=True, disable=count == 1 or not watched.is_terminal) as bar:
        task = bar.add_task("", total=count)
        yield lambda: bar.advance(task)
