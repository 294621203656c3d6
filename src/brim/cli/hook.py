"""The commands of `brim hook`: those that an agent runs, and those that put them into its settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from brim.cli.commands import Commands

app = Commands(
    name="hook",
    help="Give Claude Code and Codex back what they lose at a compaction, and make checkpoints before prompts.",
    short_help="Hooks for Claude Code and Codex; install, uninstall.",
)

LENIENT = {"ignore_unknown_options": True, "allow_extra_args": True}
"""A hook with wrong usage would exit with 2, which stops the user's prompt."""
AT_WORK = ("2.1.332", 78, 78, 56)
"""A version of Claude Code, its requests after its first compaction, and those of them without the user's words: where
scripted summaries paraphrase, and where they quote (docs/hook_story.json)."""
CACHES = {".cache", "Caches", "archive-v0"}
"""Folders in which uv and pipx keep what they run without installing it."""
STORY = (
    "After a compaction of {agent} the hook gives back {lost}: at most 9,500 characters from the session's file, from "
    "{agent}'s next session on; no model is asked. {measured}{undo} takes it out again."
)
AGENTS = ("claude-code", "codex")
NO_SETTINGS = "{}\n"
"""The settings where there is no file."""
Jobs = Annotated[
    list[str] | None,
    typer.Option("--job", metavar="NAME", help="What the hooks do: context (the default), checkpoints; repeatable."),
]
Project = Annotated[
    bool, typer.Option("--project", help="The settings of the project in this folder, in place of the user's.")
]
Codex = Annotated[bool, typer.Option("--codex", help="The hooks of Codex, in place of those of Claude Code.")]
Agent = Annotated[str | None, typer.Argument(metavar="AGENT", help="claude-code (the default) or codex, as --codex.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change and write nothing.")]


@app.command("session-start", context_settings=LENIENT, short_help="What an agent runs when a session starts.")
def session_start(job: Jobs = None) -> None:
    """Answer the event SessionStart of Claude Code or Codex, whose JSON is read on standard input.

    After a compaction the answer adds what the conversation lacks. Always exits with 0.
    """
    _run("session-start", job)


@app.command("user-prompt-submit", context_settings=LENIENT, short_help="What an agent runs at a prompt.")
def user_prompt_submit(job: Jobs = None) -> None:
    """Answer the event UserPromptSubmit of Claude Code or Codex, whose JSON is read on standard input.

    With the first prompt after a compaction the answer adds what the conversation lacks, where the transcript shows
    that it did not arrive before. With --job checkpoints a checkpoint of the files is made. Always exits with 0.
    """
    _run("user-prompt-submit", job)


def _run(event: str, job: list[str] | None) -> None:
    """Answer an event; whatever happens is a line on standard error."""
    import json

    from brim.cli import one_line
    from brim.errors import described

    notes: tuple[str, ...] = ()
    try:
        from brim.hooks.events import DEFAULT_JOBS, read_input, run_jobs, written

        if sys.stdin.isatty():
            sys.stderr.write("brim: an agent gives a hook its JSON on standard input; see brim hook install\n")
            return
        answer = run_jobs(read_input(event, sys.stdin.buffer.read()), job or DEFAULT_JOBS)
        notes = answer.notes
        if answer.context:
            sys.stdout.write(json.dumps(written(event, answer.context)) + "\n")
            sys.stdout.flush()
    except Exception as error:  # noqa: BLE001  a hook never stops the agent
        from brim.errors import BrimError

        notes = (str(error) if isinstance(error, BrimError) else described(error),)
    if notes:
        sys.stderr.write(f"brim hook {event}: {one_line('; '.join(notes))}\n")


