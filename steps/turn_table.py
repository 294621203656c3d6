"""Turns as a table: a line is a response, and one with words of the user begins a turn.

| user | agent | tool | on | in | went | prints |, of which a table has those that it needs. "(600 characters)" in a
cell stands for so many; "insert a.py" for what an editor does on a file; "a.py to b.py" for a move; "1
completed" for a task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from brim.conversation.turns import Response, ToolUse, Turn

Row = dict[str, str]

INPUTS = {
    "Bash": "command",
    "WebFetch": "url",
    "Grep": "pattern",
    "Task": "description",
    "apply_patch": "patch",
    "TaskCreate": "subject",
}
"""The field that a tool's input names its subject in; a file's path for the rest."""
EDITORS = {"str_replace_editor": "create", "file_editor": "view", "text_editor": "write"}
"""Editors whose input calls their own act a command, and what they do unless a cell says so."""
RESULTS = {"well": True, "badly": False, "unanswered": None}
MARK = "checkpoint"


def read_turns(table: Sequence[Sequence[str]]) -> tuple[Turn, ...]:
    """The turns of a table, its first line the columns."""
    columns, *lines = table
    rows = [dict(zip(columns, line, strict=True)) for line in lines]
    return tuple(_turn(index, group) for index, group in enumerate(_groups(rows)))


def portable_turn(request: str, uses: Sequence[ToolUse], answer: str) -> dict[str, Any]:
    """A turn in the form of the portable operations; only the last uses may be unanswered."""
    return {
        "user_message": request,
        "tool_calls": [{"tool": use.name, "input": dict(use.input)} for use in uses],
        "tool_results": [{"success": use.succeeded, "output": use.output} for use in uses if use.succeeded is not None],
        "assistant_response": answer,
    }


def _groups(rows: Sequence[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    for row in rows:
        if row.get("user") and group:
            yield group
            group = []
        group.append(row)
    yield group


def _turn(index: int, rows: Sequence[Row]) -> Turn:
    responses = tuple(_response(row) for row in rows if row.get("agent") or row.get("tool"))
    marked = any(row.get("mark") == MARK for row in rows)
    return Turn(index, index, index + 1, read_text(rows[0].get("user", "")), responses, marked)


def _response(row: Row) -> Response:
    return Response(read_text(row.get("agent", "")), (_use(row),) if row.get("tool") else ())


def _use(row: Row) -> ToolUse:
    given: dict[str, Any] = {INPUTS.get(row["tool"], "file_path"): read_text(row["on"])}
    if row.get("in"):
        given["workdir"] = row["in"]
    if row["tool"] in EDITORS:
        *act, path = row["on"].split(" ", 1)
        given = {"command": act[0] if act else EDITORS[row["tool"]], "path": path}
    if row["tool"] == "TaskUpdate":
        given = dict(zip(("taskId", "status"), row["on"].split(), strict=True))
    if row["tool"].endswith("move_file"):
        given = dict(zip(("source", "destination"), row["on"].split(" to "), strict=True))
    if row["tool"] == "TodoWrite":
        given = {"todos": [{"content": read_text(row["on"]), "status": "pending"}]}
    return ToolUse(read_text(row["tool"]), given, read_text(row.get("prints", "")), RESULTS[row.get("went") or "well"])


def read_text(cell: str) -> str:
    r"""Return what a cell stands for: a line break for \n, 600 letters for "(600 characters)", a text so often."""
    cell = re.sub(r"\(([\d,]+) × ([^)]*)\)", lambda found: found[2] * int(found[1].replace(",", "")), cell)
    filled = re.sub(r"\(([\d,]+) characters\)", lambda found: "x" * int(found[1].replace(",", "")), cell)
    return filled.replace("\\n", "\n")
