"""Build status: whether the tests passed the last time an output told.

Specified by features/summary/build_status.feature (SUM_07).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from brim.selection.test_reports import test_outcome

BuildStatus: TypeAlias = Literal["passing", "failing", "unknown"]


def build_status(outputs: Sequence[str]) -> BuildStatus:
    """The verdict of the last output that tells of tests; unknown where none does. Outputs in the order of time."""
    for output in reversed(outputs):
        told = test_outcome(output)
        if told:
            return told
    return "unknown"
