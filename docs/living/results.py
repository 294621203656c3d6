"""The verdicts of the last run of the rulebook, read from its JUnit file: example by example, by line.

`python -m living.results FILE` ends with 0 where results are of this version and of every example, or with 1.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self
from xml.etree import ElementTree as ET

from sphinx.errors import ExtensionError

from steps.rulebook import Feature, Scenario, UnreadableFeature, read_features
from steps.verdicts import fingerprint, lines_of

ROOT: Final = Path(__file__).resolve().parents[2]
SIGNS: Final = {"failed": "✗", "not run": "○", "skipped": "–", "passed": "✓"}
"""The sign of each outcome, the worst first, so that none is shown by color alone."""
ELEMENTS: Final = {"failure": "failed", "error": "failed", "skipped": "skipped"}
OF_NO_NEWS: Final = re.compile(r"^(?:AssertionError|Failed):(?: |$)|^\[(?:\+\d+ more lines?|truncated); .*\]$")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an example came to; `message` is the failure in a line, or the reason of a skip."""

    outcome: str
    message: str = ""


class Tally(Counter[str]):
    """Counts examples by outcome."""

    @property
    def worst(self) -> str:
        """The worst outcome among them. Of no example at all: not run."""
        return next((outcome for outcome in SIGNS if self[outcome]), "not run")

    def __str__(self) -> str:
        """The worst with its sign: ✓ all 12 examples passed, ✗ 1 of 12 examples failed."""
        number, total = self[self.worst], self.total()
        share = ("all " if total > 1 else "") if number == total else f"{number:,} of "
        return f"{SIGNS[self.worst]} {share}{total:,} example{'' if total == 1 else 's'} {self.worst}"


@dataclass(frozen=True, slots=True)
class Results:
    """A run of the rulebook. Results of another tree are kept from view: their lines may be other lines here."""

    version: str = ""
    """The fingerprint of the tree that was run; empty without one."""

    current: bool = False
    """Whether that is this tree."""

    verdicts: Mapping[tuple[str, int], Verdict] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, root: Path = ROOT) -> Self:
        """Read a JUnit file of a run of `root`; without the file, that of no run. Raises ExtensionError."""
        if not path.exists():
            return cls()
        try:
            suite = ET.parse(path).getroot()  # noqa: S314  it is what our own run wrote
        except ET.ParseError as error:
            raise ExtensionError(f"{path}: no JUnit file: {error}. Run the features again, or remove it.") from error
        version = next((one.get("value", "") for one in suite.iter("property") if one.get("name") == "version"), "")
        return cls(version, version == fingerprint(root), verdicts=_verdicts(suite))

    def verdict(self, feature: str, line: int) -> Verdict:
        """What the example on a line of a feature, such as trigger/overflow, came to in this tree."""
        return (self.verdicts if self.current else {}).get((feature, line), Verdict("not run"))

    def tally(self, feature: str, scenarios: Iterable[Scenario]) -> Tally:
        """What the examples of some scenarios of a feature came to."""
        return Tally(self.verdict(feature, line).outcome for one in scenarios for line in lines_of(one))

    def tally_of(self, features: Iterable[Feature]) -> Tally:
        """What all examples of some features came to."""
        tallies = (self.tally(name_of(one), one.scenarios) for one in features)
        return Tally(outcome for one in tallies for outcome in one.elements())


def name_of(feature: Feature) -> str:
    """The name of a feature: its package and its own."""
    return f"{feature.path.parent.name}/{feature.path.stem}"


def _verdicts(suite: ET.Element) -> dict[tuple[str, int], Verdict]:
    """The worst that the file has of each example: one that breaks twice stands in it twice."""
    met: dict[tuple[str, int], list[Verdict]] = {}
    for case in suite.iter("testcase"):
        properties = {one.get("name"): one.get("value", "") for one in case.iter("property")}
        if properties.get("feature") and properties.get("line", "").isdecimal():
            met.setdefault((properties["feature"], int(properties["line"])), []).extend(
                _of_case(case, properties.get("step", ""))
            )
    ranked = list(SIGNS)
    return {place: min(all_, key=lambda one: (ranked.index(one.outcome), one.message)) for place, all_ in met.items()}


def _of_case(case: ET.Element, step: str) -> Iterator[Verdict]:
    yield Verdict("passed")
    for element in case:
        if element.tag in ELEMENTS:
            lines = f"{element.get('message', '')}\n{element.text or ''}".splitlines()
            words = next((news for line in lines if (news := OF_NO_NEWS.sub("", line.strip()))), "")
            at = f"{step}: " if step and element.tag == "failure" else ""
            yield Verdict(ELEMENTS[element.tag], f"{at}{words}".removesuffix(": "))


def is_whole(file: Path, root: Path = ROOT) -> bool:
    """Whether a site can be made from the results in a file, or the features have to run again."""
    try:
        results, features = Results.read(file, root), read_features(root / "features")
    except (ExtensionError, UnreadableFeature):
        return False
    return results.current and not results.tally_of(features)["not run"]


if __name__ == "__main__":
    sys.exit(not is_whole(Path(sys.argv[1])))
