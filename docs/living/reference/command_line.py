"""The page about the command: every command with its arguments, options and defaults as the program has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.reference.json_reports import keys, reports


def setup(app: Sphinx) -> None:
    """The directive of the page."""
    app.add_directive("command-table", CommandTable)
    app.add_directive("command-line", CommandLine)


class CommandTable(SphinxDirective):
    """`{command-table}` is a table of the commands: sections that are parsed come before what else is."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        return self.parse_text_to_nodes(command_table())


class CommandLine(SphinxDirective):
    """`{command-line}` is a section for each command."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        lines = (line for name, command in commands() for line in ["", *_section(name, command)])
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def command_table() -> str:
    """Each command with the first line of its help, in Markdown."""
    text = ((name, _escaped(command.help.splitlines()[0])) for name, command in commands())
    rows = (f"| [`brim {name}`](#{_label(name)}) | {help_} |" for name, help_ in text)
    return "\n".join(["| command | does |", "| --- | --- |", *rows]) + "\n"


def _escaped(text: str) -> str:
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


def _label(name: str) -> str:
    return f"command-brim-{name.replace(' ', '-')}"


def _section(name: str, command: Any) -> Iterator[str]:
    yield from [f"({_label(name)})=", f"## brim {name}", "", _escaped(command.help), ""]
    yield from ["```text", usage(f"brim {name}", command), "```", "", f"```{{program}} brim {name}", "```", ""]
    for parameter in command.params:
        yield from _parameter(parameter)
    if report := reports().get(name):
        yield from ["With `--json` it prints:", "", "| key | meaning |", "| --- | --- |", *keys(report), ""]


def usage(whole: str, command: Any) -> str:
    """How it is called, on one line."""
    arguments = (_shown(one) for one in command.params if not _is_option(one))
    return " ".join([whole, *arguments, "[OPTIONS]"])


def _shown(argument: Any) -> str:
    words = argument.metavar.strip("[]") + ("…" if argument.nargs == -1 else "")
    return words if argument.required else f"[{words}]"


def _parameter(parameter: Any) -> Iterator[str]:
    if not _is_option(parameter):
        text = "" if parameter.required else " It may be left out."
        yield from [f"```{{option}} {_shown(parameter)}", "", f"{_escaped(parameter.help)}{text}", "```", ""]
        return
    value = "" if parameter.is_flag else f" {parameter.metavar}"
    heads = ", ".join(f"{one}{value}" for one in sorted(parameter.opts, key=len, reverse=True))
    yield from [f"```{{option}} {heads}", "", f"{_escaped(parameter.help)}{_default(parameter)}", "```", ""]


def _is_option(parameter: Any) -> bool:
    return any(one.startswith("-") for one in parameter.opts)


def _default(parameter: Any) -> str:
    if parameter.required:
        return " It has to be given."
    return "" if parameter.is_flag or parameter.default is None else f" Default: `{parameter.default}`."
