"""When responses and compactions were written down, as each format says it."""

import json
from datetime import UTC, datetime

import pytest

from brim.transcripts import read_transcript
from brim.transcripts.source import moment

AT = datetime(2026, 1, 8, 14, 41, 1, tzinfo=UTC)
LATER = datetime(2026, 1, 8, 14, 42, 1, tzinfo=UTC)
ISO, ISO_LATER = "2026-01-08T14:41:01.000Z", "2026-01-08T15:42:01+01:00"
MS, MS_LATER = 1_767_883_261_000, 1_767_883_321_000
USAGE = {"input_tokens": 10, "output_tokens": 5}


@pytest.mark.parametrize(
    ("told", "time"),
    [
        (ISO, AT),
        (ISO_LATER, LATER),
        ("2026-01-08T14:41:01", AT),
        (MS, AT),
        (MS // 1000, AT),
        (MS / 1000, AT),
        *((nothing, None) for nothing in ("t", "", None, True, 10**30, {}, "0001-01-01T00:00:00+23:00")),
    ],
)
def test_a_moment(told, time):
    """A time is ISO 8601, or a count of seconds or milliseconds; anything else is none."""
    assert moment(told) == time


CLAUDE_CODE = [
    {"type": "user", "uuid": "u", "sessionId": "s", "timestamp": ISO, "message": {"role": "user", "content": "Go on"}},
    *(
        {
            "type": "assistant",
            "timestamp": told,
            "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": text}], "usage": USAGE},
        }
        for told, text in ((ISO, "Yes."), (ISO_LATER, "Done."))
    ),
    {"type": "system", "subtype": "compact_boundary", "timestamp": ISO_LATER, "compactMetadata": {"trigger": "auto"}},
    {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "A summary"}},
]
CODEX = [
    {"type": "session_meta", "payload": {"id": "s", "cwd": "/p"}},
    {
        "type": "response_item",
        "timestamp": ISO,
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]},
    },
    {"type": "compacted", "timestamp": ISO_LATER, "payload": {"message": "A summary"}},
]
PI = [
    {"type": "session", "cwd": "/p"},
    {"type": "message", "timestamp": ISO, "message": {"role": "assistant", "content": "Yes.", "stopReason": "stop"}},
    {"type": "compaction", "timestamp": ISO_LATER, "summary": "A summary", "firstKeptEntryIndex": 9},
]


@pytest.mark.parametrize("records", [CLAUDE_CODE, CODEX, PI], ids=["claude-code", "codex", "pi"])
def test_the_times_of_json_lines(tmp_path, records):
    """A response has the time of its first record, a compaction that of its own."""
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    transcript = read_transcript(file)
    assert [response.time for response in transcript.responses] == [AT]
    assert [made.time for made in transcript.compactions] == [LATER]


def test_the_times_of_opencode(tmp_path):
    """A message says when it was created; a pruning is as old as the last output that it cleared."""
    state = {"status": "completed", "input": {}, "output": "x", "time": {"compacted": MS_LATER}}
    told = {"role": "assistant", "id": "a", "time": {"created": MS}, "tokens": {"input": 5, "output": 1}}
    part = {"type": "tool", "callID": "c", "tool": "read", "state": state}
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"info": {"id": "s"}, "messages": [{"info": told, "parts": [part]}]}))
    transcript = read_transcript(file)
    assert [response.time for response in transcript.responses] == [AT]
    assert [made.time for made in transcript.compactions] == [LATER]


def lines(*records):
    """JSON lines."""
    return "\n".join(map(json.dumps, records))


