"""`brim compact`: the main job and its page, without a key on the template summary, with one on a model's."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, TypeVar

from pydantic import BeforeValidator, Field, PlainSerializer

from brim.cli import complain
from brim.cli.inspecting import SHOWN, AnchorReport, beside, idle, listed_prices, spans, window_after
from brim.cli.limits import WrongUsage, check_flags, limits_for, unknown, with_room
from brim.cli.options import is_stdout, name_of, title_of
from brim.cli.output import console, percent, sentence, several, working
from brim.cli.reading import read_file
from brim.cli.report import BLANK, LABEL, Bar, Count, Element, Exact, Line, OrNone, Report, of, row, show
from brim.cli.settings import is_set
from brim.cli.writing import (
    SESSION,
    NewConversation,
    begins_with_assistant,
    how_to_resume,
    kept_sessions,
    new_conversation,
    require_one_answer,
    require_place,
    require_target,
    target_of,
    write_json,
)
from brim.compaction.cost import Cost, cost_of
from brim.compaction.layout import Clear
from brim.compaction.plan import LAST_REQUEST, NOTHING_LEAVES, PRUNED, Plan, SummaryCall
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction, compact_without_model, fidelity_of
from brim.conversation.formats import RESPONSES, is_item
from brim.conversation.messages import Message
from brim.conversation.tool_pairs import with_unique_ids
from brim.conversation.turns import has_sealed_summary
from brim.engine.compactor import Compactor
from brim.errors import InvalidInput, Refused
from brim.models import ModelLimits
from brim.settings import Settings
from brim.summary.attempts import Attempt
from brim.summary.facts import Fact
from brim.tokens.estimation import tokens_of
from brim.transcripts import view
from brim.transcripts.values import Transcript
from brim.transcripts.window import response_before, window_of
from brim.trigger.overflow import window_filled
from brim.trigger.profiles import Profile, threshold

BEGINS_WITH_ASSISTANT: Final = (
    "the conversation begins with the assistant, as the transcript does; Anthropic's API wants the user's message first"
)
WRITERS: Final = ("template", "anthropic")
SUMMARY_LINES: Final = 16
"""Lines of the summary that are shown at most."""
WHY: Final = {
    "anchor": "the turns from an anchor on",
    "recent turns": "the recent turns",
    "cut inside the recent turns": "what of the recent turns fits",
    "last messages": "the last messages",
    "newest messages": "the results that the model has not seen",
    "pinned": "what is pinned",
    "bound to what is pinned": "what is bound to it",
    "before the first turn": "what precedes the first turn",
    NOTHING_LEAVES: "all that was not cleared",
    PRUNED: "outputs that were cleared",
}
"""Why a part is kept, in words."""


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


Share = Annotated[
    Fraction,
    BeforeValidator(lambda share: Fraction(floor(share * 10_000), 10_000)),
    PlainSerializer(float),
]
"""To four places, rounded down: it is 1 only where all is present."""
CALL: Final = ("model", "strategy", "reason", "tokens", "max_tokens", "prompt")
"""Fields of the call that JSON has: all but the request that was prepared for it."""


def _facts(missing: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in missing if fact.kind != "request"]


class Presence(Report):
    """The part of something that is present."""

    present: int
    """The number of facts, or of the user's characters."""
    total: int
    """Of how many."""
    share: Share
    """The share, to four places, rounded down."""

    def __str__(self) -> str:
        """Say it in words: 41 of 42."""
        return f"{self.present:,} of {self.total:,}"


class Rates(Report):
    """Facts and characters present for each 1,000 tokens that are held afterwards."""

    facts: Exact
    """The number of facts."""
    words: Exact
    """The number of the user's characters."""


class MissingFact(Report):
    """A fact that the new conversation lacks."""

    kind: str
    """Its kind, such as a constraint."""
    text: str
    """The fact."""
    turn: int | None
    """The index of its turn, from 0."""


