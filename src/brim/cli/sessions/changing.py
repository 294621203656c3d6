"""`brim sessions fork`, `rename`, `rewind`, `undo`, `redo`, `import-context` and `compact`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console

from brim.cli.compacting import (
    Options,
    carried_out,
    compaction_answer,
    compactor_of,
    idle,
    policy_of,
    price,
    show_compaction,
    show_due,
    warn_of_truncation,
)
from brim.cli.limits import WrongUsage, unknown
from brim.cli.output import say, several, working
from brim.cli.sessions.pages import SessionState, give, one_line, show_session, state_of
from brim.cli.sessions.targets import found, opened, record_in
from brim.compaction.cost import Cost
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction
from brim.conversation.turns import begins_turn
from brim.engine.compactor import Compactor
from brim.errors import BrimError, Refused
from brim.sessions.lineage import fork, import_context
from brim.sessions.lines import read_records
from brim.sessions.records import MessageRecord, Record, UsageRecord
from brim.sessions.session import Session
from brim.trigger.overflow import window_filled

DIGITS: Final = 10
"""Digits that no number of a turn has."""


def run_fork(where: str | None, name: str, *, at: str | None, title: str | None, as_json: bool) -> None:
    """Fork it, at a message or at its end; the other is not changed. Raises InvalidInput, Refused or StoreFailed."""
    with working(f"forking {name}"), opened(where) as store:
        source = found(store, name)
        message = None
        if at is not None:
            with store.read(source.id) as session:
                message = record_in(session, at, MessageRecord)
        made = fork(store, source.id, message, title=one_line(title or ""))
        with store.read(made) as session:
            state = state_of(session)
        notes = store.warnings()
    answer = {"session": made, "parent": source.id, "at": message, "messages": len(state.view.messages)}

    def page(out: Console) -> None:
        show_session(out, state.info)
        say(out, f"begins with {_sees(state)}, of session {source.id}, which stays as it is")

    give({**answer, "tokens": state.held}, notes, page, as_json=as_json)


def run_import_context(where: str | None, name: str, source: str, *, summary: str | None, as_json: bool) -> None:
    """Add what happened in a related session. Raises Refused where it is none, WrongUsage or a BrimError of a store."""
    if summary is not None and not summary.strip():
        raise WrongUsage("--summary is empty; write what happened, or leave it out")
    with working(f"reading {source}"), opened(where) as store:
        info, origin = found(store, name), found(store, source)
        with store.read(info.id) as session:
            before = state_of(session)
        record = import_context(store, info.id, origin.id, summary=summary or "")
        with store.read(info.id) as session:
            after = state_of(session)
        notes = store.warnings()

    def page(out: Console) -> None:
        show_session(out, info)
        _show_seen(out, before, after)
        say(out, f"Context of session {origin.id} was added as message {record}.", style="dim")

    about = {"session": info.id, "from": origin.id, "record": record}
    give({**about, **_seen(before, after)}, notes, page, as_json=as_json)


def run_rename(where: str | None, name: str, title: str, *, as_json: bool) -> None:
    """Rename it, on one line. Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    new = one_line(title)
    if not new:
        raise WrongUsage("TITLE is empty; write what the session is about")
    with opened(where) as store, store.open(found(store, name).id) as session:
        before = session.info.title
        record = session.rename(new)
        notes = (*store.warnings(), *session.warnings)
    answer = {"session": session.id, "title": new, "before": before, "record": record}
    lead = f"{session.id} is now called "
    give(answer, notes, lambda out: say(out, new, lead=lead, lead_style=""), as_json=as_json)


def run_undo(where: str | None, name: str, *, redo: bool, as_json: bool) -> None:
    """Undo or redo, and show. Raises Refused where there is nothing to take back, InvalidInput or StoreFailed."""
    _run_change(where, name, lambda session: session.redo() if redo else session.undo(), undo=redo, as_json=as_json)


def run_rewind(where: str | None, name: str, place: str, *, as_json: bool) -> None:
    """Rewind to a turn or a record, and show. Raises Refused where there is none, InvalidInput or StoreFailed."""
    _run_change(where, name, lambda session: session.rewind(_target(session, place)), undo=True, as_json=as_json)


