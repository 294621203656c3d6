"""`brim compact`: the main job and its page, without a key on the template summary, with one on a model's."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from brim.cli import complain
from brim.cli.inspecting import show_beside
from brim.cli.limits import WrongUsage, check_flags, limits_for, unknown, with_room
from brim.cli.options import is_stdout, name_of, title_of
from brim.cli.output import bar, console, cropped, percent, print_json, safe, say, sentence, several, working
from brim.cli.reading import read_file
from brim.cli.settings import is_set
from brim.cli.writing import (
    NewConversation,
    begins_with_assistant,
    how_to_resume,
    kept_sessions,
    new_conversation,
    require_one_answer,
    require_place,
    require_target,
    target_of,
    write_conversation,
)
from brim.compaction.cost import Cost, cost_of
from brim.compaction.layout import Clear
from brim.compaction.plan import LAST_REQUEST, NOTHING_LEAVES, NOTHING_TO_COMPACT, PRUNED, Plan
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction, compact_without_model
from brim.conversation.formats import RESPONSES, is_item
from brim.conversation.messages import Message
from brim.engine.compactor import Compactor
from brim.errors import InvalidInput, Refused
from brim.settings import Settings
from brim.summary.facts import Coverage, MissingWords, RetentionReport
from brim.tokens.estimation import tokens_of
from brim.transcripts import Transcript, view
from brim.transcripts.window import window_of
from brim.trigger.overflow import window_filled

BEGINS_WITH_ASSISTANT: Final = (
    "the conversation begins with the assistant, as the transcript does; Anthropic's API wants the user's message first"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the command line asks for a compaction, of a file or of a session."""

    model: str | None = None
    window: int | None = None
    max_output: int | None = None
    settings: Settings
    summarizer: str = "template"
    full_summary: bool = False
    missing: bool = False
    """Whether the page lists what is missing."""
    dry_run: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactRequest(Options):
    """A compaction of a file."""

    file: Path
    output: Path | None = None
    to: str | None = None
    """The format of the output, where it is not that of the transcript."""
    at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it, and what there is to say of it."""

    transcript: Transcript
    compaction: Compaction
    model: str | None
    window: int | None
    cost: Cost | None
    """What a dry run would cost; None where it is unknown."""
    messages: int
    """Messages of the caller's conversation."""
    mended: int
    """Messages that stay and were changed or added first, because the API refuses them as they were: calls and results
    in pairs, nothing empty, no thinking without its signature."""
    written: NewConversation | None = None
    """What is written, or would be; None where no output is named."""
    replaced: bool = False
    """Whether a file stood in the place that it is written to."""

    @property
    def unjudged(self) -> str | None:
        """Why it was not judged whether it was due; None where it was."""
        return None if self.window else unknown(self.model)

    @property
    def complaint(self) -> str | None:
        """Why the API would refuse the conversation as it is now; None where nothing is known against it."""
        begun = begins_with_assistant(self.compaction.conversation, self.compaction.format)
        if self.written is not None:
            begun = self.written.by_assistant
        return BEGINS_WITH_ASSISTANT if begun else None


WRITERS = ("template", "anthropic")


def require_writer(summarizer: str, for_model: Mapping[str, str | None]) -> None:
    """Whether the options about the summary fit together. Raises WrongUsage that says what would."""
    if summarizer not in WRITERS:
        raise WrongUsage(f"--summarizer is {summarizer!r}; it is one of: {', '.join(WRITERS)}")
    named = [name for name, text in for_model.items() if text is not None]
    if summarizer == "template" and named:
        option = named[0].replace("_", "-")
        raise WrongUsage(f"--{option} is for a model that writes the summary: add --summarizer anthropic")


def compactor_of(options: Options, model: str | None) -> Compactor:
    """The compactor that the options ask for. Raises Refused where a model is to write, and none is named."""
    with warnings.catch_warnings(action="ignore"):  # the page says so
        if options.summarizer == "template":
            return Compactor(policy=policy_of(options))
        if not (options.settings.policy.summary_model or model):
            raise Refused("the transcript names no model: say which one writes the summary, with --summary-model")
        return Compactor(_client(), model, policy=policy_of(options))


def policy_of(options: Options) -> CompactionPolicy:
    """The policy that is set; the fallback for a model's summary is an error by default, since it was asked for."""
    policy = options.settings.policy
    if options.summarizer == "template" or is_set(options.settings, "on_failure"):
        return policy
    return policy.model_copy(update={"on_failure": "raise"})


