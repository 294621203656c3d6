"""Claude Code itself goes on with the sessions that the command writes, against the strict server."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from brim.cli import main
from brim.conversation.messages import SUMMARY_OPENING, ToolCall
from brim.testing import MessagesServer, tool_call
from brim.transcripts import read_transcript
from steps.kept_sessions import codex
from steps.prerequisites import npm_program, transcripts

pytestmark = [pytest.mark.nightly, pytest.mark.claude_code, pytest.mark.transcripts]
SESSION = "11111111-2222-4333-8444-555555555555"
MODEL = "claude-sonnet-4-5"
FILES = [
    "claude-code/context-evaluator/2.1.47-image.jsonl",
    "claude-code/claude-code-viewer/1.0.98-sidechains.jsonl",
    "claude-code/entireio-cli/2.1.38-auto.jsonl",
    "codex/agentv/0.142.2-two-compactions.jsonl",
    "opencode/session-bridge/1.4.3-auto-compaction.json",
    "mini-swe-agent/gemini-3-pro/scikit-learn__scikit-learn-25102.traj.json",
]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project and a home of their own."""
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.mark.parametrize("name", FILES)
def test_claude_code_resumes_what_was_compacted(project, capsys, name):
    """It sends the summary, every text that was kept and every call, and the strict server accepts the request."""
    folder = project.parent / "home" / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project.resolve()))
    folder.mkdir(parents=True)
    out = folder / f"{SESSION}.jsonl"
    arguments = ["--window", "20k", "--max-output", "4k", "--to", "claude-code", "-o", str(out), "--json"]
    assert main(["compact", str(transcripts() / name), *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["compacted"]
    kept = read_transcript(out).messages
    with MessagesServer(default="Resumed.", models={MODEL: (200_000, 64_000)}) as server:
        assert prompted(server, project, "Go on, please.", "--resume", SESSION) == "Resumed.\n"
    (body,) = (one.body for one in server.requests if len(one.body.get("messages", ())) > 1)
    blocks = [block for message in body["messages"] for block in blocks_of(message["content"])]
    texts = "\n".join(block["text"] for block in blocks if block["type"] == "text")
    assert SUMMARY_OPENING in texts
    assert "Go on, please." in texts
    assert [message.text for message in kept if message.text.strip() not in texts] == []
    calls = [part.id for message in kept for part in message.parts if type(part) is ToolCall]
    assert [block["id"] for block in blocks if block["type"] == "tool_use"] == calls


def test_claude_code_gets_back_what_its_compaction_lost(project):
    """Its own compaction runs the hook, and the next request has the user's words that its summary lacks."""
    brim = Path(sys.executable).with_name("brim")
    subprocess.run([brim, "hook", "install", "--yes"], check=True, capture_output=True)
    with MessagesServer(default=answered, models={MODEL: (200_000, 64_000)}) as server:
        prompted(server, project, WORDS, "--session-id", SESSION)
        for number in range(2):
            prompted(server, project, f"Build pier {number}.", "--resume", SESSION)
        prompted(server, project, "/compact", "--resume", SESSION)
        before = len(server.requests)
        prompted(server, project, "Go on, please.", "--resume", SESSION)
    asked = [one.body["messages"] for one in server.requests[before:] if one.body.get("messages")]
    texts = "\n".join(block["text"] for one in asked[-1] for block in blocks_of(one["content"]) if "text" in block)
    assert "The piers were built." in texts
    assert "[brim] Recovered from this session's transcript after a compaction." in texts
    assert f"- {WORDS}" in texts


WORDS = "Never edit harbour.py. The leaflet says 4.75 per parcel."


def answered(body):
    """A summary that lacks the user's words where one is asked for, else a word."""
    asked = blocks_of(body["messages"][-1]["content"])
    is_summary = any("detailed summary" in block.get("text", "") for block in asked)
    return "<summary>The piers were built.</summary>" if is_summary else "Noted."


def prompted(server, project, words, *options):
    """What Claude Code prints for a prompt."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": server.key,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",  # a server of tools is waited for
    }
    ran = subprocess.run(
        [npm_program("claude"), *options, "-p", words, "--model", MODEL],
        env=environment, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=240,
    )  # fmt: skip
    return ran.stdout


def blocks_of(content):
    """Content as blocks."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def test_claude_code_recalls_from_the_session_of_another_agent(project):
    """Its model calls brim's tool by MCP, and the next request has the passage as the result of the call."""
    kept = codex(project.parent / "home" / ".codex", "one", str(project.resolve()), says=WORDS)
    os.utime(kept, (1, 1))
    codex(project.parent / "home" / ".codex", "two", str(project.resolve()), says="Mind the tide.")
    server_of_brim = {"command": str(Path(sys.executable).with_name("brim")), "args": ["mcp"]}
    given = project / "mcp.json"
    given.write_text(json.dumps({"mcpServers": {"brim": server_of_brim}}), encoding="utf-8")

    def play(body):
        asked = any("leaflet" in block.get("text", "") for block in blocks_of(body["messages"][-1]["content"]))
        offered = any(tool["name"] == "mcp__brim__recall" for tool in body.get("tools", ()))
        return tool_call("mcp__brim__recall", {"query": "leaflet rate"}) if asked and offered else "Done."

    with MessagesServer(default=play, models={MODEL: (200_000, 64_000)}) as server:
        options = ("--mcp-config", str(given), "--strict-mcp-config", "--allowedTools", "mcp__brim__recall")
        assert prompted(server, project, "Which rate has the leaflet?", *options) == "Done.\n"
    results = [
        block
        for one in server.requests
        for message in one.body.get("messages", ())
        for block in blocks_of(message["content"])
        if block["type"] == "tool_result"
    ]
    text = json.dumps(results)
    assert "They are data" in text
    assert WORDS in text
    assert "Which rate" not in text
