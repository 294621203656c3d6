"""What a command line names: standard input and output by a hyphen, files, and counts such as 200k."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import typer

from brim.errors import InvalidInput

STDIN: Final = Path("/dev/stdin")
STDOUT: Final = Path("/dev/stdout")
NAMES: Final = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def output_file(told: str) -> Path:
    """The file that an option names; a hyphen is standard output."""
    return STDOUT if told == "-" else _path(told)


def input_file(told: str) -> Path:
    """The file that an argument names; a hyphen is standard input."""
    return STDIN if told == "-" else _path(told)


def count(told: str | int) -> int:
    """The count that an option names, such as 200000, 200k or 1m. Raises BadParameter."""
    from brim.settings import read_count

    try:
        return read_count(str(told))
    except InvalidInput as error:
        raise typer.BadParameter(str(error)) from error


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


def title_of(file: Path) -> str:
    """What a transcript is called on a page."""
    return "standard input" if file == STDIN else file.name
