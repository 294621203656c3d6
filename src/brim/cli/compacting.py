"""`brim compact`: the main job, without a key on the template summary, with one on a model's."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

from brim.cli import compact_page
from brim.cli.limits import check_flags, limits_for, with_room
from brim.cli.outcome import Outcome, Request
from brim.cli.output import console, print_json, several, working
from brim.cli.reading import read_file
from brim.cli.settings import warn
from brim.cli.standard import is_stdout, title_of
from brim.cli.summarising import compactor_of, policy_of
from brim.cli.summary_page import show_summary
from brim.cli.writing import (
    NewConversation,
    kept_sessions,
    new_conversation,
    require_one_answer,
    require_place,
    require_target,
    target_of,
    write_conversation,
)
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction, compact_without_model
from brim.conversation.messages import Message
from brim.engine.compactor import Compactor
from brim.errors import InvalidInput
from brim.summary.facts import Presence
from brim.transcripts import view
from brim.transcripts.window import window_of


def run(request: Request) -> None:
    """Read, plan, compact, write where asked to, and show. Raises InvalidInput or Refused."""
    warn(request.settings)
    check_flags(request.window, request.max_output)
    require_one_answer(request.output, as_json=request.as_json)
    require_target(request.output, request.to)
    if request.output is not None:
        require_place(request.output, source=request.file, kept=kept_sessions())
    with working(f"compacting {title_of(request.file)}"):
        outcome = compact(request)
        if request.output is not None and outcome.written is not None and not request.dry_run:
            _write(request.output, outcome.written, outcome.compaction)
    if outcome.compaction.summary_source == "truncate":
        left_out = several(len(outcome.compaction.plan.summarised), "message")
        sys.stderr.write(f"brim: no attempt gave a summary: {left_out} were left out without one\n")
    if request.as_json:
        print_json(answer(outcome))
    else:
        compact_page.show(outcome, request)


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


def compact(request: Request) -> Outcome:
    """Everything but the writing. Raises InvalidInput or Refused."""
    transcript = read_file(request.file)
    target = target_of(transcript, request.to) if request.output is not None else None
    model = request.model or transcript.model
    limits = limits_for(transcript, request.model, request.window, request.max_output)
    if limits is not None:
        with_room(limits)
    window = window_of(transcript, limits, policy=policy_of(request), at=request.at)
    compactor = compactor_of(request, model)
    plan = compactor.plan(window)
    compaction = _carried_out(compactor, plan, request)
    if not compaction.plan.acts:  # what is written is accepted by the API, compacted or not
        compaction = replace(compaction, conversation=plan.messages)
    return Outcome(
        written=None if target is None else new_conversation(transcript, compaction, target, request.output),
        replaced=request.output is not None and not is_stdout(request.output) and request.output.is_file(),
        transcript=transcript,
        compaction=compaction,
        model=model,
        window=limits.context_window if limits else None,
        messages=len(window.messages),
        mended=_mended(
            compaction.plan, window.messages if compaction.plan.summarises else view(transcript, request.at).messages
        ),
    )


def _mended(plan: Plan, came: Sequence[Message]) -> int:
    """Messages that stay and are not those that came; where something is summarised, no thinking stays anyway."""
    stays = {*plan.kept_indices}
    return sum(
        source is None or message is not came[source]
        for position, (message, source) in enumerate(zip(plan.messages, plan.sources, strict=True))
        if position in stays
    )


def _carried_out(compactor: Compactor, plan: Plan, request: Request) -> Compaction:
    """A dry run asks no model: it shows the template in its place."""
    return compact_without_model(plan) if request.dry_run else compactor.apply(plan)


def answer(outcome: Outcome) -> dict[str, Any]:
    """The compaction as JSON. Indices are those of the conversation that was compacted, from 0."""
    compaction = outcome.compaction
    plan, fidelity = compaction.plan, compaction.fidelity
    return {
        "format": outcome.transcript.format,
        "model": outcome.model,
        "window": outcome.window,
        "profile": plan.profile,
        "messages": outcome.messages,
        "due": plan.verdict.due,
        "reason": plan.verdict.reason,
        "held": plan.verdict.held,
        "threshold": plan.verdict.threshold or None,
        "notices": list(plan.notices),
        "compacted": plan.acts,
        "decision": plan.reason,
        "tokens_before": compaction.tokens_before,
        "tokens_after": compaction.tokens_after,
        "ratio": compaction.compression.ratio,
        "warning": compaction.compression.warning if plan.acts else None,
        "target": plan.target,
        "over_target": plan.over_target,
        "kept": plan.kept,
        "why_kept": plan.tail_reason or None,
        "summarised": plan.summarised,
        "pruned": list(plan.pruning.ids),
        "anchor": _anchor(compaction),
        "by": compaction.summary_source or None,
        "call": None if plan.call is None else asdict(plan.call),
        "attempts": [asdict(attempt) for attempt in compaction.attempts],
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
        "mended": outcome.mended,
        "written_as": outcome.written.target if outcome.written else None,
        "left_out": dict(outcome.written.left_out) if outcome.written else {},
        "complaint": outcome.complaint,
        "damaged_lines": [damage.line for damage in outcome.transcript.damaged],
    }


def _presence(found: Presence) -> dict[str, Any]:
    """What is present, of how much, and the share to four places, rounded down: it is 1 only where all is present."""
    return {"present": found.present, "total": found.total, "share": Fraction(floor(found.share * 10_000), 10_000)}


def _anchor(compaction: Compaction) -> dict[str, Any] | None:
    anchor = compaction.plan.anchor
    if anchor is None:
        return None
    return {"turn": anchor.turn, "kind": anchor.kind, "confidence": anchor.confidence, "weight": anchor.weight}
