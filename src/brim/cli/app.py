"""The commands, and the options they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from brim import __version__
from brim.cli import options
from brim.cli.agents import app as agents
from brim.cli.checkpoints import app as checkpoints
from brim.cli.commands import Commands
from brim.cli.hook import app as hook
from brim.cli.memory import app as memory
from brim.cli.options import (
    Json,
    Latest,
    MaxOutput,
    Model,
    Profile,
    Threshold,
    TrustProject,
    Window,
    Windowing,
    count,
    input_file,
    output_file,
    transcript_at,
)
from brim.cli.sessions.app import app as sessions

app = Commands(
    name="brim",
    help="Keep a coding agent's conversation inside its context window.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(sessions)
app.add_typer(checkpoints)
app.add_typer(agents)
app.add_typer(memory)
app.add_typer(hook)

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        parser=input_file,
        help="A transcript of an agent, Anthropic messages or OpenAI's; - is standard input. With --latest a project.",
    ),
]
Shadow = Annotated[bool, typer.Option("--shadow", help="Change nothing, and say what would have been done and saved.")]


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
    file: File = None,
    latest: Latest = False,
    listing: Annotated[
        bool, typer.Option("--list", help="List the newest sessions, of a project or of any, and how full each is.")
    ] = False,
    model: Model = None,
    window: Window = None,
    max_output: MaxOutput = None,
    profile: Profile = None,
    threshold: Threshold = None,
    windowing: Windowing = False,
    all_profiles: Annotated[
        bool, typer.Option("--all-profiles", help="Show when the profiles of other tools would compact, too.")
    ] = False,
    missing: Annotated[
        bool, typer.Option("--missing", help="List your words and the facts that the tool's compactions lost.")
    ] = False,
    trust_project: TrustProject = False,
    json: Json = False,
) -> None:
    """Show what fills the window, the turns and anchors, what is damaged, and when each profile would compact."""
    from brim.cli.settings import settled

    flags = {"profile": options.chosen_profile(profile, windowing=windowing), "threshold": threshold}
    settings = settled(flags, trust_project=trust_project)
    if listing:
        from brim.cli.listing import listed

        listed(options.project_at(file), model, window, max_output, settings).give(as_json=json)
        return
    from brim.cli.inspecting import inspected

    report = inspected(
        transcript_at(file, latest=latest),
        model=model,
        window=window,
        max_output=max_output,
        settings=settings,
        all_profiles=all_profiles,
        missing=missing,
    )
    report.give(as_json=json)


@app.command(short_help="Compact a transcript: before, after and the summary.")
@options.with_flags
def compact(
    file: File = None,
    latest: Latest = False,
    output: Annotated[
        Path | None,
        options.output_option(
            "Write the new conversation here, in the format it came in if that is one of --to; - is standard output."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="The format that -o writes for any other: anthropic, openai-chat, openai-responses or claude-code.",
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            "--at",
            metavar="N",
            help="Compact it as it stood after response N, counted from 0, beside the agent's own there.",
        ),
    ] = None,
    *,
    flags: options.Flags,
) -> None:
    """Compact a transcript: before and after, what was kept and why, what survived, and the summary."""
    from brim.cli import compacting

    asked = flags.options()
    file = transcript_at(file, latest=latest)
    compacting.run(compacting.CompactRequest(file=file, output=output, to=to, at=at, **asked))


@app.command(short_help="What other policies would have done with a session.")
def replay(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            parser=input_file,
            help="Transcripts, folders of them and patterns; - is standard input. With --latest a project.",
        ),
    ] = None,
    latest: Latest = False,
    profiles: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…", help="The policies to compare: profiles, also deprecated ones, selection-s4, masking."
        ),
    ] = None,
    policy: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", parser=input_file, help="A brim.toml whose policy is compared too; repeatable."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compare the compactions that a profile predicts with those recorded.")
    ] = False,
    summary_tokens: Annotated[
        int | None,
        typer.Option(metavar="TOKENS", parser=count, help="The size of a summary, if not that of the recorded ones."),
    ] = None,
    model: Model = None,
    window: Window = None,
    max_output: MaxOutput = None,
    output: Annotated[
        Path | None,
        options.output_option(
            "Write JSON lines here, - for standard output; transcripts that an interrupted run has written to the file "
            "are not replayed again."
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="OUT", parser=output_file, help="Write a page with charts here, for a browser."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Processes that replay several transcripts.")
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE",
            help="Where they are replayed: local, or dask://HOST:PORT, whose workers read the same paths.",
        ),
    ] = "local",
    json: Json = False,
) -> None:
    """Replay sessions under other policies: when each would have compacted, what it would have sent and cost."""
    from brim.cli import replay as replaying
    from brim.settings import load_settings

    named = files or []
    if latest or not named:
        named = [transcript_at(named[0] if named else None, latest=latest)]
    to_stdout = options.is_stdout(output)
    replaying.run(
        named,
        replaying.Asked(
            names=tuple(filter(None, (profiles or "").split(","))),
            policies=tuple(policy or ()),
            check=check,
            summary_tokens=summary_tokens,
            model=model,
            default_model=load_settings().preferences.default_model,
            window=window,
            max_output=max_output,
            jobs=jobs,
            output=None if to_stdout else output,
            html=html,
            engine=engine,
            as_json=json or to_stdout,
        ),
    )


@app.command(short_help="A proxy that compacts, for any agent that takes a base URL.")
def serve(
    upstream: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where requests go; by default Anthropic's or OpenAI's API, by their path."),
    ] = None,
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65_535, help="0 takes a free one.")] = 8787,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address of this machine to listen at.")
    ] = "127.0.0.1",
    window: Window = None,
    max_output: MaxOutput = None,
    profile: Profile = None,
    threshold: Threshold = None,
    shadow: Shadow = False,
    trust_project: TrustProject = False,
) -> None:
    """Pass the requests of agents on to their provider, and compact their conversations when that is due.

    Anthropic Messages, OpenAI chat completions and Responses. Whatever else comes passes as it is.
    """
    from brim.cli import serving
    from brim.cli.settings import settled

    settings = settled({"profile": profile, "threshold": threshold}, trust_project=trust_project)
    serving.run(
        upstream=upstream,
        host=host,
        port=port,
        window=window,
        max_output=max_output,
        shadow=shadow,
        settings=settings,
    )


@app.command(
    short_help="Run an agent behind a proxy that compacts.", context_settings={"allow_interspersed_args": False}
)
def run(
    program: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="Such as claude or codex, and its arguments.")
    ],
    window: Window = None,
    max_output: MaxOutput = None,
    profile: Profile = None,
    threshold: Threshold = None,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="Change nothing, and say what would have been done.")
    ] = False,
    trust_project: TrustProject = False,
) -> None:
    """Start a proxy on a free port, run a program that asks it in place of its provider, and end with it.

    Options stand before the program; what follows it is the program's own.
    """
    from brim.cli import serving
    from brim.cli.settings import settled

    settings = settled({"profile": profile, "threshold": threshold}, trust_project=trust_project)
    limits = {"window": window, "max_output": max_output}
    raise typer.Exit(serving.run_program(program, **limits, shadow=shadow, settings=settings))


@app.command(short_help="Recall for agents over this project's sessions, by MCP.")
def mcp() -> None:
    """Serve the tool recall on standard input and output, over the sessions that agents keep of this folder.

    An agent starts it: `brim hook install` says how to register it.
    """
    from brim.cli import project_recall

    project_recall.run()


@app.command(short_help="The value of each setting, and where it comes from.")
def settings(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One setting alone.")] = None,
    trust_project: TrustProject = False,
    json: Json = False,
) -> None:
    """Show the value of each setting here, and the file, variable or profile that it comes from."""
    from brim.cli.settings import report, settled

    report(settled({}, trust_project=trust_project), name).give(as_json=json)


@app.command(short_help="The thresholds of every profile, side by side.")
def profiles(model: Model = None, window: Window = None, max_output: MaxOutput = None, json: Json = False) -> None:
    """Show the thresholds of every profile for a model, side by side."""
    from brim.cli.profiling import profiled

    profiled(model=model, window=window, max_output=max_output).give(as_json=json)


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
