"""The plan of a compaction: what is kept, what is removed and why, before anything happens.

A `ContextWindow` and the cause go in; a `Plan` comes out: a layout, which `apply_plan` folds into messages, with the
reasons behind it, and the `PlanContext` that it was made for. `plan_compaction` ends with the first of these steps that
applies:

1. An automatic compaction that is not due, or can wait for the end of a tool loop, changes nothing.
2. `_pruned`: where clearing old tool outputs is enough for an automatic one, nothing is summarized.
3. `_Planner` chooses the cut, so that what follows it fits the target (`below_threshold`, `cut_within`), and lays out
   what stays (`cut_at`): of what precedes the cut only the opening, pinned messages and the user's last message.
4. `_skip_if_negligible`: by hand, nothing changes where too little would leave.

Specified by features/compaction/plan.feature (CMP_01, CMP_02).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from brim.compaction.context_window import ContextWindow, Request, TurnRecord
from brim.compaction.layout import (
    Clear,
    Keep,
    Piece,
    Summary,
    acceptable,
    answered_lines,
    fold,
    lay_out,
    lay_out_pruned,
)
from brim.compaction.policy import CompactionPolicy
from brim.conversation.harness_text import CONTINUED
from brim.conversation.messages import (
    CLOSING,
    CONTINUATION,
    CONTINUATION_OPENING,
    SUMMARY_OPENING,
    Message,
    Part,
    Text,
    Thinking,
    ToolResult,
    encodable,
    is_continuation,
    is_visible,
)
from brim.conversation.thinking import (
    loop_needs_thinking,
    thinking_indices,
    unanswered_work,
    unfinished_loop,
)
from brim.conversation.tool_pairs import results_of
from brim.conversation.turns import begins_turn, turn_starts
from brim.errors import advisory
from brim.models import ModelLimits
from brim.pruning.tool_outputs import Pruning
from brim.selection.anchors import Anchor, anchor_turns
from brim.selection.fit import Fit, fit_at, fit_turns, keep_target, legal_cut
from brim.selection.message_window import keep_newest
from brim.summary.facts import Fact
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers, NameReader, collect_identifiers, texts_of
from brim.summary.summarizer_input import SummaryRequest
from brim.summary.template import MAX_SUMMARY_CHARS
from brim.summary.user_words import words_limit
from brim.tokens.estimation import CHARACTERS_PER_TOKEN, EMPTY_SIZE, Size, TextLength, measure, measure_part, tokens_of
from brim.tokens.exact import exact
from brim.trigger.budget import budget_notice, summarization_budget
from brim.trigger.overflow import Trigger, Verdict

NOTHING_TO_COMPACT: Final = "nothing to compact"
UNPLANNED: Final = "no compaction could be planned"
NOTHING_LEAVES: Final = "nothing is summarized"
"""Why a message is kept where a plan prunes alone, or does nothing."""
LAST_REQUEST: Final = "the user's last message"
"""Why the user's last message is kept if it precedes the cut (SEL_06)."""
PRUNED: Final = "pruned"
SUMMARIZED: Final = "summarized"
UNTOUCHED: Final = Pruning((), 0, "not tried")
MIN_REMOVED_SHARE: Final = Fraction(1, 20)
"""By hand, without a target, removing a smaller share of what is sent is not worth what is lost (SEL_07)."""
LEAST_SUMMARY: Final = 100
"""Tokens of the shortest useful summary: the template's first lines and one line of an outcome (CMP_05)."""


Cause: TypeAlias = Literal["manual", "automatic", "overflow"]
"""Why a compaction is asked for.

By hand it acts below the threshold too, unless too little would leave (CMP_07, SEL_07); an automatic one acts only
where it is due. After the provider's overflow error it acts however little would leave, and keeps half as much
(TRG_18).
"""


def plan_compaction(window: ContextWindow, cause: Cause = "manual", *, first_kept: object = None) -> Plan:
    """Return what a compaction of this window would do (CMP_01, CMP_02); the window itself stays as it is.

    Args:
        window: the account of the conversation.
        cause: why it is asked for.
        first_kept: the key of the message that begins the kept part of a prefetched summary (CMP_13).
    """
    context, repaired = _context(window, cause)
    unchanged = Plan(context=context, reason=NOTHING_TO_COMPACT, target=context.target)
    return _planned(unchanged, repaired, first_kept)


