"""The page of `brim compact`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from rich.console import Console

from brim.cli.compact_head import show_head
from brim.cli.outcome import Outcome, Request
from brim.cli.output import bar, console, cropped, percent, safe, say, several
from brim.cli.standard import is_stdout, name_of
from brim.cli.summary_page import show_summary, show_writer
from brim.cli.writing import how_to_resume
from brim.compaction.layout import Clear
from brim.compaction.plan import LAST_REQUEST, NOTHING_LEAVES, NOTHING_TO_COMPACT, PRUNED, Plan
from brim.compaction.result import Compaction, retained_tokens
from brim.summary.facts import Fidelity, MissingWords
from brim.tokens.estimation import tokens_of

COLUMN: Final = " " * 12
"""Where the figures begin."""
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
STAYS: Final = {
    **WHY,
    "anchor": "the turns from an anchor on",
    "pinned": "what is pinned",
    "bound to what is pinned": "what is bound to it",
    "before the first turn": "what precedes the first turn",
    NOTHING_LEAVES: "all that was not cleared",
    PRUNED: "outputs that were cleared",
}
"""The parts that stay, in words."""


def show(outcome: Outcome, request: Request) -> None:
    """Print the page, section by section."""
    out, compaction = console(stderr=is_stdout(request.output) and not request.dry_run), outcome.compaction
    show_head(out, outcome, request)
    if compaction.plan.acts:
        _figures(out, compaction)
        _kept(out, compaction.plan, of=outcome.messages)
        _present(out, compaction, listed=request.missing)
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
        say(out, _why_large(compaction), style="yellow")
    held = compaction.plan.verdict.held
    reported = "" if held == before else f"; the provider reported {held:,}"
    out.print(f"[dim]Estimated from the text, both in the same way{reported}.[/]\n")


def _why_large(compaction: Compaction) -> str:
    """How much stays word for word, why, and what the rest of the new conversation is."""
    plan, after = compaction.plan, compaction.tokens_after
    kept = [piece for piece in plan.kept_pieces if piece.message is not None]
    verbatim = retained_tokens(plan, (piece.message for piece in kept if piece.message is not None))
    reasons = Counter(PRUNED if isinstance(piece, Clear) else piece.reason for piece in kept)
    parts = [
        STAYS.get(reason, reason) + (f" ({several(count, 'message')})" if count > 1 else "")
        for reason, count in reasons.items()
    ]
    others = {
        "the system prompt and tools take": tokens_of(plan.extras, plan.characters_per_token),
        "the summary takes": retained_tokens(plan, compaction.conversation) - verbatim,
    }
    rest = ", ".join(f"{name} {size:,}" for name, size in others.items() if size > 0)
    told = f"{verbatim:,} of {after:,} tokens stay word for word: {', '.join(parts) or 'nothing'}"
    return f"{told}; {rest}" if rest else told


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


def _present(out: Console, compaction: Compaction, *, listed: bool) -> None:
    """How much is present, and what is missing: how many, or each of them where that is asked for.

    What an earlier summary replaced is not counted: nothing but its text is known.
    """
    fidelity = compaction.fidelity
    since = " since the earlier summary" if any(one.marks.summary for one in compaction.plan.given) else ""
    say(out, _shares(fidelity, since), lead="Present     ", indent=len(COLUMN))
    facts = [fact for fact in fidelity.missing if fact.kind != "request"]
    if listed:
        lines = [f"missing {fact.kind.replace('_', ' ')}: {fact.text}" for fact in facts]
        lines += [f"missing words: {_lost(one)}" for one in fidelity.missing_words]
        for line in lines or ["nothing is missing"]:
            out.print(f"[dim]{safe(cropped(COLUMN + line, out.width))}[/]")
    elif fidelity.missing:
        characters = fidelity.words.total - fidelity.words.present
        messages = several(len(fidelity.missing_words), "message")
        counts = [several(len(facts), "fact")] if facts else []
        counts += [f"{several(characters, 'character')} of {messages}"] if characters else []
        said = f"{COLUMN}missing: {' and '.join(counts)}; --missing lists them"
        say(out, said, lead=COLUMN, style="yellow", indent=len(COLUMN))


def _shares(fidelity: Fidelity, since: str) -> str:
    facts, words, rates = fidelity.facts, fidelity.words, fidelity.per_1000
    found, density = [], []
    if facts.total:
        found.append(f"{facts} facts")
        density.append(f"{float(rates.facts):.1f} facts")
    if words.total:
        found.append(f"{percent(words.share)} of the user's words ({words} characters)")
        density.append(several(round(rates.words), "character"))
    if not found:
        return "there were no facts, and no words of the user"
    return f"{', '.join(found)}{since}; {' and '.join(density)} per 1,000 tokens"


def _lost(words: MissingWords) -> str:
    """How much of a message is missing, and from where."""
    count = f"{words.characters:,} of" if words.characters < words.total else "all"
    told = f"{count} {words.total:,} characters of a message"
    return f"{told}, from: {words.opening}" if words.opening else told


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