class MissingMessage(Report):
    """A message of the user of which words are missing."""

    text: str = of("message.text")
    """The message."""
    turn: int | None = of("message.turn")
    """The index of its turn, from 0."""
    characters: int
    """The number of its missing characters, white space not counted."""
    total: int
    """The number of all its characters."""
    opening: str = Field(serialization_alias="from")
    """The first piece that is missing."""

    def __str__(self) -> str:
        """Say how much is missing, and from where."""
        count = f"{self.characters:,} of" if self.characters < self.total else "all"
        begins = f", from: {self.opening}" if self.opening else ""
        return f"missing words: {count} {self.total:,} characters of a message{begins}"


class Fidelity(Report):
    """The share of what must survive that is present in the new conversation."""

    facts: Presence
    """Facts, such as files, errors and decisions."""
    words: Presence
    """Characters of the user's messages, white space not counted."""
    tokens: int
    """Tokens of the new conversation."""
    per_1000: Rates
    """Facts and characters present for each 1,000 of them."""
    missing: Annotated[tuple[MissingFact, ...], BeforeValidator(_facts)]
    """The facts that are missing."""
    missing_words: tuple[MissingMessage, ...]
    """The messages of the user of which words are missing."""

    def __str__(self) -> str:
        """Say what is present: facts and the user's words, where there are any."""
        found = [f"{self.facts} facts"] if self.facts.total else []
        if self.words.total:
            found.append(f"{percent(self.words.share)} of the user's words ({self.words} characters)")
        return ", ".join(found)

    def rows(self, since: str, *, listed: bool) -> Iterator[Element]:
        """Yield how much is present, and what is missing: how many, or each of them where that is asked for (CMD_08).

        What an earlier summary replaced is not counted: nothing but its text is known.
        """
        yield row("Present", f"{self}{since}" if str(self) else "there were no facts, and no words of the user")
        if listed:
            rates = f"{float(self.per_1000.facts):.1f} facts, {several(round(self.per_1000.words), 'character')}"
            yield row("", f"{rates} for each 1,000 tokens left")
            lines = [f"missing {fact.kind.replace('_', ' ')}: {fact.text}" for fact in self.missing]
            for line in [*lines, *map(str, self.missing_words)] or ["nothing is missing"]:
                yield Line(line, " " * LABEL, "dim", fit="crop")
        elif self.missing or self.missing_words:
            characters = self.words.total - self.words.present
            counts = [several(len(self.missing), "fact")] if self.missing else []
            counts += [f"{several(characters, 'character')} of {several(len(self.missing_words), 'message')}"] * (
                characters > 0
            )
            yield row("", f"missing: {' and '.join(counts)}; --missing lists them", "yellow")


