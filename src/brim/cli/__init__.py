"""The command `brim`. Human output is for people, `--json` for programs; errors are a line or two on stderr."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, TextIO, cast

REFUSED: Final = 1
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130
LONGEST_ERROR: Final = 600
"""Characters of an error that are shown: what was met may be as long as a transcript."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 done, 1 a refusal or a failed check, 2 wrong usage, 130 interrupted.

    A hook that an agent runs ends with 0 whatever happens, wrong usage and closed places included (HOK_03).
    """
    asked = sys.argv[1:] if arguments is None else arguments
    if not _is_hook(asked):
        return _main(asked)
    try:
        _main(asked)
    except OSError:
        _drop_the_rest(sys.stderr)
    return 0


def _is_hook(arguments: Sequence[str]) -> bool:
    """Whether an agent runs the command for one of its events."""
    if list(arguments[:1]) != ["hook"]:
        return False
    from brim.hooks.events import EVENTS

    return len(arguments) > 1 and arguments[1] in EVENTS


def _main(arguments: Sequence[str]) -> int:
    """The exit code of the command. Raises OSError where standard error cannot be written to."""
    _take_closed_places()
    if sys.stdout is None:
        return _complain("standard output is closed; let it go to /dev/null where nobody reads it", REFUSED)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_the_rest(sys.stdout)
        return REFUSED
    except OSError as error:
        _drop_the_rest(sys.stdout)
        return _complain(f"the answer cannot be written: {error.strerror or error}", REFUSED)


def _take_closed_places() -> None:
    """Let nothing that is opened later stand where standard input or errors were closed."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: PTH123, SIM115


def _drop_the_rest(stream: TextIO) -> None:
    """Send the rest to the null device, so that Python's flush at exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@cache
def _command() -> Any:
    """The command, built once for each process."""
    from typer.main import get_command

    from brim.cli.app import app

    return get_command(app)


def _run(arguments: Sequence[str]) -> int:
    """The exit code of a command that runs to its end."""
    import typer

    from brim.errors import BrimError

    usage_error = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
    given = [*arguments[1:], "--help"] if list(arguments[:1]) == ["help"] else list(arguments)
    try:
        code = _command().main(given or ["--help"], prog_name="brim", standalone_mode=False)
        sys.stdout.flush()
    except typer.Abort:
        return INTERRUPTED
    except usage_error as error:
        if error.ctx is not None and error.message == "Missing command.":
            sys.stdout.write(f"{error.ctx.get_help()}\n")
            return 0
        asked = error.ctx.command_path if error.ctx else "brim"
        return _complain(f"{error.format_message()} ({asked} --help tells what there is)", WRONG_USAGE)
    except BrimError as error:
        return _complain(str(error), getattr(error, "exit_code", REFUSED))
    return code if isinstance(code, int) else 0


def _complain(message: str, code: int) -> int:
    complain(message)
    return code


def complain(*messages: str) -> None:
    """Write each message on standard error, on a line of its own."""
    for message in messages:
        sys.stderr.write(f"brim: {one_line(message)}\n")


def one_line(text: str) -> str:
    """A message on one line, however many it came with, and without what a terminal would obey."""
    flat = " ".join(text[: 2 * LONGEST_ERROR].split())
    shown = flat if len(flat) <= LONGEST_ERROR else f"{flat[: LONGEST_ERROR // 2]} … {flat[-LONGEST_ERROR // 2 :]}"
    return "".join(character if character.isprintable() else "?" for character in shown)
