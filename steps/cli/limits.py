"""Steps of features/cli/limits.feature."""

from __future__ import annotations

import json

from pytest_bdd import given, then, when

from steps.vocabulary import phrase, tokens


def claude_code(model, _stated, held):
    """Two records as Claude Code writes them."""
    ids = {"sessionId": "s", "version": "2.1.38", "timestamp": "2026-02-01T10:00:00Z", "cwd": "/home/dev/parcel"}
    said = {"role": "user", "content": "Mend the door."}
    answer = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "It is mended."}], "usage": {"input_tokens": held, "output_tokens": 0},
    }  # fmt: skip
    return [
        {**ids, "type": "user", "uuid": "u1", "parentUuid": None, "message": said},
        {**ids, "type": "assistant", "uuid": "u2", "parentUuid": "u1", "message": answer},
    ]


def said(role, kind, text):
    """A message of a rollout."""
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def codex(model, stated, held):
    """A rollout with one answer and its count."""
    usage = {"input_tokens": held, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": held}
    info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": stated or None}
    payloads = [
        ("session_meta", {"id": "s", "cwd": "/home/dev/parcel", "cli_version": "0.142.2"}),
        ("turn_context", {"model": model}),
        ("response_item", said("user", "input_text", "Mend the door.")),
        ("response_item", said("assistant", "output_text", "It is mended.")),
        ("event_msg", {"type": "token_count", "info": info}),
    ]
    return [{"timestamp": "2026-02-01T10:00:00Z", "type": kind, "payload": payload} for kind, payload in payloads]


def messages(model, _stated, held):
    """Messages with the answer's model and usage beside it."""
    answer = {"role": "assistant", "content": "It is mended.", "model": model}
    return [{"role": "user", "content": "Mend the door."}, {**answer, "usage": {"input_tokens": held}}]


def opencode(model, _stated, held):
    """An export of a session on GitHub Copilot."""
    times = {"time": {"created": 1, "updated": 1}}
    asked = {"info": {"id": "m1", "role": "user", **times}, "parts": [{"type": "text", "text": "Mend the door."}]}
    counts = {"input": held, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    by = {"modelID": model, "providerID": "github-copilot"}
    answer = {"id": "m2", "role": "assistant", **by, "tokens": counts, "finish": "stop", **times}
    messages = [asked, {"info": answer, "parts": [{"type": "text", "text": "It is mended."}]}]
    return [{"info": {"id": "ses_1", "version": "1.4.3", **times}, "messages": messages}]


def opencode_1_0(model, stated, held):
    """The same of the first version."""
    (export,) = opencode(model, stated, held)
    return [export | {"info": export["info"] | {"version": "1.0.55"}}]


def pi(model, _stated, held):
    """A session with one answer."""
    usage = {"input": held, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": held}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "It is mended."}], "model": model}
    asked = {"role": "user", "content": [{"type": "text", "text": "Mend the door."}]}
    messages = [asked, answer | {"stopReason": "stop", "usage": usage}]
    entries = [{"type": "message", "message": message} for message in messages]
    return [{"type": "session", "id": "s", "cwd": "/home/dev/parcel", "modelId": model}, *entries]


TOOLS = {
    "OpenCode 1.0": opencode_1_0,
    "OpenCode": opencode,
    "Claude Code": claude_code,
    "Codex": codex,
    "pi": pi,
    "messages": messages,
}


@given(
    phrase(
        'a transcript of {tool} with the model "{model:Quoted}", which states a window of {stated:Tokens} '
        "and reports {held:Tokens} tokens"
    ),
    target_fixture="file",
)
def write_transcript(machine, tool, model, stated, held):
    lines = TOOLS[tool](model, stated, held)
    return machine.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


@when(phrase('brim inspects it with "{flags:Quoted}"'), target_fixture="found")
def inspect(machine, file, flags):
    return machine.run("inspect", file, "--json", *flags.split()).json


@when("brim imports it and shows the session", target_fixture="found")
def import_and_show(machine, file):
    machine.set("BRIM_HOME", machine.home)
    imported = machine.run("sessions", "import", file, "--json").json
    return machine.run("sessions", "show", imported["session"], "--json").json


@then(phrase("the window is {window}"))
def check_window(found, window):
    assert found["window"] == (None if window == "unknown" else tokens(window))


@then(phrase("the threshold of {profile} is {threshold:Tokens}"))
def check_threshold(found, profile, threshold):
    assert found["profiles"][profile]["threshold"] == threshold


@when("brim inspects it without flags", target_fixture="answer")
def inspect_page(machine, file):
    return machine.run("inspect", file)


@when(phrase('brim inspects it with the page and "{flags:Quoted}"'), target_fixture="answer")
def inspect_page_with(machine, file, flags):
    machine.set("COLUMNS", 200)
    return machine.run("inspect", file, *flags.split())


KEPT = {
    "Claude Code": ".claude/projects/parcel/s.jsonl",
    "Codex": ".codex/sessions/2026/02/01/rollout-s.jsonl",
    "pi": ".pi/agent/sessions/parcel/s.jsonl",
}
"""Where a tool keeps a session, below the home."""


@when(phrase('brim lists the sessions that {tool} keeps, with "{flags:Quoted}"'), target_fixture="answer")
def list_sessions(machine, file, tool, flags):
    machine.set("COLUMNS", 200)
    kept = machine.home / KEPT[tool]
    kept.parent.mkdir(parents=True)
    file.rename(kept)
    return machine.run("inspect", "--list", *flags.split())


@then(phrase('its page says "{text:Quoted}"'))
def check_page(answer, text):
    assert text in answer.out


@when(phrase("brim compacts it in a window of {window}"), target_fixture="answer")
def compact(machine, file, window):
    return machine.run("compact", file, "--window", window)


@when("brim inspects the session", target_fixture="answer")
def inspect_session(machine, session):
    machine.set("COLUMNS", 200)
    session.write()
    return machine.run("inspect", machine.home / "session.jsonl")


@then(phrase('its page does not say "{text:Quoted}"'))
def check_absent(answer, text):
    assert answer.code == 0, answer.error
    assert text not in answer.out
