"""`brim sessions rename`: a session is called something else."""

from __future__ import annotations

from brim.cli.limits import WrongUsage
from brim.cli.output import console, print_json, say
from brim.cli.sessions.place import found, opened
from brim.cli.sessions.words import one_line, show_notes


def run(where: str | None, name: str, title: str, *, as_json: bool) -> None:
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
