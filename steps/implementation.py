"""The implementation that portable features test: brim's own functions unless a program is named."""

from __future__ import annotations

import json
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from brim.errors import InvalidInput, Refused
from brim.portable import operations
from brim.portable.operation import plain_number
from steps.process import ProgramFault
from steps.program import Problem, Program

__all__ = ["implementation", "portable_program", "pytest_addoption"]

OPTION = "--implementation"

UNKNOWN = "unknown operation: "
"""How a skipped scenario's reason begins where the program does not have the operation."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no output: a rule refuses the request, or it is not of the operation's form."""

    kind: str
    message: str


def perform_directly(name: str, /, **given: Any) -> Any:
    """Brim's own answer to an operation, through the text of JSON, so that no step can tell it from a program's."""
    try:
        return _through_text(operations.perform(name, given))
    except Refused as error:
        return Refusal("refused", str(error))
    except InvalidInput as error:
        return Refusal("invalid_input", str(error))


def perform_by(program: Program, note: Callable[[str], object], name: str, /, **given: Any) -> Any:
    """A program's answer to an operation; what it does not know is skipped, and what is no answer fails.

    `note` gets the request and the answer, a line each.
    """
    __tracebackhide__ = True
    try:
        answer = program.ask(name, json.loads(json.dumps(given, default=plain_number)))
    except ProgramFault as fault:
        pytest.fail(str(fault), pytrace=False)
    finally:
        note(program.exchanged)
    if not isinstance(answer, Problem):
        return answer
    if answer.kind == "unknown_operation":
        pytest.skip(f"{UNKNOWN}{name}")
    return Refusal(answer.kind, answer.message)


@pytest.fixture(scope="session")
def portable_program(pytestconfig: pytest.Config) -> Iterator[Program | None]:
    """The program that was named on the command line, for the whole run; None where none was."""
    command = named_command(pytestconfig)
    if command is None:
        yield None
        return
    program = Program(command)
    yield program
    program.close()


@pytest.fixture
def implementation(portable_program: Program | None, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Perform an operation by name, with its input as keywords: its output in plain JSON values, or a Refusal.

    What a program is asked and answers is a section of the report: shown if the example fails, or with -rP.
    """
    if portable_program is None:
        return perform_directly
    return partial(perform_by, portable_program, partial(request.node.add_report_section, "call", "exchange"))


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """The option, and what follows from it."""
    note = "hold the portable features against this program, which answers operations on lines of JSON"
    parser.addoption(OPTION, metavar="COMMAND", default=None, help=note)
    pluginmanager.register(PortableRun(), "brim-portable-run")


class PortableRun:
    """A run against a program: nothing but portable scenarios, and a word on what the program does not know."""

    def pytest_configure(self, config: pytest.Config) -> None:
        """A command that cannot be started is wrong usage."""
        named_command(config)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what speaks of brim alone."""
        if named_command(config) is None:
            return
        left_out = [item for item in items if item.get_closest_marker("portable") is None]
        items[:] = [item for item in items if item.get_closest_marker("portable") is not None]
        config.hook.pytest_deselected(items=left_out)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the operations that the program does not know, each with the number of examples that wanted it."""
        if unknown := unknown_operations(terminalreporter.stats.get("skipped", [])):
            names = ", ".join(f"{name} ({number})" for name, number in sorted(unknown.items()))
            terminalreporter.write_line("")
            terminalreporter.write_line(f"the implementation does not know {len(unknown)} of the operations: {names}")


def unknown_operations(reports: list[pytest.TestReport]) -> Counter[str]:
    """The operations that a program did not know, each with the number of examples skipped for it."""
    reasons = (report.longrepr[2] for report in reports if isinstance(report.longrepr, tuple))
    return Counter(reason.partition(UNKNOWN)[2] for reason in reasons if UNKNOWN in reason)


def named_command(config: pytest.Config) -> list[str] | None:
    """The command that was named, in words; None where none was. Raises UsageError where it cannot be started."""
    text = config.getoption(OPTION, default=None)
    if text is None:
        return None
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise pytest.UsageError(f"{OPTION}: {error} in {text!r}") from error
    if not words or shutil.which(words[0]) is None:
        raise pytest.UsageError(f"{OPTION}: there is no program {words[0] if words else text!r} to start")
    return words


def _through_text(value: Any) -> Any:
    return json.loads(json.dumps(value), parse_float=Decimal)
