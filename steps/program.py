"""A program that answers operations in place of brim: started, asked and ended over lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any

from steps.process import GRACE_S, ProgramFault, Running, readable, shown

PATIENCE_S = 10.0
"""Seconds that an answer may take."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An answer that is no output: its kind and its message."""

    kind: str
    message: str


class Program:
    """A command that is started when first asked, and again after it went wrong."""

    def __init__(self, command: Sequence[str], *, patience_s: float = PATIENCE_S) -> None:
        self.command = command
        self.patience_s = patience_s
        self._numbers = count(1)
        self._running: Running | None = None
        self.exchanged = ""
        """The last request, and the answer if one came: a line each, behind an arrow."""

    def ask(self, operation: str, given: Any) -> Any:
        """The program's output, or the Problem that it answers with. Raises ProgramFault; the next ask starts anew."""
        number = next(self._numbers)
        request = json.dumps({"id": number, "operation": operation, "input": given})
        self.exchanged = f"→ {request}"
        self._running = self._running or Running(self.command)
        try:
            said = self._running.exchange(request.encode() + b"\n", self.patience_s)
            self.exchanged += f"\n← {readable(said)}"
            return read_answer(said, number)
        except ProgramFault as fault:
            last_words = self._running.stop()
            self._running = None
            raise ProgramFault(_report(fault, last_words)) from None

    def close(self) -> None:
        """End it: first by asking nothing more, then by force."""
        if self._running is not None:
            self._running.leave(GRACE_S)
            self._running = None


def read_answer(line: bytes, asked: int) -> Any:
    """The output or the Problem that an answer holds. Raises ProgramFault for what is no answer to the request.

    An error of null counts as missing, and so does an output of null beside an error.
    """
    try:
        told = json.loads(line.decode(), parse_float=Decimal)
    except (RecursionError, ValueError) as error:
        raise ProgramFault(f"answered with what is no line of JSON: {shown(line)}") from error
    if not isinstance(told, dict) or (told.get("error") is None and "output" not in told):
        raise ProgramFault(f"answered with neither an output nor an error: {shown(line)}")
    if told.get("error") is not None and told.get("output") is not None:
        raise ProgramFault(f"answered with both an output and an error: {shown(line)}")
    if told.get("id") != asked or isinstance(told.get("id"), bool):
        raise ProgramFault(f"answered another request than the one with the id {asked}: {shown(line)}")
    return told["output"] if told.get("error") is None else _read_problem(told["error"], line)


def _read_problem(error: Any, line: bytes) -> Problem:
    match error:
        case {"kind": "refused" | "invalid_input" | "unknown_operation" as kind, "message": str(message)}:
            return Problem(kind, message)
        case {"kind": "internal_error", "message": str(message)}:
            raise ProgramFault(f"met a fault of its own: {message}")
    raise ProgramFault(f"answered with an error of no known kind, or without a message: {shown(line)}")


def _report(fault: ProgramFault, complaints: list[str]) -> str:
    lines = [f"the implementation {fault}"]
    if complaints:
        lines += ["the last it wrote to stderr:", *(f"  {line}" for line in complaints)]
    return "\n".join(lines)
