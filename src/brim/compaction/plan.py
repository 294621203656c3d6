"""The plan of a compaction: what is kept, what is replaced and why, before anything happens.

Specified by features/compaction/plan.feature (CMP_01, CMP_02).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from brim.compaction.context_window import ContextWindow, Request, TurnRecord
from brim.conversation.messages import SUMMARY_OPENING, Message, ToolResult
from brim.conversation.thinking import loop_needs_thinking, thinking_indices
from brim.conversation.tool_pairs import results_of
from brim.conversation.turns import begins_turn, read_turn
from brim.models import NO_LIMIT, ModelLimits
from brim.pruning.tool_outputs import Pruning
from brim.selection.anchors import Anchor, anchor_turns
from brim.selection.fit import Fit, fit_turns, keep_target
from brim.selection.message_window import keep_newest
from brim.summary.facts import Fact
from brim.tokens.estimation import CHARACTERS_PER_TOKEN, Size, TextLength, tokens_of
from brim.trigger.budget import summarization_budget, target_for
from brim.trigger.overflow import Verdict

NOTHING_TO_COMPACT: Final = "nothing to compact"
NOTHING_LEAVES: Final = "nothing is summarised"
"""Why a message is kept where a plan prunes alone, or does nothing."""
KEPT: Final = "kept"
PRUNED: Final = "pruned"
SUMMARISED: Final = "summarised"


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
    """The version of the prompt it is asked for with: a name, and eight signs that tell the wording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a compaction would do. Positions are those in `messages`, indices those of the conversation handed in."""

    messages: tuple[Message, ...] = field(repr=False)
    """The conversation as it can be sent: its calls paired (CNV_04), nothing in it that the API refuses (CNV_09)."""
    sources: Sequence[int | None] = field(repr=False)
    """For each of those messages the index it was handed in with; None for one that the pairing added."""
    verdict: Verdict
    """Whether compaction is due."""
    automatic: bool
    """Whether it acts only where it is due; by hand it acts due or not (CMP_07)."""
    profile: str
    """The profile that judged."""
    notices: tuple[str, ...] = ()
    """What whoever chose the profile has to know."""
    reason: str
    """What is done and why, in words."""
    front: tuple[int, ...] = ()
    """Positions kept ahead of the summary: what the harness said before the first turn, and the pins."""
    cut: int = 0
    """Position of the first message kept behind the summary; 0 where nothing is summarised."""
    request: tuple[int, ...] = ()
    """Position of the user's last message where it stands before the cut: kept all the same (SEL_06)."""
    why_kept: str = ""
    """Why the part behind the cut is kept: from an anchor on, recent turns, or the newest that fits."""
    anchor: Anchor | None = None
    """The anchor that the kept part begins with; None where it begins with none (SEL_02)."""
    over_target: bool = False
    """Even the least that has to be kept is above the target."""
    target: int = 0
    """Tokens to be kept word for word, at most (SEL_04)."""
    pruning: Pruning
    """The old tool outputs that are cleared first (PRN_01)."""
    turns: tuple[TurnRecord, ...] = field(default=(), repr=False)
    """The turns that are summarised, the last of them as far as the cut."""
    facts: tuple[Fact, ...] = field(default=(), repr=False)
    """What must survive of the whole conversation (SUM_13)."""
    earlier: str = ""
    """The summary that stood for what was before: it is replaced with the rest (SUM_09)."""
    characters_per_token: int | Fraction = CHARACTERS_PER_TOKEN
    """The ratio that every estimate here is made with (TOK_09)."""
    length: TextLength = field(default=len, repr=False, compare=False)
    """Measures texts: in characters, or by the policy's token counter (TOK_07)."""
    replaced_characters: int = 0
    """Characters of what is summarised, media as those their tokens stand for."""
    sent: Request = field(default_factory=Request, repr=False)
    """The caller's request: a cached prefix is found only under its system, tools, parameters and betas (SUM_16)."""
    required_facts: tuple[str, ...] = ()
    """Texts that whatever replaces the history has to hold (SUM_08)."""
    focus: str | None = None
    """What the summary is to dwell on, where that was told for this one (CMP_07)."""
    due_from: int = 0
    """The fewest tokens that are due by the profile or the user's threshold; 0 where the window has no limit."""
    limits: ModelLimits = NO_LIMIT
    """What the model can hold, and its longest answer."""
    call: SummaryCall | None = None
    """How a summary is asked for, and why so (SUM_16); None where no model is asked."""
    extras: Size
    """What every request carries besides: the system prompt and the tools."""
    tokens_before: int
    """The estimate of all that is sent now, system prompt and tools included."""

    @property
    def summarises(self) -> bool:
        """Whether anything is summarised."""
        return self.cut > 0

    @property
    def acts(self) -> bool:
        """Whether it changes anything."""
        return self.summarises or bool(self.pruning.outputs)

    @property
    def tokens_left(self) -> int:
        """The estimate of all that is sent afterwards, the summary not counted."""
        leaves = tokens_of(Size(self.replaced_characters), self.characters_per_token)
        return self.tokens_before - leaves - self.pruning.saved

    def is_parted(self, position: int) -> bool:
        """Whether the user's last message stays there without the results in it: what they answer leaves (CNV_06)."""
        alone = position in self.request and position - 1 not in self.request
        return alone and self.messages[position].role == "user" and bool(results_of(self.messages[position]))

    def decisions(self) -> Iterator[tuple[int, str, str]]:
        """For every message handed in: its index, whether it is kept, pruned or summarised, and why."""
        front, request = frozenset(self.front), frozenset(self.request)
        pruned = frozenset(output.message for output in self.pruning.outputs)
        for position, source in enumerate(self.sources):
            if source is None:
                continue
            if position in front:
                yield source, KEPT, self._why_ahead(position)
            elif position in request:
                yield source, KEPT, "the user's last message"
            elif position < self.cut:
                yield source, SUMMARISED, self._why_gone(position)
            elif position in pruned:
                yield source, PRUNED, self.pruning.reason
            else:
                yield source, KEPT, self.why_kept or NOTHING_LEAVES

    @property
    def kept(self) -> list[int]:
        """Indices of the messages that are kept, ascending."""
        return [index for index, fate, _ in self.decisions() if fate != SUMMARISED]

    @property
    def summarised(self) -> list[int]:
        """Indices of the messages that are summarised, ascending."""
        return [index for index, fate, _ in self.decisions() if fate == SUMMARISED]

    def _why_ahead(self, position: int) -> str:
        message = self.messages[position]
        if message.marks.pinned:
            return "pinned"
        if message.role == "assistant" or results_of(message):
            return "bound to what is pinned"
        return "before the first turn"

    def _why_gone(self, position: int) -> str:
        return "an earlier summary" if self.messages[position].marks.summary else "before the cut"


