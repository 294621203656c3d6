"""The decisions: which there are, on which rules, and whether their page tells of each."""

from pathlib import Path

from living.origins.decided import decisions

ROOT = Path(__file__).parents[2]


def test_every_decision_is_numbered_as_its_file():
    """The number of a title is that of the file, and no number is given twice."""
    every = decisions(ROOT)
    assert all(one.path.name.startswith(f"{one.number}-") for one in every)
    assert len({one.number for one in every}) == len(every)
