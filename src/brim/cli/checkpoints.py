"""The commands of `brim checkpoints`: ways back for the files of a project and for a session's conversation.

Specified by features/cli/checkpoints.feature (CMD_14).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from brim.cli.commands import Commands
from brim.cli.options import Json, input_file
from brim.cli.sessions.app import Store

if TYPE_CHECKING:
    from brim.checkpoints import Checkpoints

app = Commands(
    name="checkpoints",
    help="Make ways back for the files of a project and for the conversation, and go back.",
    short_help="Ways back for files and conversation.",
)

WHATS: Final = ("files", "conversation", "both")
Name = Annotated[
    str, typer.Argument(metavar="ID", help="The checkpoint: its id, the beginning or end of it alone, or its name.")
]
Project = Annotated[
    Path | None,
    typer.Option(metavar="DIR", parser=input_file, help="The project; by default the session's, else this folder."),
]
Session = Annotated[
    str | None,
    typer.Option(metavar="ID", help="The session; by default the one of the project that was active last."),
]


@app.command(short_help="Make a checkpoint of the files and the conversation.")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")] = "",
    tag: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="A word to know it by; repeatable.")] = None,
    project: Project = None,
    session: Session = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Make a checkpoint of the project's files and of the session's conversation as they are.

    Where the project has no session yet, one is made.
    """
    from brim.cli.checkpoint_reports import CheckpointReport

    with _opened(store, project, session, write=True, make=True) as checkpoints:
        made = checkpoints.create(" ".join(name.split()), tags=tuple(tag or ()))
    CheckpointReport.of(made).give(as_json=json)


@app.command("list", short_help="The checkpoints of a session, the newest first.")
def list_checkpoints(project: Project = None, session: Session = None, store: Store = None, json: Json = False) -> None:
    """List the checkpoints that are kept, the newest first."""
    from brim.cli.checkpoint_reports import CheckpointList

    with _opened(store, project, session) as checkpoints:
        report = CheckpointList(session=checkpoints.session, checkpoints=tuple(checkpoints.list()))
    report.give(as_json=json)


@app.command(short_help="What a checkpoint holds, and which files changed since.")
def show(name: Name, project: Project = None, session: Session = None, store: Store = None, json: Json = False) -> None:
    """Show a checkpoint, and the files that differ from it now with the lines added and removed."""
    from brim.cli.checkpoint_reports import CheckpointReport

    with _opened(store, project, session) as checkpoints:
        one = checkpoints.get(name)
        changes = checkpoints.diff(one.id) if one.snapshot else ()
    CheckpointReport.of(one, changes).give(as_json=json)


@app.command(short_help="The difference of two checkpoints, or of one and now.")
def diff(
    older: Name,
    newer: Annotated[
        str | None, typer.Argument(metavar="ID", help="The later checkpoint; without it the files as they are now.")
    ] = None,
    path: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Only this file or folder; repeatable.")
    ] = None,
    project: Project = None,
    session: Session = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Print the difference in the form of git diff."""
    from brim.cli.checkpoint_reports import DiffReport

    with _opened(store, project, session) as checkpoints:
        paths = _in_project(checkpoints, path)
        changes, patch = checkpoints.diff(older, newer, paths), checkpoints.patch(older, newer, paths)
    DiffReport.read(changes=changes, patch=patch).give(as_json=json)


@app.command(short_help="Look at checkpoints in the terminal, and go back.")
def browse(project: Project = None, session: Session = None, store: Store = None) -> None:
    """List the checkpoints in the terminal, look at what changed since each, and go back to one.

    Needs the extra 'browser'.
    """
    import sys

    from brim.errors import Refused, lacks_extra

    if not all(one.isatty() for one in (sys.stdin, sys.stdout, sys.stderr)):  # Textual draws on stderr
        raise Refused("the browser needs a terminal; brim checkpoints list and show print the same")
    try:
        from brim.checkpoints.browser import Browser
    except ModuleNotFoundError as error:
        raise Refused(lacks_extra("the browser", "browser", error)) from error
    with _opened(store, project, session) as checkpoints:
        Browser(checkpoints).run()


@app.command(short_help="Go back to a checkpoint; undo takes it back.")
def restore(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="The checkpoint: its id, a part of it, or its name.")
    ] = None,
    path: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="The only files and folders that come back.")
    ] = None,
    what: Annotated[
        str | None, typer.Option(metavar="WHAT", help="What goes back: files, conversation or both (default).")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="ID", help="Only the files that changed until this later checkpoint.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what the checkpoint holds and which files differ; change nothing.")
    ] = False,
    go_on: Annotated[bool, typer.Option("--continue", help="Finish a restore that was interrupted.")] = False,
    project: Project = None,
    session: Session = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Make the files, the conversation or both what they were at a checkpoint.

    A checkpoint of the present state is made first. With PATH or --until only files come back.
    """
    from brim.cli.limits import WrongUsage

    if go_on == (name is not None):
        raise WrongUsage("name a checkpoint, or --continue without one")
    if what not in (None, *WHATS):
        raise WrongUsage(f"--what is {what!r}; it is files, conversation or both")
    if dry_run:
        if name is None or path or until is not None:
            raise WrongUsage("--dry-run shows a whole checkpoint: leave out --continue, --until and the paths")
        show(name, project=project, session=session, store=store, json=json)
        return
    from brim.cli.checkpoint_reports import RestoreReport

    with _opened(store, project, session, write=True, interrupted=go_on) as checkpoints:
        if name is None:
            restored = checkpoints.finish()
        else:
            single = bool(path) or until is not None
            restored = checkpoints.restore(
                name,
                what or ("files" if single else "both"),  # type: ignore[arg-type]  # checked above
                paths=_in_project(checkpoints, path) if path else None,
                until=until,
            )
    RestoreReport.of_restored(restored).give(as_json=json)