def _run_change(where: str | None, name: str, act: Callable[[Session], str], *, undo: bool, as_json: bool) -> None:
    """Carry out an act that changes what the model sees, and show that; `undo`: brim sessions undo takes it back."""
    with working(f"opening {name}"), opened(where) as store, store.open(found(store, name).id) as session:
        before = state_of(session)
        record = act(session)
        after = state_of(session)
        made = next(read_records(session.journal.lines_reversed(), []))
        notes = (*store.warnings(), *session.warnings)
    about = {"session": session.id, "record": record, "of": getattr(made, "of", None), "to": getattr(made, "to", None)}

    def page(out: Console) -> None:
        show_session(out, after.info)
        _show_seen(out, before, after)
        say(out, f"Nothing was removed; brim sessions {'undo' if undo else 'redo'} takes it back.", style="dim")

    give({**about, **_seen(before, after)}, notes, page, as_json=as_json)


def _seen(before: SessionState, after: SessionState) -> dict[str, int]:
    counts = {"messages_before": len(before.view.messages), "messages": len(after.view.messages)}
    return {**counts, "tokens_before": before.held, "tokens": after.held}


def _show_seen(out: Console, before: SessionState, after: SessionState) -> None:
    out.print()
    say(out, _sees(before), lead="The model saw  ")
    say(out, _sees(after), lead="It sees now    ")


def _sees(state: SessionState) -> str:
    return f"{several(len(state.view.messages), 'message')}, {state.held:,} tokens"


def _target(session: Session, place: str) -> str:
    """The record that a rewind goes back to: the last one of a turn, or one by its id or a part of that alone."""
    is_turn = place.isdecimal() and len(place) < DIGITS
    to = _end_of_turn(session, int(place)) if is_turn else record_in(session, place, Record)
    newest = next(record.id for record in read_records(session.journal.lines_reversed(), []))
    if to == newest:
        raise Refused(f"session {session.id} ends there already: nothing comes after it")
    return to


def _end_of_turn(session: Session, number: int) -> str:
    """The last message of a turn, or its usage. Turns count from 1 in the order of the log, as in a search."""
    turns, last = 0, ""
    for record in session.records():
        if isinstance(record, MessageRecord):
            turns += begins_turn(record.value)
        if turns == number and isinstance(record, MessageRecord | UsageRecord):
            last = record.id
    if not number or not last:
        raise Refused(f"session {session.id} has {several(turns, 'turn')}, and none with the number {number}")
    return last


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedPage:
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
    with working(f"compacting {name}"), opened(where) as store:
        session_id = found(store, name).id
        with store.read(session_id) if options.dry_run else store.open(session_id) as session:
            made = _compacted(session, options)
            notes = (*store.warnings(), *session.warnings)
    warn_of_truncation(made.compaction)
    give(_compact_answer(made), notes, lambda out: _show_compacted(out, made, options), as_json=options.as_json)


def _compacted(session: Session, options: Options) -> CompactedPage:
    default = options.settings.preferences.default_model
    limits = {"window": options.window, "max_output": options.max_output}
    before = state_of(session, model=options.model, policy=policy_of(options), default_model=default, **limits)
    compactor = compactor_of(options, before.model or None)
    plan = compactor.plan(before.window)
    only_shown = options.dry_run or not plan.changes_anything
    compaction = carried_out(compactor, plan, options) if only_shown else _recorded(session, compactor, plan)
    if not compaction.plan.changes_anything:
        why = idle(compaction.plan, options.settings.policy, len(before.view.messages))
        raise Refused(f"nothing to compact in session {session.id}: {why}")
    record = None if options.dry_run else session.compacted(compaction)
    filled = None if before.threshold is None else window_filled(compaction.tokens_after, before.threshold)
    cost = price(compaction, before.model, options)
    return CompactedPage(before=before, compaction=compaction, cost=cost, record=record, filled_after=filled)


def _recorded(session: Session, compactor: Compactor, plan: Plan) -> Compaction:
    """Carry a plan out; where nothing comes of it, a record says why."""
    try:
        compaction = compactor.apply(plan)
    except BrimError as error:
        session.failed(str(error))
        raise
    if not compaction.plan.changes_anything:
        session.failed(compaction.plan.reason)
    return compaction


def _compact_answer(made: CompactedPage) -> dict[str, Any]:
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


def _show_compacted(out: Console, made: CompactedPage, options: Options) -> None:
    before = made.before
    show_session(out, before.info)
    unjudged = None if before.limits else unknown(before.model)
    show_due(out, made.compaction, unjudged, own=options.settings.policy.threshold is not None)
    out.print()
    show_compaction(out, made.compaction, options, of=len(before.view.messages), cost=made.cost)
    out.print()
    if made.filled_after is not None:
        say(out, f"{before.filled}% of the threshold before, {made.filled_after}% after", lead="The window  ")
    if made.record is None:
        say(out, "Nothing was recorded; without --dry-run the session is compacted.", style="dim")
    else:
        say(out, f"Recorded as {made.record}; brim sessions undo takes it back.", style="dim")
