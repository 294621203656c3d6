"""`python -m living.whole FILE` ends with 0 where results are of this version and tell of every example, or with 1."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from living.results import Results, UnreadableResults
from steps.rulebook import UnreadableFeature, read_features
from steps.verdicts import lines_of

ROOT = Path(__file__).resolve().parents[2]


def is_whole(file: Path, root: Path = ROOT) -> bool:
    """Whether a site can be made from the results in a file, or the features have to run again."""
    try:
        results = Results.read(file, root)
        return results.current and all(place in results.verdicts for place in _places(root / "features"))
    except (UnreadableResults, UnreadableFeature):
        return False


def _places(folder: Path) -> Iterator[tuple[str, int]]:
    for feature in read_features(folder):
        name = feature.path.relative_to(folder).with_suffix("").as_posix()
        yield from ((name, line) for scenario in feature.scenarios for line in lines_of(scenario))


if __name__ == "__main__":
    sys.exit(not is_whole(Path(sys.argv[1])))
