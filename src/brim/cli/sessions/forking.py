"""`brim sessions fork`: a new session that begins with what another saw."""

from __future__ import annotations

from brim.cli.output import console, print_json, say, several, working
from brim.cli.sessions.place import found, opened, recorded_as
from brim.cli.sessions.standing import ActiveRecords, standing_of
from brim.cli.sessions.words import one_line, show_notes, show_session
from brim.sessions.lineage import fork
from brim.sessions.records import MessageRecord
from brim.sessions.registry import SessionInfo


def run(where: str | None, name: str, *, at: str | None, title: str | None, as_json: bool) -> None:
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
        _show(standing, source, notes)


def _show(standing: ActiveRecords, source: SessionInfo, notes: tuple[str, ...]) -> None:
    out = console()
    show_session(out, standing.info)
    count = several(len(standing.view.messages), "message")
    say(out, f"begins with {count}, {standing.held:,} tokens, of session {source.id}, which stays as it is")
    show_notes(out, notes)
