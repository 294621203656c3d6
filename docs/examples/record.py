#!/usr/bin/env python3
"""Record the example session: a small agent loop whose tools are real and whose model is `script.toml`.

Usage: python docs/examples/record.py [OUTPUT]

Needs Python 3.11 or newer, git and sh; no key and no network. Recording twice gives the same bytes.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workspace import HOME, ToolError, Workspace, python_command

HERE = Path(__file__).parent
MODEL = "claude-sonnet-5-5"
SIGNATURE = "scripted-thinking-has-no-signature"
SYSTEM_TOKENS = 9_000  # what we assume an agent's system prompt and tool definitions to take
UNCACHED_TOKENS = 4  # what we assume to stand behind the cache's last mark in every request
CHARACTERS_A_TOKEN = 4

FIELDS = {
    "Read": "file_path",
    "Write": "file_path",
    "Edit": "file_path",
    "Bash": "command",
    "Grep": "pattern",
    "TodoWrite": "todos",
}
STATES = {"x": "completed", ">": "in_progress", "-": "pending"}


class ScriptError(Exception):
    """A tool did not answer as the script expects, so the story it tells would not be true."""


@dataclass
class Recorder:
    """Plays the script against the tools and keeps the conversation."""

    workspace: Workspace
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0
    responses: int = 0
    sent: int = SYSTEM_TOKENS
    cached: int = 0

    def play(self, turns: list[dict[str, Any]]) -> None:
        """Every turn: what the user says, then response after response, each followed by its results."""
        for turn in turns:
            self.user(turn["user"].strip())
            for response in turn["response"]:
                expected = self.assistant(response)
                if expected:
                    self.user([self.answered(block, fails=fails) for block, fails in expected])

    def user(self, content: str | list[dict[str, Any]]) -> None:
        """Append a user message: a text, or the results of tools."""
        self.messages.append({"role": "user", "content": content})
        self.sent += tokens(content)

    def assistant(self, response: dict[str, Any]) -> list[tuple[dict[str, Any], bool]]:
        """Append a response in the API's form; answers with its calls and whether each is to fail."""
        content: list[dict[str, Any]] = []
        if "think" in response:
            content.append({"type": "thinking", "thinking": response["think"].strip(), "signature": SIGNATURE})
        if "say" in response:
            content.append({"type": "text", "text": response["say"].strip()})
        expected = [(self.call(written), written.get("fails", False)) for written in response.get("call", ())]
        content += [block for block, _ in expected]
        self.responses += 1
        self.messages.append(
            {
                "id": f"msg_script_{self.responses:03}",
                "type": "message",
                "role": "assistant",
                "model": MODEL,
                "content": content,
                "stop_reason": "tool_use" if expected else "end_turn",
                "stop_sequence": None,
                "usage": self.usage(tokens(content)),
            }
        )
        return expected

    def call(self, written: dict[str, Any]) -> dict[str, Any]:
        """A call as the API writes it, from the script's short form."""
        self.calls += 1
        name = next(key for key in written if key in FIELDS)
        given = {FIELDS[name]: written[name], **{key: written[key] for key in written if key not in (name, "fails")}}
        for key in given.keys() & {"file_path", "path"}:
            given[key] = f"{HOME}/{given[key]}"
        if name == "TodoWrite":
            given["todos"] = [{"content": todo[2:], "status": STATES[todo[0]]} for todo in written[name]]
        return {"type": "tool_use", "id": f"toolu_script_{self.calls:03}", "name": name, "input": given}

    def answered(self, call: dict[str, Any], *, fails: bool) -> dict[str, Any]:
        """Run a call and give its result. Raises ScriptError where it fails and was not to, or the reverse."""
        result = {"type": "tool_result", "tool_use_id": call["id"]}
        try:
            result["content"] = self.run(call)
        except ToolError as failure:
            result |= {"content": str(failure), "is_error": True}
        if result.get("is_error", False) != fails:
            raise ScriptError(f"{call['name']} {call['input']} answered:\n{result['content']}")
        return result

    def run(self, call: dict[str, Any]) -> str:
        """The tool's own answer."""
        tools = self.workspace
        by_name = {
            "Read": tools.read,
            "Write": tools.write,
            "Edit": tools.edit,
            "Bash": tools.bash,
            "Grep": tools.grep,
            "TodoWrite": tools.todo_write,
        }
        return by_name[call["name"]](call["input"])

    def usage(self, output: int) -> dict[str, int]:
        """What such a request would have used, counted: all that was sent before comes from the cache."""
        usage = {
            "input_tokens": UNCACHED_TOKENS,
            "cache_creation_input_tokens": self.sent - self.cached - UNCACHED_TOKENS,
            "cache_read_input_tokens": self.cached,
            "output_tokens": output,
        }
        self.cached = self.sent - UNCACHED_TOKENS
        self.sent += output
        return usage


def tokens(content: str | list[dict[str, Any]]) -> int:
    """A message's texts, and its calls' names and inputs, at four characters a token, rounded up."""
    return -(-sum(len(text) for text in texts(content)) // CHARACTERS_A_TOKEN)


def texts(content: str | list[dict[str, Any]]) -> Iterator[str]:
    """What a message holds, as the texts that are counted."""
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if block["type"] == "tool_use":
            yield block["name"] + json.dumps(block["input"], ensure_ascii=False, separators=(",", ":"))
        else:
            yield block.get("text") or block.get("thinking") or block["content"]


def record(script: Path, project: Path) -> str:
    """The recorded session as JSON lines, one message a line."""
    with tempfile.TemporaryDirectory() as folder:
        commands, root = Path(folder) / "commands", Path(folder) / "parcel"
        commands.mkdir()
        python_command(commands)
        shutil.copytree(project, root, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        workspace = Workspace(root, commands)
        workspace.bash({"command": "git init -q -b main && git add -A && git commit -qm 'Move parcel out of the shop'"})
        recorder = Recorder(workspace)
        recorder.play(tomllib.loads(script.read_text(encoding="utf-8"))["turn"])
    return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in recorder.messages)


def main(output: Path = HERE / "recorded-session.jsonl") -> None:
    """Record, then write: a script that does not come true leaves the old recording alone."""
    recording = record(HERE / "script.toml", HERE / "project")
    output.write_text(recording, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))
