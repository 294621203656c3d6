"""A provider for the soak: strict, a tenth of the requests fail, and it looks at each that arrives."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle
from random import Random
from typing import Any

from brim import testing
from brim.compaction.layout import SUMMARY_OPENING
from brim.testing import tool_call

MODEL, WINDOW, LONGEST = "claude-sonnet-5-5", 40_000, 5_000
BY_ITSELF = "project-0"
"""The agent that compacts its conversations, before the proxy does."""
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
        self.asked = set[str]()
        """For which of them a summary was asked for since that began so: it may be sent with any later request."""

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
        found = [*self._faults]
        self._faults.clear()
        return found

    def _answer(self, received: Any) -> Any:
        _, agent, path = received.path.split("/", 2)  # each agent has an address of its own
        reply, body = super()._answer(replace(received, path=f"/{path}")), received.body
        self._requests.clear()  # an hour of them would fill the memory
        if path != "v1/messages":
            return reply
        is_summary = body["max_tokens"] != LONGEST
        self.counts["requests for summaries" if is_summary else "requests of agents"] += 1
        self.wrong += [f"refused: {reply.body}"] if reply.status == 400 and reply.body else []
        head, (before, start) = str(body["messages"][0]), self.heads.get(agent, ("", 0))
        is_resumed = SUMMARY_OPENING in before and start != self.starts and agent != BY_ITSELF
        if is_summary:
            anew = is_resumed and agent not in self.asked
            self.counts["compacted conversations summarized anew after a restart"] += anew
            self.asked.add(agent)
            return reply
        sent = json.dumps(body["messages"], ensure_ascii=False)
        self.wrong += [f"not in a request: {one}" for one in self.typed[agent] if one not in sent]
        if before == head:
            self.counts["compacted conversations resumed"] += is_resumed
        elif is_resumed and agent not in self.asked:
            self.wrong.append(f"{agent} begins anew after a restart: {before} / {head}")
        if before != head:
            self.asked.discard(agent)
        self.heads[agent] = head, self.starts
        return reply


def user_text(message: Mapping[str, Any]) -> str:
    """Return the texts of a user's message, each from a line of its own on."""
    content = message["content"] if message["role"] == "user" else []
    return content if isinstance(content, str) else "\n".join(one["text"] for one in content if one["type"] == "text")
