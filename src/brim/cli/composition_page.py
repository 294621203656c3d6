"""What fills a window, as rows with bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rich.console import Console

from brim.cli.output import bar, cropped, rounded, safe, say
from brim.transcripts.inspection import Composition

TOOLS_SHOWN: Final = 5
LABEL: Final = 26
"""Columns of a row's name."""
FIGURES: Final = 17
"""Columns of a row's tokens and share."""
LEAST: Final = 8
"""Columns of a row's name at least, where the terminal is narrow."""
LONGEST_BAR: Final = 30
ESTIMATED: Final = "The parts and their shares are estimated from the texts"


class Row(NamedTuple):
    """A line of the composition: its name, tokens, and the colour of its bar; none where it is part of another."""

    name: str
    tokens: int
    colour: str


def show_composition(out: Console, composition: Composition, now: int) -> None:
    """Print the rows that hold anything, each with its part of the whole, and why that is not the `now` tokens."""
    whole = sum(composition.shares.values())
    for row in rows(composition):
        if row.tokens:
            _row(out, row, row.tokens / whole)
    if composition.unseen:
        say(out, "The API counted what is not in the file, such as the system prompt and tools.", style="dim")
    elif whole - now >= len(composition.shares):  # each of them is rounded up
        say(out, f"{ESTIMATED}: {whole:,} tokens in all. The API counted fewer.", style="dim")


def _row(out: Console, row: Row, share: float) -> None:
    label = min(LABEL, max(out.width - FIGURES, LEAST))
    width = min(out.width - label - FIGURES - 2, LONGEST_BAR)
    told = safe(f"{cropped(row.name, label):<{label}}{row.tokens:>11,}{rounded(share):>6}")
    if not row.colour:
        out.print(f"[dim]{told}[/]")
    elif width > 0:
        out.print(f"{told}  [{row.colour}]{bar(share, width)}[/]")
    else:
        out.print(told)


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
    yield Row("injected text", shares["other"] - composition.unseen, "white")
    yield Row("not in the file", composition.unseen, "white")


def _by_tool(composition: Composition) -> Iterator[Row]:
    tools = list(composition.by_tool.items())
    for tool, taken in tools[:TOOLS_SHOWN]:
        yield Row(f"  {tool}", taken, "")
    left = tools[TOOLS_SHOWN:]
    if left:
        yield Row(f"  {len(left)} more", sum(taken for _, taken in left), "")
