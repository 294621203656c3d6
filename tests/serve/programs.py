"""The agents that `brim run` starts, as npm has them, and models of two providers, which read for as long as told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brim.testing import MessagesServer, thinking_block, tool_call
from brim.testing.messages_api.exchange import Received, Reply
from steps.prerequisites import npm_path
from tests.serve.openai_agents import KEY, providing

CLAUDE, GPT = "claude-opus-4-8", "gpt-5.3-codex"
WORDS = "Read the notes to their end, and never edit harbour.py: the leaflet says 4.75 per parcel."
END = "All is read."
NOTES = "".join(f"{number}: what the keeper of the harbour saw on that day\n" for number in range(260))
IS_SUMMARY = "What the user wrote, word for word"
"""Stands in brim's prompt for a summary."""
COMMANDS = {
    ("claude", "anthropic"): ["claude", "--model", CLAUDE, "--allowedTools", "Read,Bash(cat:*)", "-p"],
    ("codex", "openai"): ["codex", "exec", "--skip-git-repo-check", "--sandbox=danger-full-access", "-m", GPT],
    ("opencode", "anthropic"): ["opencode", "run", "-m", f"anthropic/{CLAUDE}"],
    ("opencode", "openai"): ["opencode", "run", "-m", f"openai/{GPT}"],
    ("pi", "anthropic"): ["pi", "--model", f"anthropic/{CLAUDE}", "-p"],
    ("pi", "openai"): ["pi", "--model", f"openai/{GPT}", "-p"],
}
"""How each is started to work on what the last argument says, without a question."""
OFFLINE = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "PI_OFFLINE": "1",
}
"""What keeps them from other addresses than that of the model."""


@dataclass
class Reader:
    """A model that calls the agent's tools in turn, to read the notes, and then ends."""

    notes: Path
    turns: int
    asks: str = IS_SUMMARY
    """Stands in what asks for a summary."""
    summary: Callable[[int], str] = lambda _: "<summary>The notes were read in part.</summary>"
    """The summary of this number, from 1 on."""
    thinks: bool = True
    asked: list[Mapping[str, Any]] = field(default_factory=list)
    """What the agent sent that was no side call, as it arrived."""
    summaries: int = 0
    refused: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def says(self, body: Mapping[str, Any]) -> str | tuple[str, dict[str, Any]]:
        """A text, or the call of a tool that reads a file or runs a command."""
        conversation = body.get("messages") or body["input"]
        last = next(one for one in reversed(conversation) if one.get("role") != "system")
        tools = {
            tool.get("name"): tool.get("input_schema") or tool.get("parameters") for tool in body.get("tools") or ()
        }
        with self._lock:
            if self.asks in str(last):
                self.summaries += 1
                return self.summary(self.summaries)
            if not tools:
                return "Notes"  # a title
            self.asked.append(conversation)
            number = len(self.asked)
        if number > self.turns:
            return END
        reads, runs = (next(filter(names.__contains__, tools), "") for names in (("Read", "read"), RUNS))
        name = reads if reads and number % 2 else runs
        takes = tools[name]["properties"]
        values = {
            **dict.fromkeys(("file_path", "filePath", "path"), str(self.notes)),
            **dict.fromkeys(("command", "cmd"), f"cat {self.notes}"),
            "description": "Reads the notes",
        }
        return name, {one: value for one, value in values.items() if one in takes}


RUNS = ("Bash", "bash", "exec_command")


class Strict(MessagesServer):
    """The strict server, which notes what it refused."""

    def __init__(self, reader: Reader, window: int) -> None:
        models = dict.fromkeys((CLAUDE, "claude-haiku-4-5-20251001"), (window, 128_000))
        super().__init__(default=self._says, models=models)
        self._reader = reader

    def _says(self, body: Mapping[str, Any]) -> Any:
        said = self._reader.says(body)
        if isinstance(said, str):
            return said
        thinks = self._reader.thinks and (body.get("thinking") or {}).get("type") in {"adaptive", "enabled"}
        return [*([thinking_block("There is more.")] if thinks else []), tool_call(*said)]

    def _answer(self, received: Received) -> Reply:
        reply = super()._answer(received)
        if reply.status != 200 and received.method == "POST":
            self._reader.refused.append(str(reply))
        return reply


@contextmanager
def provided(provider: str, reader: Reader, window: int) -> Iterator[dict[str, str]]:
    """The variables by which an agent finds the provider's API, which has models of this window."""
    if provider == "anthropic":
        with Strict(reader, window) as server:
            yield {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": server.key}
    else:
        with providing(window, reader.says) as (api, url):
            yield {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": KEY, "CODEX_API_KEY": KEY}
        reader.refused += api.refusals


def environment(home: Path) -> dict[str, str]:
    """A home of its own, and the programs."""
    path = npm_path()
    return {**OFFLINE, "PATH": path, "HOME": str(home), "BRIM_HOME": str(home / "brim"), "TERM": "xterm-256color"}
