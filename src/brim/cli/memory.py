"""`brim memory`: what memory files are loaded, what is wrong with them, and what is migrated into one.

Specified by features/cli/memory.feature (MEM_10).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from brim.cli.commands import Commands
from brim.cli.options import DryRun, Json, TrustProject, input_file, output_file, title_of
from brim.cli.sessions.app import Store

if TYPE_CHECKING:
    from brim.conversation.messages import Message
    from brim.memory.loading import Memory
    from brim.memory.settings import MemorySettings

app = Commands(
    name="memory",
    help="Show and check the memory files of this folder, such as CLAUDE.md, and add to one what outlasts a session.",
    short_help="Memory files such as CLAUDE.md: show, check, migrate.",
)

Mode = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Whose files are loaded: opencode, claude-code (default), or nearest."),
]


@app.command(short_help="Which memory files are loaded here, and how large they are.")
def show(
    mode: Mode = None,
    text: Annotated[bool, typer.Option("--text", help="Print the text that the system prompt gets instead.")] = False,
    trust_project: TrustProject = False,
    json: Json = False,
) -> None:
    """Show which memory files are loaded in this folder, why, and how many tokens each takes by estimate."""
    from brim.cli import complain
    from brim.cli.memory_reports import MemoryReport

    memory = _memory(mode, trust_project=trust_project)
    if not json:
        complain(*memory.warnings)
    if text and not json:
        sys.stdout.write(f"{memory.text}\n" if memory.text else "")
    else:
        MemoryReport.read(memory=memory).give(as_json=json)


@app.command(short_help="What is wrong with the memory files of this folder.")
def check(mode: Mode = None, trust_project: TrustProject = False, json: Json = False) -> None:
    """Name each file and import that cannot be loaded, and each section that is too long. A fault ends it with 1."""
    from brim.cli.memory_reports import CheckReport
    from brim.memory.migration import section_faults

    memory = _memory(mode, trust_project=trust_project)
    faults = (*memory.warnings, *section_faults(memory))
    CheckReport(files=len(memory.files), faults=faults).give(as_json=json)
    if faults:
        raise typer.Exit(1)


@app.command(short_help="Add what outlasts a session to a memory file.")
def migrate(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", parser=input_file, help="A transcript; - is standard input."),
    ] = None,
    latest: Annotated[
        bool,
        typer.Option("--latest", help="Read the newest session of Claude Code, Codex, OpenCode or pi of this project."),
    ] = False,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=output_file, help="The memory file, by default CLAUDE.md; a missing one is made."
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Read this session of brim; its id, or the beginning or end of it alone."),
    ] = None,
    store: Store = None,
    called: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="What the lines call the session; by default its id.")
    ] = None,
    trust_project: TrustProject = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Add decisions, preferences, open tasks and changed files of a session to a memory file, between two markers.

    What a person wrote stays byte for byte. Secrets and lines that a tool printed are left out.
    """
    from brim.cli.memory_reports import MigrationReport
    from brim.compaction.result import all_turns
    from brim.memory.migration import lasting
    from brim.memory.migration import migrate as migrated
    from brim.summary.facts import collect_facts

    if sum((latest, file is not None, session is not None)) != 1:
        raise typer.BadParameter("name a FILE, - for standard input, --latest or --session alone")
    settings = _settings(None, trust_project=trust_project)
    target = into or Path("CLAUDE.md")
    messages, name, folder = _of_session(store, session) if session is not None else _of_file(file)
    found = lasting(
        collect_facts(all_turns(messages)),
        messages,
        session=called or name,
        root=Path(folder or target.absolute().parent),
    )
    migration = migrated(found, target, settings=settings, write=not dry_run)
    changed = migration.after != migration.before
    report = MigrationReport.read(
        migration=migration, changed=changed, written=changed and not dry_run, dry_run=dry_run
    )
    report.give(as_json=json)


def _of_file(file: Path | None) -> tuple[Sequence[Message], str, str]:
    """The messages of a transcript, by default of the newest one; the name of its session and its folder."""
    from brim.cli.latest import newest
    from brim.cli.reading import read_file

    read = file or newest(Path.cwd())
    transcript = read_file(read)
    return transcript.messages, transcript.session or Path(title_of(read)).stem, transcript.folder or ""


def _of_session(where: str | None, name: str) -> tuple[Sequence[Message], str, str]:
    """The messages of a session of brim, those that were compacted too; its id and its project."""
    from brim.cli.sessions.targets import found, opened
    from brim.sessions.records import MessageRecord
    from brim.sessions.view import visibility_of

    with opened(where) as store:
        info = found(store, name)
        with store.read(info.id) as session:
            records = visibility_of([*session.records()]).records
    return [one.value for one in records if isinstance(one, MessageRecord)], info.id, info.project


def _settings(mode: str | None, *, trust_project: bool) -> MemorySettings:
    """The settings that hold here. What they lack is said on standard error."""
    from brim.cli.settings import settled

    return settled({"memory.mode": mode}, trust_project=trust_project).memory


def _memory(mode: str | None, *, trust_project: bool) -> Memory:
    from brim.memory.loading import Memory

    return Memory.read(settings=_settings(mode, trust_project=trust_project))