@advisory("what leaves", lambda unchanged, *_: replace(unchanged, reason=UNPLANNED))
def _planned(unchanged: Plan, window: ContextWindow, first_kept: object) -> Plan:
    """Return the plan for the context of the one that changes nothing; all of `window` can be sent."""
    context, trigger = unchanged.context, unchanged.context.trigger
    cause, verdict, needs_thinking = context.cause, context.verdict, loop_needs_thinking(context.messages)
    if cause == "automatic" and not verdict.due:
        return replace(unchanged, reason=verdict.reason)
    if cause == "automatic" and needs_thinking and verdict.held <= trigger.usable:
        reason = "waits for the end of the tool loop: there is room, and its thinking would be lost"
        return replace(unchanged, reason=reason)
    pruning, most = window.prunable(), context.target_tokens
    held = max(verdict.held, context.tokens_before)
    enough = not trigger.judge(verdict.held - pruning.saved).due and (not most or held - pruning.saved <= most)
    if cause == "automatic" and not needs_thinking and enough:
        return _pruned(unchanged, pruning, window)
    if cause == "manual" and first_kept is None and not verdict.due and 0 < held <= most:
        return replace(unchanged, reason=f"{NOTHING_TO_COMPACT}: {held:,} tokens are held, the target is {most:,}")
    planner = _Planner(unchanged, pruning, window, needs_thinking=needs_thinking)
    if first_kept is not None:
        cut = next((n for n in window.cuts if context.messages[n].key == first_kept), 0)
        return planner.cut_at(Fit(cut, "newest messages", 0, context.target), context.target)
    chosen = planner.below_threshold(keep_unseen=cause != "overflow")
    return _skip_if_negligible(chosen, unchanged, window) if cause == "manual" and not most else chosen


