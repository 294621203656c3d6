"""`brim memory`: what memory files are loaded, what is wrong with them, and what is migrated into one.

Specified by features/cli/memory.feature (MEM_10).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from brim.cli.options import DryRun, Json, TrustProject, input_file, output_file, title_of
from brim.cli.sessions.app import Store

if TYPE_CHECKING:
    from brim.conversation.messages import Message
    from brim.memory.loading import Memory, MemoryFile
    from brim.memory.migration import Migration
    from brim.memory.settings import MemorySettings

app = typer.Typer(
    name="memory",
    help="Show and check the memory files of this folder, such as CLAUDE.md, and add to one what outlasts a session.",
    short_help="Memory files such as CLAUDE.md: show, check, migrate.",
    rich_markup_mode=None,
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

    memory = _memory(mode, trust_project=trust_project)
    if json:
        from brim.cli.output import print_json

        print_json({**_answer(memory), "text": memory.text})
        return
    complain(*memory.warnings)
    if text:
        sys.stdout.write(f"{memory.text}\n" if memory.text else "")
    else:
        _show(memory)


@app.command(short_help="What is wrong with the memory files of this folder.")
def check(mode: Mode = None, trust_project: TrustProject = False, json: Json = False) -> None:
    """Name each file and import that cannot be loaded, and each section that is too long. A fault ends it with 1."""
    from brim.memory.migration import section_faults

    memory = _memory(mode, trust_project=trust_project)
    faults = [*memory.warnings, *section_faults(memory)]
    if json:
        from brim.cli.output import print_json

        print_json({"files": len(memory.files), "faults": faults})
    else:
        from brim.cli.output import console, safe, say, several

        out = console()
        for fault in faults:
            out.print(safe(fault), soft_wrap=True)
        found = several(len(faults), "fault") if faults else "No fault"
        say(out, f"{found} in {several(len(memory.files), 'memory file')}", style="bold")
    if faults:
        raise typer.Exit(1)


@app.command(short_help="Add what outlasts a session to a memory file.")
def migrate(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", parser=input_file, help="A transcript; - is standard input."),
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
    if json:
        from brim.cli.output import print_json

        print_json(
            {
                "path": str(migration.path),
                "written": migration.after != migration.before and not dry_run,
                "added": [entry._asdict() for entry in migration.added],
                "removed": list(migration.removed),
                "left_out": [{"kind": one.kind, "reason": one.reason} for one in migration.left_out],
            }
        )
    else:
        _show_migration(migration, dry_run=dry_run)


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


def _show_migration(migration: Migration, *, dry_run: bool) -> None:
    """Print what a migration adds, removes and leaves out (MEM_10)."""
    from collections import Counter

    from brim.cli.output import console, safe, say, several

    out = console()
    for entry in migration.added:
        out.print(f"[green]+[/] {safe(str(entry))}", soft_wrap=True)
    for line in migration.removed:
        out.print(f"[red]-[/] {safe(line)}", soft_wrap=True)
    for reason, count in Counter(one.reason for one in migration.left_out).items():
        say(out, f"{several(count, 'line')} left out: {reason}", style="dim")
    changed = f"{several(len(migration.added), 'line')} added, {len(migration.removed):,} removed"
    if migration.after == migration.before:
        out.print(safe(f"Nothing to migrate into {_shown(migration.path)}"), soft_wrap=True)
    else:
        how = "would be written to" if dry_run else "written to"
        out.print(safe(f"{changed}; {how} {_shown(migration.path)}"), soft_wrap=True)


def _settings(mode: str | None, *, trust_project: bool) -> MemorySettings:
    """The settings that hold here. What they lack is said on standard error."""
    from brim.cli.settings import settled

    return settled({"memory.mode": mode}, trust_project=trust_project).memory


def _memory(mode: str | None, *, trust_project: bool) -> Memory:
    from brim.memory.loading import Memory

    return Memory.read(settings=_settings(mode, trust_project=trust_project))


def _tokens(text: str) -> int:
    from brim.tokens.estimation import estimate_tokens

    return estimate_tokens(text)


def _answer(memory: Memory) -> dict[str, Any]:
    """What is loaded, as JSON (MEM_10)."""
    return {
        "folder": str(memory.folder),
        "mode": memory.settings.mode,
        "tokens": sum(_tokens(file.text) for file in memory.files),
        "files": [
            {
                "path": str(file.path),
                "from": file.origin,
                "imported_by": file.imported_by and str(file.imported_by),
                "tokens": _tokens(file.text),
                "text": file.text,
            }
            for file in memory.files
        ],
        "warnings": list(memory.warnings),
    }


def _show(memory: Memory) -> None:
    from brim.cli.output import console, safe, say, several, tokens

    out = console()
    whole = sum(_tokens(file.text) for file in memory.files)
    count = several(len(memory.files), "memory file") if memory.files else "No memory file"
    say(out, f", {tokens(whole)} tokens, as the mode {memory.settings.mode} finds them", lead=count)
    for file in memory.files:
        out.print(f"[bold]{tokens(_tokens(file.text)):>8}[/]  {safe(_shown(file.path))}", soft_wrap=True)
        out.print(f"[dim]          {safe(_why(file))}[/]", soft_wrap=True)


def _why(file: MemoryFile) -> str:
    """Why a file is loaded, in words."""
    return f"{file.origin}, imported by {_shown(file.imported_by)}" if file.imported_by else file.origin


def _shown(path: Path) -> str:
    """A path as a page shows it: from the current folder, where it is below that."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
