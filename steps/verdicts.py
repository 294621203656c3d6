"""What a run of the rulebook tells: a closing line, and in the JUnit file which example came to what, in which tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from _pytest.junitxml import xml_key  # where pytest keeps the writer of the file; workers have none

from steps.rulebook import Scenario

ROOT = Path(__file__).parent.parent
WORST_FIRST = ("failed", "skipped", "passed")
MADE_ON_THE_WAY = ("__pycache__", ".egg-info")


@cache
def version_at_the_start() -> str:
    """The version of this tree when it was asked for first, which is before a step is imported."""
    return fingerprint(ROOT)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The JUnit file says of which tree it is, where that was the same from the first import to the last example.

    What another program came to says nothing of this tree.
    """
    report = session.config.stash.get(xml_key, None)
    if report is None or session.config.getoption("--implementation", None):
        return
    if version_at_the_start() == fingerprint(ROOT):
        report.add_global_property("version", version_at_the_start())


def fingerprint(root: Path) -> str:
    """The version of a tree: a SHA-256, in hex, over what a verdict rests on, which is its features, steps and src."""
    version = sha256()
    for path in sorted(_counted(root)):
        content = path.read_bytes()
        version.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        version.update(content)
    return version.hexdigest()


def lines_of(scenario: Scenario) -> tuple[int, ...]:
    """Where its examples stand in the feature file: the lines of its rows, or its own."""
    rows = tuple(line for table in scenario.tables for line, _ in table.rows)
    return rows if scenario.outline else (scenario.line,)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Close with one line, where any example ran."""
    reports = list(_reports(terminalreporter))
    if reports:
        program = config.getoption("--implementation", default=None)
        terminalreporter.write_line("")
        terminalreporter.write_line(closing_line(reports, program))


def closing_line(reports: list[pytest.TestReport], program: str | None) -> str:
    """The line itself. An example has the worst verdict of its phases; an unknown operation is counted by name."""
    told = [{name: str(value) for name, value in report.user_properties} for report in reports]
    rooms = {one["feature"].split("/")[0] for one in told}
    sentences = {(one["feature"], one["rule"]) for one in told}
    rules = {rule for one in told for rule in one["ids"].split()}
    verdicts = Counter(_verdicts(reports).values())
    unknown = {one.nodeid for one in reports if one.skipped and "unknown operation" in str(one.longrepr)}
    return (
        f"brim rulebook{f' against {program}' if program else ''}: "
        f"{_count(len(rooms), 'package')}, {_count(len(rules), 'rule')} in {_count(len(sentences), 'sentence')}, "
        f"{_count(verdicts.total(), 'example')}: "
        f"{verdicts['passed']} passed, {verdicts['failed']} failed, {verdicts['skipped']} skipped"
        f"{f' ({len(unknown)} for unknown operations)' if program else ''}"
    )


def _counted(root: Path) -> Iterator[Path]:
    for folder in ("features", "steps", "src"):
        for path in (root / folder).rglob("*"):
            parts = path.relative_to(root).parts
            if path.is_file() and not any(part.startswith(".") or part.endswith(MADE_ON_THE_WAY) for part in parts):
                yield path


def _reports(reporter: pytest.TerminalReporter) -> Iterator[pytest.TestReport]:
    for reports in reporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport) and "rule" in dict(report.user_properties):
                yield report


def _verdicts(reports: list[pytest.TestReport]) -> dict[str, str]:
    verdicts: dict[str, str] = {}
    for report in reports:
        verdicts[report.nodeid] = min(report.outcome, verdicts.get(report.nodeid, "passed"), key=WORST_FIRST.index)
    return verdicts


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