@dataclass(frozen=True, kw_only=True)
class PlanContext:
    """What a plan is made for, whatever it decides: the conversation, the request that carries it, and its limits."""

    original: tuple[Message, ...] = field(repr=False)
    """The messages of the window, as they were before anything was paired or left out."""
    messages: tuple[Message, ...] = field(repr=False)
    """The conversation as it can be sent: its calls paired (CNV_04), nothing in it that the API refuses (CNV_09)."""
    origin_indices: Sequence[int | None] = field(repr=False)
    """For each of `messages` its index in `original`; None for one that the pairing added."""
    verdict: Verdict
    """Whether compaction is due."""
    cause: Cause
    """Why it was asked for."""
    focus: str | None = None
    """What this summary treats in most detail, if the caller named it (CMP_07)."""
    policy: CompactionPolicy = field(repr=False)
    """The settings of the window."""
    trigger: Trigger
    """The profile that judged, by the limits of the model."""
    notices: tuple[str, ...] = ()
    """Warnings about the profile and the settings."""
    request: Request = field(repr=False)
    """The caller's request: a cached prefix is found only under its system, tools, parameters and betas (SUM_16)."""
    extras: Size
    """What every request carries besides: the system prompt and the tools."""
    characters_per_token: int | Fraction = CHARACTERS_PER_TOKEN
    """The ratio that every estimate is made with (TOK_09)."""
    tokens_before: int
    """The estimate of all that is sent now, system prompt and tools included."""
    target: int
    """Tokens of newest messages that are kept verbatim, at most (SEL_04); `target_tokens` limits all that is held."""
    earlier_facts: tuple[Fact, ...] = field(default=(), repr=False)
    """What is known from before the first message (SUM_09)."""
    earlier_identifiers: Identifiers = field(default=NO_IDENTIFIERS, repr=False)
    """The identifiers of what was removed before the first message (REC_02)."""
    reader: NameReader = field(default_factory=NameReader, repr=False, compare=False)
    """Has read the texts of the window that were read for identifiers before."""

    @property
    def limits(self) -> ModelLimits:
        """What the model can hold, and its longest answer."""
        return self.trigger.limits

    @property
    def length(self) -> TextLength:
        """The measure of texts: in characters, or by the policy's token counter (TOK_07)."""
        return self.policy.text_length

    @property
    def automatic(self) -> bool:
        """Whether nobody asked for it by hand, so that the model has to be told to continue (CMP_03)."""
        return self.cause != "manual"

    @property
    def target_tokens(self) -> int:
        """Tokens that are to be held afterwards at most; 0 where no such target is set."""
        return self.policy.target_tokens

    @property
    def bounds(self) -> list[int]:
        """The most tokens that are not due and that are usable, each within `target_tokens`, ascending; or nothing."""
        most, trigger = self.target_tokens, self.trigger
        if self.limits.context_window:
            return sorted(min(tokens, most or tokens) for tokens in (trigger.usable, trigger.due_from - 1))
        return [most, most] if most else []

    @property
    def words_first(self) -> bool:
        """Whether the user's words come before what a summary saves: by hand, below the threshold (SUM_18)."""
        return not (self.automatic or self.verdict.due)

    @property
    def shares(self) -> tuple[int, int]:
        """Tokens of the user's words (SUM_18), and of a template's summary (SUM_07), at most.

        They are shares of the smaller of the usable context and what the conversation holds.
        """
        usable = self.trigger.usable if self.limits.context_window else self.tokens_before
        base = min(self.tokens_before, usable)
        words = words_limit(usable if self.words_first else base, self.policy.words_share)
        summary = math.floor(base * exact(self.policy.summary_share))
        if self.cause == "overflow":  # the window is full, even if the estimate fits (TRG_18)
            return min(words, self.target // 2), min(summary, self.target)
        return words, summary

    def size(self, messages: Iterable[Message]) -> Size:
        """Measure these messages."""
        return sum((measure(message, self.length) for message in messages), EMPTY_SIZE)

    def estimate(self, size: Size) -> int:
        """Return the tokens of messages of this size, with the system prompt and tools (CMP_05)."""
        return tokens_of(size + self.extras, self.characters_per_token)

    def message_tokens(self, messages: Iterable[Message]) -> int:
        """Return the tokens of these messages alone."""
        return tokens_of(self.size(messages), self.characters_per_token)

    def tokens(self, characters: int) -> int:
        """Return the tokens of so many characters."""
        return tokens_of(Size(characters), self.characters_per_token)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a compaction would do with each message, and why. Indices are those of `context.messages`."""

    context: PlanContext
    """What it was made for."""
    reason: str
    """What is done and why, in words."""
    layout: tuple[Piece, ...] = field(default=(), repr=False)
    """The conversation after the compaction, in order; empty where the plan changes nothing."""
    pruning: Pruning = UNTOUCHED
    """The old tool outputs that are cleared first (PRN_01)."""
    removed: tuple[int, ...] = field(default=(), repr=False)
    """Indices of what the summary replaces, ascending.

    A message of which only the words stay is among them; it is kept all the same, and not among the `summarized`.
    """
    removed_characters: int = 0
    """Characters of these, with four for each token of media."""
    kept_size: Size = EMPTY_SIZE
    """The size of the messages that are sent afterwards, the summary not counted."""
    cut: int = 0
    """Index from which all messages are kept; 0 where nothing is summarized."""
    target: int
    """Tokens that were to be kept word for word, at most: the context's, or less, to leave room for a summary."""
    over_target: bool = False
    """Whether even the least that has to be kept is above the target."""
    anchor: Anchor | None = None
    """The anchor that the kept part begins with; None where it begins with none (SEL_02)."""
    turns: tuple[TurnRecord, ...] = field(default=(), repr=False)
    """The turns that are summarized, the last of them as far as the cut."""
    facts: tuple[Fact, ...] = field(default=(), repr=False)
    """What must survive of the whole conversation (SUM_13); empty where the plan does nothing."""
    previous_summary: str = field(default="", repr=False)
    """The summary that stood for what was before: it is replaced with the rest (SUM_09)."""
    call: SummaryCall | None = None
    """How a summary is asked for, and why so (SUM_16); None where no model is asked."""

    @property
    def has_first_message(self) -> bool:
        """Whether the facts go back to the user's first message: no summary of unknown facts precedes the messages."""
        return bool(self.context.earlier_facts) or not self.previous_summary

    @property
    def summarizes(self) -> bool:
        """Whether a summary replaces anything."""
        return bool(self.removed)

    @property
    def changes_anything(self) -> bool:
        """Whether it summarizes or clears anything."""
        return self.summarizes or bool(self.pruning.outputs)

    @property
    def notices(self) -> tuple[str, ...]:
        """The warnings, with one where what is kept is above the budget: nothing is dropped for it (TRG_16)."""
        context = self.context
        if not (self.summarizes and context.limits.context_window):
            return context.notices
        budget = summarization_budget(context.limits.context_window, context.policy.budget_buffer)
        notice = budget_notice(budget, self.tokens_left - context.estimate(EMPTY_SIZE))
        return (*context.notices, notice) if notice else context.notices

    @property
    def tokens_left(self) -> int:
        """The estimate of all that is sent afterwards, the summary not counted."""
        return self.context.estimate(self.kept_size) if self.layout else self.context.tokens_before

    def tokens_with(self, summary: str) -> int:
        """Return the tokens that are sent afterwards with this summary; 0 for a blank one, which is not applied."""
        written = self.context.size(fold([Summary()], encodable(summary)))
        return self.context.estimate(self.kept_size + written) if is_visible(summary) else 0

    @property
    def unseen_tokens(self) -> int:
        """Tokens of the newest tool results that are removed before the model has seen them; else 0."""
        newest = len(self.context.messages) - 1
        if newest not in self.removed:
            return 0
        sizes = (measure_part(one, self.context.length) for one in results_of(self.context.messages[newest]))
        return tokens_of(sum(sizes, EMPTY_SIZE), self.context.characters_per_token)

    @property
    def removed_tokens(self) -> int:
        """The tokens of what the summary replaces."""
        return self.context.tokens(self.removed_characters)

    @cached_property
    def identifiers(self) -> Identifiers:
        """The identifiers of what was removed before and is by this plan: it is read when first asked for (REC_02)."""
        return _identifiers(self)

    @property
    def words_length(self) -> int:
        """The length of the user's words that a summary might hold, an earlier summary among them."""
        length = self.context.length
        return sum(length(fact.text) for fact in self.facts if fact.kind == "request") + length(self.previous_summary)

    @cached_property
    def summary_limits(self) -> SummaryLimits:
        """The limits of its summary, the only place where they are made (SUM_07, SUM_18, CMP_05).

        It takes half of the free room: below the threshold, or where that half is less than the shortest useful
        summary, within the usable context. With `target_tokens` it takes all of the room below those. Where the user's
        words come first, they stand beside the half of what it replaces.
        """
        context, target_tokens = self.context, self.context.target_tokens
        words, template = (math.floor(tokens * context.characters_per_token) for tokens in context.shares)
        template, half = max(MAX_SUMMARY_CHARS, template), self.removed_characters // 2
        earlier = (self.removed_characters + context.length(self.previous_summary)) // 2
        half = max(half, min(earlier, 4_000))  # a short earlier summary is not halved again
        if target_tokens:
            half = template = self.removed_characters
        whole = half + (self.words_length if context.words_first else 0)
        if not context.bounds:
            return SummaryLimits(0, 0, min(whole, template + words), half, template, words)
        least, bounds = self.tokens_with("."), context.bounds
        free = next((n - least for n in bounds if n - least >= 2 * LEAST_SUMMARY), bounds[-1] - least)
        if target_tokens and free < 0:  # what stays is above the target, as the result says
            free = LEAST_SUMMARY
        if free < 0:
            return SummaryLimits(0, 0, min(half, MAX_SUMMARY_CHARS), half, template, words)
        taken = free if target_tokens else free // 2
        fitting = min(max(math.floor(taken * context.characters_per_token), 1), template + words)
        return SummaryLimits(least + taken, free // 2, min(whole, fitting), half, template, words)

    @cached_property
    def kept_pieces(self) -> tuple[Keep, ...]:
        """What stays of the messages, in order and with the reasons; all of it where the plan changes nothing."""
        if not self.layout:
            return tuple(Keep(index, message, NOTHING_LEAVES) for index, message in enumerate(self.context.messages))
        return tuple(piece for piece in self.layout if isinstance(piece, Keep))

    @property
    def tail_reason(self) -> str:
        """Why the newest messages are kept: from an anchor on, recent turns, or the newest that fit."""
        return next((piece.reason for piece in reversed(self.kept_pieces) if piece.index >= self.cut > 0), "")

    def decisions(self) -> Iterator[tuple[int, str, str]]:
        """Yield for each original message that can be sent its index, `kept`, `pruned` or `summarized`, and why."""
        pieces = {piece.index: piece for piece in self.kept_pieces}
        for index, source in enumerate(self.context.origin_indices):
            piece = pieces.get(index)
            if source is None:
                continue
            if piece is not None:
                yield source, PRUNED if isinstance(piece, Clear) else "kept", piece.reason
            elif self.context.messages[index].marks.summary:
                yield source, SUMMARIZED, "an earlier summary"
            else:
                why = "before the cut" if index < self.cut else "a line of brim's that the model has answered"
                yield source, SUMMARIZED, why

    @property
    def kept(self) -> list[int]:
        """Indices in the original messages of those that are kept, pruned or not, ascending."""
        return [index for index, fate, _ in self.decisions() if fate != SUMMARIZED]

    @property
    def summarized(self) -> list[int]:
        """Indices of the removed original messages, ascending, with the lines of brim that were answered."""
        return [index for index, fate, _ in self.decisions() if fate == SUMMARIZED]


class SummaryLimits(NamedTuple):
    """The limits of a plan's summary; characters are those that the plan's length measures."""

    window_tokens: int
    """Tokens that the window holds with it at most; 0 where it has no limit, or what stays exceeds it (CMP_05)."""
    summary_tokens: int
    """Tokens that a model is asked for of these at most."""
    total_chars: int
    """Characters of it and of what is appended: within `half_removed_chars`, and no more than there is room for."""
    half_removed_chars: int
    """Characters of half of what it replaces; a short earlier summary counts whole, and all of it under a target."""
    template_chars: int
    """Characters of the template's, and of what is appended to a model's, the user's words apart (SUM_07)."""
    words_chars: int
    """Characters of the user's words (SUM_18)."""

    @property
    def is_useful(self) -> bool:
        """Whether a summary of this length is worth a call."""
        return not self.window_tokens or self.summary_tokens >= LEAST_SUMMARY

    def asked(self, longest: int) -> int:
        """Return the tokens that a model is asked for at most."""
        return min(longest, self.summary_tokens) if self.window_tokens and self.is_useful else longest


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCall:
    """How a summary is going to be asked for."""

    model: str
    """The model that is asked."""
    strategy: str
    """The first strategy that is tried: warm prefix, rendered, in pieces, last five turns."""
    reason: str
    """Why this strategy is tried first, with its numbers."""
    tokens: int
    """The estimate of what is sent to the summarizer first."""
    max_tokens: int
    """The longest summary, in tokens."""
    prompt: str = ""
    """The version of the prompt it is asked for with: its name, and eight characters of its digest (SES_05)."""
    first_request: SummaryRequest = field(repr=False, compare=False)
    """The request that is made first, which `cost_of` prices (CMP_09)."""


@advisory("identifiers", lambda plan: plan.context.earlier_identifiers)
def _identifiers(plan: Plan) -> Identifiers:
    """Return the identifiers of what was removed and is; those of before where the policy wants no index."""
    messages, known = plan.context.messages, plan.context.earlier_identifiers
    if not (plan.changes_anything and plan.context.policy.identifiers_share):
        return known
    kept = {piece.index for piece in plan.kept_pieces}
    removed: dict[int, list[Part]] = {}
    for output in plan.pruning.outputs:
        removed.setdefault(output.message, []).append(messages[output.message].parts[output.part])
    for index in plan.removed:
        removed[index] = [*(results_of(messages[index]) if index in kept else messages[index].parts)]
    starts = turn_starts(messages)
    texts = [
        (bisect_right(starts, index), origin, text)
        for index in sorted(removed)
        for origin, text in texts_of(messages[index], removed[index])
    ]
    turns = sum(start not in kept for start in starts)
    return collect_identifiers(texts, known, turns=turns, reader=plan.context.reader)


def _context(window: ContextWindow, cause: Cause) -> tuple[PlanContext, ContextWindow]:
    """Return what plans of this window are made for, and the window of what can be sent."""
    repaired, origin_indices = window.sendable()
    target = _target(repaired)
    if cause == "overflow":  # the window is full, even if the estimate fits: half is kept (TRG_18)
        target = min(target, keep_target(repaired.estimated, share=window.policy.keep_share)) // 2
    context = PlanContext(
        original=tuple(window.messages),
        messages=tuple(repaired.messages),
        origin_indices=origin_indices,
        verdict=window.verdict(),
        cause=cause,
        policy=window.policy,
        trigger=window.trigger,
        notices=window.notices,
        request=window.request,
        extras=window.extras,
        characters_per_token=window.characters_per_token,
        tokens_before=repaired.estimated,
        target=target,
        earlier_facts=window.facts,
        earlier_identifiers=window.identifiers,
        reader=window.reader,
    )
    return context, repaired


def _target(window: ContextWindow) -> int:
    """Return tokens to keep verbatim: a share of the usable context, or of what a smaller conversation holds (SEL_04).

    Of the usable context alone where the conversation begins with a summary: what a compaction kept fits the next one.
    Where the window is unknown, a share of what the conversation holds, at least 2,000 tokens.
    """
    unlimited = window.target is None
    most = window.policy.keep_tokens if unlimited else window.target
    if most and _begins_with_summary(window):
        return most
    share = keep_target(window.estimated, share=window.policy.keep_share)
    share = max(share, 2_000) if unlimited else share
    return min(share, most) if most else share


def _pruned(unchanged: Plan, pruning: Pruning, window: ContextWindow) -> Plan:
    """Return the plan that clears old outputs and summarizes nothing (CMP_01)."""
    layout = lay_out_pruned(unchanged.context.messages, pruning, NOTHING_LEAVES)
    return replace(
        unchanged,
        reason=f"pruned: {pruning.reason}",
        pruning=pruning,
        layout=layout,
        kept_size=unchanged.context.size(acceptable(fold(layout))),
        facts=window.turns.facts(),
    )


def longest_summary(policy: CompactionPolicy, limits: ModelLimits) -> int:
    """Return the longest answer that is asked for: never above the model's own, nor a fifth of what it can hold."""
    bounds = (policy.max_summary_tokens, limits.max_output_tokens, limits.context_window // 5)
    return min(bound for bound in bounds if bound)


class _Planner:
    """Chooses what stays of a conversation that can be sent, and collects what the summary of the rest needs."""

    def __init__(self, unchanged: Plan, pruning: Pruning, window: ContextWindow, *, needs_thinking: bool) -> None:
        """Take what a pruning would clear; `needs_thinking`: an unfinished tool loop would lose its thinking."""
        self.unchanged, self.context, self.pruning = unchanged, unchanged.context, pruning
        self.window, self.needs_thinking = window, needs_thinking
        self.records, self.facts = window.turns.records(), window.turns.facts()

    def below_threshold(self, *, keep_unseen: bool) -> Plan:
        """Cut within the target; within less where fewer tokens are free than a summary of full length takes (TRG_19).

        The summary takes half of these then (CMP_05): for all of it, the newest turns would be removed.

        `keep_unseen`: results that the model has not seen stay where there is room, also above the target (CNV_06).
        """
        context, window = self.context, self.window
        chosen = self.cut_within(context.target, keep_unseen=keep_unseen)
        if not context.bounds:
            return chosen
        half = chosen.removed_tokens // 2
        share = context.target_tokens // 2 if context.target_tokens else half
        summary = min(longest_summary(window.policy, context.limits), half, share)
        excess = chosen.tokens_left + summary - context.bounds[0]
        if excess <= 0 or not context.target:
            return chosen
        cuts = (chosen.cut, len(window.messages))
        least, most = (_weight_before(window, cut, ahead_of_summary(window, cut)) for cut in cuts)
        movable = context.tokens(most - least)  # of the kept part, pinned messages apart
        room = max(min(context.target, movable) - excess, 0)
        chosen = self.cut_within(room, keep_unseen=False)
        while context.target_tokens and room and not chosen.changes_anything:  # an earlier summary alone would leave
            room //= 2
            chosen = self.cut_within(room, keep_unseen=False)
        return chosen

    def cut_within(self, target: int, *, keep_unseen: bool) -> Plan:
        """Cut where what follows fits the target in tokens."""
        return self.cut_at(self._fit(target, keep_unseen=keep_unseen), target)

    def _fit(self, target: int, *, keep_unseen: bool) -> Fit:
        """Choose the cut. The target is converted to characters by the learned ratio.

        Thinking takes no room in it, since it is removed; the lines that close and resume a tool loop do.
        """
        window, policy, messages = self.window, self.window.policy, self.window.messages
        resumed = self.needs_thinking or (  # a line asks the model to continue, where nothing does yet (CMP_03)
            self.context.automatic and unfinished_loop(messages) is not None and not is_continuation(messages[-1])
        )
        lines = len(CLOSING + CONTINUATION) if resumed else 0
        characters = max(math.floor(target * window.characters_per_token) - lines, 0)
        weights, starts, first = _weights_without_thinking(window), window.turns.starts, _opening_length(window)
        last_user = starts[-1] if starts else None
        if policy.keep_messages and target >= _target(window):
            chosen = keep_newest(
                weights,
                window.cuts,
                last_user=last_user,
                recent=policy.keep_messages,
                target=characters,
                first=first,
            )
        else:
            chosen = fit_turns(
                starts,
                weights,
                window.cuts,
                target=characters,
                anchors=anchor_turns(record.anchor for record in self.records if record.anchor is not None),
                recent=policy.recent_turns,
                first=first,
                summary=window.summaries[0] if _begins_with_summary(window) else None,
            )
        newest = unanswered_work(messages) if keep_unseen else None
        if newest is None or newest >= chosen.cut:
            return chosen
        return fit_at(legal_cut(window.cuts, newest), "newest messages", weights, last_user, characters)

    def cut_at(self, chosen: Fit, target: int) -> Plan:
        """Lay out what stays, before the cut and behind it, and collect what the summary needs."""
        context, window, messages = self.context, self.window, self.context.messages
        cut = chosen.cut
        ahead = ahead_of_summary(window, cut)
        request = last_request(window, cut, ahead)
        if len(request) > 1 and thinking_indices(messages):  # without thinking its calls would be refused: words stay
            request = tuple(index for index in request if begins_turn(messages[index]))
        kept = (*ahead, *request)
        if not _summarized_count(window, cut):
            return replace(self.unchanged, target=target)
        pruning = _narrowed(window, self.pruning, cut, kept)
        answered = {index for index in answered_lines(messages) if index >= cut}
        reasons = {index: _reason_ahead(messages[index]) for index in ahead}
        reasons |= dict.fromkeys(request, LAST_REQUEST) | dict.fromkeys(range(cut, len(messages)), chosen.reason)
        layout = lay_out(
            messages,
            pruning,
            {index: reason for index, reason in reasons.items() if index not in answered},
            opening=ahead,
            request=request,
            cut=cut,
            automatic=context.automatic,
            by_assistant=context.trigger.profile.name == "opencode-2025",  # an answer under a marker (CMP_03)
        )
        # kept messages before the cut, each with those of its results whose calls leave and which leave too (CNV_06)
        results_lost = {
            piece.index: [] if piece.message is None or results_of(piece.message) else results_of(messages[piece.index])
            for piece in layout
            if isinstance(piece, Keep) and piece.index < cut
        }
        return Plan(
            context=context,
            reason=self._reason(),
            layout=layout,
            pruning=pruning,
            removed=tuple(index for index in range(cut) if index not in results_lost or results_lost[index]),
            removed_characters=_weight_before(window, cut, kept)
            + sum(_weight(window, index) for index in answered)
            + sum(measure_part(one, context.length).weight for results in results_lost.values() for one in results),
            kept_size=context.size(acceptable(fold(layout, "."))) - context.size(fold([Summary()], ".")),
            cut=cut,
            target=target,
            over_target=chosen.over_target,
            anchor=next((one.anchor for one in self.records if one.turn.index == chosen.anchor), None),
            turns=window.turns.records_before(cut, self.records),
            facts=self.facts,
            previous_summary=previous_summary(window, cut, kept),
        )

    def _reason(self) -> str:
        overflowed = self.context.cause == "overflow"
        why = "the provider says that the prompt is too long" if overflowed else self.context.verdict.reason
        lost = (
            "; the unfinished tool loop loses its thinking, which is bound to what leaves"
            if self.needs_thinking
            else ""
        )
        return f"{self.context.cause}: {why}{lost}"


def _weights_without_thinking(window: ContextWindow) -> Sequence[int]:
    """Return the running totals of characters, as they are once the thinking is left out."""
    thoughts = thinking_indices(window.messages)
    if not thoughts:
        return window.weights
    sizes = [stop - start for start, stop in pairwise(window.weights)]
    for index in thoughts:
        parts = [part for part in window.messages[index].parts if type(part) is Thinking]
        sizes[index] -= sum(measure_part(part, window.length).characters for part in parts)
    return [*accumulate(sizes, initial=0)]


def _narrowed(window: ContextWindow, pruning: Pruning, cut: int, kept: Sequence[int]) -> Pruning:
    """Return what a pruning clears of the messages that stay."""
    outputs = tuple(output for output in pruning.outputs if output.message >= cut or output.message in kept)
    if len(outputs) == len(pruning.outputs):
        return pruning
    return Pruning(outputs, window.saved_by(outputs), f"{len(outputs)} outputs of the kept part")


def _reason_ahead(message: Message) -> str:
    if message.marks.pinned:
        return "pinned"
    if message.role == "assistant" or results_of(message):
        return "bound to what is pinned"
    return "before the first turn"


def _skip_if_negligible(chosen: Plan, unchanged: Plan, window: ContextWindow) -> Plan:
    """Return the chosen plan; the one that changes nothing where too little would be removed (SEL_07).

    Where the conversation begins with a summary, the messages after it alone are compared (SEL_04).
    """
    context = chosen.context
    removed, held = chosen.removed_characters, context.tokens_before
    if _begins_with_summary(window):
        others = {*range(len(window.messages))} - _written_by_brim(window)
        removed = sum(_weight(window, index) for index in others.intersection(chosen.removed))
        held = context.tokens(sum(_weight(window, index) for index in others if index > window.summaries[0]))
    tokens = context.tokens(removed)
    if not chosen.summarizes or tokens >= held * MIN_REMOVED_SHARE:
        return chosen
    return replace(unchanged, reason=f"{NOTHING_TO_COMPACT}: {tokens:,} of {held:,} tokens would leave")


def ahead_of_summary(window: ContextWindow, cut: int) -> tuple[int, ...]:
    """Return the indices before the cut that stay ahead of the summary: the harness's words before the turns, pins."""
    opening = range(min(_opening_length(window), cut))
    pinned = [index for pin in window.pins if pin < cut for index in _group(window, pin)]
    return tuple(sorted({*opening, *pinned}))


def _opening_length(window: ContextWindow) -> int:
    """Return how many messages of the harness open the conversation."""
    first_turn = window.turns.starts[0] if window.turns.starts else 0
    summaries = _summaries(window)
    opening = (n for n in range(first_turn) if n in summaries or not _is_preamble(window.messages[n]))
    return next(opening, first_turn)


def _is_preamble(message: Message) -> bool:
    """Return whether a message can open a conversation: it is harness text, no summary, and holds no tool result."""
    return (
        message.role != "assistant"
        and not (message.marks.summary or begins_turn(message))
        and not any(type(part) is ToolResult for part in message.parts)
    )


def last_request(window: ContextWindow, cut: int, ahead: Sequence[int]) -> tuple[int, ...]:
    """Return the index of the user's last message if it precedes the cut, and those that no legal cut parts from it."""
    starts = window.turns.starts
    if not starts or starts[-1] >= cut:
        return ()
    return tuple(index for index in _group(window, starts[-1]) if index not in ahead)


def _group(window: ContextWindow, index: int) -> range:
    """Return the indices of the messages that no legal cut separates from this one (CNV_05)."""
    n = bisect_right(window.cuts, index)
    start = window.cuts[n - 1] if n else 0
    stop = window.cuts[n] if n < len(window.cuts) else len(window.messages)
    return range(start, stop)


def _summarized_count(window: ContextWindow, cut: int) -> int:
    """Return how many messages would be summarized, those of brim apart: without any, nothing is compacted (SEL_07)."""
    ahead = ahead_of_summary(window, cut)
    written = (index for index in _written_by_brim(window) if index < cut)
    return cut - len({*ahead, *last_request(window, cut, ahead), *written})


def _begins_with_summary(window: ContextWindow) -> bool:
    """Return whether no message that could be summarized precedes the first summary."""
    return bool(window.summaries) and not _summarized_count(window, window.summaries[0])


def _written_by_brim(window: ContextWindow) -> set[int]:
    """Return the indices of the earlier summaries, and of the requests to continue."""
    return _summaries(window) | {index for index, message in enumerate(window.messages) if is_continuation(message)}


def _summaries(window: ContextWindow) -> set[int]:
    """Return the indices of the earlier summaries, and of the questions they are put as answers to (CMP_03)."""
    messages = window.messages
    asked = (index - 1 for index in window.summaries if index and messages[index].role == "assistant")
    return {*window.summaries, *(index for index in asked if _is_preamble(messages[index]))}


def _weight_before(window: ContextWindow, cut: int, kept: Sequence[int]) -> int:
    """Return the characters before the cut that are not kept."""
    return window.weights[cut] - sum(_weight(window, index) for index in kept)


def _weight(window: ContextWindow, index: int) -> int:
    """Return the characters of a message."""
    return window.weights[index + 1] - window.weights[index]


def previous_summary(window: ContextWindow, cut: int, kept: Sequence[int]) -> str:
    """Return the words of the summaries removed with what is before the cut, without the line they open with.

    A summary may stand beside the user's words in one message, and the request to continue beside a summary.
    """
    summaries, texts = {*window.summaries}, []
    for index in sorted({*range(cut)} - {*kept}):
        message = window.messages[index]
        parts = [part for part in message.parts if type(part) is Text]
        if index in summaries:
            texts.append("\n".join(part.text for part in parts if not part.text.startswith(CONTINUATION_OPENING)))
        elif message.role == "user":
            texts += [
                part.text for part in parts if part.injected and part.text.startswith((SUMMARY_OPENING, CONTINUED))
            ]
    return "\n\n".join(text.removeprefix(SUMMARY_OPENING).strip() for text in texts)
