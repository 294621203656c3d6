"""Figures: seconds of ways to do the same, measured in turn, so that whatever else runs disturbs all alike."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, TypeAlias

Prepared: TypeAlias = Callable[[], Callable[[], Any]]
"""Prepares a run, which is not counted, and returns what is."""
REQUEST, COMPACTION, REAL = "a request", "a compaction", "a compaction of a real session"
"""What has a table or a chart of its own."""
ROUNDS: Final = 5
LONGEST: Final = 12.0
"""Seconds after which no further round begins."""
SHORT: Final = 0.05
"""Seconds that a way has in a round: what is quick is run more than once."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Seconds of one way to do something."""

    what: str
    """What is done, such as a compaction."""
    size: str
    """On how much: messages, or the name of a session."""
    way: str
    """By what: a way of brim, a peer, or `limit`, the plainest work on the same bytes."""
    seconds: float


def in_turns(
    what: str, size: str, ways: Mapping[str, Prepared], rounds: int = ROUNDS, longest: float = LONGEST
) -> list[Figure]:
    """Measure each way in each round; the fastest run of each counts."""
    best, begun = dict.fromkeys(ways, float("inf")), perf_counter()
    for _ in range(rounds):
        for way, prepare in ways.items():
            gc.collect()
            started = perf_counter()
            while perf_counter() - started < SHORT:
                best[way] = min(best[way], once(prepare()))
        if perf_counter() - begun > longest:
            break
    return [Figure(what, size, way, seconds) for way, seconds in best.items()]


def same(run: Callable[[], Any]) -> Prepared:
    """Prepare nothing."""
    return lambda: run


def once(run: Callable[[], Any]) -> float:
    """Return the seconds of one run."""
    begun = perf_counter()
    run()
    return perf_counter() - begun


def written(seconds: float) -> str:
    """Write seconds with two significant digits, in the unit that fits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_digits(seconds / size)} {unit}"
    return f"{_digits(seconds * 1e6)} µs"


def _digits(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def pivoted(figures: Sequence[Figure], head: str = "") -> Iterator[tuple[str, ...]]:
    """Yield the lines of a table of one thing: a row for each size, a column for each way."""
    ways = [*dict.fromkeys(one.way for one in figures)]
    yield (head, *ways)
    for size in dict.fromkeys(one.size for one in figures):
        row = {one.way: one.seconds for one in figures if one.size == size}
        yield (size, *(written(row[way]) if way in row else "" for way in ways))


def beside(figures: Sequence[Figure]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a table of many things, each with the plainest work on the same bytes, and how many times.

    Of a thing that is measured with several sizes the least and the largest have lines.
    """
    yield ("what", "brim", "the plainest work", "", "times")
    sizes: dict[str, list[str]] = {}
    for one in figures:
        sizes.setdefault(one.what, []).append(one.size)
    for what, size in dict.fromkeys((what, at) for what, ones in sizes.items() for at in (ones[0], ones[-1])):
        here = [one for one in figures if (one.what, one.size) == (what, size)]
        (limit,) = (one for one in here if one.way.startswith("limit"))
        for one in here:
            if one is not limit:
                name = f"{what}{f', {size}' if size else ''}{f': {one.way}' if one.way != 'brim' else ''}"
                times = one.seconds / limit.seconds
                yield (
                    name,
                    written(one.seconds),
                    limit.way.removeprefix("limit: "),
                    written(limit.seconds),
                    f"{times:.{1 if times >= 0.1 else 2}f}",
                )
