"""The page of `brim compact`."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from brim.cli.outcome import Outcome, Request
from brim.cli.output import bar, console, cropped, percent, safe, sentence, several
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction

MISSING_SHOWN: Final = 5
"""Missing facts that are shown at most; --json has them all."""
SUMMARY_SHOWN: Final = 16
"""Lines of the summary that are shown at most."""
LONGEST_BAR: Final = 40
FIGURES: Final = 38
"""Columns beside a bar."""


WHY: Final = {
    "anchor": "from an anchor on",
    "recent turns": "the recent turns",
    "cut inside the recent turns": "what fits of the recent turns",
    "last user message": "the last message of the user's",
    "last messages": "the last messages",
}
"""Why a part is kept, in words."""


def show(outcome: Outcome, request: Request) -> None:
    """Print the page, section by section."""
    out, compaction = console(), outcome.compaction
    _head(out, outcome, request)
    if compaction.plan.acts:
        _figures(out, compaction)
        _kept(out, compaction.plan, of=outcome.messages)
        _survived(out, compaction)
        _summary(out, compaction.summary, whole=request.full_summary)
    else:
        _untouched(out, outcome)
    _closing(out, outcome, request)


def _head(out: Console, outcome: Outcome, request: Request) -> None:
    plan = outcome.compaction.plan
    when = "" if request.at is None else f" as after response {request.at:,}"
    out.print(f"[bold]{safe(request.file.name)}[/]")
    out.print(f"{safe(outcome.transcript.format)} · {several(outcome.messages, 'message')}{when}")
    out.print(_due(plan, outcome.unjudged))
    for notice in plan.notices:
        out.print(f"[yellow]{safe(notice)}[/]")
    if outcome.transcript.damaged:
        lines = ", ".join(f"{damage.line:,}" for damage in outcome.transcript.damaged[:MISSING_SHOWN])
        more = ", …" if len(outcome.transcript.damaged) > MISSING_SHOWN else ""
        out.print(f"[yellow]{several(len(outcome.transcript.damaged), 'damaged line')} skipped: {lines}{more}[/]")
    out.print()


def _due(plan: Plan, unjudged: str | None) -> str:
    if unjudged:
        return f"[yellow]Due? {sentence(unjudged)}: say --window[/]"
    if plan.verdict.due:
        return f"[red]Due[/] by the profile {plan.profile}: {plan.verdict.reason}"
    held, threshold = plan.verdict.held, plan.verdict.threshold
    return f"[green]Not due yet[/] by the profile {plan.profile}: {held:,} tokens held, threshold {threshold:,}"


def _untouched(out: Console, outcome: Outcome) -> None:
    plan = outcome.compaction.plan
    count = several(outcome.messages, "message")
    why = f", which is less than the {plan.target:,} that a compaction keeps" if _fits(plan) else ""
    out.print(f"[bold]Nothing to compact:[/] the {count} stay as they are, {plan.tokens_before:,} tokens{why}")


def _fits(plan: Plan) -> bool:
    return plan.tokens_before < plan.target


def _figures(out: Console, compaction: Compaction) -> None:
    before, after = compaction.tokens_before, compaction.tokens_after
    width = min(max(out.width - FIGURES, 8), LONGEST_BAR)
    share = f"[bold]{percent(compaction.compression.ratio)} less[/]"
    out.print(f"before  [red]{bar(1, width)}[/] {before:>9,} tokens")
    out.print(f"after   [green]{bar(after / max(before, 1), width):<{width}}[/] {after:>9,} tokens, {share}")
    if compaction.compression.warning:
        out.print(f"[yellow]{compaction.compression.warning}[/]")
    out.print("[dim]Estimated from the text, both in the same way.[/]\n")


def _kept(out: Console, plan: Plan, *, of: int) -> None:
    out.print(f"[bold]Kept[/]        {len(plan.kept):,} of {several(of, 'message')}{_why(plan)}")
    if plan.anchor is not None:
        kind = plan.anchor.kind.replace("_", " ")
        out.print(f"            turn {plan.anchor.turn}: {kind} (confidence {plan.anchor.confidence})")
    if plan.request:
        out.print("            with the last message the user wrote")
    if plan.over_target:
        out.print(f"            [yellow]above the target of {plan.target:,} tokens: it is the least that must stay[/]")
    if plan.pruning.outputs:
        out.print(f"[bold]Cleared[/]     {several(len(plan.pruning.outputs), 'old tool output')} in the kept part")
    turns = several(len(plan.turns), "turn")
    out.print(f"[bold]Summarised[/]  {several(len(plan.summarised), 'message')} of {turns}")


def _why(plan: Plan) -> str:
    return f", {WHY.get(plan.why_kept, plan.why_kept)}" if plan.why_kept and plan.kept else ""


def _survived(out: Console, compaction: Compaction) -> None:
    fidelity = compaction.fidelity
    colour = "green" if not fidelity.missing else "yellow"
    share = f"[{colour}]{percent(fidelity.share)}[/]"
    out.print(f"[bold]Survived[/]    {fidelity.kept:,} of {several(fidelity.facts, 'fact')}, {share}")
    for fact in fidelity.missing[:MISSING_SHOWN]:
        line = f"            missing {fact.kind.replace('_', ' ')}: {fact.text}"
        out.print(f"[dim]{safe(cropped(line, out.width))}[/]")
    if len(fidelity.missing) > MISSING_SHOWN:
        left = len(fidelity.missing) - MISSING_SHOWN
        out.print(f"[dim]            and {left:,} more that --json names[/]")


def _summary(out: Console, summary: str, *, whole: bool) -> None:
    if not summary:
        return
    lines = summary.split("\n")
    out.print(f"\n[bold]The summary[/]  {len(summary):,} characters")
    if whole or len(lines) <= SUMMARY_SHOWN:
        out.print(safe(summary))
        return
    for line in lines[:SUMMARY_SHOWN]:
        out.print(f"[dim]│[/] {safe(cropped(line, out.width - 2))}")
    out.print(f"[dim]│ … {len(lines) - SUMMARY_SHOWN:,} more lines; --full-summary shows them all[/]")


def _closing(out: Console, outcome: Outcome, request: Request) -> None:
    out.print()
    if outcome.complaint:
        out.print(f"[yellow]Note: {safe(outcome.complaint)}[/]")
    if outcome.mended:
        out.print(f"[yellow]Mended so that the API takes it: {several(outcome.mended, 'message')}[/]")
    if request.output is not None:
        verb = "Would be written" if request.dry_run else "Written"
        count = several(len(outcome.compaction.messages), "message")
        out.print(f"{verb} to {safe(str(request.output))}, {count}")
    elif outcome.compaction.plan.acts:
        out.print("[dim]Nothing was written; -o OUT writes the new conversation.[/]")
