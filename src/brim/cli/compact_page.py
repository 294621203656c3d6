"""The page of `brim compact`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Console

from brim.cli.compact_head import show_head
from brim.cli.outcome import Outcome, Request
from brim.cli.output import bar, console, cropped, percent, safe, say, several
from brim.cli.standard import is_stdout, name_of
from brim.cli.summary_page import show_summary, show_writer
from brim.cli.writing import how_to_resume
from brim.compaction.plan import LAST_REQUEST, NOTHING_TO_COMPACT, Plan
from brim.compaction.result import Compaction

MISSING_SHOWN: Final = 5
"""Missing facts that are shown at most; --json has them all."""
LONGEST_BAR: Final = 40
FIGURES: Final = 38
"""Columns beside a bar."""


WHY: Final = {
    "anchor": "from an anchor on",
    "recent turns": "the recent turns",
    "cut inside the recent turns": "what fits of the recent turns",
    "last user message": "the last message of the user's",
    "last messages": "the last messages",
    "newest messages": "the results that the model has not seen",
}
"""Why a part is kept, in words."""


def show(outcome: Outcome, request: Request) -> None:
    """Print the page, section by section."""
    out, compaction = console(stderr=is_stdout(request.output) and not request.dry_run), outcome.compaction
    show_head(out, outcome, request)
    if compaction.plan.acts:
        _figures(out, compaction)
        _kept(out, compaction.plan, of=outcome.messages)
        _survived(out, compaction)
        show_writer(out, compaction, request)
        show_summary(out, compaction.summary, whole=request.full_summary)
    else:
        _untouched(out, outcome)
    _closing(out, outcome, request)


def _untouched(out: Console, outcome: Outcome) -> None:
    plan = outcome.compaction.plan
    count = several(outcome.messages, "message")
    stay = "stay" if outcome.mended else "stay as they are"
    told = f"the {count} {stay}, {plan.tokens_before:,} tokens by their text{_why_idle(plan)}"
    say(out, told, lead="Nothing to compact: ")


def _why_idle(plan: Plan) -> str:
    """Why nothing is done, where that is known: all of it fits, or the plan itself says what else."""
    if plan.tokens_before < plan.target:
        return f", which is less than the {plan.target:,} that a compaction keeps"
    more = plan.reason.removeprefix(NOTHING_TO_COMPACT).removeprefix(": ")
    return f"; {more}" if more else ""


def _figures(out: Console, compaction: Compaction) -> None:
    before, after = compaction.tokens_before, compaction.tokens_after
    width = min(max(out.width - FIGURES, 8), LONGEST_BAR)
    share = f"[bold]{percent(compaction.compression.ratio)} less[/]"
    out.print(f"before  [red]{bar(1, width)}[/] {before:>9,} tokens")
    out.print(f"after   [green]{bar(after / max(before, 1), width):<{width}}[/] {after:>9,} tokens, {share}")
    if compaction.compression.warning:
        out.print(f"[yellow]{compaction.compression.warning}[/]")
    held = compaction.plan.verdict.held
    reported = "" if held == before else f"; the provider reported {held:,}"
    out.print(f"[dim]Estimated from the text, both in the same way{reported}.[/]\n")


def _kept(out: Console, plan: Plan, *, of: int) -> None:
    out.print(f"[bold]Kept[/]        {len(plan.kept):,} of {several(of, 'message')}{_why(plan)}")
    if plan.anchor is not None:
        kind = plan.anchor.kind.replace("_", " ")
        out.print(f"            turn {plan.anchor.turn}: {kind} (confidence {plan.anchor.confidence})")
    if any(piece.reason == LAST_REQUEST for piece in plan.kept_pieces):
        out.print("            with the last message the user wrote")
    if plan.over_target:
        out.print(f"            [yellow]above the target of {plan.target:,} tokens: it is the least that must stay[/]")
    if plan.pruning.outputs:
        out.print(f"[bold]Cleared[/]     {several(len(plan.pruning.outputs), 'old tool output')} in the kept part")
    turns = several(len(plan.turns), "turn")
    out.print(f"[bold]Summarized[/]  {several(len(plan.summarised), 'message')} of {turns}")


def _why(plan: Plan) -> str:
    return f", {WHY.get(plan.tail_reason, plan.tail_reason)}" if plan.tail_reason else ""


def _survived(out: Console, compaction: Compaction) -> None:
    fidelity = compaction.fidelity
    colour = "green" if not fidelity.missing else "yellow"
    share = f"[{colour}]{percent(fidelity.share)}[/]"
    out.print(f"[bold]Facts kept[/]  {fidelity.kept:,} of {fidelity.facts:,}, {share}")
    for fact in fidelity.missing[:MISSING_SHOWN]:
        line = f"            missing {fact.kind.replace('_', ' ')}: {fact.text}"
        out.print(f"[dim]{safe(cropped(line, out.width))}[/]")
    if len(fidelity.missing) > MISSING_SHOWN:
        left = len(fidelity.missing) - MISSING_SHOWN
        out.print(f"[dim]            and {left:,} more that --json names[/]")


def _closing(out: Console, outcome: Outcome, request: Request) -> None:
    lines = list(_last_words(outcome, request))
    if lines:
        out.print()
    for told, style in lines:
        say(out, told, style=style)


def _last_words(outcome: Outcome, request: Request) -> Iterator[tuple[str, str]]:
    """What the API would say of it, what was mended, and where it is; each with its style."""
    if outcome.complaint:
        yield f"Note: {outcome.complaint}", "yellow"
    if outcome.mended:
        yield f"Mended so that the API takes it: {several(outcome.mended, 'message')}", "yellow"
    if request.output is not None and outcome.written is not None:
        written, verb = outcome.written, "Would be written" if request.dry_run else "Written"
        replaced = ", in place of the file there" if outcome.replaced else ""
        if written.left_out:
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in written.left_out.items())
            yield f"Left out, for {written.target} has no place for it: {kinds}", "yellow"
        form = f" as {written.target}" if request.to else ""
        yield f"{verb} to {name_of(request.output)}{form}, {several(written.messages, 'message')}{replaced}", ""
        if written.session:
            yield how_to_resume(written, request.output), ""
    elif outcome.compaction.plan.acts:
        yield "Nothing was written; -o OUT writes the new conversation.", "dim"
