"""Runs the benchmarks, and writes docs/benchmarks.json, of which the charts are drawn, and the tables of the page.

BRIM_TRANSCRIPTS names a folder of real transcripts, `--cliff` the command of CliffCompaction, which is installed in an
environment of its own. With `--lengths` or `--only` nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from tests.benchmarks.figures import COMPACTION, REAL, REQUEST, Figure, beside, pivoted, written
from tests.figures import ROOT, filled, rows_of

DATA: Final = ROOT / "docs/benchmarks.json"
PAGE: Final = ROOT / "docs/benchmarks.md"
LENGTHS: Final = (100, 1_000, 10_000, 100_000)
PARTS: Final = ("growth", "waiting", "real", "sessions", "commands", "checkpoints", "serve")
NAMES: Final = ("brim", "langchain", "pydantic-ai-slim", "anthropic")


def main() -> None:
    """Measure, show, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=int, nargs="+", metavar="N", help="messages to measure with")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="leave the others out")
    parser.add_argument("--cliff", default="", metavar="COMMAND")
    asked = parser.parse_args()
    console, figures = Console(width=160), list[Figure]()
    for part in asked.only:
        for figure in _measured(part, asked.lengths or LENGTHS, asked.cliff):
            console.print(f"{figure.what}, {figure.size}: {figure.way}: {written(figure.seconds)}", highlight=False)
            figures.append(figure)
    for lines in _tables(figures).values():
        head, *body = lines
        table = Table(*head)
        for line in body:
            table.add_row(*line)
        console.print(table)
    if asked.only == PARTS and not asked.lengths:
        write(figures)


def write(figures: Iterable[Figure]) -> None:
    """Write the data and the page."""
    data = {"made": _made(), "figures": [asdict(one) for one in figures]}
    DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), data), encoding="utf-8")


def _measured(part: str, lengths: Iterable[int], cliff: str) -> Iterator[Figure]:
    """Measure one part; what it needs is loaded where it is asked for."""
    from tests.benchmarks import checkpoints, growth, serve, sessions  # noqa: PLC0415

    folder = os.environ.get("BRIM_TRANSCRIPTS")
    if part == "growth":
        for length in lengths:
            yield from growth.measure_growth(length)
    elif part == "waiting":
        yield from growth.measure_waiting()
    elif part == "real":
        yield from growth.measure_real(Path(folder)) if folder else ()
    elif part == "sessions":
        for length in lengths:
            yield from sessions.measure_sessions(length)
    elif part == "commands":
        yield from sessions.measure_commands()
    elif part == "checkpoints":
        yield from checkpoints.measure_checkpoints()
    else:
        yield from serve.measure_serve(cliff)


def _made() -> str:
    """Return when, on what and with which versions this is measured, in words."""
    versions = ", ".join(f"{name} {version(name)}" for name in NAMES)
    cores = os.cpu_count()
    return f"{datetime.now(UTC):%-d %B %Y}, {cores} cores, Python {platform.python_version()}, {versions}"


def _tables(figures: Iterable[Figure]) -> dict[str, list[tuple[str, ...]]]:
    """Return the tables by their names on the page."""
    by_what: dict[str, list[Figure]] = {}
    for one in figures:
        by_what.setdefault(one.what, []).append(one)
    tables = {
        "requests": [*pivoted(by_what.pop(REQUEST, []), "messages")],
        "compactions": [*pivoted(by_what.pop(COMPACTION, []), "messages")],
        "real sessions": [*pivoted(by_what.pop(REAL, []), "session")],
    }
    return {**tables, "the rest": [*beside([one for each in by_what.values() for one in each])]}


def page(text: str, data: Any) -> str:
    """Return the page with the tables of these data."""
    for name, table in _tables([Figure(**one) for one in data["figures"]]).items():
        text = filled(text, name, rows_of(*table))
    return filled(text, "made", f"{data['made']}.")


if __name__ == "__main__":
    main()
