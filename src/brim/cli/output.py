"""Output: Rich for people, JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from re import sub
from textwrap import fill
from threading import Timer
from typing import IO, Any, Final, cast

from rich.console import Console
from rich.markup import escape
from rich.text import Text

PATIENCE: Final = 0.7
"""Seconds before a progress line appears."""
UNWRAPPED: Final = 10_000
"""Columns where output is no terminal: its lines are those of a program that reads them."""
NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def console(*, stderr: bool = False) -> Console:
    """The output; without color and unwrapped where it is no terminal (CMD_03). NO_COLOR and COLUMNS always apply."""
    out = Console(highlight=False, emoji=False, stderr=stderr)
    if not out.is_terminal:
        width = out.width if os.environ.get("COLUMNS") else UNWRAPPED
        out = Console(highlight=False, emoji=False, file=cast(IO[str], Unpadded(out.file)), width=width)
    return out


class Unpadded:
    """A file whose lines end without white space."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, text: str) -> None:
        """Write lines."""
        self.file.write(sub(r" +\n", "\n", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


@dataclass(slots=True)
class Count:
    """How far an act has come, as text that is asked for whenever the progress line is drawn; empty where unknown."""

    text: Callable[[], str] = str

    def __rich__(self) -> str:
        return self.text()


@contextmanager
def working(what: str) -> Iterator[Count]:
    """Show on stderr what is being done, how far and for how long, if it is a terminal and the work takes long."""
    watched, count = console(stderr=True), Count()
    if not watched.is_terminal:
        yield count
        return
    from rich.progress import Progress, RenderableColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), RenderableColumn(count), TimeElapsedColumn())
    progress = Progress(*columns, console=watched, transient=True)
    progress.add_task(safe(what))
    timer = Timer(PATIENCE, progress.start)
    timer.start()
    try:
        yield count
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
        if progress.live.is_started:
            progress.stop()


def print_json(value: Any) -> None:
    """A value on standard output, as JSON that any program reads."""
    try:
        sys.stdout.write(json.dumps(value, ensure_ascii=not speaks_utf8(), indent=2, default=rounded_number) + "\n")
    except UnicodeEncodeError:  # a lone surrogate: only escaped can it be written
        sys.stdout.write(json.dumps(value, indent=2, default=rounded_number) + "\n")


def speaks_utf8() -> bool:
    """Whether standard output takes every sign there is."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def rounded_number(value: Any) -> Any:
    """An exact number as one that JSON has, to four places."""
    if isinstance(value, (Fraction, Decimal)):
        return round(float(value), 4)
    raise TypeError(type(value).__name__)


def say(out: Console, text: str, *, lead: str = "", style: str = "", lead_style: str = "bold", indent: int = 2) -> None:
    """Print a sentence in lines that fit, set in after the first; its `lead` stands out.

    A line does not end at a no-break space, which is printed as a plain one.
    """
    lines = fill(f"{lead}{text}", max(out.width, 20), subsequent_indent=" " * indent, break_on_hyphens=False)
    shown = Text.from_markup(safe(lines.replace(NO_BREAK, " ")), style=style, emoji=False)
    shown.stylize(lead_style, 0, len(lead.rstrip()))
    out.print(shown)


def safe(text: str) -> str:
    """A text from outside: nothing in it is markup, and nothing that a terminal would obey."""
    shown = "".join(character if character.isprintable() or character == "\n" else "·" for character in text)
    body = shown.rstrip("\\")
    slashes = 2 * (len(shown) - len(body))  # Rich reads two before a tag as one
    return f"[none]{escape(body)}" + "\\" * slashes + "[/none]"


def sentence(text: str) -> str:
    """A text as a sentence begins."""
    return text[:1].upper() + text[1:]


def cropped(text: str, width: int) -> str:
    """A text in so many columns at most."""
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"


def tokens(count: int | None) -> str:
    """A count with separators; a dash where there is none."""
    return "–" if count is None else f"{count:,}"


def several(count: int, what: str) -> str:
    """A count of things, with its unit."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def percent(share: Fraction | Decimal | float) -> str:
    """A share in percent, with one decimal unless it is a whole; what is less than a whole is never 100%."""
    shown = f"{float(share):.1%}"
    return "100%" if share == 1 else "99.9%" if share < 1 and shown == "100.0%" else shown


def rounded(share: float) -> str:
    """A share in whole percent; what is above nothing is never 0%."""
    shown = f"{share:.0%}"
    return "<1%" if shown == "0%" and share > 0 else shown


def bar(share: float, width: int) -> str:
    """A share as a bar of blocks, at least a sliver where it is above 0."""
    eighths = round(min(max(share, 0), 1) * width * 8)
    full, rest = divmod(max(eighths, 1 if share > 0 else 0), 8)
    return "█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")
