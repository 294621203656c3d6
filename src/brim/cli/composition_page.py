"""What fills a window, as rows with bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rich.console import Console

from brim.cli.output import bar, cropped, rounded, safe, say
from brim.transcripts.composition import Composition

TOOLS_SHOWN: Final = 5
LABEL: Final = 26
"""Columns of a row's name."""
FIGURES: Final = LABEL + 19
"""Columns before a row's bar."""
LONGEST_BAR: Final = 30


class Row(NamedTuple):
    """A line of the composition: its name, tokens, and the colour of its bar; none where it is part of another."""

    name: str
    tokens: int
    colour: str


def show_composition(out: Console, composition: Composition) -> None:
    """Print the rows that hold anything, each with its part of the whole."""
    whole = sum(composition.shares.values()) or 1
    width = min(max(out.width - FIGURES, 0), LONGEST_BAR)
    for row in rows(composition):
        if row.tokens:
            share = row.tokens / whole
            figures = f"{row.tokens:>11,}{rounded(share):>6}"
            name = safe(f"{cropped(row.name, LABEL):<{LABEL}}")
            drawn = f"  [{row.colour}]{bar(share, width)}[/]" if row.colour else ""
            out.print(f"{name}{figures}{drawn}" if row.colour else f"[dim]{name}{figures}[/]")
    if composition.unseen:
        say(out, "The API counted what is not in the file, such as the system prompt and tools.", style="dim")


def rows(composition: Composition) -> Iterator[Row]:
    """The rows in the order of the shares, tool outputs by tool, and what the file does not hold apart."""
    shares = composition.shares
    yield Row("system prompt", shares["system"] - composition.tools, "magenta")
    yield Row("tool definitions", composition.tools, "magenta")
    yield Row("user", shares["user"], "green")
    yield Row("assistant", shares["assistant"], "cyan")
    yield Row("thinking", shares["thinking"], "blue")
    yield Row("tool calls", shares["tool_input"], "yellow")
    yield Row("tool outputs", shares["tool_output"], "yellow")
    yield from _by_tool(composition)
    yield Row("summaries", shares["summaries"], "green")
    yield Row("notes of the harness", shares["other"] - composition.unseen, "white")
    yield Row("not in the file", composition.unseen, "white")


def _by_tool(composition: Composition) -> Iterator[Row]:
    tools = list(composition.by_tool.items())
    for tool, taken in tools[:TOOLS_SHOWN]:
        yield Row(f"  {tool}", taken, "")
    left = tools[TOOLS_SHOWN:]
    if left:
        yield Row(f"  {len(left)} more", sum(taken for _, taken in left), "")
