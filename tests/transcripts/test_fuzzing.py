"""Small valid transcripts of every format, changed at random: read, or refused by an error of brim, and never slow."""

import copy
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brim.errors import BrimError
from brim.models import ModelLimits
from brim.transcripts import read_transcript, view, view_before
from brim.transcripts.inspection import inspect_transcript
from brim.transcripts.window import window_of
from steps.prerequisites import sized

INPUTS = sized(300, nightly=20_000)
"""Changed files of all formats together; each has a seed of its own, and is the same in every run."""
SECONDS = 2
"""Processor time that one small file may take."""
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=8_000)
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
            {"type": "tool_use", "id": "c1", "name": "A", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x"}]},
    ],
}  # fmt: skip
CODEX = [
    {"type": "session_meta", "payload": {"cli_version": "1", "base_instructions": {"text": "s"}}},
    {"type": "turn_context", "payload": {"model": "x"}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "go"}, {"type": "input_image", "image_url": "data:image/png;base64,QQ=="}]}},
    {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}]}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "A", "call_id": "c1", "arguments": "{}"}},
    {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1",
                                          "output": {"content": "x", "success": False}}},
    {"type": "event_msg", "payload": {"type": "token_count", "info": {
        "last_token_usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
        "total_token_usage": {"total_tokens": 2}, "model_context_window": 9}}},
    {"type": "compacted", "payload": {"message": "m", "replacement_history": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "name": "A", "call_id": "c1", "arguments": "{}"},
        {"type": "compaction", "encrypted_content": "x"}]}},
    {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
]  # fmt: skip
PI = [
    {"type": "session", "cwd": "/", "modelId": "x"},
    {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": [
        {"type": "text", "text": "go"}, {"type": "image", "data": "QQ==", "mimeType": "image/png"}]}},
    {"type": "message", "id": "b", "parentId": "a", "message": {"role": "assistant", "model": "x",
     "stopReason": "aborted", "usage": {"input": 1, "output": 1, "totalTokens": 2}, "content": [
         {"type": "thinking", "thinking": "t", "thinkingSignature": "s"},
         {"type": "toolCall", "id": "c1", "name": "A", "arguments": {}}]}},
    {"type": "message", "id": "c", "parentId": "b", "message": {"role": "toolResult", "toolCallId": "c1",
     "content": [{"type": "text", "text": "x"}], "isError": True}},
    {"type": "message", "id": "d", "parentId": "c", "message": {"role": "bashExecution", "command": "ls",
     "output": "x", "exitCode": 1}},
    {"type": "compaction", "id": "e", "parentId": "d", "summary": "s", "tokensBefore": 5, "firstKeptEntryIndex": 1,
     "firstKeptEntryId": "b"},
]  # fmt: skip
CLINE = {
    "system_prompt": "s",
    "messages": [
        {"role": "user", "metadata": {"kind": "compaction", "reason": "auto", "tokensBefore": 5}, "content": [
            {"type": "text", "text": "go"}, {"type": "file", "path": "a", "content": "x"}]},
        {"role": "assistant", "modelInfo": {"id": "x"}, "metrics": {"inputTokens": 1, "outputTokens": 1}, "content": [
            {"type": "tool_use", "id": "c1", "name": "A", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"query": "x"}]}]},
    ],
}  # fmt: skip
GEMINI = {
    "sessionId": "s",
    "projectHash": "p",
    "messages": [
        {"type": "user", "content": [{"text": "go"}, {"inlineData": {"mimeType": "image/png", "data": "QQ=="}}]},
        {"type": "gemini", "model": "x", "content": "a", "tokens": {"input": 1, "output": 1},
         "thoughts": [{"subject": "t", "description": "d"}], "toolCalls": [{
             "id": "c1", "name": "A", "args": {}, "status": "error",
             "result": [{"functionResponse": {"response": {"output": "x"}}}]}]},
    ],
}  # fmt: skip
CHAT_CALL = {"id": "c1", "function": {"name": "A", "arguments": "{}"}}
RESPONSE = {"id": "r", "model": "x", "usage": {"prompt_tokens": 1, "completion_tokens": 1},
            "choices": [{"message": {"content": "a", "reasoning": "t", "tool_calls": [CHAT_CALL]}}]}  # fmt: skip
