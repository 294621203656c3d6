"""The verdicts of the last run of the rulebook, read from its JUnit file: example by example, by line.

`python -m living.results FILE` ends with 0 where results are of this version and tell of every example, or with 1.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Self
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from living.faults import Fault, Unfit
from steps.rulebook import Scenario, UnreadableFeature, read_features
from steps.verdicts import fingerprint, lines_of

__all__ = ["Outcome", "Results", "Tally", "UnreadableResults", "Verdict", "fingerprint"]

Outcome = Literal["passed", "failed", "skipped", "not run"]
Place = tuple[str, int]

WORST_FIRST: Final[tuple[Outcome, ...]] = ("failed", "not run", "skipped", "passed")
ROOT: Final = Path(__file__).resolve().parents[2]
ELEMENTS: Final[Mapping[str, Outcome]] = {"failure": "failed", "error": "failed", "skipped": "skipped"}
OF_NO_NEWS: Final = re.compile(r"^(?:AssertionError|Failed):(?: |$)|^\[(?:\+\d+ more lines?|truncated); .*\]$")


class UnreadableResults(Unfit):
    """A file that is no JUnit file: its path and line, what was met there, and what cures it."""

    def __init__(self, path: Path, line: int, met: str) -> None:
        super().__init__(Fault(path, line, f"{met}. Run the features again with --junitxml, or remove the file."))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an example came to; `message` is the failure in a line, or the reason of a skip."""

    outcome: Outcome
    message: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """What several examples came to: how many of each outcome, without those that none came to."""

    counts: Mapping[Outcome, int]

    @classmethod
    def together(cls, tallies: Iterable[Tally]) -> Tally:
        """The sum of several."""
        return cls(sum((Counter(one.counts) for one in tallies), Counter[Outcome]()))

    @property
    def worst(self) -> Outcome:
        """The worst of them: failed, not run, skipped, passed, in this order. Of no example at all: not run."""
        return next((outcome for outcome in WORST_FIRST if self.counts.get(outcome)), "not run")

    @property
    def total(self) -> int:
        """How many examples there are."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Results:
    """A run of the rulebook. Results of another tree are kept from view: their lines may be other lines here."""

    version: str = ""
    """The fingerprint of the tree that was run; empty where the file tells none."""

    current: bool = False
    """Whether that is this tree."""

    there: bool = False
    """Whether there is a file at all."""

    verdicts: Mapping[Place, Verdict] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, root: Path = ROOT) -> Self:
        """Read a JUnit file of a run of `root`; without the file, that of no run. Raises UnreadableResults."""
        if not path.exists():
            return cls()
        suite = _parsed(path)
        version = _properties(suite, "./properties/property", "./testsuite/properties/property").get("version", "")
        return cls(version, version == fingerprint(root), there=True, verdicts=_verdicts(suite))

    def verdict(self, feature: str, line: int) -> Verdict:
        """What the example on a line of a feature, such as trigger/overflow, came to in this tree."""
        if self.there and not self.current:
            return Verdict("not run", "the last run was of another version")
        return self.verdicts.get((feature, line), Verdict("not run"))

    def tally(self, feature: str, scenarios: Iterable[Scenario]) -> Tally:
        """What the examples of some scenarios of a feature came to."""
        lines = (line for scenario in scenarios for line in lines_of(scenario))
        return Tally(Counter(self.verdict(feature, line).outcome for line in lines))


def _parsed(path: Path) -> Element:
    try:
        root = ET.parse(path).getroot()  # noqa: S314  it is what our own run wrote
    except ET.ParseError as error:
        raise UnreadableResults(path, error.position[0], f"it is no JUnit file: {error}") from error
    if root.tag not in {"testsuites", "testsuite"}:
        raise UnreadableResults(path, 1, f"it is no JUnit file: it begins with <{root.tag}>")
    return root


def _verdicts(suite: Element) -> dict[Place, Verdict]:
    """The worst that is told of each example: one that breaks twice is told of twice."""
    met: dict[Place, list[Verdict]] = {}
    for case in suite.iter("testcase"):
        told = _properties(case, "./properties/property")
        if "feature" in told and told.get("line", "").isdecimal():
            met.setdefault((told["feature"], int(told["line"])), []).extend(_told(case, told.get("step", "")))
    return {place: min(told, key=_badness) for place, told in met.items()}


def _told(case: Element, step: str) -> Iterator[Verdict]:
    yield Verdict("passed")
    for element in case:
        if element.tag in ELEMENTS:
            words = _first_words(element)
            at = f"{step}: " if step and element.tag == "failure" else ""
            yield Verdict(ELEMENTS[element.tag], f"{at}{words}".removesuffix(": "))


def _first_words(element: Element) -> str:
    lines = f"{element.get('message', '')}\n{element.text or ''}".splitlines()
    return next((words for line in lines if (words := OF_NO_NEWS.sub("", line.strip()))), "")


def _badness(verdict: Verdict) -> tuple[int, str]:
    return WORST_FIRST.index(verdict.outcome), verdict.message


def _properties(element: Element, *paths: str) -> dict[str, str]:
    found = (one for path in paths for one in element.iterfind(path))
    return {one.get("name", ""): one.get("value", "") for one in found}


def is_whole(file: Path, root: Path = ROOT) -> bool:
    """Whether a site can be made from the results in a file, or the features have to run again."""
    try:
        results, features = Results.read(file, root), read_features(root / "features")
    except (UnreadableResults, UnreadableFeature):
        return False
    told = ((one.path.relative_to(root / "features").with_suffix("").as_posix(), one.scenarios) for one in features)
    return results.current and not any(results.tally(*one).counts.get("not run") for one in told)


if __name__ == "__main__":
    sys.exit(not is_whole(Path(sys.argv[1])))
