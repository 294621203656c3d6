"""A scripted model in place of a real one: it runs on the strict server of brim.testing, without a key.

A script is a file of JSON. Its `turns` say what the model answers to which prompt, of the user or of a sub-agent: each
answer is a text, or a list of texts and calls such as `{"call": "bash", "input": {…}}`. A prompt may come several
times. `record` names a file that holds the last request with a known prompt.
"""

import json
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from agent import LONGEST

from brim import ModelLimits
from brim.testing import MessagesServer, text_block, tool_call

SUMMARY = "<summary>The work goes on as the user asked.</summary>"


class Script:
    """Answers by the newest prompt of a request that the script knows."""

    def __init__(self, file: Path) -> None:
        script = json.loads(file.read_text(encoding="utf-8"))
        self.model = script["model"]
        self.limits = ModelLimits(
            context_window=script["context_window"], max_output_tokens=script["max_output_tokens"]
        )
        self.summary = script.get("summary", SUMMARY)
        self._turns: dict[str, deque[Any]] = {}
        for turn in script["turns"]:
            self._turns.setdefault(turn["prompt"], deque()).extend(turn["answers"])
        self.record = script.get("record")
        self._lock = Lock()

    def server(self) -> MessagesServer:
        """A server on which this model answers."""
        limits = self.limits.context_window, self.limits.max_output_tokens
        return MessagesServer(default=self.answer, models={self.model: limits})

    def answer(self, body: Mapping[str, Any]) -> Any:
        """What the model says to a request."""
        if body["max_tokens"] != LONGEST:  # a request for a summary
            return self.summary
        prompts = (text for message in reversed(body["messages"]) for text in texts_of(message))
        known = next((text for text in prompts if text in self._turns), None)
        with self._lock:
            if self.record and known:
                Path(self.record).write_text(json.dumps(body), encoding="utf-8")
            answers = self._turns.get(known or "", ())
            said = answers.popleft() if answers else "The script has no answer to this."
        return said if isinstance(said, str) else [block_of(one) for one in said]


def texts_of(message: dict[str, Any]) -> list[str]:
    """The texts of a user's message."""
    content = message["content"] if message["role"] == "user" else []
    return [content] if isinstance(content, str) else [one["text"] for one in content if one["type"] == "text"]


def block_of(block: Any) -> Any:
    """A block of an answer as the server takes it."""
    if isinstance(block, str):
        return text_block(block)
    return tool_call(block["call"], block.get("input")) if "call" in block else block
