"""How a plan is made: prune, and only where that is not enough choose what stays and summarise the rest (CMP_01)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from brim.compaction.context_window import ContextWindow
from brim.compaction.keeping import front, leaving, preamble, replaced, request
from brim.compaction.plan import NOTHING_TO_COMPACT, Plan
from brim.compaction.turn_log import TurnRecord
from brim.conversation.messages import SUMMARY_OPENING
from brim.conversation.thinking import loop_needs_thinking, thinking_places
from brim.conversation.turns import begins_turn, read_turn
from brim.pruning.ledger import Pruning
from brim.selection.anchors import Anchor
from brim.selection.fit import Fit, fit_turns, keep_target
from brim.selection.message_window import keep_newest
from brim.tokens.estimation import Size, tokens_of

UNTOUCHED: Final = Pruning((), 0, "not tried")
WITHOUT_LIMITS: Final = 2_000
"""Tokens that are kept at least where the window is unknown: what is shorter than that is not worth a summary."""
LEAST_PART: Final = 20
"""By hand, less than this part of what is sent, a twentieth, is not worth a summary and what it loses (SEL_07)."""


def plan_compaction(window: ContextWindow, *, automatic: bool = False, anyway: bool = False) -> Plan:
    """What a compaction of this window would do (CMP_02); the window itself stays as it is.

    A manual compaction acts below the threshold too (CMP_07), unless less than a twentieth of what is sent would leave.
    `anyway=True` skips that check, as after the provider's overflow error (TRG_18). An automatic compaction does
    nothing while it is not due, prunes where that is enough, and waits for the end of a tool loop whose thinking it
    would break while there is room.
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
        tokens_before=sound.estimated,
        target=_target(window),
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
    chosen = _summarising(replace(plan, pruning=pruning), sound, in_loop=in_loop)
    return chosen if automatic or anyway else _unless_little(chosen, plan)


def _target(window: ContextWindow) -> int:
    """Tokens to keep word for word (SEL_04). Without limits a share of what the window holds, and 2,000 at least."""
    if window.target is not None:
        return window.target
    return max(keep_target(window.estimated, share=window.policy.keep_share), WITHOUT_LIMITS)


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
    if len(asked) > 1 and thinking_places(window.messages):
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
    """What is kept, measured in characters: the target is as many of them as its tokens stand for."""
    ratio, first = window.characters_per_token, preamble(window)
    characters, starts = target * ratio.numerator // ratio.denominator, window.turns.starts
    if window.policy.keep_messages:
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
        anchors=[record.turn.index for record in records if record.anchor is not None],
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
