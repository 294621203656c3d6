"""Coverage of each package by the features, and by the features and tests together.

`python -m tests.branch_coverage FOLDER` reads what `make coverage` measured, prints a table, and exits with 1 where a
package is more than half a point below its figure in tests/coverage.txt. With `--note` (`make coverage NOTE=--note`)
it writes the new figures there instead.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).parents[1]
NOTED = ROOT / "tests" / "coverage.txt"
RUNS = {"features": ("features",), "features and tests": ("features", "tests")}
"""The columns of the table: the runs whose data are joined."""
HEAD = "| package | features | features and tests |\n| --- | --- | --- |\n"
TABLE = re.compile(rf"(?<={re.escape(HEAD)})(?:\|.*\n)+")
"""The noted figures. `.ci/run` measures those of the features alone."""

VARIES = 0.5
"""Points by which a figure varies from run to run: threads meet in another order, killed processes end elsewhere."""

Figures = dict[str, tuple[float, ...]]
"""Percent of lines and branches by package, one figure a run, floored to a tenth."""


def measured(folder: Path) -> Figures:
    """The figures of a run of `make coverage` that left its data in this folder."""
    by_run = [_percent(folder, runs, name.replace(" ", "-")) for name, runs in RUNS.items() if _is_there(folder, runs)]
    return {package: tuple(one[package] for one in by_run) for package in sorted(by_run[0])}


def noted() -> Figures:
    """The figures in tests/coverage.txt."""
    found = TABLE.search(NOTED.read_text(encoding="utf-8"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[0].splitlines()] if found else []
    return {name: tuple(float(cell.rstrip("%")) for cell in cells) for name, *cells in rows}


def table(figures: Figures) -> str:
    """The rows of the table, as tests/coverage.txt has them."""
    return "".join(f"| {name} | {' | '.join(f'{one}%' for one in cells)} |\n" for name, cells in figures.items())


def shortfalls(figures: Figures, floors: Figures) -> list[str]:
    """A line for each package whose coverage fell, or that has no noted figure."""
    lines = [f"{name}: no figure is noted" for name in figures.keys() - floors.keys()]
    lines += [f"{name}: noted, and not measured" for name in floors.keys() - figures.keys()]
    for name in figures.keys() & floors.keys():
        for run, now, floor in zip(RUNS, figures[name], floors[name], strict=False):
            lines += [f"{name}, by {run}: {now}%, {floor}% is noted"] if now < floor - VARIES else []
    return sorted(lines)


def _is_there(folder: Path, runs: tuple[str, ...]) -> bool:
    return all(any(folder.glob(f"{run}.*")) for run in runs)


def _percent(folder: Path, runs: tuple[str, ...], name: str) -> dict[str, float]:
    joined = Coverage(data_file=str(folder / f"joined-{name}"))
    joined.combine([str(path) for run in runs for path in folder.glob(f"{run}.*")], strict=True, keep=True)
    report = folder / f"report-{name}.json"
    joined.json_report(outfile=str(report))
    covered, all_of_it = Counter[str](), Counter[str]()
    for path, file in json.loads(report.read_text(encoding="utf-8"))["files"].items():
        summary, package = file["summary"], _package(path)
        covered[package] += summary["covered_lines"] + summary["covered_branches"]
        all_of_it[package] += summary["num_statements"] + summary["num_branches"]
    return {one: int(Fraction(1_000 * covered[one], all_of_it[one])) / 10 for one in all_of_it if all_of_it[one]}


def _package(path: str) -> str:
    """The package below brim that a file belongs to; modules beside the packages count as `brim` itself."""
    inside = Path(path).parts[Path(path).parts.index("brim") + 1 :]
    return inside[0] if len(inside) > 1 else "brim"


def main(folder: Path, *, note: bool) -> None:
    """Print the figures, and compare them with the noted ones or note them."""
    figures = measured(folder)
    columns = [*RUNS][: len(next(iter(figures.values())))]
    print(f"| package | {' | '.join(columns)} |\n{table(figures)}", end="")
    if note and len(columns) < len(RUNS):
        sys.exit("to note the figures, measure both the features and the tests")
    if note:
        text = NOTED.read_text(encoding="utf-8")
        NOTED.write_text(TABLE.sub(lambda _: table(figures), text), encoding="utf-8")
    elif fallen := shortfalls(figures, noted()):
        sys.exit("\n".join(fallen))


if __name__ == "__main__":
    main(Path(sys.argv[1]), note="--note" in sys.argv)
