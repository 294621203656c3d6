"""The page about the command: every command with its arguments, options and defaults as the program has them, and one
example each that was run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from brim.cli import INTERRUPTED, REFUSED, WRONG_USAGE
from living.reference.command_examples import Ran, run_all
from living.site import site_of

SHOWN: Final = 60
"""Lines of an answer that are shown at most."""
CODES: Final = {
    0: "It is done.",
    REFUSED: "Something was refused, or could not be read or written. A line on stderr says what was met, and what "
    "would cure it.",
    WRONG_USAGE: "It was called wrongly: an option or argument that does not exist, is missing, or cannot be.",
    INTERRUPTED: "It was interrupted.",
}
"""The exit codes of the command, and what each means."""


def setup(app: Sphinx) -> None:
    """The directive of the page."""
    app.add_directive("command-line", CommandLine)


class CommandLine(SphinxDirective):
    """Everything there is to say of the command."""

    def run(self) -> list[nodes.Node]:
        """The sections of the page, one a command."""
        return self.parse_text_to_nodes(command_page(site_of(self.config).root), allow_section_headings=True)


@cache
def command_page(root: Path) -> str:
    """The page in Markdown. Raises ExtensionError where a command has no help, or no example."""
    ran_all = run_all(root)
    told: dict[str, Ran] = {}
    for ran in ran_all:
        told.setdefault(ran.command, ran)
    refused, misused = ran_all[-2:]
    lines = [*_exit_codes(refused, misused)]
    for name, command in commands():
        lines += ["", *_section(name, command, told.get(name))]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text in which nothing is markup."""
    return re.sub(r"([\\*\[\]<>{}$|~^])", r"\\\1", text)


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its words, in the order of the help."""
    from typer.main import get_command  # noqa: PLC0415 - only where there is a page

    from brim.cli.app import app  # noqa: PLC0415 - as above

    yield from _below(get_command(app), "")


def _below(group: Any, way: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _below(command, f"{way}{name} ")
        else:
            yield f"{way}{name}", command


def _exit_codes(refused: Ran, misused: Ran) -> Iterator[str]:
    yield from ["(command-exit)=", "## Exit codes", "", "| code | meaning |", "| --- | --- |"]
    yield from (f"| {code} | {meaning} |" for code, meaning in CODES.items())
    yield ""
    for ran in (refused, misused):
        yield from [*_console(ran), f"Exit code {ran.code}.", ""]


def _section(name: str, command: Any, ran: Ran | None) -> Iterator[str]:
    whole = f"brim {name}"
    if not command.help:
        raise ExtensionError(f"src/brim/cli: {whole} has no help")
    if ran is None:
        raise ExtensionError(f"docs/living/reference/command_examples.py: {whole} has no example")
    yield from [f"(command-{whole.replace(' ', '-')})=", f"## {whole}", "", escaped(command.help), ""]
    yield from ["```text", usage(whole, command), "```", "", f"```{{program}} {whole}", "```", ""]
    for parameter in command.params:
        yield from _parameter(parameter)
    yield from ["[Exit code](#command-exit) 0, 1 or 2.", "", *_console(ran)]


def usage(whole: str, command: Any) -> str:
    """How it is called, on one line."""
    arguments = (_shown(one) for one in command.params if not _is_option(one))
    return " ".join([whole, *arguments, "[OPTIONS]"])


def _shown(argument: Any) -> str:
    words = argument.metavar.strip("[]") + ("…" if argument.nargs == -1 else "")
    return words if argument.required else f"[{words}]"


def _parameter(parameter: Any) -> Iterator[str]:
    """An argument or an option; what has no help is no part of the program's surface."""
    if not parameter.help:
        raise ExtensionError(f"src/brim/cli: {parameter.name} has no help")
    if not _is_option(parameter):
        told = "" if parameter.required else " It may be left out."
        yield from [f"```{{option}} {_shown(parameter)}", "", f"{escaped(parameter.help)}{told}", "```", ""]
        return
    value = "" if parameter.is_flag else f" {parameter.metavar}"
    heads = ", ".join(f"{one}{value}" for one in sorted(parameter.opts, key=len, reverse=True))
    yield from [f"```{{option}} {heads}", "", f"{escaped(parameter.help)}{_default(parameter)}", "```", ""]


def _is_option(parameter: Any) -> bool:
    return any(one.startswith("-") for one in parameter.opts)


def _default(parameter: Any) -> str:
    if parameter.required:
        return " It has to be given."
    return "" if parameter.is_flag or parameter.default is None else f" Default: `{parameter.default}`."


def _console(ran: Ran) -> Iterator[str]:
    """A command line and what it printed; a long answer is cut, and that is said."""
    lines = f"{ran.out}{ran.error}".rstrip("\n").split("\n")
    yield from ["```console", f"$ {ran.line}", *(line.rstrip() for line in lines[:SHOWN]), "```", ""]
    if len(lines) > SHOWN:
        yield from [f"And {len(lines) - SHOWN} more lines.", ""]
