"""The protocol of the portable rulebook: a request on a line of JSON, and an answer on a line of JSON.

```
→ {"id": 1, "operation": "usable_context", "input": {"context_window": 200000, "max_output_tokens": 8192}}
← {"id": 1, "output": 191808}
← {"id": 2, "error": {"kind": "refused", "message": "…"}}
```
"""

from __future__ import annotations

import json
import sys
import traceback
from typing import BinaryIO

from pydantic import Field, ValidationError
from pydantic_core import from_json

from brim.errors import BrimError, Refused, faults_of
from brim.portable.operation import Input, Json, UnknownOperation
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
    """Answer every line of `stdin` with one on `stdout`. Raises BrokenPipeError once nobody reads the answers."""
    answers = stdout or sys.stdout.buffer
    for line in stdin or sys.stdin.buffer:
        answers.write(answer(line))
        answers.flush()


def answer(line: bytes) -> bytes:
    """Return the answer to one line, which may be anything; never raises. Other than ASCII is escaped."""
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        return _failed(None, "invalid_input", f"the line is no JSON ({error}); write one JSON object on one line")
    try:
        request = OperationRequest.model_validate(value)
        return _line(value, output=perform(request.operation, request.input))
    except ValidationError as error:
        form = '{"id": …, "operation": …, "input": {…}}'
        return _failed(value, "invalid_input", f"{faults_of(error)}; a request is {form}")
    except BrimError as error:
        unknown = "unknown_operation" if isinstance(error, UnknownOperation) else "invalid_input"
        kind = "refused" if isinstance(error, Refused) else unknown
        return _failed(value, kind, str(error))
    except Exception as error:  # noqa: BLE001  a fault of one operation must not end the others
        traceback.print_exc()
        return _failed(value, "internal_error", f"{type(error).__name__}: {error}")


def _failed(value: Json, kind: str, message: str) -> bytes:
    return _line(value, error={"kind": kind, "message": " ".join(message.split())})


def _line(value: Json, **fields: Json) -> bytes:
    name = value.get("id") if isinstance(value, dict) else None
    known = isinstance(name, (int, str)) and not isinstance(name, bool)
    return json.dumps({"id": name if known else None, **fields}).encode() + b"\n"