def _client() -> Any:
    from anthropic import Anthropic

    return Anthropic()


def run(request: CompactRequest) -> None:
    """Read, plan, compact, write where asked to, and show. Raises InvalidInput or Refused."""
    check_flags(request.window, request.max_output)
    require_one_answer(request.output, as_json=request.as_json)
    require_target(request.output, request.to)
    if request.output is not None:
        require_place(request.output, source=request.file, kept=kept_sessions())
    with working(f"compacting {title_of(request.file)}"):
        outcome = compact(request)
    if request.output is not None and outcome.written is not None and not request.dry_run:
        _write(request.output, outcome.written, outcome.compaction)
    warn_of_truncation(outcome.compaction)
    if request.as_json:
        print_json(answer(outcome))
    else:
        show(outcome, request)


def warn_of_truncation(compaction: Compaction) -> None:
    """Say on stderr how many messages were left out where no attempt gave a summary."""
    if compaction.summary_source == "truncate":
        left_out = several(len(compaction.plan.summarized), "message")
        complain(f"no attempt gave a summary: {left_out} were left out without one")


def _write(output: Path, written: NewConversation, compaction: Compaction) -> None:
    """Write the new conversation; where that fails a model's summary, which was paid for, to stderr.

    Raises InvalidInput.
    """
    try:
        write_conversation(output, written)
    except InvalidInput:
        if compaction.summary_source == "model":
            show_summary(console(stderr=True), compaction.summary, whole=True)
        raise


def compact(request: CompactRequest) -> Outcome:
    """Everything but the writing. Raises InvalidInput or Refused."""
    transcript = read_file(request.file, default_model=request.settings.preferences.default_model)
    target = target_of(transcript, request.to) if request.output is not None else None
    model = request.model or transcript.model
    limits = limits_for(transcript, request.model, request.window, request.max_output)
    if limits is not None:
        with_room(limits)
    window = window_of(transcript, limits, policy=policy_of(request), at=request.at)
    compactor = compactor_of(request, model)
    plan = compactor.plan(window)
    compaction = carried_out(compactor, plan, request)
    if not compaction.plan.changes_anything:  # what is written is accepted by the API, compacted or not
        compaction = replace(compaction, conversation=plan.context.messages)
    return Outcome(
        written=None if target is None else new_conversation(transcript, compaction, target, request.output),
        replaced=request.output is not None and not is_stdout(request.output) and request.output.is_file(),
        transcript=transcript,
        compaction=compaction,
        model=model,
        window=limits.context_window if limits else None,
        cost=price(compaction, model, request),
        messages=len(window.messages),
        mended=_mended(
            compaction.plan,
            window.messages if compaction.plan.summarizes else view(transcript, request.at).messages,
            target,
        ),
    )


def _mended(plan: Plan, came: Sequence[Message], target: str | None) -> int:
    """Messages that stay and are not those that came; where something is summarized, no thinking stays anyway."""
    stays = {piece.index for piece in plan.kept_pieces}
    return sum(
        source is None
        or (message is not came[source] and not (target == RESPONSES and is_item(message)))  # written as it came
        for position, (message, source) in enumerate(
            zip(plan.context.messages, plan.context.origin_indices, strict=True)
        )
        if position in stays
    )


def carried_out(compactor: Compactor, plan: Plan, options: Options) -> Compaction:
    """A dry run asks no model: it shows the template in its place."""
    return compact_without_model(plan) if options.dry_run else compactor.apply(plan)


def price(compaction: Compaction, model: str | None, options: Options) -> Cost | None:
    """What a dry run would cost by list prices (CMP_09); None where it does nothing or no price is known."""
    plan = compaction.plan
    if not (options.dry_run and plan.changes_anything):
        return None
    from brim.anthropic.prices import prices_of

    call = plan.call
    request = call.first_request if call is not None else None
    try:
        writer = prices_of(call.model) if call is not None else None
        template = (
            ceil(plan.context.length(compaction.summary) / plan.context.characters_per_token)
            if request is None
            else None
        )
        return cost_of(plan, request, prices_of(model or ""), summary_prices=writer, summary_tokens=template)
    except Refused:
        return None


CALL: Final = ("model", "strategy", "reason", "tokens", "max_tokens", "prompt")
"""Fields of the call that JSON has: all but the requests that were prepared for it."""


