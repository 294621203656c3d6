"""Conversations as tables: a row for each message, and only the columns that a rule needs.

| column   | a cell of it                                                                        |
| -------- | ----------------------------------------------------------------------------------- |
| speaker  | user, assistant, system, or tool (the user's side, where results stand)               |
| thinks   | a thinking block                                                                    |
| says     | a text                                                                              |
| calls    | ids of tool calls: A, B; with the tool's name where it matters: A Edit              |
| asks     | ids of calls of a tool that the provider runs                                       |
| answers  | ids of the calls that results answer well                                           |
| fails    | ids of the calls that results answer with an error                                  |
| output   | what these results say                                                              |
| tokens   | how long the text or the results of the message are, at four characters a token      |
| holds    | kinds of other blocks: image, document, compaction, or one that nobody knows          |
| mark     | synthetic, pinned, summary, checkpoint                                              |
| response | the id of the API response that the message is part of                              |

The parts of a message stand in the order of the columns. A row without any holds a text, unless `says` is a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from brim.conversation.messages import PLAIN, Marks, Message, Part, Text, Thinking, ToolCall, ToolResult, read_message

TOOL = "Bash"
WORDS = "Words that do not matter."
OUTPUT = "What the tool answered."
ROLES = {"user": "user", "tool": "user", "assistant": "assistant", "system": "system"}
HELD = {"compaction": "compaction_marker", "sub-task": "subtask", "hidden thinking": "redacted_thinking"}
"""What blocks are called in a table, where that is not the name of their type."""

Row = Mapping[str, str]


def read_table(table: Sequence[Sequence[str]]) -> tuple[Message, ...]:
    """The conversation of a table, its first line the columns."""
    return tuple(read_message(raw, marks) for raw, marks in zip(raw_messages(table), _marks(table), strict=True))


def raw_messages(table: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """The same as plain message dictionaries."""
    return [{"role": ROLES[row["speaker"]], "content": _blocks(row)} for row in _rows(table)]


def write_table(messages: Iterable[Message], columns: Sequence[str]) -> list[list[str]]:
    """A conversation as a table of these columns, the first line the columns themselves."""
    return [list(columns), *([_cell(message, column) for column in columns] for message in messages)]


def names(cell: str) -> list[str]:
    """The items of a cell: A, B."""
    return [name.strip() for name in cell.split(",") if name.strip()]


def _rows(table: Sequence[Sequence[str]]) -> list[Row]:
    columns, *lines = table
    return [dict(zip(columns, line, strict=True)) for line in lines]


def _marks(table: Sequence[Sequence[str]]) -> list[Marks]:
    return [_mark(row) for row in _rows(table)]


def _mark(row: Row) -> Marks:
    given: dict[str, Any] = dict.fromkeys(names(row.get("mark", "")), True)
    if row.get("response"):
        given["response"] = row["response"]
    return Marks(**given) if given else PLAIN


def _blocks(row: Row) -> list[dict[str, Any]]:
    blocks = [block for column, cell in row.items() for block in _column_blocks(column, cell, row)]
    return blocks if blocks or "says" in row else [{"type": "text", "text": WORDS}]


def _column_blocks(column: str, cell: str, row: Row) -> list[dict[str, Any]]:
    write = WRITERS.get(column)
    return write(cell, row) if write is not None and cell else []


def _call(item: str, kind: str) -> dict[str, Any]:
    call_id, _, tool = item.partition(" ")
    return {"type": kind, "id": call_id, "name": tool or (TOOL if kind == "tool_use" else "web_search"), "input": {}}


def _result(call_id: str, row: Row, *, failed: bool) -> dict[str, Any]:
    if row["speaker"] == "assistant":
        content: Any = {"type": "error", "error_code": "unavailable"} if failed else []
        return {"type": "web_search_tool_result", "tool_use_id": call_id, "content": content}
    error = {"is_error": True} if failed else {}
    return {"type": "tool_result", "tool_use_id": call_id, "content": _output(row), **error}


def _output(row: Row) -> str:
    return filler(row["tokens"]) if row.get("tokens") else row.get("output", OUTPUT)


def filler(tokens: str) -> str:
    """A text of so many tokens, at four characters each."""
    return "text" * int(tokens.replace(",", ""))


WRITERS = {
    "thinks": lambda cell, _row: [{"type": "thinking", "thinking": cell, "signature": "signed"}],
    "says": lambda cell, _row: [{"type": "text", "text": cell}],
    "tokens": lambda cell, row: [] if row.get("answers") else [{"type": "text", "text": filler(cell)}],
    "calls": lambda cell, _row: [_call(item, "tool_use") for item in names(cell)],
    "asks": lambda cell, _row: [_call(item, "server_tool_use") for item in names(cell)],
    "answers": lambda cell, row: [_result(call_id, row, failed=False) for call_id in names(cell)],
    "fails": lambda cell, row: [_result(call_id, row, failed=True) for call_id in names(cell)],
    "holds": lambda cell, _row: [{"type": HELD.get(kind, kind)} for kind in names(cell)],
}


def _cell(message: Message, column: str) -> str:
    if column == "speaker":
        return _speaker(message)
    if column == "mark":
        return ", ".join(field.name for field in fields(Marks) if getattr(message.marks, field.name) is True)
    return ", ".join(filter(None, (READERS[column](part) for part in message.parts)))


def _speaker(message: Message) -> str:
    answered = bool(message.parts) and all(type(part) is ToolResult for part in message.parts)
    return "tool" if answered and message.role == "user" else message.role


def _call_cell(part: Part, *, server: bool) -> str:
    if type(part) is not ToolCall or part.server is not server:
        return ""
    return part.id if server or part.name == TOOL else f"{part.id} {part.name}"


READERS = {
    "thinks": lambda part: part.text if type(part) is Thinking else "",
    "says": lambda part: part.text if type(part) is Text else "",
    "calls": lambda part: _call_cell(part, server=False),
    "asks": lambda part: _call_cell(part, server=True),
    "answers": lambda part: part.call_id if type(part) is ToolResult and not part.failed else "",
    "fails": lambda part: part.call_id if type(part) is ToolResult and part.failed else "",
    "output": lambda part: part.text if type(part) is ToolResult else "",
    "holds": lambda part: (
        "" if isinstance(part, (Text, Thinking, ToolCall, ToolResult)) else KINDS.get(part.kind, part.kind)
    ),
}
KINDS = {kind: called for called, kind in HELD.items()}
