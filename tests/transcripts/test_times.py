"""When responses and compactions were written down, as each format says it."""

import json
from datetime import UTC, datetime

import pytest

from brim.transcripts import read_transcript
from brim.transcripts.source import moment
from tests.transcripts.samples import SAMPLES, content_of

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


def stamped(value):
    """A sample whose objects all have a time and a folder, by every name that a format has for them."""
    if isinstance(value, list):
        return [stamped(one) for one in value]
    if not isinstance(value, dict):
        return value
    inner = {name: stamped(one) for name, one in value.items() if name != "created"}
    folder = {"cwd": "/p", "directory": "/p", "working_dir": "/p"}
    return inner | folder | {"timestamp": ISO, "ts": MS, "created": MS}


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        *((name, "/p") for name in ("claude-code", "codex", "pi", "opencode", "mini-swe-agent", "openhands")),
        *((name, None) for name in ("cline", "gemini-cli", "anthropic-records", "openai-chat")),
    ],
)
def test_times_and_the_projects_folder(written, name, folder):
    """Each message has the time that its record tells, and the transcript the folder of the project."""
    sample = SAMPLES[name]
    if name == "mini-swe-agent":
        told = [{**one, "extra": {}} for one in sample["messages"]]
        sample = {**sample, "messages": told, "info": {"mini_version": "1", "config": {"environment": {"x": 1}}}}
    transcript = read_transcript(written(content_of(stamped(sample))))
    assert {*transcript.times} == {AT}
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