def leaving(window: ContextWindow, cut: int) -> int:
    """How many messages would be summarised, an earlier summary apart: without any, nothing is compacted (SEL_07)."""
    ahead = front(window, cut)
    told = (position for position in _summaries(window) if position < cut)
    return cut - len({*ahead, *request(window, cut, ahead), *told})


def _summaries(window: ContextWindow) -> set[int]:
    """Positions of the earlier summaries, and of the questions they are put as answers to (CMP_03)."""
    messages = window.messages
    asked = (place - 1 for place in window.summaries if place and messages[place].role == "assistant")
    return {*window.summaries, *(place for place in asked if _is_preamble(messages[place]))}


def front(window: ContextWindow, cut: int) -> tuple[int, ...]:
    """Positions before the cut that stay ahead of the summary: the harness's own words before the first turn, pins."""
    opening = range(min(preamble(window), cut))
    pinned = [position for pin in window.pins if pin < cut for position in _group(window, pin)]
    return tuple(sorted({*opening, *pinned}))


def _is_preamble(message: Message) -> bool:
    """Whether a message can open a conversation: it is harness text, no summary, and holds no tool result."""
    return (
        message.role == "user"
        and not (message.marks.summary or begins_turn(message))
        and not any(type(part) is ToolResult for part in message.parts)
    )


def _group(window: ContextWindow, position: int) -> range:
    """The positions that cannot be parted from this one (CNV_05)."""
    place = bisect_right(window.cuts, position)
    start = window.cuts[place - 1] if place else 0
    stop = window.cuts[place] if place < len(window.cuts) else len(window.messages)
    return range(start, stop)


def request(window: ContextWindow, cut: int, ahead: Sequence[int]) -> tuple[int, ...]:
    """Where the user's last message stands before the cut: it, with what cannot be parted from it (SEL_06)."""
    starts = window.turns.starts
    if not starts or starts[-1] >= cut:
        return ()
    return tuple(position for position in _group(window, starts[-1]) if position not in ahead)


def preamble(window: ContextWindow) -> int:
    """How many messages of the harness open the conversation."""
    first_turn = window.turns.starts[0] if window.turns.starts else 0
    told = _summaries(window)
    opening = (n for n in range(first_turn) if n in told or not _is_preamble(window.messages[n]))
    return next(opening, first_turn)


def replaced(window: ContextWindow, cut: int, kept: Sequence[int]) -> int:
    """Characters before the cut that are not kept."""
    weights = window.weights
    return weights[cut] - sum(weights[position + 1] - weights[position] for position in kept)


