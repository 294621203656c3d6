"""Sessions of Claude Code as a table tells them: responses with what they read and wrote, and compactions."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pytest_bdd import given, parsers

from steps.vocabulary import phrase, tokens

BEGAN = datetime(2026, 2, 1, 10, tzinfo=UTC)
MODEL = "claude-opus-4-5-20251101"
SUMMARY = "The timetable is half mended."
RESULT = 40
"""Characters of a tool's result, 10 tokens, where the table names none."""
ABOUT = {"sessionId": "s", "cwd": "/home/dev/ferry"}
TRIGGERS = {"automatic compaction": "auto", "manual compaction": "manual"}


def records(
    rows: list[dict[str, str]], version: str, model: str = MODEL, began: datetime = BEGAN
) -> list[dict[str, Any]]:
    """The records of a session: a request, then for each row a response with a call and its result, or a boundary."""
    made = [user("Mend the ferry's timetable, and check that src/timetable.py passes its tests.")]
    for number, row in enumerate(rows):
        kind = row["record"]
        if kind == "response":
            made += response(number, row, model)
        elif kind == "sub-agent":
            made += [{**record, "isSidechain": True} for record in response(number, row, model)]
        elif kind == "request":
            made.append(user(row["text"]))
        elif kind == "clearing":
            cleared = [f"c{number}" for number, _ in enumerate(rows[:number])]
            made.append({**boundary("microcompact"), "microcompactMetadata": {"compactedToolIds": cleared}})
        else:
            held = {"preTokens": tokens(row["read"])} if row.get("read") else {}
            made.append({**boundary("compact"), "compactMetadata": {"trigger": TRIGGERS[kind], **held}})
            made.append(
                {**user((row.get("summary") and "." * tokens(row["summary"])) or SUMMARY), "isCompactSummary": True}
            )
    for number, record in enumerate(made):
        time = (began + timedelta(seconds=20 * number)).isoformat()
        record |= {**ABOUT, "version": version, "uuid": f"u{number}", "timestamp": time}
    return made


def user(content: Any) -> dict[str, Any]:
    """A record of the user's, or of results."""
    return {"type": "user", "message": {"role": "user", "content": content}}


def boundary(kind: str) -> dict[str, Any]:
    """A record that tells of a compaction or of a clearing."""
    return {"type": "system", "subtype": f"{kind}_boundary"}