class CompactionReport(Report):
    """What a compaction did, or on a dry run would do. Indices are those of what was compacted, from 0."""

    model: str | None
    """The model that it was compacted for."""
    window: int | None
    """The size of its context window; null where it is unknown."""
    messages: int
    """How many messages were looked at."""
    profile: str = of("compaction.plan.context.trigger.profile.name")
    """The profile that judges whether a compaction is due."""
    own_threshold: bool
    """Whether a setting or an option is the threshold, and not the profile."""
    due: bool = of("compaction.plan.context.verdict.due")
    """Whether a compaction was due."""
    reason: str = of("compaction.plan.context.verdict.reason")
    """Why, in words, with the numbers."""
    held: int = of("compaction.plan.context.verdict.held")
    """Tokens that the window held, as the profile measures them."""
    threshold: Annotated[int | None, OrNone] = of("compaction.plan.context.verdict.threshold")
    """Tokens that they were judged by; null where the window is unknown."""
    notices: tuple[str, ...] = of("compaction.notices")
    """What there is to notice, in sentences."""
    compacted: bool = of("compaction.plan.changes_anything")
    """Whether anything is summarized or cleared."""
    decision: str = of("compaction.plan.reason")
    """What is done and why, in words."""
    idle: str | None
    """Why nothing is done, and which option changes that."""
    tokens_before: int = of("compaction.tokens_before")
    """The estimate of all that was sent before."""
    tokens_after: int = of("compaction.tokens_after")
    """The estimate of all that is sent now."""
    characters_per_token: Exact = of("compaction.plan.context.characters_per_token")
    """The ratio by which tokens are estimated."""
    ratio: Exact = of("compaction.compression.ratio")
    """The share that is no longer sent."""
    warning: str | None = of("compaction.compression.warning")
    """A warning where that is little."""
    why_large: str | None
    """How much stays word for word then, why, and what the rest is."""
    target: Annotated[int | None, OrNone] = of("compaction.plan.context.target_tokens")
    """Tokens that are to be held afterwards at most; null where none are set."""
    over_target: bool = of("compaction.over_target")
    """Whether more are held."""
    keep_tokens: int = of("compaction.plan.target")
    """Tokens that were to be kept word for word, at most."""
    keep_option: str = Field(exclude=True)
    """The option that decides how many those are."""
    over_keep_tokens: bool = of("compaction.plan.over_target")
    """Whether even the least that has to be kept is more."""
    kept: tuple[int, ...] = of("compaction.plan.kept")
    """Indices of the messages that stay."""
    why_kept: Annotated[str | None, OrNone] = of("compaction.plan.tail_reason")
    """Why the newest of them do."""
    with_last_request: bool
    """Whether the user's last message is kept for its own sake."""
    summarized: tuple[int, ...] = of("compaction.plan.summarized")
    """Indices of the messages that the summary replaces."""
    turns: Annotated[int, Count] = of("compaction.plan.turns")
    """How many turns they are."""
    pruned: tuple[str, ...] = of("compaction.plan.pruning.ids")
    """Ids of the calls whose outputs were cleared."""
    anchor: AnchorReport | None = of("compaction.plan.anchor")
    """The anchor that the kept part begins with."""
    by: Annotated[str | None, OrNone] = of("compaction.summary_source")
    """Who wrote the summary: model, template, truncate or fallback."""
    call: Annotated[
        SummaryCall | None, PlainSerializer(lambda call: call and {name: getattr(call, name) for name in CALL})
    ] = of("compaction.plan.call")
    """How a model is asked for the summary; null where none is."""
    dry_run: bool = of("options.dry_run")
    """Whether nothing was done, no model asked and nothing written."""
    cost: Cost | None
    """What a dry run would cost, in USD; null where it is unknown."""
    attempts: tuple[Attempt, ...] = of("compaction.attempts")
    """The calls of a model, and what each came to."""
    summary: str = of("compaction.summary")
    """The summary."""
    window_after: int
    """About what the window holds afterwards, with what the transcript does not hold of it."""
    since_summary: bool
    """Whether an earlier summary is part of it, of which nothing but its text is known."""
    fidelity: Fidelity = of("compaction.fidelity")
    """What is present afterwards of what must survive."""
    own_fidelity: Fidelity | None = None
    """The same of the tool's own compaction after that response; null where the transcript records none there."""
    own_encrypted: bool = False
    """Tell whether the tool's own compaction also left an encrypted summary, which may contain more."""

    def due_parts(self) -> Iterator[Element]:
        """Yield whether a compaction is due, by whose threshold, and what there is to notice."""
        by = "your threshold" if self.own_threshold else f"the profile {self.profile}"
        filled = f"{window_filled(self.held, self.threshold or 0)}% of the threshold"
        if not self.window:
            yield Line(f"Due? {sentence(unknown(self.model))}: set --window", style="yellow")
        elif self.due:
            yield Line(f" by {by}: {self.reason}, {filled}", "Due", lead_style="red")
        else:
            by = f" by {by}: {self.held:,} tokens held, {filled} of {self.threshold or 0:,}"
            yield Line(by, "Not due yet", lead_style="green")
        yield from (Line(text, style="yellow") for text in self.notices)

    def compaction_parts(self, options: Options) -> Iterator[Element]:
        """Yield the figures, what is kept and present, the cost on a dry run, and the summary."""
        yield Bar("before", self.tokens_before, 1, "red")
        yield Bar("after", self.tokens_after, self.tokens_after / max(self.tokens_before, 1), "green")
        ratio = f"estimated at {float(self.characters_per_token):.2g} characters a token"
        yield Line(f"{percent(self.ratio)} less, {ratio}.", style="dim")
        if self.why_large:
            yield Line(self.why_large, style="yellow")
        yield BLANK
        yield from self._kept()
        since = " since the earlier summary" if self.since_summary else ""
        yield from self.fidelity.rows(since, listed=options.missing)
        if self.own_fidelity is not None:
            unless = ", unless the encrypted summary has more" if self.own_encrypted else ""
            own = f"{self.own_fidelity}, in {self.own_fidelity.tokens:,} tokens{unless}"
            yield row("", f"the agent's own compaction there kept {own}", "yellow")
        if self.call is not None:
            asked = f"{self.call.model}, {self.call.tokens:,} tokens, {self.call.reason}"
            yield row("Would ask" if self.dry_run else "Asked", asked)
            if self.dry_run:
                yield row("", "no model is asked on a dry run: below is the template summary", "dim")
        for one in self.attempts:
            waited = f" after {one.waited / 1_000:g} s" if one.waited else ""
            yield row("", f"attempt {one.number}{waited}, {one.strategy}: {one.reason}")
        if self.dry_run:
            yield row("Cost", _cost(self.cost))
        yield from summary_parts(self.summary, whole=options.full_summary)

    def _kept(self) -> Iterator[Element]:
        limit = f"{self.keep_tokens:,} tokens ({self.keep_option})"
        why = f", {WHY.get(self.why_kept, self.why_kept)}" if self.why_kept else ""
        if self.why_kept == "cut inside the recent turns":
            why += f" into {limit}"
        elif self.summarized and not self.why_kept:
            why = f": the newest alone is above {limit}"
        yield row("Kept", f"{len(self.kept):,} of {several(self.messages, 'message')}{why}")
        if self.anchor is not None:
            kind = self.anchor.kind.replace("_", " ")
            yield row("", f"turn {self.anchor.turn}: {kind}")
        if self.with_last_request:
            yield row("", "with the last message the user wrote")
        if self.over_keep_tokens:
            yield row("", f"above the {self.keep_tokens:,} tokens to keep: it is the least that must stay", "yellow")
        if self.pruned:
            yield row("Cleared", f"{several(len(self.pruned), 'old tool output')} in the kept part")
        yield row("Summarized", f"{several(len(self.summarized), 'message')} of {several(self.turns, 'turn')}")


