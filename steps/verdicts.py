"""The closing line of a run of the rulebook: how many rooms, rules and examples ran, and what they came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

WORST_FIRST = ("failed", "skipped", "passed")


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
    told = [dict(report.user_properties) for report in reports]
    rooms = {one["feature"].split("/")[0] for one in told}
    rules = {(one["feature"], one["rule"]) for one in told}
    verdicts = Counter(_verdicts(reports).values())
    unknown = {one.nodeid for one in reports if one.skipped and "unknown operation" in str(one.longrepr)}
    return (
        f"brim rulebook{f' against {program}' if program else ''}: "
        f"{_count(len(rooms), 'room')}, {_count(len(rules), 'rule')}, {_count(verdicts.total(), 'example')}: "
        f"{verdicts['passed']} passed, {verdicts['failed']} failed, {verdicts['skipped']} skipped"
        f"{f' ({len(unknown)} for unknown operations)' if program else ''}"
    )


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
