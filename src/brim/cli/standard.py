"""Standard input and output, as a command line names them: by a hyphen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import typer

STDOUT: Final = Path("/dev/stdout")
NAMES: Final = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def output_file(told: str) -> Path:
    """The file that an option names; a hyphen is standard output."""
    return STDOUT if told == "-" else _path(told)


def input_file(told: str) -> Path:
    """The file that an argument names. Raises BadParameter for a hyphen: a transcript is read more than once."""
    if told == "-":
        raise typer.BadParameter("a transcript is read from a file; save standard input to one, and name that")
    return _path(told)


def _path(told: str) -> Path:
    if "\0" in told:
        raise typer.BadParameter("no file has a name with an embedded null byte")
    return Path(told)


def is_stdout(output: Path | None) -> bool:
    """Whether a file is standard output, by any of its names."""
    return output is not None and output.as_posix() in NAMES


def name_of(output: Path) -> str:
    """What a file is called."""
    return "standard output" if is_stdout(output) else str(output)