@app.command(short_help="Put the hooks into an agent's settings.")
def install(
    agent: Agent = None,
    project: Project = False,
    codex: Codex = False,
    job: Jobs = None,
    checkpoints: Annotated[
        bool,
        typer.Option("--checkpoints", help="Add the job checkpoints, and record the files of this folder for them."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking; needed without a terminal.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Show the entries that make Claude Code or Codex run the hooks, and write them into its settings.

    It asks before it writes; without a terminal it writes with --yes alone.
    """
    from brim.cli.output import console, say
    from brim.hooks.events import DEFAULT_JOBS, job_named
    from brim.hooks.settings_file import entries, with_entries

    codex = _is_codex(agent, codex=codex)
    jobs = list(dict.fromkeys([*(job or DEFAULT_JOBS), *(["checkpoints"] if checkpoints else [])]))
    for name in jobs:
        job_named(name)
    if "checkpoints" in jobs:
        _require_checkpoints(codex=codex)
    if "context" in jobs:
        say(console(), _story(project=project, codex=codex))
    added = entries(_program(project=project), jobs)
    file = _settings(project=project, codex=codex)
    _change(file, lambda text: with_entries(text, added), dry_run=dry_run, ask=not yes)
    _offer_recall(project=project, codex=codex)
    if checkpoints and not dry_run:
        _record_files()


def _is_codex(agent: str | None, *, codex: bool) -> bool:
    """Return whether Codex is meant. Raises BadParameter for an agent without hooks of brim's, and for two."""
    if agent not in (None, *AGENTS):
        raise typer.BadParameter(f"{agent}: brim has hooks for {' and '.join(AGENTS)}; brim run is for others")
    if codex and agent == "claude-code":
        raise typer.BadParameter("claude-code and --codex name two agents: leave one out")
    return codex or agent == "codex"


def _story(*, project: bool, codex: bool) -> str:
    """Return what the hook will do, and how it is undone."""
    lost, measured = "facts that it left out, such as changed files and decisions", ""
    if not codex:
        version, requests, lacking, quoted = AT_WORK
        lost = "your words that it left out, and facts such as changed files"
        measured = (
            f"With a scripted model {lacking} of {requests} requests of {version} after its first compaction lacked "
            f"the user's words, {quoted} where summaries quote them, with the hook none. "
        )
    undo = f"brim hook uninstall{' codex' * codex}{' --project' * project}"
    return STORY.format(agent="Codex" if codex else "Claude Code", lost=lost, measured=measured, undo=undo)


def _offer_recall(*, project: bool, codex: bool) -> None:
    """Say how recall over the project's sessions is registered: the agents have commands of their own for it."""
    from importlib.util import find_spec

    from brim.cli.output import console, safe
    from brim.errors import installing

    scope = "codex mcp add" if codex else f"claude mcp add --scope {'project' if project else 'user'}"
    extra = "" if find_spec("mcp") else f", after {installing('mcp')}"
    line = f"For recall over a project's sessions{extra}: {scope} brim -- {_program(project=project)} mcp"
    console().print(safe(line), soft_wrap=True)


def _require_checkpoints(*, codex: bool) -> None:
    """Raise Refused where the hooks cannot make checkpoints of this folder."""
    from brim.errors import Refused
    from brim.hooks.prompt_checkpoints import lack_of

    if codex:
        raise Refused("checkpoints before prompts are made for Claude Code alone; leave --codex or that job out")
    if lack := lack_of(Path.cwd()):
        raise Refused(f"no checkpoints can be made: {lack}")


def _record_files() -> None:
    """Record the files of this folder; on a terminal it shows how far it has come."""
    from brim.cli.output import console, safe, working
    from brim.hooks.prompt_checkpoints import record_files

    folder = Path.cwd()
    with working("recording the files for checkpoints") as count:

        def report(files: int) -> None:
            count.text = lambda: f"{files:,}"

        record_files(folder, report)
    console().print(safe(f"The files of {folder} are recorded for checkpoints"), soft_wrap=True)


@app.command(short_help="Take the hooks out of an agent's settings.")
def uninstall(
    agent: Agent = None,
    project: Project = False,
    codex: Codex = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="As for install; it is never asked.")] = False,  # noqa: ARG001
    dry_run: DryRun = False,
) -> None:
    """Show brim's entries in the settings of Claude Code or Codex, and remove them; all else stays as it is."""
    from brim.hooks.settings_file import without_entries

    codex = _is_codex(agent, codex=codex)
    _change(_settings(project=project, codex=codex), without_entries, dry_run=dry_run)


def _settings(*, project: bool, codex: bool) -> Path:
    """The file that names the hooks."""
    variable, folder, name = (
        ("CODEX_HOME", ".codex", "hooks.json") if codex else ("CLAUDE_CONFIG_DIR", ".claude", "settings.json")
    )
    root = Path(folder) if project else Path(os.environ.get(variable) or Path.home() / folder)
    return root / name


def _program(*, project: bool) -> str:
    """Return how a shell runs brim: by its name in a project, which others share, else by its path.

    Raises Refused where that is in a cache: `uvx` keeps it there until the cache is emptied.
    """
    import shlex
    import shutil

    from brim.errors import Refused

    if project:
        return "brim"
    found = shutil.which("brim")
    if found is None:
        return f"{shlex.quote(sys.executable)} -m brim"
    if CACHES & {*Path(found).parts}:
        raise Refused("this brim is in a cache and may go: uv tool install . in the clone, then brim hook install")
    return shlex.quote(str(Path(found).absolute()))


def _read(file: Path) -> str:
    """The text of a settings file, an empty object where there is none. Raises InvalidInput, UnicodeError, OSError."""
    from brim.errors import InvalidInput

    if file.exists() and not file.is_file():
        raise InvalidInput("is no ordinary file")
    return file.read_bytes().decode() if os.path.lexists(file) else NO_SETTINGS


def _says_yes(question: str) -> bool:
    """Return whether the user agrees; an empty answer, Ctrl-C and Ctrl-D do not. Raises Refused without a terminal."""
    from brim.errors import Refused

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refused("nothing was written: there is no terminal to ask in; add --yes to write it")
    try:
        return typer.confirm(question)
    except typer.Abort:
        typer.echo()
        return False


def _change(file: Path, edit: Callable[[str], str], *, dry_run: bool, ask: bool = False) -> None:
    """Show how an edit changes a settings file, and write it, where that is asked for once the user says yes.

    Raises InvalidInput, Refused where nobody can be asked, and Exit after a no; the file is left as it is then.
    """
    from difflib import unified_diff

    from brim.cli.output import console, safe
    from brim.cli.writing import write_page
    from brim.errors import InvalidInput

    try:
        before = _read(file)
        after = edit(before)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not UTF-8; it is left as it is") from error
    except OSError as error:
        raise InvalidInput(f"{file}: {error.strerror or error}; it is left as it is") from error
    except InvalidInput as error:
        raise InvalidInput(f"{file} {error}; it is left as it is: correct it first") from error
    out = console()
    if after == before:
        out.print(safe(f"Nothing to change in {file}"), soft_wrap=True)
        return
    for line in unified_diff(before.splitlines(), after.splitlines(), str(file), str(file), lineterm=""):
        out.print(safe(line), soft_wrap=True)
    if ask and not dry_run and not _says_yes(f"Write this to {file}?"):
        out.print("Nothing was written")
        raise typer.Exit(1)
    if not dry_run:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"{file}: {error.strerror or error}; name another folder") from error
        write_page(file, after, private=False)
    out.print(safe(f"{'Would be written' if dry_run else 'Written'} to {file}"), soft_wrap=True)
