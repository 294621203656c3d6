"""Fact sections: the facts that were chosen, under their titles.

What the template and the preserved facts share; specified by their features (SUM_07, SUM_14).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brim.summary.facts import FILES, Kind
from brim.summary.telling.fact_lines import BULLET, FILES_TITLE, ROWS, TITLES
from brim.summary.telling.room import Chosen


def section(chosen: Chosen, kind: Kind) -> tuple[str, ...]:
    """The title and the lines of a kind that is no file; empty where there is none of it."""
    lines = chosen.listed(kind)
    return (f"{TITLES[kind]}:", *lines) if lines else ()


def file_section(chosen: Chosen) -> tuple[str, ...]:
    """The title and the rows of the files; empty where there is none."""
    below = f" (paths below {chosen.folder})" if chosen.folder else ""
    rows = [f"{BULLET}{label}: {paths}" for label, kind in ROWS.items() if (paths := chosen.paths(kind))]
    return (f"{FILES_TITLE}{below}:", *rows) if rows else ()


def sections(chosen: Chosen, kinds: Sequence[Kind]) -> Iterator[str]:
    """The sections of these kinds in their order, the files as one where the first of them stands."""
    for kind in kinds:
        if kind not in FILES:
            yield from section(chosen, kind)
        elif kind == FILES[0]:
            yield from file_section(chosen)
