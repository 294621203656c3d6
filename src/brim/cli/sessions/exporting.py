"""`brim sessions export`: what the model sees as Anthropic messages, or all of a session as a storage tree."""

from __future__ import annotations

from pathlib import Path

from brim.cli.output import console, print_json, say, several, working
from brim.cli.sessions.place import found, opened, require_folder
from brim.cli.sessions.words import show_notes
from brim.cli.sessions.writing import require_file, write_json
from brim.sessions.importing import anthropic_messages
from brim.sessions.session import Session
from brim.sessions.tree_layout import export_tree


def run(where: str | None, name: str, output: Path, *, tree: bool, as_json: bool) -> None:
    """Write it. Raises InvalidInput, Refused or StoreFailed."""
    with working(f"exporting {name}"), opened(where) as store, store.read(found(store, name).id) as session:
        written, what = _tree(session, output) if tree else _messages(session, output)
        notes = (*store.reports(), *session.reports)
    if as_json:
        print_json({"session": session.id, "output": str(written), "tree": tree, "notes": list(notes)})
        return
    out = console()
    say(out, f"Written to {written}, {what}")
    show_notes(out, notes)


def _messages(session: Session, output: Path) -> tuple[Path, str]:
    require_file(output, session.info)
    view = session.view()
    write_json(output, anthropic_messages(view))
    return output, f"{several(len(view.messages), 'message')} that the model sees"


def _tree(session: Session, output: Path) -> tuple[Path, str]:
    require_folder(output, "-o")
    return export_tree(session, output), "with everything that was said"
