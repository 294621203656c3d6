"""What a command line names: shared options, files (a hyphen is standard input or output) and counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from brim.errors import InvalidInput

STDIN: Final = Path("/dev/stdin")
STDOUT: Final = Path("/dev/stdout")
NAMES: Final = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def output_file(value: str) -> Path:
    """The file that an option names; a hyphen is standard output."""
    return STDOUT if value == "-" else _path(value)


def input_file(value: str) -> Path:
    """The file that an argument names; a hyphen is standard input."""
    return STDIN if value == "-" else _path(value)


def count(value: str | int) -> int:
    """The count that an option names, such as 200000, 200k or 1m. Raises BadParameter."""
    from brim.settings import read_count

    try:
        return read_count(str(value))
    except InvalidInput as error:
        raise typer.BadParameter(str(error)) from error


def _path(value: str) -> Path:
    if "\0" in value:
        raise typer.BadParameter("no file has a name with an embedded null byte")
    return Path(value)


def is_stdout(output: Path | None) -> bool:
    """Whether a file is standard output, by any of its names."""
    return output is not None and output.as_posix() in NAMES


def name_of(output: Path) -> str:
    """What a file is called."""
    return "standard output" if is_stdout(output) else str(output)


def title_of(file: Path) -> str:
    """What a transcript is called on a page."""
    return "standard input" if file == STDIN else file.name


def output_option(text: str, parser: Callable[[str], Path] = output_file) -> Any:
    """The option that names the file a command writes, with the help of that command."""
    return typer.Option("--output", "-o", metavar="OUT", parser=parser, help=text)


Model = Annotated[
    str | None, typer.Option(metavar="NAME", help="The model; by default that of the transcript or session.")
]
Window = Annotated[
    int | None, typer.Option(metavar="TOKENS", parser=count, help="The model's context window, such as 200k or 1m.")
]
MaxOutput = Annotated[int | None, typer.Option(metavar="TOKENS", parser=count, help="The model's longest answer.")]
Profile = Annotated[
    str | None, typer.Option(metavar="NAME", help="The profile that decides when it is due; see brim profiles.")
]
Threshold = Annotated[
    str | None,
    typer.Option(
        "--threshold",
        "--context-window-threshold",
        metavar="TOKENS|N%",
        help="The threshold in tokens or in percent of the window; by default the profile's.",
    ),
]
Windowing = Annotated[
    bool, typer.Option("--experimental-context-window", help="The same as --profile windowing.", show_default=False)
]
TrustProject = Annotated[
    bool, typer.Option("--trust-project", help="Take all settings of the project's file, its prompts too.")
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]
Output = Annotated[
    Path | None,
    output_option("Write the messages to this file; - is standard output."),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "--context-window-target",
        metavar="TOKENS",
        help="Tokens that are held after the compaction at most, all counted (target_tokens).",
    ),
]
KeepTokens = Annotated[str | None, typer.Option(metavar="TOKENS", help="Tokens that are kept word for word at most.")]
KeepMessages = Annotated[str | None, typer.Option(metavar="N", help="Keep the newest N messages in place of turns.")]
KeepShare = Annotated[
    str | None, typer.Option(metavar="N%", help="The share of the usable context that is kept at most.")
]
SummaryShare = Annotated[
    str | None,
    typer.Option(metavar="N%", help="The share of the usable context that a template's summary takes at most."),
]
Summarizer = Annotated[
    str, typer.Option(metavar="NAME", help="Who writes the summary: template, or anthropic with your key.")
]
SummaryModel = Annotated[
    str | None, typer.Option(metavar="NAME", help="The model that writes it; by default the conversation's.")
]
Prompt = Annotated[
    str | None, typer.Option(metavar="NAME|TEXT", help="The prompt of a model's summary, by its name or its text.")
]
Focus = Annotated[
    str | None,
    typer.Option("--focus", "--instructions", metavar="TEXT", help="What a model's summary treats in detail."),
]
OnFailure = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Where no model's summary succeeds: template, truncate, fallback or raise (default)."
    ),
]
FullSummary = Annotated[bool, typer.Option("--full-summary", help="Show the whole summary, not its beginning alone.")]
Missing = Annotated[
    bool, typer.Option("--missing", help="List the facts and the user's words that the new conversation lacks.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would happen and what it would cost, and write nothing.")
]


def chosen_profile(profile: str | None, *, windowing: bool) -> str | None:
    """The profile that the flags name. Raises BadParameter where they name two."""
    if windowing and profile not in (None, "windowing"):
        raise typer.BadParameter("--experimental-context-window is the profile windowing; leave out --profile")
    return "windowing" if windowing else profile


def compaction_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of compacting.Options, by the arguments of a command that has all the options of a compaction.

    Raises BadParameter, WrongUsage, InvalidInput or Refused.
    """
    from brim.cli.compacting import require_writer
    from brim.cli.settings import settled

    for_model = {name: given[name] for name in ("summary_model", "prompt", "focus", "on_failure")}
    flags = {name: given[name] for name in ("threshold", "keep_tokens", "keep_messages", "keep_share", "summary_share")}
    flags |= {
        "profile": chosen_profile(given["profile"], windowing=given["windowing"]),
        "target_tokens": given["target"],
    }
    require_writer(given["summarizer"], for_model)
    plain = ("model", "window", "max_output", "summarizer", "full_summary", "missing", "dry_run")
    return {
        **{name: given[name] for name in plain},
        "as_json": given["json"],
        "settings": settled({**flags, **for_model}, trust_project=given["trust_project"]),
    }