MINI = {
    "trajectory_format": "mini-swe-agent-1",
    "info": {"mini_version": "1", "config": {"model": {"model_name": "x"}}},
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "go"}, {"image_url": {"url": "data:,x"}}]},
        {"role": "assistant", "content": "```bash\nls\n```", "extra": {"response": RESPONSE}},
        {"role": "user", "content": "<returncode>1</returncode>"},
        {"role": "assistant", "content": "a", "tool_calls": [CHAT_CALL]},
        {"role": "tool", "content": "x", "tool_call_id": "c1"},
    ],
}
SWE = {
    "trajectory": [],
    "replay_config": '{"agent": {"model": {"name": "x"}}}',
    "info": {"swe_agent_version": "1", "model_stats": {"tokens_sent": 1, "tokens_received": 1, "api_calls": 1}},
    "history": [
        {"role": "user", "content": "go", "is_demo": False},
        {"role": "assistant", "content": "a", "tool_calls": [CHAT_CALL]},
        {"role": "tool", "content": "x", "tool_call_ids": ["c1"]},
        {"role": "assistant", "content": "a", "thought": "t", "action": "ls"},
        {"role": "user", "content": "x"},
    ],
}
OPENHANDS = {
    "history": [
        {"id": 0, "source": "agent", "action": "system", "args": {
            "content": "s", "tools": [{"function": {"name": "A", "parameters": {}}}], "openhands_version": "1"}},
        {"id": 1, "source": "user", "action": "message", "args": {"content": "go", "image_urls": ["data:,x"]}},
        {"id": 2, "observation": "recall", "content": "x", "extras": {"microagent_knowledge": [{"content": "x"}]}},
        {"id": 3, "source": "agent", "action": "run", "args": {}, "tool_call_metadata": {
            "tool_call_id": "c1", "model_response": RESPONSE}},
        {"id": 4, "observation": "run", "content": "x", "cause": 3, "extras": {"metadata": {"exit_code": 1}},
         "tool_call_metadata": {"tool_call_id": "c1", "model_response": RESPONSE}},
        {"id": 5, "source": "agent", "action": "condensation", "args": {
            "forgotten_event_ids": [3, 4], "summary": "s", "summary_offset": 1}},
    ],
}  # fmt: skip
KINDS = [
    {"id": "a", "kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"text": "s"}, "tools": []},
    {"id": "b", "kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [
        {"type": "text", "text": "go"}]}},
    {"id": "c", "kind": "ActionEvent", "source": "agent", "thought": [], "tool_call_id": "c1", "tool_name": "A",
     "llm_response_id": "r", "tool_call": {"function": {"name": "A", "arguments": "{}"}}},
    {"id": "d", "kind": "ObservationEvent", "source": "environment", "tool_call_id": "c1", "observation": {
        "content": [{"type": "text", "text": "x"}]}},
    {"id": "e", "kind": "Condensation", "source": "environment", "forgotten_event_ids": ["c"], "summary": "s"},
]  # fmt: skip
CHAT = {
    "model": "x",
    "tools": [{"type": "function", "function": {"name": "A"}}],
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "go"}, {"type": "image_url", "image_url": {"url": "u"}}]},
        {"role": "assistant", "content": None, "timestamp": 1, "tool_calls": [{"type": "function", **CHAT_CALL}]},
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
    ],
}
RESPONSES = {
    "model": "x",
    "instructions": "s",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "t"}]},
        {"type": "function_call", "call_id": "c1", "name": "A", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    ],
}
RECORDS = [
    {"role": "user", "content": "go", "timestamp": "2026-01-08T14:41:01Z"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "A", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": True}]},
]
AIDER = """
# aider chat started at 2025-06-01 10:00:00

> Aider v0.84.0
> Main model: gemini/gemini-2.5-pro with diff edit format

#### Rename it.

<thinking-content-1a>
hm
</thinking-content-1a>
Renamed.

> Tokens: 1.2k sent, 1k cache write, 300 cache hit, 20 received.
> # 1 SEARCH/REPLACE block failed to match!
> Try again.

► **THINKING**
hm
► **ANSWER**
Done.

> ^C KeyboardInterrupt
> Add it? (Y)es/(N)o [Yes]: y
#### /add a.py
""".replace("\n>", "\n>").replace("\n", "  \n")
SAMPLES: dict[str, Any] = {
    "claude-code": CLAUDE,
    "opencode": OPENCODE,
    "anthropic-messages": ANTHROPIC,
    "anthropic-records": RECORDS,
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
    "codex": CODEX,
    "pi": PI,
    "cline": CLINE,
    "gemini-cli": GEMINI,
    "mini-swe-agent": MINI,
    "swe-agent": SWE,
    "openhands": OPENHANDS,
    "openhands-kinds": KINDS,
    "aider": AIDER,
}
"""A list is a file of JSON lines, a text is written as it is, anything else is one JSON value."""
JUNK: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**30, 1e308, "", "x", "\ud800", "c1", "u1", "m1", "a", "go", "\0", "..", "9" * 400,
    [], [[]], {}, {"type": []}, {"x": {}}, [None], [{}], {"type": "text"}, {"type": "text", "text": None}, [1] * 50,
]  # fmt: skip


