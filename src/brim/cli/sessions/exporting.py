"""`brim sessions export`: what the model sees as Anthropic messages, or all of a session as a storage tree."""

from __future__ import annotations

from pathlib import Path

from brim.cli.limits import WrongUsage
from brim.cli.output import console, print_json, say, several, working
from brim.cli.sessions.place import found, kept_in, opened, require_folder
from brim.cli.sessions.words import show_notes
from brim.cli.sessions.writing import require_file, write_json
from brim.cli.standard import is_stdout, name_of
from brim.cli.writing import require_one_answer, require_outside
from brim.sessions.importing import anthropic_messages
from brim.sessions.session import Session
from brim.sessions.tree_layout import export_tree


def run(where: str | None, name: str, output: Path, *, tree: bool, as_json: bool) -> None:
    """Write it. Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    require_one_answer(output, as_json=as_json)
    if tree and is_stdout(output):
        raise WrongUsage("--tree writes many files; name a folder for them with -o")
    with working(f"exporting {name}"), opened(where) as store, store.read(found(store, name).id) as session:
        written, what = _tree(session, output, kept_in(where)) if tree else _messages(session, output, kept_in(where))
        notes = (*store.reports(), *session.reports)
    if as_json:
        print_json({"session": session.id, "output": str(written), "tree": tree, "notes": list(notes)})
        return
    out = console(stderr=is_stdout(output))
    say(out, f"Written to {name_of(written)}, {what}")
    show_notes(out, notes)


def _messages(session: Session, output: Path, kept: Path) -> tuple[Path, str]:
    require_file(output, session.info, kept)
    view = session.view()
    write_json(output, anthropic_messages(view))
    return output, f"{several(len(view.messages), 'message')} that the model sees"


def _tree(session: Session, output: Path, kept: Path) -> tuple[Path, str]:
    require_folder(output, "-o")
    require_outside(output, kept)
    return export_tree(session, output), "with everything that was said"