AnyCompaction = TypeVar("AnyCompaction", bound=CompactionReport)


class FileCompaction(CompactionReport):
    """The compaction of a transcript."""

    commands: ClassVar = ("compact",)
    file: str = Field(exclude=True)
    """The name of the file."""
    format: str = of("transcript.format")
    """The format of the transcript."""
    at: int | None = of("options.at")
    """The response after which it was looked at; null for its end."""
    messages_in_file: Annotated[int, Count] = of("transcript.messages")
    """How many messages the file holds."""
    conversations: Annotated[int, BeforeValidator(lambda begins: len(begins) + 1)] = of("transcript.begins")
    """How many conversations they are."""
    own_profile: str | None
    """The profile of the tool that wrote the transcript, where one is known."""
    tool_threshold: int | None
    """Its threshold, in tokens; null where none is known."""
    repaired: tuple[int, ...]
    """The indices of kept messages that were changed or added first, because the API refuses them as they were."""
    output: str | None
    """The file that is written; null where none is named."""
    written_as: str | None = of("written.target", None)
    """The format that it is written in."""
    written_messages: int | None = of("written.messages", None)
    """How many messages are written, or in the Responses format items."""
    replaced: bool
    """Whether a file stood there."""
    left_out: dict[str, int] = of("written.left_out", {})
    """For each type of content that the format has no place for, how often it was left out."""
    resume: str | None
    """How a session of Claude Code that is written is resumed."""
    complaint: str | None
    """Why the API would refuse the conversation as it is now."""
    damaged_lines: Annotated[list[int], BeforeValidator(lambda damaged: [one.line for one in damaged])] = of(
        "transcript.damaged"
    )
    """Where the file is damaged."""
    counted: str = of("transcript.counted")
    """What these numbers count: line, or message."""
    taken_back: dict[str, int] = of("transcript.taken_back")
    """How many messages were taken back, by kind."""
    lacks: str | None = of("transcript.lacks")
    """What came before and could not be read."""

    def parts(self, options: Options) -> Iterator[Element]:
        """Yield the page, section by section."""
        yield Line(lead=self.file)
        yield Line(" · ".join(filter(None, (self.format, self.model))))
        when = "" if self.at is None else f" as after response {self.at:,}"
        chats = f", in {self.conversations:,} conversations" if self.conversations > 1 else ""
        whole = f"; {self.messages_in_file:,} in the file{chats}" if self.messages_in_file > self.messages else ""
        yield Line(f"{several(self.messages, 'message')} in the window{when}{whole}")
        if self.tool_threshold:
            filled = f"you are at {window_filled(self.held, self.tool_threshold)}% of that"
            yield Line(f"{self.format} itself compacts at {self.tool_threshold:,} tokens: {filled}")
        yield from self.due_parts()
        if self.damaged_lines:
            places = ", ".join(map(str, self.damaged_lines[:SHOWN])) + ", …" * (len(self.damaged_lines) > SHOWN)
            damaged = several(len(self.damaged_lines), f"damaged {self.counted}")
            yield Line(f"{damaged} skipped: {places}", style="yellow")
        yield from beside(self.taken_back)
        if self.lacks:
            yield Line(f"Note: {self.lacks}", style="yellow")
        yield BLANK
        if self.idle is None:
            yield from self._window()
            yield from self.compaction_parts(options)
        else:
            yield Line(self.idle, "Nothing to compact: ")
        last = [*self._last()]
        yield from [BLANK, *last] if last else []

    def _window(self) -> Iterator[Element]:
        """Yield the whole window before and after, where it holds more than the conversation in the file."""
        if self.held > self.tokens_before:
            less = percent(Fraction(self.held - self.window_after, self.held))
            after = f"{self.held:,} tokens now, about {self.window_after:,} after, {less} less"
            yield row("The window", after)
            yield Line("with what is not in the file, such as tools; of it, the conversation:", style="dim")

    def _last(self) -> Iterator[Element]:
        """Yield what the API would refuse, what was repaired, and where it is."""
        if self.complaint:
            yield Line(f"Note: {self.complaint}", style="yellow")
        if self.repaired:
            messages = f"{several(len(self.repaired), 'message')} ({spans(sorted(set(self.repaired)))})"
            yield Line(f"Changed or added, since the API refuses them otherwise: {messages}", style="yellow")
        if self.left_out:
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in self.left_out.items())
            yield Line(f"Left out, for {self.written_as} has no place for it: {kinds}", style="yellow")
        if self.output is not None:
            verb = "Would be written" if self.dry_run else "Written"
            replaced = ", in place of the file there" if self.replaced else ""
            count = several(self.written_messages or 0, "message")
            yield Line(f"{verb} to {self.output} as {self.written_as}, {count}{replaced}")
        elif self.compacted:
            yield Line("Nothing was written; -o OUT writes the new conversation.", style="dim")
        if self.resume:
            yield Line(self.resume, fit="whole")