UNTOUCHED: Final = Pruning((), 0, "not tried")
WITHOUT_LIMITS: Final = 2_000
"""Tokens that are kept at least where the window is unknown: what is shorter than that is not worth a summary."""
PARTS: Final = 5
"""A summary is at most this part of a window: a fifth, so that in a small one there is room for what it is made of."""
LEAST_PART: Final = 20
"""By hand, less than this part of what is sent, a twentieth, is not worth a summary and what it loses (SEL_07)."""


def plan_compaction(window: ContextWindow, *, automatic: bool = False, overflowed: bool = False) -> Plan:
    """What a compaction of this window would do (CMP_02); the window itself stays as it is.

    A manual compaction acts below the threshold too (CMP_07), unless less than a twentieth of what is sent would leave.
    `overflowed=True`, for the provider's overflow error, skips that check and keeps half as much (TRG_18). An automatic
    compaction does nothing while it is not due, prunes where that is enough, and waits for the end of a tool loop whose
    thinking it would break while there is room. Where the target leaves the window due, less is kept (TRG_19).
    """
    verdict = window.verdict()
    sound, sources = window.sendable()
    messages = tuple(sound.messages)
    plan = Plan(
        messages=messages,
        sources=sources,
        verdict=verdict,
        automatic=automatic,
        profile=window.trigger.profile.name,
        notices=window.notices,
        reason=NOTHING_TO_COMPACT,
        pruning=UNTOUCHED,
        sent=window.request,
        limits=window.limits,
        due_from=window.trigger.due_from if window.limits.context_window else 0,
        extras=window.extras,
        characters_per_token=window.characters_per_token,
        length=window.length,
        tokens_before=sound.estimated,
        target=_target_after_overflow(window) if overflowed else _target(window),
        required_facts=window.policy.required_facts,
    )
    if automatic and not verdict.due:
        return replace(plan, reason=verdict.reason)
    in_loop = loop_needs_thinking(messages)
    if automatic and in_loop and verdict.held <= window.trigger.usable:
        return replace(plan, reason="waits for the end of the tool loop: there is room, and its thinking would be lost")
    pruning = sound.prunable()
    if automatic and not in_loop and _is_enough(window, verdict.held - pruning.saved):
        known = sound.turns.facts(sound.turns.going_on(sound.messages))
        return replace(plan, pruning=pruning, reason=f"pruned: {pruning.reason}", facts=known)
    chosen = _within_budget(_fitting(replace(plan, pruning=pruning), sound, in_loop=in_loop), window)
    return chosen if automatic or overflowed else _unless_little(chosen, plan)


def _within_budget(plan: Plan, window: ContextWindow) -> Plan:
    """The plan, with a notice where what it keeps is above the budget: nothing is dropped for it (TRG_16)."""
    if not (plan.summarises and plan.limits.context_window):
        return plan
    needed = plan.tokens_left - tokens_of(plan.extras, plan.characters_per_token)
    target = target_for(summarization_budget(plan.limits.context_window, window.policy.budget_buffer), needed)
    return replace(plan, notices=(*plan.notices, target.warning)) if target.warning else plan


def _target(window: ContextWindow) -> int:
    """Tokens to keep word for word (SEL_04). Without limits a share of what the window holds, and 2,000 at least."""
    if window.target is not None:
        return window.target
    target = max(keep_target(window.estimated, share=window.policy.keep_share), WITHOUT_LIMITS)
    return min(target, window.policy.keep_tokens) if window.policy.keep_tokens else target


def _target_after_overflow(window: ContextWindow) -> int:
    """Half of what is kept of a full window: by the provider this one is full, whatever the estimate (TRG_18)."""
    return min(_target(window), keep_target(window.estimated, share=window.policy.keep_share)) // 2


