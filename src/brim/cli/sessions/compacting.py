"""`brim sessions compact`: what the model sees of a session is compacted, and the log says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console

from brim.cli.compacting import (
    Options,
    carried_out,
    compaction_answer,
    compactor_of,
    policy_of,
    price,
    show_compaction,
    show_due,
    warn_of_truncation,
    why_idle,
)
from brim.cli.limits import unknown
from brim.cli.output import say, several, working
from brim.cli.sessions.pages import SessionState, give, show_session, state_of
from brim.cli.sessions.targets import found, opened
from brim.cli.settings import warn
from brim.compaction.cost import Cost
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction
from brim.engine.compactor import Compactor
from brim.errors import BrimError, Refused
from brim.sessions.session import Session
from brim.trigger.overflow import window_filled


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """A compaction of a session, the record of it (None on a dry run), and how full the window was and is."""

    before: SessionState
    compaction: Compaction
    cost: Cost | None
    """What a dry run would cost."""
    record: str | None
    filled_after: int | None
    """In whole percent of the threshold (TRG_20); None where the window is unknown."""


def run_compact(where: str | None, name: str, options: Options) -> None:
    """Compact, record and show (CMD_10). Raises Refused (nothing to compact), SessionHeld, InvalidInput."""
    warn(options.settings)
    with working(f"compacting {name}"), opened(where) as store:
        session_id = found(store, name).id
        with store.read(session_id) if options.dry_run else store.open(session_id) as session:
            made = _compacted(session, options)
            notes = (*store.warnings(), *session.warnings)
    warn_of_truncation(made.compaction)
    give(_answer(made), notes, lambda out: _show(out, made, options), as_json=options.as_json)


def _compacted(session: Session, options: Options) -> Compacted:
    default = options.settings.preferences.default_model
    limits = {"window": options.window, "max_output": options.max_output}
    before = state_of(session, model=options.model, policy=policy_of(options), default_model=default, **limits)
    compactor = compactor_of(options, before.model or None)
    plan = compactor.plan(before.window)
    if not plan.acts:
        size = f"{several(len(before.view.messages), 'message')}, {plan.tokens_before:,} tokens by their text"
        raise Refused(f"nothing to compact in session {session.id}: {size}{why_idle(plan, options.settings.policy)}")
    compaction = carried_out(compactor, plan, options) if options.dry_run else _recorded(session, compactor, plan)
    record = None if options.dry_run else session.compacted(compaction)
    filled = None if before.threshold is None else window_filled(compaction.tokens_after, before.threshold)
    cost = price(compaction, before.model, options)
    return Compacted(before=before, compaction=compaction, cost=cost, record=record, filled_after=filled)


def _recorded(session: Session, compactor: Compactor, plan: Plan) -> Compaction:
    """Carry a plan out between the record that it begins and, where it fails, the record of the error."""
    session.compacting(reason="brim sessions compact")
    try:
        return compactor.apply(plan)
    except BrimError as error:
        session.failed(str(error))
        raise


def _answer(made: Compacted) -> dict[str, Any]:
    before = made.before
    return {
        "session": before.info.id,
        "record": made.record,
        "model": before.model or None,
        "window": before.room,
        "messages": len(before.view.messages),
        "filled_before": before.filled if before.limits else None,
        "filled_after": made.filled_after,
        **compaction_answer(made.compaction, made.cost),
    }


def _show(out: Console, made: Compacted, options: Options) -> None:
    before = made.before
    show_session(out, before.info)
    unjudged = None if before.limits else unknown(before.model)
    show_due(out, made.compaction.plan, unjudged, own=options.settings.policy.threshold is not None)
    out.print()
    show_compaction(out, made.compaction, options, of=len(before.view.messages), cost=made.cost)
    out.print()
    if made.filled_after is not None:
        say(out, f"{before.filled}% of the threshold before, {made.filled_after}% after", lead="The window  ")
    if made.record is None:
        say(out, "Nothing was recorded; without --dry-run the session is compacted.", style="dim")
    else:
        say(out, f"Recorded as {made.record}; brim sessions undo takes it back.", style="dim")
