"""Small transcripts that the tests write themselves, record by record."""

import json
from pathlib import Path

import pytest

from brim.transcripts import read_transcript

USAGE = {"input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 50}


class ClaudeFile:
    """A Claude Code session in the making; every method adds one record and answers its uuid."""

    def __init__(self, path):
        self.path = path
        self.lines = []

    def add(self, record, **fields):
        """Any record; a field given as ... is left out."""
        record = {"uuid": f"u{len(self.lines) + 1}", "sessionId": "s", "version": "2.1.17", **record, **fields}
        self.lines.append(json.dumps({name: value for name, value in record.items() if value is not ...}))
        return record["uuid"]

    def raw(self, line):
        """A line as it is."""
        self.lines.append(line)

    def user(self, content, **fields):
        """A record of the user's."""
        return self.add({"type": "user", "message": {"role": "user", "content": content}}, **fields)

    def result(self, call, text="done", **fields):
        """A record with a call's result."""
        return self.user([{"type": "tool_result", "tool_use_id": call, "content": text}], **fields)

    def assistant(self, name, *blocks, usage=USAGE, model="claude-opus-4-5", stop=None, **fields):
        """A record of the response of this name."""
        message = {
            "id": name, "type": "message", "role": "assistant", "model": model,
            "content": list(blocks), "stop_reason": stop, "usage": usage,
        }  # fmt: skip
        return self.add({"type": "assistant", "message": message, "requestId": f"req-{name}"}, **fields)

    def text(self, name, text, **fields):
        """A record of a response: a text."""
        return self.assistant(name, {"type": "text", "text": text}, **fields)

    def call(self, name, call, tool="Read", **fields):
        """A record of a response: a call."""
        return self.assistant(name, {"type": "tool_use", "id": call, "name": tool, "input": {"path": "a.py"}}, **fields)

    def boundary(self, trigger="auto", tokens=155_000, **metadata):
        """The boundary of a compaction."""
        data = {"trigger": trigger, "preTokens": tokens, **metadata}
        return self.add({"type": "system", "subtype": "compact_boundary", "compactMetadata": data})

    def summary(self, text="This session is being continued from a previous conversation."):
        """The summary of a compaction."""
        return self.user(text, isCompactSummary=True)

    def micro(self, *calls, tokens=60_000):
        """The boundary of a micro-compaction."""
        data = {"trigger": "auto", "preTokens": tokens, "compactedToolIds": list(calls)}
        return self.add({"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": data})

    def attachment(self, kind, **fields):
        """An attachment."""
        return self.add({"type": "attachment", "attachment": {"type": kind, **fields}})

    def read(self, ending="\n"):
        """Write the file and read it."""
        self.path.write_text("\n".join(self.lines) + ending, encoding="utf-8")
        return read_transcript(self.path)


@pytest.fixture
def claude(tmp_path):
    """A Claude Code session to be written."""
    return ClaudeFile(tmp_path / "session.jsonl")


@pytest.fixture
def written(tmp_path):
    """Writes a file of bytes, text or JSON; its path."""

    def write(content, name="transcript") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write