def _fitting(plan: Plan, window: ContextWindow, *, in_loop: bool) -> Plan:
    """Choose what stays; less than the target allows where the window would stay due with a summary (TRG_19)."""
    chosen = _summarising(plan, window, in_loop=in_loop)
    if not plan.limits.context_window:
        return chosen
    bounds = (window.policy.max_summary_tokens, plan.limits.max_output_tokens, plan.limits.context_window // PARTS)
    summary = min(*filter(None, bounds), tokens_of(Size(chosen.replaced_characters)) // 2)
    excess = chosen.tokens_left + summary - min(window.trigger.usable, plan.due_from - 1)
    kept = tokens_of(Size(window.weights[-1] - window.weights[chosen.cut]), chosen.characters_per_token)
    if excess <= 0 or not plan.target:
        return chosen
    return _summarising(replace(plan, target=max(min(plan.target, kept) - excess, 0)), window, in_loop=in_loop)


def _is_enough(window: ContextWindow, held: int) -> bool:
    return not window.trigger.judge(held).due


def _summarising(plan: Plan, window: ContextWindow, *, in_loop: bool) -> Plan:
    """Choose what stays, and collect what the summary needs."""
    current = window.turns.going_on(window.messages)
    records = [*window.turns.closed, *([current] if current else [])]
    chosen = _fit(window, records, plan.target)
    if not leaving(window, chosen.cut):
        return replace(plan, pruning=UNTOUCHED)
    cut = len(plan.messages) if in_loop else chosen.cut
    ahead = front(window, cut)
    asked = _asked(window, cut, ahead)
    kept = (*ahead, *asked)
    return replace(
        plan,
        pruning=_narrowed(plan.pruning, cut, kept),
        front=ahead,
        cut=cut,
        request=asked,
        why_kept="" if in_loop else chosen.why,
        anchor=None if in_loop else _anchor(records, chosen.anchor),
        over_target=chosen.over_target,
        reason=_reason(plan, in_loop=in_loop),
        replaced_characters=replaced(window, cut, kept),
        turns=_turns_before(window, records, cut),
        facts=window.turns.facts(current),
        earlier=_earlier(window, cut, kept),
    )


def _asked(window: ContextWindow, cut: int, ahead: Sequence[int]) -> tuple[int, ...]:
    """Where the user's last message stands before the cut; calls that it answers stay with it where nobody thought.

    Without its thinking a call would be refused: it leaves, and of the message the words alone stay (CNV_06).
    """
    asked = request(window, cut, ahead)
    if len(asked) > 1 and thinking_indices(window.messages):
        return tuple(place for place in asked if begins_turn(window.messages[place]))
    return asked


def _unless_little(chosen: Plan, idle: Plan) -> Plan:
    """The plan that was chosen; the idle one where too little would leave to be worth it (SEL_07)."""
    leaves = tokens_of(Size(chosen.replaced_characters), chosen.characters_per_token)
    if not chosen.summarises or leaves * LEAST_PART >= chosen.tokens_before:
        return chosen
    return replace(idle, reason=f"{NOTHING_TO_COMPACT}: {leaves:,} of {idle.tokens_before:,} tokens would leave")


def _turns_before(window: ContextWindow, records: Sequence[TurnRecord], cut: int) -> tuple[TurnRecord, ...]:
    """The turns before the cut; one that the cut goes through as far as the cut."""
    whole = bisect_right(records, cut, key=_stop)
    before = tuple(records[:whole])
    if whole == len(records) or records[whole].turn.start >= cut:
        return before
    parted = read_turn(window.messages, records[whole].turn.index, records[whole].turn.start, cut)
    return (*before, window.turns.record(parted, previous_error=bool(before) and before[-1].failed))


def _stop(record: TurnRecord) -> int:
    return record.turn.stop


def _earlier(window: ContextWindow, cut: int, kept: Sequence[int]) -> str:
    """The words of the summaries that leave with what is before the cut, without the line they open with."""
    texts = [window.messages[place].text for place in window.summaries if place < cut and place not in kept]
    return "\n\n".join(text.removeprefix(SUMMARY_OPENING).strip() for text in texts)


def _reason(plan: Plan, *, in_loop: bool) -> str:
    who = "automatic" if plan.automatic else "manual"
    loop = "; the unfinished tool loop goes into the summary, its thinking is bound to what leaves" if in_loop else ""
    return f"{who}: {plan.verdict.reason}{loop}"


def _fit(window: ContextWindow, records: Sequence[TurnRecord], target: int) -> Fit:
    """Choose the kept messages. The target in tokens is converted to characters by the learned ratio."""
    ratio, first = window.characters_per_token, preamble(window)
    characters, starts = target * ratio.numerator // ratio.denominator, window.turns.starts
    if window.policy.keep_messages and target >= _target(window):
        return keep_newest(
            window.weights,
            window.cuts,
            last_user=starts[-1] if starts else None,
            recent=window.policy.keep_messages,
            target=characters,
            first=first,
        )
    return fit_turns(
        starts,
        window.weights,
        window.cuts,
        target=characters,
        anchors=anchor_turns(record.anchor for record in records if record.anchor is not None),
        recent=window.policy.recent_turns,
        first=first,
    )


def _anchor(records: Sequence[TurnRecord], turn: int | None) -> Anchor | None:
    return next((record.anchor for record in reversed(records) if record.turn.index == turn), None)


def _narrowed(pruning: Pruning, cut: int, kept: Sequence[int]) -> Pruning:
    """Of a pruning what lies in the part that is kept; the rest goes into the summary anyway."""
    outputs = tuple(output for output in pruning.outputs if output.message >= cut or output.message in kept)
    if len(outputs) == len(pruning.outputs):
        return pruning
    return Pruning(outputs, sum(output.tokens for output in outputs), f"{len(outputs)} outputs of the kept part")