def answer(outcome: Outcome) -> dict[str, Any]:
    """The compaction as JSON. Indices are those of the conversation that was compacted, from 0."""
    return {
        "format": outcome.transcript.format,
        "model": outcome.model,
        "window": outcome.window,
        "messages": outcome.messages,
        **compaction_answer(outcome.compaction, outcome.cost),
        "mended": outcome.mended,
        "written_as": outcome.written.target if outcome.written else None,
        "left_out": dict(outcome.written.left_out) if outcome.written else {},
        "complaint": outcome.complaint,
        "damaged_lines": [damage.line for damage in outcome.transcript.damaged],
        "taken_back": outcome.transcript.taken_back,
        "lacks": outcome.transcript.lacks,
    }


def compaction_answer(compaction: Compaction, cost: Cost | None) -> dict[str, Any]:
    """What a compaction did or would do, as JSON; the cost is in USD, of a dry run, None where it is unknown."""
    plan, fidelity = compaction.plan, compaction.fidelity
    return {
        "profile": plan.context.trigger.profile.name,
        "due": plan.context.verdict.due,
        "reason": plan.context.verdict.reason,
        "held": plan.context.verdict.held,
        "threshold": plan.context.verdict.threshold or None,
        "notices": list(compaction.notices),
        "compacted": plan.changes_anything,
        "decision": plan.reason,
        "tokens_before": compaction.tokens_before,
        "tokens_after": compaction.tokens_after,
        "ratio": compaction.compression.ratio,
        "warning": compaction.compression.warning if plan.changes_anything else None,
        "target": plan.context.target_tokens or None,
        "over_target": compaction.over_target,
        "keep_tokens": plan.target,
        "over_keep_tokens": plan.over_target,
        "kept": plan.kept,
        "why_kept": plan.tail_reason or None,
        "summarized": plan.summarized,
        "pruned": list(plan.pruning.ids),
        "anchor": _anchor(compaction),
        "by": compaction.summary_source or None,
        "call": plan.call and {name: getattr(plan.call, name) for name in CALL},
        "cost": cost and asdict(cost),
        "attempts": [
            {**asdict(attempt), "usage": attempt.usage and attempt.usage.model_dump()}
            for attempt in compaction.attempts
        ],
        "summary": compaction.summary,
        "fidelity": {
            "facts": _presence(fidelity.facts),
            "words": _presence(fidelity.words),
            "tokens": fidelity.tokens,
            "per_1000": fidelity.per_1000._asdict(),
            "missing": [
                {"kind": fact.kind, "text": fact.text, "turn": fact.turn}
                for fact in fidelity.missing
                if fact.kind != "request"
            ],
            "missing_words": [
                {
                    "text": one.message.text,
                    "turn": one.message.turn,
                    "characters": one.characters,
                    "total": one.total,
                    "from": one.opening,
                }
                for one in fidelity.missing_words
            ],
        },
    }


def _presence(found: Coverage) -> dict[str, Any]:
    """What is present, of how much, and the share to four places, rounded down: it is 1 only where all is present."""
    return {"present": found.present, "total": found.total, "share": Fraction(floor(found.share * 10_000), 10_000)}


def _anchor(compaction: Compaction) -> dict[str, Any] | None:
    anchor = compaction.plan.anchor
    if anchor is None:
        return None
    return {"turn": anchor.turn, "kind": anchor.kind, "confidence": anchor.confidence, "weight": anchor.weight}


SHOWN_DAMAGE: Final = 5
"""Damaged places that are shown at most; --json has them all."""


def show_head(out: Console, outcome: Outcome, request: CompactRequest) -> None:
    """Print the file, what of it is in the window, and whether a compaction is due."""
    when = "" if request.at is None else f" as after response {request.at:,}"
    out.print(f"[bold]{safe(title_of(request.file))}[/]")
    out.print(" · ".join(safe(text) for text in (outcome.transcript.format, outcome.model) if text))
    out.print(f"{several(outcome.messages, 'message')} in the window{when}{_of_file(outcome)}")
    show_due(out, outcome.compaction, outcome.unjudged, own=request.settings.policy.threshold is not None)
    damaged, counted = outcome.transcript.damaged, outcome.transcript.counted
    if damaged:
        places = ", ".join(f"{damage.line:,}" for damage in damaged[:SHOWN_DAMAGE])
        more = ", …" if len(damaged) > SHOWN_DAMAGE else ""
        say(out, f"{several(len(damaged), f'damaged {counted}')} skipped: {places}{more}", style="yellow")
    show_beside(out, outcome.transcript.taken_back)
    if outcome.transcript.lacks:
        say(out, outcome.transcript.lacks, lead="Note: ", style="yellow")
    out.print()