def read_compaction(
    kind: type[AnyCompaction],
    compaction: Compaction,
    options: Options,
    *,
    messages: int,
    model: str | None,
    **more: Any,
) -> AnyCompaction:
    """The report on a compaction of so many messages, with what else that kind of report is read from."""
    return kind.read(
        compaction=compaction,
        options=options,
        model=model,
        messages=messages,
        own_threshold=options.settings.policy.threshold is not None,
        cost=_price(compaction, model, options),
        idle=idle(compaction.plan, options.settings.policy, messages),
        keep_option=_keep_option(compaction.plan),
        why_large=_why_large(compaction),
        window_after=window_after(compaction, compaction.plan.context.verdict.held),
        with_last_request=any(piece.reason == LAST_REQUEST for piece in compaction.plan.kept_pieces),
        since_summary=any(one.marks.summary for one in compaction.plan.context.original),
        **more,
    )


def _price(compaction: Compaction, model: str | None, options: Options) -> Cost | None:
    """What a dry run would cost by list prices (CMP_09); None where it does nothing or no price is known."""
    plan = compaction.plan
    if not (options.dry_run and plan.changes_anything):
        return None
    call = plan.call
    request = call.first_request if call is not None else None
    try:
        writer = listed_prices(call.model) if call is not None else None
        size = plan.context.length(compaction.summary)
        template = ceil(size / plan.context.characters_per_token) if request is None else None
        return cost_of(plan, request, listed_prices(model), summary_prices=writer, summary_tokens=template)
    except Refused:
        return None


