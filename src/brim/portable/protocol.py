"""The protocol of the portable rulebook: a request on a line of JSON, and an answer on a line of JSON.

```
→ {"id": 1, "operation": "usable_context", "input": {"context_window": 200000, "max_output_tokens": 8192}}
← {"id": 1, "output": 191808}
← {"id": 2, "error": {"kind": "refused", "message": "…"}}
```
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from typing import BinaryIO, Never

from pydantic import Field, ValidationError

from brim.errors import BrimError, InvalidInput, Refused
from brim.portable.operation import Input, Json, UnknownOperation, first_fault
from brim.portable.operations import perform

KINDS = {
    "refused": "A rule refuses it: part of the specification, as good an answer as an output.",
    "invalid_input": "It is not of the operation's form, or the line is no request.",
    "unknown_operation": "The program does not have the operation: the scenarios that need it are skipped.",
    "internal_error": "The program itself is at fault: the scenario fails with the message.",
}
"""The kinds of error, and what each means to the one who asked."""


class OperationRequest(Input):
    """What is asked for on a line."""

    id: int | str = Field(description="The answer bears it.")
    operation: str = Field(description="The name of the operation.")
    input: dict[str, Json] = Field(description="Of the operation's form.")


def serve(stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
    """Answer every line of `stdin` with one on `stdout`, until the lines end or nobody reads the answers."""
    requests = sys.stdin.buffer if stdin is None else stdin
    answers = sys.stdout.buffer if stdout is None else stdout
    try:
        for line in requests:
            answers.write(answer(line))
            answers.flush()
    except BrokenPipeError:
        _forget(answers)


def answer(line: bytes) -> bytes:
    """The answer to one line, which may be anything; never raises. Other than ASCII is escaped."""
    given: Json = None
    try:
        given = _parse(line)
        request = _request(given)
        return _line(given, output=perform(request.operation, request.input))
    except BrimError as error:
        return _line(given, error={"kind": _kind(error), "message": " ".join(str(error).split())})
    except Exception as error:  # noqa: BLE001  a fault of one operation must not end the others
        traceback.print_exc()
        return _line(given, error={"kind": "internal_error", "message": f"{type(error).__name__}: {error}"})


def main() -> None:
    """Serve standard input to standard output."""
    serve()


def _line(given: Json, **told: Json) -> bytes:
    return json.dumps({"id": _id(given), **told}, allow_nan=False).encode() + b"\n"


def _parse(line: bytes) -> Json:
    try:
        return json.loads(line.decode(), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the line is not UTF-8 ({error}); write JSON in UTF-8") from error
    except RecursionError as error:
        raise InvalidInput("the line is nested too deeply; write a flatter input") from error
    except ValueError as error:
        raise InvalidInput(f"the line is no JSON ({error}); write one JSON object on one line") from error


def _no_number(name: str) -> Never:
    raise ValueError(f"{name} is no number of JSON")


def _request(given: Json) -> OperationRequest:
    try:
        return OperationRequest.model_validate(given)
    except ValidationError as error:
        reason = first_fault(error, given, OperationRequest)
        raise InvalidInput(f'{reason}; a request is {{"id": …, "operation": …, "input": {{…}}}}') from error


def _id(given: Json) -> int | str | None:
    found = given.get("id") if isinstance(given, dict) else None
    return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None


def _kind(error: BrimError) -> str:
    match error:
        case UnknownOperation():
            return "unknown_operation"
        case Refused():
            return "refused"
        case _:
            return "invalid_input"


def _forget(stream: BinaryIO) -> None:
    """Nobody reads any more: what is left in the buffer goes nowhere, so that the interpreter can end in peace."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


if __name__ == "__main__":
    main()