def _of_file(outcome: Outcome) -> str:
    """How many there are in the file, where that is more than the window shows."""
    whole, begins = len(outcome.transcript.messages), outcome.transcript.begins
    several_in = f", in {len(begins) + 1:,} conversations" if begins else ""
    return f"; {whole:,} in the file{several_in}" if whole > outcome.messages else ""


def show_due(out: Console, compaction: Compaction, unjudged: str | None, *, own: bool) -> None:
    """Print whether a compaction is due, by whose threshold, and what there is to notice."""
    plan = compaction.plan
    by = " by your threshold: " if own else f" by the profile {plan.context.trigger.profile.name}: "
    held, threshold = plan.context.verdict.held, plan.context.verdict.threshold
    filled = f"{window_filled(held, threshold)}% of the threshold"
    if unjudged:
        say(out, f"{sentence(unjudged)}: set --window", lead="Due? ", style="yellow", lead_style="")
    elif plan.context.verdict.due:
        say(out, f"{by}{plan.context.verdict.reason}, {filled}", lead="Due", lead_style="red")
    else:
        say(out, f"{by}{held:,} tokens held, {filled} of {threshold:,}", lead="Not due yet", lead_style="green")
    for notice in compaction.notices:
        say(out, notice, style="yellow")


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


def show(outcome: Outcome, request: CompactRequest) -> None:
    """Print the page, section by section."""
    out, compaction = console(stderr=is_stdout(request.output) and not request.dry_run), outcome.compaction
    show_head(out, outcome, request)
    if compaction.plan.changes_anything:
        show_compaction(out, compaction, request, of=outcome.messages, cost=outcome.cost)
    else:
        why = idle(compaction.plan, request.settings.policy, outcome.messages)
        say(out, why, lead="Nothing to compact: ")
    _closing(out, outcome, request)


def show_compaction(out: Console, compaction: Compaction, options: Options, *, of: int, cost: Cost | None) -> None:
    """Print the figures, what is kept and present, the cost on a dry run, and the summary."""
    _figures(out, compaction)
    _kept(out, compaction.plan, of=of)
    _present(out, compaction, listed=options.missing)
    show_writer(out, compaction, options)
    if options.dry_run:
        say(out, _cost(cost), lead="Cost        ", indent=len(COLUMN))
    show_summary(out, compaction.summary, whole=options.full_summary)


def _cost(cost: Cost | None) -> str:
    """A cost in words."""
    if cost is None:
        return "unknown: no price of the model is known"
    summary = f"${cost.summary:.4f} for the summary, " if cost.summary else ""
    pays = (
        "never pays for itself" if cost.pays_after is None else f"has paid after {several(cost.pays_after, 'request')}"
    )
    each = f"a request reads ${cost.call_after:.4f} in place of ${cost.call_before:.4f}"
    return f"{summary}${cost.cache_write:.4f} to cache the new conversation; {each}: it {pays}"


def idle(plan: Plan, policy: CompactionPolicy, messages: int) -> str:
    """Return how much there is, why nothing is done with it, and which option changes that."""
    size = f"{several(messages, 'message')}, {plan.context.tokens_before:,} tokens by the text"
    more = plan.reason.removeprefix(NOTHING_TO_COMPACT).removeprefix(": ")
    if more:
        return f"{size}; {more}; --target changes that"
    if plan.context.tokens_before < plan.target:
        return f"{size}; less than the {plan.target:,} that are kept word for word; --keep-tokens changes that"
    option = "--keep-messages" if policy.keep_messages else "--keep-tokens"
    return f"{size}; all of it is kept: the newest messages ({option}), the user's last, summaries, unfinished work"


def _figures(out: Console, compaction: Compaction) -> None:
    before, after = compaction.tokens_before, compaction.tokens_after
    width = min(max(out.width - FIGURES, 8), LONGEST_BAR)
    share = f"[bold]{percent(compaction.compression.ratio)} less[/]"
    out.print(f"before  [red]{bar(1, width)}[/] {before:>9,} tokens")
    out.print(f"after   [green]{bar(after / max(before, 1), width):<{width}}[/] {after:>9,} tokens, {share}")
    if compaction.compression.warning:
        say(out, _why_large(compaction), style="yellow")
    held = compaction.plan.context.verdict.held
    reported = "" if held == before else f"; the provider reported {held:,}"
    ratio = f"{float(compaction.plan.context.characters_per_token):.2g} characters a token"
    out.print(f"[dim]Estimated at {ratio}{reported}.[/]\n")


