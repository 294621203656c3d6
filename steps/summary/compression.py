"""Steps of features/summary/compression.feature."""

from __future__ import annotations

from decimal import Decimal

from pytest_bdd import parsers, when

from steps.worlds.values import count


@when(parsers.re("a compaction of (?P<before>[-0-9,]+) tokens leaves (?P<after>[-0-9,]+)"), target_fixture="outcome")
def work_out(implementation, before, after):
    """Its ratio to nine places, since another implementation may compute it in binary fractions."""
    answer = implementation("compression", before=count(before), after=count(after))
    if not isinstance(answer, dict):
        return answer
    return answer | {"ratio": round(Decimal(str(answer["ratio"])), 9).normalize()}
