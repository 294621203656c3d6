"""Counts in words, as the features of the loop speak of them: twice, 2 requests, no summary."""

from __future__ import annotations

from parse import with_pattern

TIMES = {"never": 0, "once": 1, "twice": 2}


@with_pattern("|".join(TIMES))
def times(text: str) -> int:
    """How often: never, once, twice."""
    return TIMES[text]


def _count(text: str) -> int:
    number = text.split(" ", maxsplit=1)[0]
    return 0 if number == "no" else int(number)


@with_pattern(r"(?:no|\d+) requests?")
def requests(text: str) -> int:
    """So many requests: 1 request."""
    return _count(text)


@with_pattern(r"(?:no|\d+) summar(?:y|ies)")
def summaries(text: str) -> int:
    """So many summaries: no summary."""
    return _count(text)


TERMS = {"Times": times, "Requests": requests, "Summaries": summaries}