def response(number: int, row: dict[str, str], model: str) -> list[dict[str, Any]]:
    """A response that reads a file, and the file."""
    read, wrote, cached = (tokens(row.get(name) or "0") for name in ("read", "wrote", "cached"))
    size = tokens(row.get("result") or str(RESULT))
    path = f"src/part{number}.py".rjust(tokens(row.get("path") or "0"), "x")
    call = {"type": "tool_use", "id": f"c{number}", "name": "Read", "input": {"file_path": path}}
    usage = {
        "input_tokens": read - cached if row.get("uncached") else 0,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0 if row.get("uncached") else read - cached,
        "output_tokens": wrote,
        "cache_creation": {"ephemeral_1h_input_tokens": tokens(row.get("hour") or "0")},
    }
    said = {
        "id": f"m{number}",
        "role": "assistant",
        "model": row.get("model") or model,
        "stop_reason": None if row.get("unfinished") else "tool_use",
    }
    said |= {"content": [call], "usage": usage} if read else {"content": [call]}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "line of code\n" * (size // 13)}
    result["content"] += "." * (size - len(result["content"]))
    return [{"type": "assistant", "message": said}, user([result])]


def table(datatable: list[list[str]]) -> list[dict[str, str]]:
    """The rows of a table, each by the names of the columns."""
    names, *rows = datatable
    return [dict(zip(names, row, strict=True)) for row in rows]


def write_session(folder: Path, rows: list[dict[str, str]], version: str = "2.1.38", **more: Any) -> Path:
    """Write a session into a folder; its file."""
    file = folder / f"{more.pop('name', 'session')}.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records(rows, version, **more)))
    return file


@given(phrase("a session of Claude Code {version}"), target_fixture="file")
def session_of_claude_code(tmp_path, version, datatable):
    return write_session(tmp_path, table(datatable), version)


@given(
    phrase(
        "a session of {count:Count} responses without a cache, of which the first {long:Count} read a file whose path "
        "has {size} characters"
    ),
    target_fixture="file",
)
def session_of_long_paths(tmp_path, count, long, size):
    return write_session(tmp_path, rows_of_long_paths(count, long, size))


def rows_of_long_paths(count: int, long: int, size: str) -> list[dict[str, str]]:
    """Responses without a cache. The first six files have 10,000 tokens each, the others 100."""
    rows, read = [], 20_020
    for number in range(count):
        result = 40_000 if number < 6 else 400
        rows.append({"record": "response", "read": str(read), "uncached": "yes", "wrote": "100", "result": str(result)})
        rows[-1]["path"] = size if number < long else ""
        read += 100 + result // 4
    return rows


@given(parsers.re(r"a session with the model (?P<model>\S+)(?: on (?P<day>\S+))?"), target_fixture="file")
def session_of_a_model(tmp_path, model, day, datatable):
    began = datetime.fromisoformat(f"{day}T10:00Z") if day else BEGAN
    return write_session(tmp_path, table(datatable), model=model, began=began)


@given(
    phrase("a session of {count:Count} responses that each read a file of {size:Count} characters"),
    target_fixture="file",
)
def long_session(tmp_path, count, size):
    reads = [20_020 + number * 2_100 for number in range(count)]
    rows = [
        {"record": "response", "read": str(read), "cached": str(before), "wrote": "100", "result": str(size)}
        for before, read in zip([0, *reads], reads, strict=False)
    ]
    return write_session(tmp_path, rows)


@given("a session of pi", target_fixture="file")
def session_of_pi(tmp_path, datatable):
    entries = [{"type": "session", "id": "s", "cwd": "/x", "modelId": "claude-opus-4-5"}]
    entries.append({"type": "message", "message": {"role": "user", "content": "Mend the timetable."}})
    for number, row in enumerate(table(datatable)):
        if row["record"] == "compaction":
            kept = {"firstKeptEntryIndex": len(entries), "summary": "The timetable is half mended."}
            entries.append({"type": "compaction", "timestamp": "2026-02-01T10:00:00Z", **kept})
            continue
        read, wrote = tokens(row["read"]), tokens(row["wrote"])
        call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": f"part{number}.py"}}
        usage = {"input": read, "output": wrote, "totalTokens": read + wrote}
        told = {"model": "claude-opus-4-5", "stopReason": "toolUse", "usage": usage}
        result = {"toolCallId": f"c{number}", "toolName": "read", "isError": False}
        result["content"] = [{"type": "text", "text": "x" * tokens(row["result"] or "4")}]
        entries.append({"type": "message", "message": {"role": "assistant", "content": [call], **told}})
        entries.append({"type": "message", "message": {"role": "toolResult", **result}})
    file = tmp_path / "session.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return file


@given("a session of OpenCode", target_fixture="file")
def session_of_opencode(tmp_path, datatable):
    """A request before each response, whose text is as long as what it wrote; a marker before each summary."""
    messages = []
    for number, row in enumerate(table(datatable)):
        summary, marked = "summary" in row["record"], row["record"] == "summary"
        asked = {"type": "compaction", "auto": True} if marked else {"type": "text", "text": "Go on. " * 11}
        counts = {"input": tokens(row["read"]), "output": tokens(row["wrote"]), "cache": {"read": 0, "write": 0}}
        told = {"modelID": "claude-opus-4-5", "providerID": "anthropic", "finish": "stop", "tokens": counts}
        about = {"parentID": f"u{number}", "summary": summary, **told}
        said = {"type": "text", "text": "Done." * (counts["output"] * 4 // 5)}
        messages.append({"info": {"id": f"u{number}", "role": "user"}, "parts": [asked]})
        messages.append({"info": {"id": f"a{number}", "role": "assistant", **about}, "parts": [said]})
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"info": {"id": "s", "version": "1.4.3"}, "messages": messages}))
    return file
