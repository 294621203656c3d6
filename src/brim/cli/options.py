"""What a command line names: shared options, files (a hyphen is standard input or output) and counts."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
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


def output_option(text: str) -> Any:
    """The option that names the file a command writes, with the help of that command."""
    return typer.Option("--output", "-o", metavar="OUT", parser=output_file, help=text)


Latest = Annotated[
    bool,
    typer.Option(
        "--latest", help="Read the newest session of Claude Code, Codex, OpenCode or pi, of a project or of any."
    ),
]
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
        metavar="TOKENS",
        help="The threshold in tokens, or as 80% of the window; by default the profile's.",
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


def project_at(folder: Path | None) -> Path | None:
    """Return the real path of a project's folder. Raises BadParameter for a relative one that does not exist."""
    if folder and not (folder.is_absolute() or folder.exists()):
        raise typer.BadParameter(f"there is no folder {folder}; name that of a project, or a FILE that --list shows")
    return folder and Path(os.path.realpath(folder))


def transcript_at(file: Path | None, *, latest: bool) -> Path:
    """The transcript that the command line names. Raises BadParameter, or InvalidInput where there is no session."""
    if latest and file != STDIN:
        from brim.cli.latest import newest

        return newest(project_at(file))
    if file is None or latest:
        raise typer.BadParameter("name a FILE, - for standard input, or --latest (alone or with a project)")
    return file


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """The options of a compaction, of a file or of a session."""

    model: Model = None
    window: Window = None
    max_output: MaxOutput = None
    profile: Profile = None
    threshold: Threshold = None
    target: Target = None
    keep_tokens: KeepTokens = None
    keep_messages: KeepMessages = None
    keep_share: KeepShare = None
    summary_share: SummaryShare = None
    windowing: Windowing = False
    summarizer: Summarizer = "template"
    summary_model: SummaryModel = None
    prompt: Prompt = None
    focus: Focus = None
    on_failure: OnFailure = None
    trust_project: TrustProject = False
    full_summary: FullSummary = False
    missing: Missing = False
    dry_run: DryRun = False
    json: Json = False

    def options(self) -> dict[str, Any]:
        """The fields of compacting.Options. Raises BadParameter, WrongUsage, InvalidInput or Refused."""
        from brim.cli.compacting import require_writer
        from brim.cli.settings import settled

        given = asdict(self)
        plain = ("model", "window", "max_output", "summarizer", "full_summary", "missing", "dry_run")
        options = {name: given.pop(name) for name in plain} | {"as_json": given.pop("json")}
        for_model = {name: given[name] for name in ("summary_model", "prompt", "focus", "on_failure")}
        require_writer(self.summarizer, for_model)
        given |= {
            "profile": chosen_profile(self.profile, windowing=given.pop("windowing")),
            "target_tokens": given.pop("target"),
        }
        return options | {"settings": settled(given, trust_project=given.pop("trust_project"))}


def with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a compaction, which it takes together as its last argument, `flags`."""

    @wraps(command)
    def wrapped(**given: Any) -> None:
        flags = Flags(**{one.name: given.pop(one.name) for one in fields(Flags)})
        command(**given, flags=flags)

    own = [one for one in signature(command, eval_str=True).parameters.values() if one.name != "flags"]
    both = [*own, *signature(Flags, eval_str=True).parameters.values()]
    wrapped.__signature__ = Signature([one.replace(kind=Parameter.KEYWORD_ONLY) for one in both])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {one.name: one.annotation for one in both}
    return wrapped