@app.command(short_help="Take back the newest restore.")
def undo(project: Project = None, session: Session = None, store: Store = None, json: Json = False) -> None:
    """Make files and conversation what they were before the newest restore that stands."""
    from brim.cli.checkpoint_reports import RestoreReport

    with _opened(store, project, session, write=True) as checkpoints:
        restored = checkpoints.undo()
    RestoreReport.of_restored(restored).give(as_json=json)


@app.command(short_help="Remove old checkpoints, and free their disk space.")
def gc(project: Project = None, session: Session = None, store: Store = None, json: Json = False) -> None:
    """Remove the checkpoints of a session that are too old or too many, and free their disk space."""
    from brim.cli.checkpoint_reports import FreedReport

    with _opened(store, project, session, write=True) as checkpoints:
        freed = checkpoints.gc()
    FreedReport(removed=tuple(one.id for one in freed.removed), bytes=freed.bytes).give(as_json=json)


@contextmanager
def _opened(
    where: str | None,
    project: Path | None,
    session: str | None,
    *,
    write: bool = False,
    make: bool = False,
    interrupted: bool = False,
) -> Iterator[Checkpoints]:
    """The checkpoints of a session, opened to be written or read (CMD_14). Raises InvalidInput if there is none."""
    import os

    from brim.checkpoints import Checkpoints
    from brim.checkpoints.checkpoints import interrupted_session
    from brim.cli.output import working
    from brim.cli.sessions.targets import directory, found, kept_in, opened
    from brim.cli.settings import settled
    from brim.errors import InvalidInput

    settings = settled({}, trust_project=False)
    home = kept_in(where)
    with opened(where) as store:
        info = found(store, session) if session else None
        folder = str(project) if project is not None else (info.project if info else "") or os.getcwd()  # noqa: PTH109
        if info is None and interrupted and (begun := interrupted_session(folder, home)):
            info = found(store, begun)
        if info is None:
            info = next(iter(store.sessions(folder)), None)
        if info is None and not make:
            raise InvalidInput(f"no session is of the project {directory(folder)}; brim checkpoints create makes one")
        if info is None:
            held = store.create(project=directory(folder), title="Checkpoints")
        else:
            held = store.open(info.id) if write else store.read(info.id)
        with held, working("reading the files") if write else nullcontext():
            yield Checkpoints(folder, held, home=home, settings=settings.checkpoints)


def _in_project(checkpoints: Checkpoints, paths: Sequence[str] | None) -> list[str]:
    """Paths as they are named from this folder, from the project's. Raises InvalidInput for one outside of it."""
    import os

    from brim.errors import InvalidInput

    named = []
    for path in paths or ():
        inside = os.path.relpath(os.path.join(os.path.realpath("."), path), checkpoints.project)  # noqa: PTH118
        if inside == ".." or inside.startswith("../"):
            raise InvalidInput(f"{path} is not in the project {checkpoints.project}; paths begin in the current folder")
        named.append(inside)
    return named