def _why_large(compaction: Compaction) -> str | None:
    """How much stays word for word, why, and what the rest is; None where the compaction saves enough."""
    plan, after = compaction.plan, compaction.tokens_after
    if not (plan.changes_anything and compaction.compression.warning):
        return None
    kept = [piece for piece in plan.kept_pieces if piece.message is not None]
    verbatim = plan.context.message_tokens(piece.message for piece in kept if piece.message is not None)
    reasons = Counter(PRUNED if isinstance(piece, Clear) else piece.reason for piece in kept)
    parts = [
        WHY.get(reason, reason) + (f" ({several(count, 'message')})" if count > 1 else "")
        for reason, count in reasons.items()
    ]
    others = {
        "the system prompt and tools take": tokens_of(plan.context.extras, plan.context.characters_per_token),
        "the summary takes": plan.context.message_tokens(compaction.conversation) - verbatim,
    }
    rest = "".join(f"; {name} {size:,}" for name, size in others.items() if size > 0)
    return f"{verbatim:,} of {after:,} tokens stay word for word: {', '.join(parts) or 'nothing'}{rest}"


def _keep_option(plan: Plan) -> str:
    """Return the option that decides how much is kept word for word: room for the rest comes first."""
    if plan.target < plan.context.target:
        return "--target" if plan.context.target_tokens else "--threshold"
    return "--keep-tokens" if plan.target == plan.context.policy.keep_tokens else "--keep-share"


def summary_parts(summary: str, *, whole: bool) -> Iterator[Element]:
    """Yield the summary, or how its lines begin."""
    if not summary:
        return
    yield from (BLANK, Line(f"  {len(summary):,} characters", "The summary"))
    lines = summary.split("\n")
    if whole:
        yield Line(summary, fit="whole")
        return
    yield from (Line(f"│ {line}", style="dim", fit="crop") for line in lines[:SUMMARY_LINES])
    more = f"{several(len(lines) - SUMMARY_LINES, 'more line')}; " if len(lines) > SUMMARY_LINES else ""
    yield Line(f"│ … {more}--full-summary shows it whole", style="dim")


def _cost(cost: Cost | None) -> str:
    """A cost in words."""
    if cost is None:
        return "unknown: no price of the model is known"
    summary = f"${cost.summary:.4f} for the summary, " if cost.summary else ""
    paid = (
        "never pays for itself" if cost.pays_after is None else f"has paid after {several(cost.pays_after, 'request')}"
    )
    each = f"a request reads ${cost.call_after:.4f} in place of ${cost.call_before:.4f}"
    return f"{summary}${cost.cache_write:.4f} to cache the new conversation; {each}: it {paid}"


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
        from anthropic import Anthropic

        client: Any = Anthropic()
        return Compactor(client, model, policy=policy_of(options))


def policy_of(options: Options) -> CompactionPolicy:
    """The policy that is set; the fallback for a model's summary is an error by default, since it was asked for."""
    policy = options.settings.policy
    if options.summarizer == "template" or is_set(options.settings, "on_failure"):
        return policy
    return policy.model_copy(update={"on_failure": "raise"})


def carried_out(compactor: Compactor, plan: Plan, options: Options) -> Compaction:
    """A dry run asks no model: it shows the template in its place."""
    return compact_without_model(plan) if options.dry_run else compactor.apply(plan)


def warn_of_truncation(compaction: Compaction) -> None:
    """Say on stderr how many messages were left out where no attempt gave a summary."""
    if compaction.summary_source == "truncate":
        left_out = several(len(compaction.plan.summarized), "message")
        complain(f"no attempt gave a summary: {left_out} were left out without one")