def boxes(value: Any) -> Iterator[Any]:
    """Every object and every list in a value that holds something, itself first."""
    if isinstance(value, dict | list) and value:
        yield value
        for item in list(value.values()) if isinstance(value, dict) else list(value):
            yield from boxes(item)


def change(sample: Any, chance: random.Random) -> None:
    """Change one place: another value, one from elsewhere, none, twice, another order or name, or many levels deep."""
    held = list(boxes(sample))
    if not held:
        return
    box, other = chance.choice(held), chance.choice(held)
    key = chance.choice(list(box) if isinstance(box, dict) else range(len(box)))
    match chance.randrange(8):
        case 0 | 1:
            box[key] = copy.deepcopy(chance.choice(JUNK))
        case 2:
            box[key] = copy.deepcopy(chance.choice(list(other.values() if isinstance(other, dict) else other)))
        case 3:
            del box[key]
        case 4 if isinstance(box, list):
            box.insert(chance.randrange(len(box) + 1), copy.deepcopy(box[key]))
        case 5 if isinstance(box, list):
            chance.shuffle(box)
        case 6 if isinstance(box, dict) and isinstance(other, dict):
            name = chance.choice(list(other))
            box[name] = box.pop(key)
        case _:
            for _ in range(chance.choice([1, 3, 150, 250])):
                box[key] = [box[key]] if chance.random() < 0.5 else {"content": box[key]}


def written(sample: Any, chance: random.Random) -> bytes:
    """A file of a changed sample, now and then with damaged bytes and lines too."""
    indent = chance.choice([None, None, 1])
    rows = sample if isinstance(sample, list) else [sample]
    lines = [sample] if isinstance(sample, str) else [json.dumps(row, indent=indent) for row in rows]
    raw = "\n".join(lines).encode(errors="surrogatepass")
    if chance.random() < 0.2:
        cut = chance.sample(range(len(raw) + 1), 2)
        piece = chance.choice([b"", b"\xff", b"\0", b"\n", b"}{", b"NaN", b"[" * 300, raw[min(cut) : max(cut)]])
        raw = raw[: min(cut)] + piece + raw[max(cut) if chance.random() < 0.3 else min(cut) :]
    return raw


def changed(name: str, number: int) -> bytes:
    """The file of a format that belongs to a number."""
    chance = random.Random(f"{name} {number}")  # noqa: S311
    sample = SAMPLES[name]
    values = sample.split("\n") if isinstance(sample, str) else copy.deepcopy(sample)
    try:
        for _ in range(chance.randint(1, 6)):
            change(values, chance)
        return written("\n".join(map(str, values)) if isinstance(sample, str) else values, chance)
    except RecursionError:  # it grew too deep to be written
        return b'{"messages":' + b"[" * chance.randint(1, 10_000)


def use(path: Path) -> None:
    """All that is made of a transcript when it is read. Raises BrimError."""
    transcript = read_transcript(path)
    assert len(transcript.messages) == len(transcript.lines) == len(transcript.times)
    for response in transcript.responses:
        view(transcript, response.index)
    for number in range(len(transcript.compactions)):
        view_before(transcript, number)
    inspect_transcript(transcript, LIMITS)
    window_of(transcript, LIMITS).messages  # noqa: B018


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_is_of_its_format(tmp_path: Path, name: str) -> None:
    """The file that is changed is read whole, as its format."""
    path = tmp_path / "sample"
    sample = SAMPLES[name]
    rows = sample if isinstance(sample, list) else [sample]
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    transcript = read_transcript(path)
    assert name.startswith(transcript.format) or name == "anthropic-records"
    assert (transcript.damaged, len(transcript.messages) > 1) == ((), True)


@pytest.mark.parametrize("name", SAMPLES)
def test_whatever_a_file_holds(tmp_path: Path, name: str) -> None:
    """A changed file is read, viewed and inspected, or refused by an error of brim, within its time."""
    path = tmp_path / "changed"
    for number in range(-(-INPUTS // len(SAMPLES))):
        path.write_bytes(changed(name, number))
        begun = time.process_time()
        try:
            use(path)
        except BrimError as error:
            assert "\n" not in str(error).strip(), (name, number)
        except Exception as error:
            raise AssertionError(f"{name} {number}: {path.read_bytes()!r}") from error
        assert time.process_time() - begun < SECONDS, (name, number)
