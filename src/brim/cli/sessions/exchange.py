"""`brim sessions import` and `export`: transcripts, Anthropic messages and storage trees."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from brim.cli.limits import WrongUsage, limits_for
from brim.cli.options import STDIN, is_stdout, name_of
from brim.cli.output import say, several, working
from brim.cli.reading import read_file
from brim.cli.sessions.pages import first_words, give, one_line, title_of
from brim.cli.sessions.targets import (
    directory,
    found,
    kept_in,
    opened,
    place_of,
    require_file,
    require_folder,
    write_json,
)
from brim.cli.settings import settled
from brim.cli.writing import require_one_answer, require_outside
from brim.errors import InvalidInput
from brim.models import known_limits
from brim.sessions.claude_code_records import read_registered
from brim.sessions.importing import Imported, anthropic_messages, import_transcript
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session
from brim.sessions.store import SessionStore
from brim.sessions.tree_layout import export_tree, import_tree
from brim.transcripts import Transcript
from brim.transcripts.opencode import ROOMS, gather, is_session
from brim.transcripts.source import read_source


def run_import(where: str | None, file: Path, *, project: str | None, title: str | None, as_json: bool) -> None:
    """Read the file, make the session and show. Raises InvalidInput, Refused or StoreFailed."""
    settings = settled({}, trust_project=False)
    with working(f"importing {file.name}"), opened(where) as store:
        called = one_line(title or "")
        if _is_own(file):
            kind, made = _restored(store, file, project)
        else:
            transcript = _read(file, kept_in(where), default_model=settings.preferences.default_model)
            kind, made = _made(store, transcript, file, project, called)
        if called and store.info(made.session).title != called:
            with store.open(made.session) as session:
                session.rename(called)
        info = store.info(made.session)
        notes = (*made.notes, *store.warnings())
    answer = {"format": kind, "title": info.title, **asdict(made)}
    give(answer, notes, lambda out: _show_import(out, made, info, kind, place_of(where)), as_json=as_json)


def _is_own(file: Path) -> bool:
    """Whether it is a session in a tree that brim wrote, which holds everything that the log held."""
    if not file.is_dir() and file.parent.parent.name != ROOMS[0]:
        return False
    document = gather(file).document if file.is_dir() else read_source(file).document
    return is_session(document) and isinstance(document, Mapping) and "brim" in document


def _read(file: Path, kept: Path, *, default_model: str) -> Transcript:
    """The transcript in a file, or the one that a registry of Claude Code leads to. Raises InvalidInput."""
    try:
        return read_file(file, kept, default_model=default_model)
    except InvalidInput:
        registered = read_registered(file) if file != STDIN else None
        if registered is None:
            raise
        return registered


def _restored(store: SessionStore, file: Path, project: str | None) -> tuple[str, Imported]:
    if project is not None:
        raise WrongUsage(f"--project is {project!r}, and the tree names its own project; leave it out")
    return "brim", import_tree(store, file)


def _made(
    store: SessionStore, transcript: Transcript, file: Path, project: str | None, title: str
) -> tuple[str, Imported]:
    called = title or one_line(transcript.title or "") or first_words(transcript.messages) or file.name
    about = directory(project) if project is not None else ""
    limits, known = limits_for(transcript, None, None, None), known_limits(transcript.model or "")
    window = limits.context_window if limits is not None and limits != known else None
    return transcript.format, import_transcript(store, transcript, project=about, title=called, window=window)


def _show_import(out: Console, made: Imported, info: SessionInfo, kind: str, place: str) -> None:
    say(out, title_of(info), lead_style="")
    out.print(made.session, style="bold", soft_wrap=True)
    say(out, f"{several(made.messages, 'message')} of {kind}{_changes(made.compactions)}")
    if made.left_out:
        say(out, f"{several(made.left_out, 'message')} that never reached the model stayed out", style="dim")
    say(out, f"Recorded in {place}; the file stays as it is.", style="dim")


def _changes(count: int) -> str:
    """How often it was compacted or pruned, if ever."""
    return f"; compacted or pruned {'once' if count == 1 else f'{count:,} times'}" if count else ""


def run_export(where: str | None, name: str, output: Path, *, tree: bool, as_json: bool) -> None:
    """Write it. Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    require_one_answer(output, as_json=as_json)
    if tree and is_stdout(output):
        raise WrongUsage("--tree writes many files; name a folder for them with -o")
    shown = nullcontext() if is_stdout(output) else working(f"exporting {name}")
    with shown, opened(where) as store, store.read(found(store, name).id) as session:
        written, what, left = (_tree if tree else _messages)(session, output, kept_in(where))
        notes = (*store.warnings(), *session.warnings, *left)
    answer, line = (
        {"session": session.id, "output": str(written), "tree": tree},
        f"Written to {name_of(written)}, {what}",
    )
    give(answer, notes, lambda out: say(out, line), as_json=as_json, stderr=is_stdout(output))


def _messages(session: Session, output: Path, kept: Path) -> tuple[Path, str, tuple[str, ...]]:
    require_file(output, session.info, kept)
    outgoing = anthropic_messages(session.view())
    write_json(output, outgoing.request)
    return output, f"{several(len(outgoing.messages), 'message')} that the model sees", outgoing.notes


def _tree(session: Session, output: Path, kept: Path) -> tuple[Path, str, tuple[str, ...]]:
    require_folder(output, "-o")
    require_outside(output, kept)
    return export_tree(session, output), "with everything that was said", ()
