"""Small transcripts of other agents: in each the user asks where the parser is, a tool looks, and the model answers."""

from __future__ import annotations

import json

ASKED, ANSWERED, SEEN = "Where is the parser?", "In parser.py, all of it.", "parser.py"
SUMMARY = "The parser was found."
SYSTEM = "You help with code."


def text(words):
    return {"type": "text", "text": words}


CALL = {"type": "tool_use", "id": "call-1", "name": "find", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "call-1", "content": SEEN}
LOOKED = json.dumps({"command": "ls"})
PLAIN = [
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [RESULT]},
    {"role": "assistant", "content": [text(ANSWERED)]},
]


def thinking_claude_code():
    """The first answer begins with thinking that the API signed."""
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "signed"}
    asked, called, *rest = claude_code()
    message = {**called["message"], "content": [thought, CALL]}
    return [asked, {**called, "message": message}, *rest]


def claude_code(*further):
    """Records of Claude Code, each behind the one before, and whatever else is told of the session."""
    lines = [{"type": one["role"], "message": {"type": "message", "id": f"m{n}", **one}} for n, one in enumerate(PLAIN)]
    for number, line in enumerate([*lines, *further]):
        before = None if number == 0 or line.get("type") == "system" else f"u{number - 1}"
        yield {"uuid": f"u{number}", "parentUuid": before, "sessionId": "s", "version": "2.1.17", **line}


