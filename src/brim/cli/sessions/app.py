"""The commands of `brim sessions`, and the options they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from brim.cli import options
from brim.cli.commands import Commands
from brim.cli.options import Json, Latest, MaxOutput, Model, Output, Window, input_file, transcript_at

app = Commands(
    name="sessions",
    help="Look at recorded conversations, go on with them, and bring back what was compacted away.",
    short_help="List, show, search, compact, rewind and fork sessions.",
)

Name = Annotated[str, typer.Argument(metavar="ID", help="The session: its id, or the beginning or end of it alone.")]
Store = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        help="Where sessions live: a folder, or postgresql://user@host/database. By default $BRIM_HOME, else the "
        "platform's folder for data.",
    ),
]
Project = Annotated[str | None, typer.Option(metavar="DIR", help="Only sessions of this project.")]


@app.command("list", short_help="The recorded sessions, the last active first.")
def list_sessions(
    project: Project = None,
    limit: Annotated[int | None, typer.Option(metavar="N", help="How many are listed at most; by default 50.")] = None,
    every: Annotated[bool, typer.Option("--all", help="List every session.")] = False,
    store: Store = None,
    json: Json = False,
) -> None:
    """List the newest 50 sessions, the one that was last active first, and say how many more there are.

    --json lists the same ones, and counts the others under "more".
    """
    from brim.cli.sessions.showing import listed

    listed(store, project=project, limit=limit, every=every).give(as_json=json)


@app.command(short_help="What the model sees of a session, and how full it is.")
def show(
    name: Name,
    messages: Annotated[bool, typer.Option("--messages", help="List the messages that the model sees.")] = False,
    model: Model = None,
    window: Window = None,
    max_output: MaxOutput = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Show what the model sees of a session, how full its window is, and what was compacted."""
    from brim.cli.sessions.showing import shown

    limits = {"model": model, "window": window, "max_output": max_output}
    shown(store, name, messages=messages, limits=limits).give(as_json=json)


@app.command(short_help="The messages for the next request.")
def resume(name: Name, output: Output = None, store: Store = None, json: Json = False) -> None:
    """Show where a session stands; -o or --json gives the messages for the next request, in Anthropic's form."""
    from brim.cli.sessions import showing

    showing.resume(store, name, output=output, as_json=json)


@app.command(short_help="The messages that hold some words.")
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help='What to look for; "quoted words" are a phrase.')],
    project: Project = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only this session.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="How many results are shown at most.")] = 20,
    store: Store = None,
    json: Json = False,
) -> None:
    """Search all messages, compacted away or not: the best match first, with its turn."""
    from brim.cli.sessions.recalling import searched

    found = searched(store, words, session=session, project=project, limit=limit)
    found.give(as_json=json)


@app.command(short_help="The messages that a summary replaces or a rewind took out.")
def expand(
    name: Name,
    change: Annotated[
        str | None,
        typer.Argument(metavar="CHANGE", help="A compaction or a rewind; by default the active compaction."),
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Show the messages that a summary replaces or a rewind took out, word for word."""
    from brim.cli.sessions.recalling import expanded

    expanded(store, name, change).give(as_json=json)


@app.command(short_help="Compact a session, and record that in it.")
@options.with_flags
def compact(name: Name, store: Store = None, *, flags: options.Flags) -> None:
    """Compact what the model sees of a session, due or not, and record the compaction. brim sessions undo undoes it."""
    from brim.cli.compacting import Options
    from brim.cli.sessions.changing import compacted

    asked = Options(**flags.options())
    report = compacted(store, name, asked)
    report.give(report.parts(asked), as_json=asked.as_json)


@app.command(short_help="A new session that begins with what this one saw.")
def fork(
    name: Name,
    at: Annotated[str | None, typer.Option(metavar="MESSAGE", help="Only as far as this message.")] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Its title; by default the same.")] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Make a new session that begins with what the model sees of this one, which stays as it is."""
    from brim.cli.sessions.changing import forked

    forked(store, name, at=at, title=title).give(as_json=json)


@app.command(short_help="Go back to a turn or a record.")
def rewind(
    name: Name,
    place: Annotated[
        str,
        typer.Argument(
            metavar="TURN|RECORD",
            help="The last turn that stays, counted from 1 as brim sessions search counts, or a record by its id.",
        ),
    ],
    store: Store = None,
    json: Json = False,
) -> None:
    """Go back to the end of a turn, or to a record. Nothing is removed: expand shows what was rewound."""
    from brim.cli.sessions.changing import changed, rewound

    changed(store, name, lambda session: rewound(session, place)).give(as_json=json)


@app.command(short_help="Take back the newest compaction, pruning or rewind.")
def undo(name: Name, store: Store = None, json: Json = False) -> None:
    """Undo the newest compaction, pruning or rewind: the model sees again what it took out. Nothing is removed."""
    from brim.cli.sessions.changing import changed

    changed(store, name, lambda session: session.undo(), "redo").give(as_json=json)


@app.command(short_help="Take back the last undo.")
def redo(name: Name, store: Store = None, json: Json = False) -> None:
    """Take back the last undo: the compaction, pruning or rewind counts again."""
    from brim.cli.sessions.changing import changed

    changed(store, name, lambda session: session.redo()).give(as_json=json)


@app.command(short_help="Change the title of a session.")
def rename(
    name: Name,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The new title.")],
    store: Store = None,
    json: Json = False,
) -> None:
    """Change the title of a session."""
    from brim.cli.sessions.changing import renamed

    renamed(store, name, title).give(as_json=json)


@app.command("import", short_help="Make a session of a transcript.")
def import_file(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", parser=input_file, help="A transcript of a coding agent, or messages."),
    ] = None,
    latest: Latest = False,
    project: Annotated[str | None, typer.Option(metavar="DIR", help="The project it belongs to.")] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Its title; by default what the user said first.")
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Make a session of a transcript of any format that brim inspect reads. The file stays as it is.

    A session holds the messages: a system prompt and tools stay in the file, and a note says so.
    """
    from brim.cli.sessions.exchange import imported

    imported(store, transcript_at(file, latest=latest), project=project, title=title).give(as_json=json)


@app.command("import-context", short_help="Take over what happened in a related session.")
def import_context(
    name: Name,
    source: Annotated[str, typer.Option("--from", metavar="ID", help="The session whose context is taken over.")],
    summary: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The words; by default the other session's summary and what came since."),
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Add what happened in a related session, as a summary that names it.

    Related are a parent and its parents, children and theirs, and sessions of the same project.
    """
    from brim.cli.sessions.changing import with_context

    with_context(store, name, source, summary=summary).give(as_json=json)


@app.command(short_help="Write a session to a file or a storage tree.")
def export(
    name: Name,
    output: Annotated[
        Path,
        options.output_option("The file, or with --tree the folder; - is standard output."),
    ],
    tree: Annotated[bool, typer.Option("--tree", help="Write a storage tree, with everything that was said.")] = False,
    store: Store = None,
    json: Json = False,
) -> None:
    """Write what the model sees as Anthropic messages, or all of the session as a storage tree."""
    from brim.cli.sessions.exchange import exported

    report = exported(store, name, output, tree=tree, as_json=json)
    report.give(as_json=json, stderr=options.is_stdout(output))
