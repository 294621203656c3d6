"""When responses and compactions were written down, as each format says it."""

import json
from datetime import UTC, datetime

import pytest

from brim.transcripts import read_transcript
from brim.transcripts.decoding import moment

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