def boundary(**counted):
    """A compaction as Claude Code writes it down, its summary, and what the user said since."""
    yield {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", **counted}}
    yield {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": SUMMARY}}
    yield {"type": "user", "message": {"role": "user", "content": "Go on."}}


def cleared_claude_code(*, failed=False):
    """Behind the answer Claude Code notes that it cleared the result, which may be a failure."""
    note = {"type": "system", "subtype": "microcompact_boundary"}
    asked, called, answered, *rest = claude_code({**note, "microcompactMetadata": {"compactedToolIds": ["call-1"]}})
    result = {**RESULT, "is_error": True} if failed else RESULT
    return [asked, called, {**answered, "message": {"role": "user", "content": [result]}}, *rest]


def rewound_claude_code():
    """Behind the answer stands a prompt that the user went back from, and the one that came instead."""
    said = ({"type": "user", "message": {"role": "user", "content": words}} for words in ("No.", "Go on."))
    first, second = [*claude_code(*said)][-2:]
    return [*claude_code(), first, {**second, "parentUuid": first["parentUuid"]}]


def opencode():
    """The session and the messages of OpenCode, each with its parts."""
    ran = {"status": "completed", "input": {"command": "ls"}, "output": SEEN, "time": {"start": 1, "end": 2}}
    tool = {"type": "tool", "tool": "find", "callID": "call-1", "state": ran}
    tokens = {"input": 100, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    about = {"role": "assistant", "modelID": "gpt-5", "providerID": "openai", "finish": "stop", "tokens": tokens}
    messages = [
        {"info": {"id": "msg_1", "role": "user", "time": {"created": 1}}, "parts": [text(ASKED)]},
        {"info": {"id": "msg_2", "time": {"created": 2}, **about}, "parts": [tool]},
        {"info": {"id": "msg_3", "time": {"created": 3}, **about}, "parts": [text(ANSWERED)]},
    ]
    return {"id": "ses_1", "projectID": "p", "version": "1.4.3", "time": {"created": 1}}, messages


def opencode_export():
    info, messages = opencode()
    return {"info": info, "messages": messages}


def compacted_opencode():
    """Behind the answer a marker of the user, and the summary of the assistant."""
    export = opencode_export()
    about = {**export["messages"][-1]["info"], "id": "msg_5", "parentID": "msg_4", "summary": True}
    marker = {"type": "compaction", "auto": True}
    made = [
        {"info": {"id": "msg_4", "role": "user", "time": {"created": 4}}, "parts": [marker]},
        {"info": about, "parts": [text(SUMMARY)]},
    ]
    return {**export, "messages": [*export["messages"], *made]}


def thinking_opencode():
    """Both answers begin with thinking, and a third one between them is thinking alone."""
    export = opencode_export()
    asked, called, answered = export["messages"]
    thought = {"type": "reasoning", "text": "Hm."}
    alone = {"info": {**called["info"], "id": "msg_2b"}, "parts": [thought]}
    thinking = [{**one, "parts": [thought, *one["parts"]]} for one in (called, answered)]
    return {**export, "messages": [asked, thinking[0], alone, thinking[1]]}


def opencode_tree(folder):
    """The same on disk, a file for each message and each part."""
    info, messages = opencode()
    files = {"session/p/ses_1.json": info}
    for message in messages:
        name = message["info"]["id"]
        files[f"message/ses_1/{name}.json"] = {**message["info"], "sessionID": "ses_1"}
        for number, part in enumerate(message["parts"]):
            about = {"id": f"prt_{number}", "messageID": name, "sessionID": "ses_1"}
            files[f"part/{name}/prt_{number}.json"] = {**part, **about}
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")


def codex():
    def item(**fields):
        return {"timestamp": "t", "type": "response_item", "payload": fields}

    yield {"type": "session_meta", "payload": {"cli_version": "0.142.2", "base_instructions": {"text": SYSTEM}}}
    yield item(type="message", role="user", content=[{"type": "input_text", "text": ASKED}])
    yield item(type="function_call", name="find", call_id="call-1", arguments=LOOKED)
    yield item(type="function_call_output", call_id="call-1", output=SEEN)
    yield item(type="message", role="assistant", content=[{"type": "output_text", "text": ANSWERED}])


def pi():
    def entry(role, content, **fields):
        return {"type": "message", "message": {"role": role, "content": content, **fields}}

    call = {"type": "toolCall", "id": "call-1", "name": "find", "arguments": {"command": "ls"}}
    told = {"model": "claude-opus-4-5", "stopReason": "stop", "usage": {"input": 10, "output": 5, "totalTokens": 15}}
    yield {"type": "session", "id": "s", "cwd": "/x", "modelId": "claude-opus-4-5"}
    yield entry("user", [text(ASKED)])
    yield entry("assistant", [call], **told)
    yield entry("toolResult", [text(SEEN)], toolCallId="call-1", toolName="find", isError=False)
    yield entry("assistant", [text(ANSWERED)], **told)


def cline():
    told = {"metrics": {"inputTokens": 100, "outputTokens": 10}, "modelInfo": {"id": "claude-opus-4.8"}}
    messages = [{**one, **told} if one["role"] == "assistant" else one for one in PLAIN]
    return {"system_prompt": SYSTEM, "messages": messages}


def gemini_cli(*thoughts):
    response = {"functionResponse": {"id": "call-1", "name": "find", "response": {"output": SEEN}}}
    call = {"id": "call-1", "name": "find", "args": {"command": "ls"}, "status": "success", "result": [response]}
    messages = [
        {"id": "a", "type": "user", "content": ASKED},
        {"id": "b", "type": "gemini", "content": "", "model": "gemini-3", "toolCalls": [call], "thoughts": thoughts},
        {"id": "c", "type": "gemini", "content": ANSWERED, "model": "gemini-3"},
    ]
    return {"sessionId": "s", "projectHash": "p", "startTime": "t", "messages": messages}


def mini_swe_agent():
    messages = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": "```bash\nls\n```"},
        {"role": "user", "content": f"<returncode>0</returncode>\n{SEEN}"},
        {"role": "assistant", "content": ANSWERED},
    ]
    return {"trajectory_format": "mini-swe-agent-1", "messages": messages}


def swe_agent():
    call = {"id": "call-1", "function": {"name": "find", "arguments": LOOKED}}
    history = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": "", "action": "ls", "tool_calls": [call]},
        {"role": "tool", "content": SEEN, "tool_call_ids": ["call-1"]},
        {"role": "assistant", "content": ANSWERED},
    ]
    return {"trajectory": [], "history": history}


def openai_chat():
    call = {"id": "call-1", "type": "function", "function": {"name": "find", "arguments": LOOKED}}
    return [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call-1", "content": SEEN},
        {"role": "assistant", "content": ANSWERED},
    ]


def openai_responses():
    return [
        {"type": "message", "role": "user", "content": ASKED},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"},
        {"type": "function_call", "call_id": "call-1", "name": "find", "arguments": LOOKED},
        {"type": "function_call_output", "call_id": "call-1", "output": SEEN},
        {"type": "message", "role": "assistant", "content": ANSWERED},
    ]


def openhands():
    called = {"id": "call-1", "function": {"name": "find", "arguments": LOOKED}}
    whole = {"id": "r1", "model": "llama", "choices": [{"message": {"content": "", "tool_calls": [called]}}]}
    told = {"tool_call_id": "call-1", "function_name": "find", "model_response": whole}
    ran = {"extras": {"metadata": {"exit_code": 0}}, "tool_call_metadata": told}
    yield {
        "history": [
            {"id": 1, "source": "user", "action": "message", "args": {"content": ASKED}},
            {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": told},
            {"id": 3, "source": "agent", "observation": "run", "content": SEEN, "cause": 2, **ran},
            {"id": 4, "source": "agent", "action": "message", "args": {"content": ANSWERED}},
        ]
    }


def aider():
    return f"# aider chat started at 2025-06-02 11:47:49\n\n#### {ASKED}  \n\n{ANSWERED}\n"


def aider_twice():
    return f"# aider chat started at 2025-06-01 09:00:00\n\n#### Hello.  \n\nHello.\n\n{aider()}"


def lines(records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


CONTENTS = {
    "Claude Code": lambda: lines(claude_code()),
    "Claude Code that was compacted": lambda: lines(claude_code(*boundary(preTokens=9_000))),
    "Claude Code that was compacted, without a count": lambda: lines(claude_code(*boundary())),
    "Claude Code that cleared an output": lambda: lines(cleared_claude_code()),
    "Claude Code that cleared a tool's error": lambda: lines(cleared_claude_code(failed=True)),
    "Claude Code that was rewound": lambda: lines(rewound_claude_code()),
    "Claude Code that thought": lambda: lines(thinking_claude_code()),
    "Claude Code from its middle on": lambda: lines([*claude_code()][1:]),
    "OpenCode": opencode_export,
    "OpenCode that was compacted": compacted_opencode,
    "OpenCode that thought": thinking_opencode,
    "Codex": lambda: lines(codex()),
    "Anthropic's interface": lambda: {"system": SYSTEM, "tools": [{"name": "find"}], "messages": PLAIN},
    "pi": lambda: lines(pi()),
    "Cline": cline,
    "Gemini CLI": gemini_cli,
    "Gemini CLI that thought": lambda: gemini_cli({"subject": "Where", "description": "I look."}),
    "mini-swe-agent": mini_swe_agent,
    "SWE-agent": swe_agent,
    "OpenAI's chat interface": openai_chat,
    "OpenAI's Responses interface": openai_responses,
    "Open Hands": lambda: lines(openhands()),
    "Aider": aider,
    "Aider with two conversations": aider_twice,
}
"""What stands in a transcript of each agent: a text, or a value that is written as JSON."""


def write_transcript(folder, agent, name="transcript"):
    """Write a transcript of an agent; its file, or its folder."""
    path = folder / name
    if agent == "OpenCode, kept as a tree":
        opencode_tree(path)
        return path
    content = CONTENTS[agent]()
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path
