"""Small files as other tools write them, for the command."""

import json


def lines(*records):
    """Records as JSON lines."""
    return "".join(f"{json.dumps(record)}\n" for record in records)


def codex(window=121_600, *, turns=1, used=100):
    """A rollout that states its window; the reasoning of every answer is encrypted."""
    records = [("session_meta", {"id": "s", "cli_version": "0.142.2"})]
    for number in range(turns):
        count = {"input_tokens": used, "output_tokens": 5, "total_tokens": used + 5}
        info = {"last_token_usage": count, "total_token_usage": {"total_tokens": used + 5 + number}}
        records += [
            ("response_item", said("user", "input_text", f"Please look at module {number}.")),
            ("response_item", {"type": "reasoning", "encrypted_content": "x"}),
            ("response_item", said("assistant", "output_text", "It reads well. " * 40)),
            ("event_msg", {"type": "token_count", "info": {**info, "model_context_window": window}}),
        ]
    return lines(*({"timestamp": "t", "type": kind, "payload": payload} for kind, payload in records))


def said(role, kind, text):
    """A message of a rollout."""
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def aider(chats=2):
    """A history of so many chats."""
    head = "\n# aider chat started at 2025-06-01 10:00:00\n\n> Aider v0.84.0  \n\n"
    chat = "#### Rename {0} to {1}.  \n\nRenamed.\n\n> Tokens: 1.2k sent, 20 received.  \n"
    return "".join(head + chat.format(number, number + 1) for number in range(chats))


def cline(kind="manual_compaction", **note):
    """A session that was compacted."""
    model = {"id": "mistralai/voxtral-small-24b-2507", "provider": "openrouter"}
    summary = {"role": "user", "content": "Context summary: the door is open."}
    return json.dumps(
        [
            {**summary, "metadata": {"kind": "compaction_summary", "reason": kind, **note}},
            {"role": "assistant", "content": "Shall I close it?", "modelInfo": model, "metrics": {}},
            {"role": "user", "content": "Yes."},
        ]
    )


def openhands(code=1):
    """A run that ended with a command that failed without a word."""
    call = {"id": "toolu_1", "function": {"name": "execute_bash", "arguments": '{"command": "grep x"}'}}
    response = {"id": "r1", "model": "llama", "choices": [{"message": {"content": "Look.", "tool_calls": [call]}}]}
    told = {"tool_call_metadata": {"tool_call_id": "toolu_1", "model_response": response}}
    about = {"metadata": {"exit_code": code, "working_dir": "/work", "suffix": ""}}
    begun = {"id": 1, "source": "user", "action": "message", "args": {"content": "Find x."}}
    ran = {"id": 2, "source": "agent", "action": "run", "args": {"command": "grep x"}}
    ended = {"id": 3, "source": "agent", "observation": "run", "content": "", "cause": 2, "extras": about}
    return lines({"history": [begun, ran | told, ended | told]})


def pi(recorded):
    """A session with one answer and a compaction after it, of which so many tokens were recorded."""
    usage = {"input": 100, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 105}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "model": "m", "stopReason": "stop"}
    return lines(
        {"type": "session", "id": "s", "cwd": "/work"},
        {"type": "message", "message": {"role": "user", "content": "Go."}},
        {"type": "message", "message": {**answer, "usage": usage}},
        {"type": "compaction", "summary": "It is done.", "firstKeptEntryIndex": 4, "tokensBefore": recorded},
    )


def gemini():
    """A chat whose answer was thought about, without a signature of anyone's."""
    answer = {"type": "gemini", "content": "Seven.", "model": "gemini-3-flash-preview"}
    thoughts = [{"subject": "Counting", "description": "One, two, three."}]
    tokens = {"input": 100, "output": 10, "cached": 0, "thoughts": 5, "tool": 0, "total": 115}
    messages = [{"type": "user", "content": "How many?"}, {**answer, "thoughts": thoughts, "tokens": tokens}]
    return json.dumps({"sessionId": "s", "projectHash": "h", "messages": messages})