CLAUDE_TALK = lines(
    {"type": "user", "uuid": "u", "cwd": "/p", "timestamp": ISO, "message": {"role": "user", "content": "Go"}},
    {"type": "assistant", "uuid": "a", "timestamp": ISO_LATER, "message": {
        "id": "m", "role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {}}]}},
    {"type": "user", "uuid": "r", "timestamp": ISO_LATER, "message": {
        "role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}]}},
)  # fmt: skip
CODEX_TALK = lines(
    {"type": "session_meta", "payload": {"cwd": "/p"}},
    {"type": "response_item", "timestamp": ISO, "payload": {"type": "message", "role": "user", "content": "Go"}},
    {"type": "response_item", "timestamp": ISO_LATER, "payload": {
        "type": "function_call", "name": "a", "call_id": "c"}},
    {"type": "response_item", "timestamp": ISO_LATER, "payload": {
        "type": "function_call_output", "call_id": "c", "output": "x"}},
)  # fmt: skip
PI_TALK = lines(
    {"type": "session", "cwd": "/p"},
    {"type": "message", "timestamp": ISO, "message": {"role": "user", "content": "Go"}},
    {"type": "message", "timestamp": ISO_LATER, "message": {
        "role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "a"}], "stopReason": "toolUse"}},
    {"type": "message", "message": {"role": "toolResult", "timestamp": MS_LATER, "toolCallId": "c", "content": "x"}},
)  # fmt: skip
OPENCODE_TALK = json.dumps({"info": {"id": "s", "directory": "/p"}, "messages": [
    {"info": {"role": "user", "id": "u", "time": {"created": MS}}, "parts": [{"type": "text", "text": "Go"}]},
    {"info": {"role": "assistant", "id": "a", "time": {"created": MS_LATER}}, "parts": [
        {"type": "tool", "callID": "c", "tool": "read", "state": {"status": "completed", "output": "x"}}]},
]})  # fmt: skip
CLINE_TALK = json.dumps({"messages": [
    {"role": "user", "ts": MS, "content": "Go"},
    {"role": "assistant", "ts": MS_LATER, "metrics": {}, "content": [
        {"type": "tool_use", "id": "c", "name": "a", "input": {}}]},
    {"role": "user", "ts": MS_LATER, "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}]},
]})  # fmt: skip
GEMINI_TALK = json.dumps({"sessionId": "s", "projectHash": "h", "messages": [
    {"type": "user", "timestamp": ISO, "content": "Go"},
    {"type": "gemini", "timestamp": ISO_LATER, "toolCalls": [{"id": "c", "name": "a", "result": [
        {"functionResponse": {"response": {"output": "x"}}}]}]},
]})  # fmt: skip
MINI_TALK = json.dumps({"info": {"mini_version": "2", "config": {"environment": {"cwd": "/p"}}}, "messages": [
    {"role": "user", "content": "Go", "extra": {"timestamp": MS / 1000}},
    {"role": "assistant", "content": "```bash\nls\n```", "extra": {"timestamp": MS_LATER / 1000}},
    {"role": "user", "content": "x", "extra": {"timestamp": MS_LATER / 1000}},
]})  # fmt: skip
OPENHANDS_TALK = lines({"history": [
    {"id": 1, "timestamp": ISO, "source": "user", "action": "message", "args": {"content": "Go"}},
    {"id": 2, "timestamp": ISO_LATER, "source": "agent", "action": "run", "args": {}},
    {"id": 3, "timestamp": ISO_LATER, "observation": "run", "content": "x", "cause": 2, "extras": {
        "metadata": {"working_dir": "/p"}}},
]}, {"history": []})  # fmt: skip
RECORDS = lines(
    {"role": "user", "content": "Go", "timestamp": ISO},
    *({"role": role, "content": content, "timestamp": ISO_LATER} for role, content in (
        ("assistant", [{"type": "tool_use", "id": "c", "name": "a", "input": {}}]),
        ("user", [{"type": "tool_result", "tool_use_id": "c", "content": "x"}]))),
)  # fmt: skip
CHAT = lines(
    {"role": "user", "content": "Go", "timestamp": ISO},
    {"role": "assistant", "timestamp": ISO_LATER, "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "a", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c", "content": "x", "timestamp": ISO_LATER},
)  # fmt: skip
TALKS = {
    "claude-code": (CLAUDE_TALK, "/p"),
    "codex": (CODEX_TALK, "/p"),
    "pi": (PI_TALK, "/p"),
    "opencode": (OPENCODE_TALK, "/p"),
    "cline": (CLINE_TALK, None),
    "gemini-cli": (GEMINI_TALK, None),
    "mini-swe-agent": (MINI_TALK, "/p"),
    "openhands": (OPENHANDS_TALK, "/p"),
    "anthropic-messages": (RECORDS, None),
    "openai-chat": (CHAT, None),
}
"""A request, a call and its result of each format, and the project's folder where the format has it."""


@pytest.mark.parametrize(("form", "text", "folder"), [(form, *told) for form, told in TALKS.items()], ids=TALKS)
def test_times_and_the_projects_folder(written, form, text, folder):
    """Each message has the time that its record tells, and the transcript the folder of the project."""
    transcript = read_transcript(written(text))
    assert (transcript.format, transcript.times) == (form, (AT, LATER, LATER))
    assert transcript.folder == folder


def test_the_time_and_the_folder_of_aider(written):
    """A chat says when it began; the file lies in the project's folder, if it has the name that aider gives it."""
    text = "\n# aider chat started at 2026-01-08 14:41:01\n\n#### Go  \n\nYes.\n\n#### On  \n"
    path = written(text, name="project/.aider.chat.history.md")
    transcript = read_transcript(path)
    assert transcript.times == (AT, None, None)
    assert transcript.folder == str(path.parent.resolve())
    assert read_transcript(written(text, name="copy.md")).folder is None


def test_the_folder_of_opencodes_answers(written):
    """Where a session of OpenCode names no folder, its answers do."""
    path = {"cwd": "/p/src", "root": "/p"}
    told = {"info": {"role": "assistant", "path": path}, "parts": [{"type": "text", "text": "Yes."}]}
    assert read_transcript(written({"info": {"id": "s"}, "messages": [told]})).folder == "/p"
