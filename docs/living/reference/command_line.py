"""The page about the command: every command with its arguments, options and defaults as the program has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from typer import Context
from typer.main import get_command

from brim.cli.app import app as brim
from living.reference.json_reports import keys, reports
from living.text import add_directive, parsed


def setup(app: Sphinx) -> None:
    """`{command-line}` is a table of the commands, and a section for each."""
    add_directive(app, "command-line", lambda directive: parsed(directive, command_line()))


def command_line() -> Iterator[str]:
    """Each command with the first line of its help, and each with all of it, in Markdown."""
    yield from ("## All commands", "", "| command | does |", "| --- | --- |")
    for name, command in commands():
        yield f"| [`brim {name}`](#brim-{name.replace(' ', '-')}) | {_escaped(command.help.splitlines()[0])} |"
    for name, command in commands():
        yield from ("", *_section(name, command))


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its words, in the order of the help."""
    yield from _below(get_command(brim), "")


def _below(group: Any, way: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _below(command, f"{way}{name} ")
        else:
            yield f"{way}{name}", command


def _escaped(text: str) -> str:
    return re.sub(r"([\\*\[\]<>{}$|~^])", r"\\\1", text)


def _section(name: str, command: Any) -> Iterator[str]:
    context = Context(command)
    yield from (f"## brim {name}", "", _escaped(command.help), "")
    usage = " ".join([f"brim {name}", *command.collect_usage_pieces(context)])
    yield from ("```text", usage, "```", "", f"```{{program}} brim {name}", "```", "")
    for parameter in command.params:
        called, meaning = parameter.get_help_record(context)
        yield from (f"```{{option}} {called.partition(' <')[0]}", "", _escaped(meaning), "```", "")
    if report := reports().get(name):
        yield from ("With `--json` it prints:", "", "| key | meaning |", "| --- | --- |", *keys(report), "")