def run(request: CompactRequest) -> None:
    """Read, plan, compact, write where asked to, and show. Raises InvalidInput or Refused."""
    check_flags(request.window, request.max_output)
    require_one_answer(request.output, as_json=request.as_json)
    require_target(request.output, request.to)
    if request.output is not None:
        require_place(request.output, source=request.file, kept=kept_sessions())
    with working(f"compacting {title_of(request.file)}"):
        report, compaction, written = compact(request)
    if request.output is not None and written is not None and not request.dry_run:
        _write(request.output, written, compaction)
    warn_of_truncation(compaction)
    on_stderr = is_stdout(request.output) and not request.dry_run
    report.give(report.parts(request), as_json=request.as_json, stderr=on_stderr)


def _write(output: Path, written: NewConversation, compaction: Compaction) -> None:
    """Write the new conversation; where that fails a model's summary, which was paid for, to stderr.

    Raises InvalidInput.
    """
    try:
        write_json(output, written.content, lines=written.target == SESSION)
    except InvalidInput:
        if compaction.summary_source == "model":
            show(console(stderr=True), summary_parts(compaction.summary, whole=True))
        raise


def compact(request: CompactRequest) -> tuple[FileCompaction, Compaction, NewConversation | None]:
    """Everything but the writing, of which what is written is returned too. Raises InvalidInput or Refused."""
    from brim.replay.check import profile_of_tool

    transcript, output = (
        read_file(request.file, default_model=request.settings.preferences.default_model),
        request.output,
    )
    target = target_of(transcript, request.to) if output is not None else None
    model = request.model or transcript.model
    limits = limits_for(transcript, request.model, request.window, request.max_output)
    if limits is not None:
        with_room(limits)
    window = window_of(transcript, limits, policy=policy_of(request), at=request.at)
    compactor = compactor_of(request, model)
    plan = compactor.plan(window)
    compaction = carried_out(compactor, plan, request)
    if not compaction.plan.changes_anything:  # what is written is accepted by the API, compacted or not
        compaction = replace(compaction, conversation=with_unique_ids(plan.context.messages))
    came = window.messages if compaction.plan.summarizes else view(transcript, request.at).messages
    written = None if target is None else new_conversation(transcript, compaction, target, output)
    begun = written.by_assistant if written else begins_with_assistant(compaction.conversation, compaction.format)
    left = _left_by_own(transcript, request.at)
    report = read_compaction(
        FileCompaction,
        compaction,
        request,
        messages=len(window.messages),
        model=model,
        window=limits.context_window if limits else None,
        file=title_of(request.file),
        transcript=transcript,
        own_fidelity=fidelity_of(plan.facts, left, tokens=plan.context.message_tokens(left)) if left else None,
        own_encrypted=has_sealed_summary(left),
        own_profile=(own := profile_of_tool(transcript)) and own.name,
        tool_threshold=_threshold(own, limits),
        repaired=tuple(_repaired(compaction.plan, came, target)),
        output=None if output is None else name_of(output),
        written=written,
        replaced=output is not None and not is_stdout(output) and output.is_file(),
        resume=how_to_resume(written, output) if written and written.session and output else None,
        complaint=BEGINS_WITH_ASSISTANT if begun else None,
    )
    return report, compaction, written


def _left_by_own(transcript: Transcript, at: int | None) -> list[Message]:
    """Return the messages that the tool's own compaction after a response left; none where it made none there."""
    own = (made for made in transcript.compactions if made.opening and response_before(transcript, made) == at)
    return [transcript.messages[index] for made in own for index in made.opening or ()]


def _threshold(profile: Profile | None, limits: ModelLimits | None) -> int | None:
    """Return the threshold of a tool's profile; None where none is known, or none fits the window."""
    try:
        return threshold(profile, limits) if profile and limits else None
    except Refused:
        return None


def _repaired(plan: Plan, came: Sequence[Message], target: str | None) -> Iterator[int]:
    """Yield the index of each kept message that was changed, and for an added one that of the message before it.

    Where something is summarized, no thinking stays anyway.
    """
    stays, last = {piece.index for piece in plan.kept_pieces}, 0
    for position, (message, source) in enumerate(zip(plan.context.messages, plan.context.origin_indices, strict=True)):
        as_written = target == RESPONSES and is_item(message)
        last = last if source is None else source
        if position in stays and (source is None or (message is not came[source] and not as_written)):
            yield last
