"""`brim sessions show`: what the model sees of a session, how full it is, and what was compacted."""

from __future__ import annotations

from typing import Any

from brim.cli.output import print_json, working
from brim.cli.sessions import show_page
from brim.cli.sessions.history import Change, Changed, recorded
from brim.cli.sessions.place import found, opened
from brim.cli.sessions.show_page import Shown
from brim.cli.sessions.standing import ActiveRecords, standing_of
from brim.cli.settings import settled, warn
from brim.conversation.turns import find_turns
from brim.sessions.records import CompactionRecord
from brim.sessions.session import Session
from brim.transcripts.inspection import Composition, composition


def run(where: str | None, name: str, *, messages: bool, model: str | None, window: int | None, as_json: bool) -> None:
    """Look and show. Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    with working(f"reading {name}"), opened(where) as store, store.read(found(store, name).id) as session:
        settings = settled({}, trust_project=False)
        warn(settings)
        standing = standing_of(session, model=model, window=window, policy=settings.policy)
        shown = _look(session, standing, store.reports())
    if as_json:
        print_json(answer(shown))
    else:
        show_page.show(shown, messages=messages)


def _look(session: Session, standing: ActiveRecords, reports: tuple[str, ...]) -> Shown:
    whole = recorded(session)
    return Shown(
        standing=standing,
        recorded=whole,
        turns=len(find_turns(standing.view.messages)),
        composition=_composition(standing),
        notes=(*reports, *session.reports),
    )


def _composition(standing: ActiveRecords) -> Composition:
    return composition(standing.view.messages, standing.held, standing.window.characters_per_token)


def answer(shown: Shown) -> dict[str, Any]:
    """The session as JSON. Times are milliseconds since 1970, counts of tokens those of the window now."""
    standing = shown.standing
    return {
        **standing.info.model_dump(),
        "window": standing.room,
        "window_now": standing.held,
        "threshold": standing.threshold,
        "messages": len(standing.view.messages),
        "ids": list(standing.view.ids),
        "messages_recorded": shown.recorded.messages,
        "turns": shown.turns,
        "compaction": standing.view.compaction,
        "composition": shown.composition.shares,
        "tool_output_by_tool": shown.composition.by_tool,
        "changes": [_change(one) for one in shown.recorded.changes],
        "notes": list(shown.notes),
    }


def _change(changed: Changed) -> dict[str, Any]:
    record = changed.record
    return {"id": record.id, "kind": record.kind, "time": record.time, "state": changed.state, **_told(record)}


def _told(record: Change) -> dict[str, Any]:
    if not isinstance(record, CompactionRecord):
        return {"cleared": len(record.cleared), "saved": record.saved}
    summary = record.summary.model_dump() if record.summary is not None else None
    return {"summary": summary, "cleared": len(record.cleared), "error": record.error}
