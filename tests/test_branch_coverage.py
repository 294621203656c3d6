"""A package whose coverage falls below what is noted fails the run, and is named with both figures."""

import pytest

from tests.branch_coverage import noted, shortfalls, table

FLOORS = {"engine": (95.0, 99.0), "trigger": (98.2, 99.0)}


@pytest.mark.parametrize(
    ("measured", "lines"),
    [
        ({"engine": (95.0, 99.0), "trigger": (99.0, 99.0)}, []),
        ({"engine": (94.5, 99.0), "trigger": (98.2, 98.5)}, []),
        ({"engine": (94.4, 99.0), "trigger": (98.2, 99.0)}, ["engine, by features: 94.4%, 95.0% is noted"]),
        ({"engine": (95.0, 98.4), "trigger": (98.2, 99.0)}, ["engine, by features and tests: 98.4%, 99.0% is noted"]),
        ({"engine": (95.0, 99.0)}, ["trigger: noted, and not measured"]),
        (FLOORS | {"replay": (50.0, 60.0)}, ["replay: no figure is noted"]),
    ],
    ids=["as noted or above", "as it varies", "below", "below with the tests", "a package is gone", "a package is new"],
)
def test_what_falls_short_is_named(measured, lines):
    """Each package and run that fell, and each package that only one side knows."""
    assert shortfalls(measured, FLOORS) == lines


def test_the_noted_figures_are_read_as_they_are_written():
    """The table of the page and its figures are the same, and it has a row for every package."""
    figures = noted()
    assert {"conversation", "engine", "sessions"} <= figures.keys()
    assert table(figures).count("\n") == len(figures)
