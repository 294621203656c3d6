"""The pages of `brim replay`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
WIDE: Final = 80
"""Columns from which on the tokens sent have one."""
LONGEST: Final = 40
"""Columns of a sparkline at most."""
FIGURES: Final = 48
"""Columns before a sparkline, without the tokens sent."""
BASELINE: Final = "*"
"""The mark of a baseline, after its name."""


def show(made: Mapping[str, Any]) -> None:
    """Print one replay."""
    out = console()
    _head(out, made)
    out.print(_table(out, [made["recorded"] | {"name": RECORDED}, *made["policies"]], made["window"]))
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


def _table(out: Console, rows: Sequence[Mapping[str, Any]], window: int) -> Table:
    """A row for each policy; what there is no room for is left out: the sparkline, then the tokens sent."""
    wide = out.width >= WIDE
    room = min(out.width - FIGURES - (12 if wide else 0), LONGEST)
    table = _columns(wide=wide)
    if room >= len(BLOCKS):
        table.add_column("window", no_wrap=True)
    for row in rows:
        if row.get("refusal"):
            continue
        facts = row.get("facts")
        cells = [safe(_named(row)), f"{len(row['compactions'])}", cost(row["cost"]), *_shares([facts] if facts else [])]
        cells += [tokens(row["sent"])] if wide else []
        cells += [sparkline(row["windows"], room, window)] if room >= len(BLOCKS) else []
        table.add_row(*cells)
    return _captioned(table, map(_named, rows))


def _columns(*, wide: bool) -> Table:
    """A table without rows; a cost over several sessions may take two lines."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("policy", width=NAMES, no_wrap=True)
    for name in ("compacted", "cost", "facts", "words", *(["sent"] if wide else [])):
        table.add_column(name, justify="right", no_wrap=name != "cost")
    return table


def _captioned(table: Table, names: Iterable[str]) -> Table:
    if any(name.endswith(BASELINE) for name in names):
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
    out = console()
    out.print(f"\n[bold]{several(len(replays), 'transcript')} together[/]")
    found = {RECORDED: [made["recorded"] for made in replays]}
    for made in replays:
        for one in made["policies"]:
            found.setdefault(_named(one), []).append(one)
    wide = out.width >= WIDE
    table = _columns(wide=wide)
    for name, every in found.items():
        rows = [one for one in every if not one.get("refusal")]
        if not rows:
            continue
        shares = _shares([one["facts"] for one in rows if one.get("facts")])
        cuts, sent = sum(len(one["compactions"]) for one in rows), sum(one["sent"] for one in rows)
        cells = [safe(name), f"{cuts:,}", _sum(rows, len(replays)), *shares, *([tokens(sent)] if wide else [])]
        table.add_row(*cells)
    out.print(_captioned(table, found))
    _say_lacks(out, replays)
    for name, every in found.items():
        refusals = [one["refusal"] for one in every if one.get("refusal")]
        if refusals:
            where = f"refused in {len(refusals):,} of {several(len(replays), 'session')}"
            say(out, f"{name}: {where}, first since {refusals[0]}", style="yellow")


def _say_lacks(out: Console, made: Sequence[Mapping[str, Any]]) -> None:
    if lacks := record_lacks(made):
        say(out, f"{RECORDED}: {lacks}", style="dim")


def _sum(rows: Sequence[Mapping[str, Any]], sessions: int) -> str:
    """The cost in all sessions, or in how many of them it is known."""
    priced = [one["cost"] for one in rows if not isinstance(one["cost"], str)]
    if not priced:
        return UNKNOWN
    missing = "" if len(priced) == sessions else f", {len(priced):,} of {several(sessions, 'session')}"
    return f"{cost(float(sum(priced)))}{missing}"


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
