"""`brim sessions import` and `export`: transcripts, Anthropic messages and storage trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import ClassVar

from brim.cli.limits import WrongUsage, limits_for
from brim.cli.options import STDIN, is_stdout, name_of
from brim.cli.output import several, working
from brim.cli.reading import read_file
from brim.cli.report import Element, Line, NotedReport
from brim.cli.sessions.pages import UNTITLED, first_words, notes_of, one_line
from brim.cli.sessions.targets import (
    directory,
    found,
    kept_in,
    opened,
    place_of,
    require_folder,
)
from brim.cli.settings import settled
from brim.cli.writing import require_one_answer, require_outside, require_place, write_json
from brim.errors import InvalidInput
from brim.models import known_limits
from brim.sessions.claude_code_records import read_registered
from brim.sessions.importing import Imported, anthropic_messages, import_transcript
from brim.sessions.store import SessionStore
from brim.sessions.tree_layout import export_tree, import_tree
from brim.transcripts import Transcript
from brim.transcripts.opencode import ROOMS, gather, is_session
from brim.transcripts.source import read_source


class ImportReport(NotedReport):
    """A session that was made of a transcript."""

    commands: ClassVar = ("sessions import",)
    title: str
    """Its name."""
    session: str
    """Its id."""
    format: str
    """The format of the file; brim, where brim wrote it."""
    messages: int
    """The number of recorded messages."""
    compactions: int
    """The number of compactions and prunings."""
    left_out: int
    """The number of messages that never reached the model, and stayed out."""
    store: str
    """Where it is recorded."""

    def page(self) -> Iterator[Element]:
        """Yield the session, what it is made of, and where it is."""
        yield Line(lead=one_line(self.title) or UNTITLED, fit="crop")
        yield Line(self.session, fit="whole")
        times = "once" if self.compactions == 1 else f"{self.compactions:,} times"
        made = f"; compacted or pruned {times}" if self.compactions else ""
        yield Line(f"{several(self.messages, 'message')} of {self.format}{made}")
        if self.left_out:
            yield Line(f"{several(self.left_out, 'message')} that never reached the model stayed out", style="dim")
        yield Line(f"Recorded in {self.store}; the file stays as it is.", style="dim")


def imported(where: str | None, file: Path, *, project: str | None, title: str | None) -> ImportReport:
    """Read the file and make the session. Raises InvalidInput, Refused or StoreFailed."""
    settings = settled({}, trust_project=False)
    with working(f"importing {file.name}"), opened(where) as store:
        called = one_line(title or "")
        if _is_own(file):
            if project is not None:
                raise WrongUsage(f"--project is {project!r}, and the tree names its own project; leave it out")
            kind, made = "brim", import_tree(store, file)
        else:
            transcript = _read(file, default_model=settings.preferences.default_model)
            kind, made = transcript.format, _made(store, transcript, file, project, called)
        if called and store.info(made.session).title != called:
            with store.open(made.session) as session:
                session.rename(called)
        return ImportReport.read(
            title=store.info(made.session).title,
            session=made.session,
            format=kind,
            messages=made.messages,
            compactions=made.compactions,
            left_out=made.left_out,
            store=place_of(where),
            notes=(*made.notes, *store.warnings()),
        )


def _is_own(file: Path) -> bool:
    """Whether it is a session in a tree that brim wrote, which holds everything that the log held."""
    if not file.is_dir() and file.parent.parent.name != ROOMS[0]:
        return False
    document = gather(file).document if file.is_dir() else read_source(file).document
    return is_session(document) and isinstance(document, Mapping) and "brim" in document


def _read(file: Path, *, default_model: str) -> Transcript:
    """The transcript in a file, or the one that a registry of Claude Code leads to. Raises InvalidInput."""
    try:
        return read_file(file, default_model=default_model)
    except InvalidInput:
        registered = read_registered(file) if file != STDIN else None
        if registered is None:
            raise
        return registered


def _made(store: SessionStore, transcript: Transcript, file: Path, project: str | None, title: str) -> Imported:
    called = title or one_line(transcript.title or "") or first_words(transcript.messages) or file.name
    about = directory(project) if project is not None else ""
    limits, known = limits_for(transcript, None, None, None), known_limits(transcript.model or "")
    window = limits.context_window if limits is not None and limits != known else None
    return import_transcript(store, transcript, project=about, title=called, window=window)


class ExportReport(NotedReport):
    """A session that was written to a file or a storage tree."""

    commands: ClassVar = ("sessions export",)
    session: str
    """Its id."""
    output: str
    """The file or folder that was written."""
    tree: bool
    """Whether it is a storage tree, with everything that was said."""
    messages: int
    """The number of messages that the model sees."""

    def page(self) -> Iterator[Element]:
        """Yield what was written."""
        what = f"{several(self.messages, 'message')} that the model sees"
        yield Line(f"Written to {self.output}, {'with everything that was said' if self.tree else what}")


def exported(where: str | None, name: str, output: Path, *, tree: bool, as_json: bool) -> ExportReport:
    """Write it. Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    require_one_answer(output, as_json=as_json)
    if tree and is_stdout(output):
        raise WrongUsage("--tree writes many files; name a folder for them with -o")
    shown = nullcontext() if is_stdout(output) else working(f"exporting {name}")
    with shown, opened(where) as store, store.read(found(store, name).id) as session:
        outgoing = anthropic_messages(session.view())
        notes = notes_of(store, session)
        if tree:
            require_folder(output, "-o")
            require_outside(output, kept_in(where))
            output = export_tree(session, output)
        else:
            require_place(output, source=Path(session.info.transcript), kept=kept_in(where))
            write_json(output, outgoing.request)
            notes = (*notes, *outgoing.notes)
        count = len(outgoing.messages)
        return ExportReport(session=session.id, output=name_of(output), tree=tree, messages=count, notes=notes)