def _why_large(compaction: Compaction) -> str:
    """How much stays word for word, why, and what the rest of the new conversation is."""
    plan, after = compaction.plan, compaction.tokens_after
    kept = [piece for piece in plan.kept_pieces if piece.message is not None]
    verbatim = plan.context.message_tokens(piece.message for piece in kept if piece.message is not None)
    reasons = Counter(PRUNED if isinstance(piece, Clear) else piece.reason for piece in kept)
    parts = [
        STAYS.get(reason, reason) + (f" ({several(count, 'message')})" if count > 1 else "")
        for reason, count in reasons.items()
    ]
    others = {
        "the system prompt and tools take": tokens_of(plan.context.extras, plan.context.characters_per_token),
        "the summary takes": plan.context.message_tokens(compaction.conversation) - verbatim,
    }
    rest = ", ".join(f"{name} {size:,}" for name, size in others.items() if size > 0)
    message = f"{verbatim:,} of {after:,} tokens stay word for word: {', '.join(parts) or 'nothing'}"
    return f"{message}; {rest}" if rest else message


def _kept(out: Console, plan: Plan, *, of: int) -> None:
    out.print(f"[bold]Kept[/]        {len(plan.kept):,} of {several(of, 'message')}{_why(plan)}")
    if plan.anchor is not None:
        kind = plan.anchor.kind.replace("_", " ")
        out.print(f"            turn {plan.anchor.turn}: {kind} (confidence {plan.anchor.confidence})")
    if any(piece.reason == LAST_REQUEST for piece in plan.kept_pieces):
        out.print("            with the last message the user wrote")
    if plan.over_target:
        out.print(f"            [yellow]above the {plan.target:,} tokens to keep: it is the least that must stay[/]")
    if plan.pruning.outputs:
        out.print(f"[bold]Cleared[/]     {several(len(plan.pruning.outputs), 'old tool output')} in the kept part")
    turns = several(len(plan.turns), "turn")
    out.print(f"[bold]Summarized[/]  {several(len(plan.summarized), 'message')} of {turns}")


def _why(plan: Plan) -> str:
    return f", {WHY.get(plan.tail_reason, plan.tail_reason)}" if plan.tail_reason else ""


def _present(out: Console, compaction: Compaction, *, listed: bool) -> None:
    """How much is present, and what is missing: how many, or each of them where that is asked for (CMD_08).

    What an earlier summary replaced is not counted: nothing but its text is known.
    """
    fidelity = compaction.fidelity
    since = " since the earlier summary" if any(one.marks.summary for one in compaction.plan.context.original) else ""
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
        said = f"missing: {' and '.join(counts)}; --missing lists them"
        say(out, said, lead=COLUMN, style="yellow", indent=len(COLUMN))


def _shares(fidelity: RetentionReport, since: str) -> str:
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
    message = f"{count} {words.total:,} characters of a message"
    return f"{message}, from: {words.opening}" if words.opening else message


def _closing(out: Console, outcome: Outcome, request: CompactRequest) -> None:
    lines = list(_last_words(outcome, request))
    if lines:
        out.print()
    for line, style in lines:
        say(out, line, style=style)


def _last_words(outcome: Outcome, request: CompactRequest) -> Iterator[tuple[str, str]]:
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
    elif outcome.compaction.plan.changes_anything:
        yield "Nothing was written; -o OUT writes the new conversation.", "dim"


SUMMARY_LINES: Final = 16
"""Lines of the summary that are shown at most."""


def show_writer(out: Console, compaction: Compaction, options: Options) -> None:
    """Print who was asked for the summary, in which form and why; on a dry run who would be."""
    call = compaction.plan.call
    if call is None:
        return
    asked = "Would ask" if options.dry_run else "Asked"
    out.print(f"[bold]{asked:<11}[/] {safe(call.model)}, {call.tokens:,} tokens, {safe(call.reason)}")
    if options.dry_run:
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
    for line in lines[:SUMMARY_LINES]:
        out.print(f"[dim]│[/] {safe(cropped(line, out.width - 2))}")
    if len(lines) > SUMMARY_LINES:
        out.print(f"[dim]│ … {several(len(lines) - SUMMARY_LINES, 'more line')}; --full-summary shows them all[/]")
    elif any(len(line) > out.width - 2 for line in lines):
        out.print("[dim]│ … --full-summary shows the lines whole[/]")
