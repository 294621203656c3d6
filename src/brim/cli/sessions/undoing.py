"""`brim sessions undo` and `redo`: the newest compaction or pruning counts no more, or counts again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from brim.cli.output import console, print_json, say, several, working
from brim.cli.sessions.place import found, opened
from brim.cli.sessions.standing import ActiveRecords, standing_of
from brim.cli.sessions.words import show_notes, show_session
from brim.sessions.lines import read_records
from brim.sessions.records import UndoRecord
from brim.sessions.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What came of it: the record that was made, the one it is about, and what the model saw and sees."""

    record: str
    of: str
    before: ActiveRecords
    after: ActiveRecords
    notes: tuple[str, ...]


def run(where: str | None, name: str, *, again: bool, as_json: bool) -> None:
    """Undo or redo, and show. Raises Refused where there is nothing to take back, InvalidInput or StoreFailed."""
    with working(f"opening {name}"), opened(where) as store, store.open(found(store, name).id) as session:
        undone = _done(session, again=again)
        notes = (*store.reports(), *undone.notes)
    if as_json:
        print_json(answer(undone))
    else:
        _show(undone, notes, again=again)


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


def answer(undone: Undone) -> dict[str, Any]:
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


def _show(undone: Undone, notes: tuple[str, ...], *, again: bool) -> None:
    out, back = console(), "undo" if again else "redo"
    show_session(out, undone.after.info)
    out.print()
    say(out, _sees(undone.before), lead="The model saw  ")
    say(out, _sees(undone.after), lead="It sees now    ")
    say(out, f"Nothing was removed; brim sessions {back} takes it back.", style="dim")
    show_notes(out, notes)


def _sees(standing: ActiveRecords) -> str:
    return f"{several(len(standing.view.messages), 'message')}, {standing.held:,} tokens"
