"""`brim sessions fork`, `rename`, `undo` and `redo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from brim.cli.limits import WrongUsage
from brim.cli.output import console, print_json, say, several, working
from brim.cli.sessions.pages import ActiveRecords, one_line, show_notes, show_session, standing_of
from brim.cli.sessions.targets import found, opened, recorded_as
from brim.sessions.lineage import fork
from brim.sessions.lines import read_records
from brim.sessions.records import MessageRecord, UndoRecord
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session


def run_fork(where: str | None, name: str, *, at: str | None, title: str | None, as_json: bool) -> None:
    """Fork it, at a message or at its end; the other is not changed. Raises InvalidInput, Refused or StoreFailed."""
    with working(f"forking {name}"), opened(where) as store:
        source = found(store, name)
        message = recorded_as(store, source.id, at, MessageRecord) if at is not None else None
        made = fork(store, source.id, message, title=one_line(title or ""))
        with store.read(made) as session:
            standing = standing_of(session)
        notes = store.reports()
    if as_json:
        told = {"session": made, "parent": source.id, "at": message, "messages": len(standing.view.messages)}
        print_json({**told, "tokens": standing.held, "notes": list(notes)})
    else:
        _show_fork(standing, source, notes)


def _show_fork(standing: ActiveRecords, source: SessionInfo, notes: tuple[str, ...]) -> None:
    out = console()
    show_session(out, standing.info)
    count = several(len(standing.view.messages), "message")
    say(out, f"begins with {count}, {standing.held:,} tokens, of session {source.id}, which stays as it is")
    show_notes(out, notes)


def run_rename(where: str | None, name: str, title: str, *, as_json: bool) -> None:
    """Rename it, on one line. Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    new = one_line(title)
    if not new:
        raise WrongUsage("TITLE is empty; write what the session is about")
    with opened(where) as store, store.open(found(store, name).id) as session:
        before = session.info.title
        record = session.rename(new)
        notes = (*store.reports(), *session.reports)
    if as_json:
        print_json({"session": session.id, "title": new, "before": before, "record": record, "notes": list(notes)})
        return
    out = console()
    say(out, new, lead=f"{session.id} is now called ", lead_style="")
    show_notes(out, notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What came of it: the record that was made, the one it is about, and what the model saw and sees."""

    record: str
    of: str
    before: ActiveRecords
    after: ActiveRecords
    notes: tuple[str, ...]


def run_undo(where: str | None, name: str, *, again: bool, as_json: bool) -> None:
    """Undo or redo, and show. Raises Refused where there is nothing to take back, InvalidInput or StoreFailed."""
    with working(f"opening {name}"), opened(where) as store, store.open(found(store, name).id) as session:
        undone = _done(session, again=again)
        notes = (*store.reports(), *undone.notes)
    if as_json:
        print_json(undo_answer(undone))
    else:
        _show_undone(undone, notes, again=again)


def _done(session: Session, *, again: bool) -> Undone:
    before = standing_of(session)
    record = session.redo() if again else session.undo()
    return Undone(
        record=record, of=_about(session), before=before, after=standing_of(session), notes=tuple(session.reports)
    )


def _about(session: Session) -> str:
    """What the newest undo is about."""
    newest = (record for record in read_records(session.journal.lines_reversed(), []) if isinstance(record, UndoRecord))
    return next(record.of for record in newest)


def undo_answer(undone: Undone) -> dict[str, Any]:
    """The undo as JSON."""
    return {
        "session": undone.after.info.id,
        "record": undone.record,
        "of": undone.of,
        "messages_before": len(undone.before.view.messages),
        "messages": len(undone.after.view.messages),
        "tokens_before": undone.before.held,
        "tokens": undone.after.held,
        "notes": list(undone.notes),
    }


def _show_undone(undone: Undone, notes: tuple[str, ...], *, again: bool) -> None:
    out, back = console(), "undo" if again else "redo"
    show_session(out, undone.after.info)
    out.print()
    say(out, _sees(undone.before), lead="The model saw  ")
    say(out, _sees(undone.after), lead="It sees now    ")
    say(out, f"Nothing was removed; brim sessions {back} takes it back.", style="dim")
    show_notes(out, notes)


def _sees(standing: ActiveRecords) -> str:
    return f"{several(len(standing.view.messages), 'message')}, {standing.held:,} tokens"
