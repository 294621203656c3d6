"""A small transcript of each format that holds a bit of everything that its reader looks at."""

from __future__ import annotations

import json
from typing import Any

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


def content_of(sample: Any) -> str:
    """A sample as it is written: a list as JSON lines, a text as it is, anything else as one JSON value."""
    rows = sample if isinstance(sample, list) else [sample]
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
