"""A provider for the soak: strict, a tenth of the requests fail, and it looks at each that arrives."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from itertools import cycle
from random import Random
from typing import Any

from brim import testing
from brim.compaction.layout import SUMMARY_OPENING
from brim.testing import tool_call

MODEL, WINDOW, LONGEST = "claude-sonnet-5-5", 40_000, 5_000
FAILURES = {
    "dropped midstream": testing.dropped_midstream(),
    "429 with retry-after": testing.rate_limited(1),
    "500": testing.failed(),
    "529": testing.overloaded(),
    "dropped": testing.dropped(),
    "failed midstream": testing.failed_midstream(),
    "hang": testing.hang(8),
    "hang midstream": testing.hang_midstream(seconds=8),
}


class Provider(testing.MessagesServer):
    """The strict server, of which a tenth of the requests fail; it looks at each that arrives."""

    def __init__(self, seed: int) -> None:
        super().__init__(default=self.model, models={MODEL: (WINDOW, 8_192)})
        self.chance, self.failing = Random(seed), cycle(FAILURES)  # noqa: S311 -- chance, not a secret
        self.counts, self.wrong = Counter[str](), list[str]()
        self.starts = 0
        """How often the proxy was started."""
        self.typed: dict[str, list[str]] = {}
        """What the user has typed so far in each agent's session."""
        self.heads: dict[str, tuple[str, int]] = {}
        """How what is sent for each agent begins, and by which start of the proxy it came."""

    def model(self, body: Mapping[str, Any]) -> Any:
        """Fail, write a summary, or do what was typed: read, write, look, and say so."""
        if self.chance.random() < 0.1:
            kind = next(self.failing)
            self.counts[f"failures: {kind}"] += 1
            return FAILURES[kind]
        if body["max_tokens"] != LONGEST:
            return "<summary>The berths are being written down, as the user asked.</summary>"
        asked = [n for n, one in enumerate(body["messages"]) if re.search(r"(?m)^Write down berth", user_text(one))][-1]
        steps = sum(one["role"] == "assistant" for one in body["messages"][asked:])
        name = re.findall(r"(?m)^Write down berth (\d+)", user_text(body["messages"][asked]))[-1]
        write = tool_call("write", {"file_path": f"berths/{int(name) % 7}.md", "content": f"Berth {name}.\n" * 9})
        acts = [tool_call("read", {"file_path": "log.txt"}), write, tool_call("bash", {"command": "ls -l"})]
        return [acts[steps]] if steps < len(acts) else f"Did {name}."

    def faults(self) -> list[Exception]:
        """Hand out what this file itself did wrong."""
        found, self._service.faults = self._service.faults, []
        return found

    def _answer(self, received: Any) -> Any:
        reply, body = super()._answer(received), received.body
        self._requests.clear()  # an hour of them would fill the memory
        if received.path != "/v1/messages":
            return reply
        is_summary = body["max_tokens"] != LONGEST
        agent = "".join(re.findall(r"project-\d", str(body.get("system")))[:1])  # a second try for a summary names none
        self.counts["requests for summaries" if is_summary else "requests of agents"] += 1
        self.wrong += [f"refused: {reply.body}"] if reply.status == 400 and reply.body else []
        head, (before, start) = str(body["messages"][0]), self.heads.pop(agent, ("", 0))
        is_resumed = SUMMARY_OPENING in before and start != self.starts
        if is_summary:
            self.counts["compacted conversations summarized anew after a restart"] += is_resumed
            return reply
        sent = json.dumps(body["messages"], ensure_ascii=False)
        self.wrong += [f"not in a request: {one}" for one in self.typed[agent] if one not in sent]
        self.counts["compacted conversations resumed"] += is_resumed
        if is_resumed and before != head:
            self.wrong.append(f"begins anew after a restart: {before[:300]} / {head[:300]}")
        self.heads[agent] = head, self.starts
        return reply


def user_text(message: Mapping[str, Any]) -> str:
    """Return the texts of a user's message, each from a line of its own on."""
    content = message["content"] if message["role"] == "user" else []
    return content if isinstance(content, str) else "\n".join(one["text"] for one in content if one["type"] == "text")
