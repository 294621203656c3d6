"""Transcripts whose fields hold what no field holds: read or refused, never a traceback."""

import copy
import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.transcripts import read_transcript, view, view_before

TOKENS = {"input": 1, "output": 1, "reasoning": 0, "cache": {"read": 1, "write": 0}, "total": 3}
CLAUDE = [
    {"type": "user", "uuid": "u1", "sessionId": "s", "version": "2", "origin": {"kind": "human"},
     "message": {"role": "user", "content": [{"type": "text", "text": "go"}]}},
    {"type": "assistant", "uuid": "u2", "requestId": "r", "message": {"id": "m1", "role": "assistant", "model": "x",
     "stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 1, "iterations": [{}, {"input_tokens": 1}]},
     "content": [{"type": "thinking", "thinking": "t"}, {"type": "tool_use", "id": "c1", "name": "A", "input": {}}]}},
    {"type": "user", "uuid": "u3", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "x"}]}]}},
    {"type": "attachment", "uuid": "u4", "attachment": {"type": "file", "content": {"file": {"content": "x"}}}},
    {"type": "attachment", "uuid": "u5", "attachment": {"type": "queued_command", "prompt": "x",
                                                       "origin": {"kind": "human"}}},
    {"type": "attachment", "uuid": "u6", "attachment": {"type": "invoked_skills", "skills": [{"content": "x"}]}},
    {"type": "system", "subtype": "microcompact_boundary", "uuid": "u7",
     "microcompactMetadata": {"compactedToolIds": ["c1"]}},
    {"type": "system", "subtype": "compact_boundary", "uuid": "u8", "compactMetadata": {
        "trigger": "auto", "preTokens": 5, "preservedMessages": {"uuids": ["u1"]},
        "preservedSegment": {"headUuid": "u1", "tailUuid": "u2"}}},
    {"type": "user", "uuid": "u9", "isCompactSummary": True, "message": {"role": "user", "content": "summary"}},
    {"type": "user", "uuid": "u10", "message": {"role": "user", "content": "more"}},
]  # fmt: skip
OPENCODE = {
    "info": {"id": "ses_1", "projectID": "p", "version": "1", "time": {"created": 1}},
    "messages": [
        {"info": {"id": "m1", "role": "user", "time": {"created": 1}, "system": "s"}, "parts": [
            {"type": "text", "text": "go", "synthetic": False},
            {"type": "file", "mime": "image/png", "url": "data:image/png;base64,QQ=="}]},
        {"info": {"id": "m2", "role": "assistant", "time": {"created": 2}, "modelID": "x", "tokens": TOKENS,
                  "finish": "stop", "error": {"name": "MessageAbortedError"}}, "parts": [
            {"type": "reasoning", "text": "t", "metadata": {"anthropic": {"signature": "s"}}},
            {"type": "tool", "callID": "c1", "tool": "A", "state": {"status": "completed", "input": {}, "output": "x",
             "time": {"compacted": 3}, "attachments": [{"mime": "image/png", "url": "data:,x"}]}},
            {"type": "tool", "callID": "c2", "tool": "A", "state": {"status": "error", "error": "e",
             "metadata": {"interrupted": True, "output": "o"}}}]},
        {"info": {"id": "m3", "role": "user", "time": {"created": 4}}, "parts": [
            {"type": "compaction", "auto": True, "tail_start_id": "m1"}]},
        {"info": {"id": "m4", "role": "assistant", "time": {"created": 5}, "summary": True, "finish": "stop",
                  "parentID": "m3", "tokens": TOKENS}, "parts": [{"type": "text", "text": "summary"}]},
    ],
}  # fmt: skip
ANTHROPIC = {
    "model": "x",
    "system": "s",
    "tools": [{"name": "A"}],
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "id": "m1", "model": "x", "usage": {"input_tokens": 1}, "content": [
            {"type": "tool_use", "name": "A", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x"}]},
    ],
}  # fmt: skip
JUNK = st.sampled_from([None, True, -1, 1.5, "", "x", [], [[]], {}, {"type": []}, {"x": {}}, [None], 10**30])


def places(value, path=()):
    """The path of every value inside a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield (*path, key)
        yield from places(item, (*path, key))


def put(value, path, junk):
    """The value with something else at a path, where that path is still there."""
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = junk


@pytest.mark.parametrize("whole", [CLAUDE, OPENCODE, ANTHROPIC], ids=["claude", "opencode", "anthropic"])
@given(data=st.data())
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_field_holds(written, whole, data):
    """Whatever stands in the fields of a transcript, it is read, with its views, or refused."""
    changed = copy.deepcopy(whole)
    for path in data.draw(st.lists(st.sampled_from(list(places(whole))), min_size=1, max_size=3)):
        with suppress(LookupError, TypeError):
            put(changed, path, copy.deepcopy(data.draw(JUNK)))
    lines = [json.dumps(record) for record in changed] if isinstance(changed, list) else [json.dumps(changed)]
    try:
        transcript = read_transcript(written("\n".join(lines)))
    except InvalidInput:
        return
    view(transcript)
    for response in transcript.responses:
        view(transcript, response.index)
    for number in range(len(transcript.compactions)):
        view_before(transcript, number)
