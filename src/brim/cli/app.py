"""The commands, and the options they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from brim import __version__
from brim.cli.sessions.app import app as sessions
from brim.cli.standard import input_file, output_file

app = typer.Typer(
    name="brim",
    help="Keep a coding agent's conversation inside its context window.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is there in half the time
)
app.add_typer(sessions)

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", parser=input_file, help="A transcript of a coding agent, or Anthropic messages."),
]
Model = Annotated[
    str | None, typer.Option(metavar="NAME", help="The model, where the transcript names another or none.")
]
Window = Annotated[int | None, typer.Option(metavar="TOKENS", help="The model's context window.")]
MaxOutput = Annotated[int | None, typer.Option(metavar="TOKENS", help="The model's longest answer.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]


def version(asked: bool) -> None:
    """Print the version and stop."""
    if asked:
        typer.echo(f"brim {__version__}")
        raise typer.Exit


@app.callback()
def brim(
    _version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Keep a coding agent's conversation inside its context window."""


@app.command(short_help="What fills the window, and when it compacts.")
def inspect(
    file: File, model: Model = None, window: Window = None, max_output: MaxOutput = None, json: Json = False
) -> None:
    """Show what fills the window, the turns and anchors, what is damaged, and when each profile would compact."""
    from brim.cli import inspecting

    inspecting.run(file, model=model, window=window, max_output=max_output, as_json=json)


@app.command(short_help="Compact a transcript: before, after and the summary.")
def compact(
    file: File,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            parser=output_file,
            help="Write the new conversation here, in Anthropic's form; - is standard output.",
        ),
    ] = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="N", help="Compact it as it stood after response N, counted from 0.")
    ] = None,
    model: Model = None,
    window: Window = None,
    max_output: MaxOutput = None,
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="The profile that says whether it is due; see brim profiles.")
    ] = "usable",
    summarizer: Annotated[
        str, typer.Option(metavar="NAME", help="Who writes the summary: template, or anthropic with your key.")
    ] = "template",
    summary_model: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model that writes it, where not the conversation's.")
    ] = None,
    focus: Annotated[str | None, typer.Option(metavar="TEXT", help="What a model's summary is to dwell on.")] = None,
    full_summary: Annotated[
        bool, typer.Option("--full-summary", help="Show the whole summary, not its beginning alone.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen and write nothing.")] = False,
    json: Json = False,
) -> None:
    """Compact a transcript: before and after, what was kept and why, what survived, and the summary."""
    from brim.cli import compacting
    from brim.cli.outcome import Request

    compacting.run(
        Request(
            file=file,
            output=output,
            at=at,
            model=model,
            window=window,
            max_output=max_output,
            profile=profile,
            summarizer=summarizer,
            summary_model=summary_model,
            focus=focus,
            full_summary=full_summary,
            dry_run=dry_run,
            as_json=json,
        )
    )


@app.command(short_help="The thresholds of every profile, side by side.")
def profiles(model: Model = None, window: Window = None, max_output: MaxOutput = None, json: Json = False) -> None:
    """Show the thresholds of every profile for a model, side by side."""
    from brim.cli import profiling

    profiling.run(model=model, window=window, max_output=max_output, as_json=json)


@app.command(short_help="Serve the portable operations to another program.")
def portable(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of every operation instead.")] = False,
) -> None:
    """Serve the portable operations: JSON lines from stdin to stdout."""
    from brim.portable import protocol
    from brim.portable import schema as schemas

    if schema:
        schemas.show()
    else:
        protocol.serve()
