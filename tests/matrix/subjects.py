"""The compactors of the matrix, each in a process of its own, by the names `PEER` and `PEER__best`.

The conformance kit reaches them as `--compactor tests.matrix.subjects:langchain__best`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, Final

from brim import ContextWindow
from tests.matrix.environments import HERE, PEERS, python_of
from tests.matrix.remote import RawMessage, Refused, Remote
from tests.needed_next import tokens

OURS: Final = {"brim": "compact", "brim__template": "template", "brim__cold": "cold", "brim__best": "best"}
"""Our own, which runs in this environment, and the functions of its adapter."""


def there() -> list[str]:
    """Return the names of the packages that are installed, each with its defaults and with its best settings."""
    found = [name for name in PEERS if python_of(name).exists()]
    return [f"{name}{setting}" for name in found for setting in ("", "__best")]


def remote(subject: str) -> Remote:
    """Start the compactor of a name."""
    if subject in OURS:
        return Remote(sys.executable, HERE / "peers" / "brim.py", OURS[subject])
    name, _, setting = subject.partition("__")
    return Remote(python_of(name), HERE / "peers" / f"{name}.py", setting or "compact")


def __getattr__(name: str) -> Remote:
    if name in OURS or name.removesuffix("__best") in PEERS:
        return remote(name)
    raise AttributeError(name)


class Subject:
    """A compactor as a strategy of what was needed next, with what it cost."""

    def __init__(self, compactor: Remote, answer: Callable[[], str]) -> None:
        """Let the model answer with a text."""
        self.remote, self._answer = compactor, answer
        self.asks = "summarize" in compactor.keywords
        self.seconds: list[float] = []
        self.calls = 0
        self.asked = 0
        """Tokens that the model read."""
        self.refused: list[str] = []
        """What it raised; the messages stay as they were."""

    def __call__(self, context: list[RawMessage]) -> list[RawMessage]:
        """Return the messages as it leaves them, in a window that they fill."""
        keywords: dict[str, Any] = {"summarize": self._summarize} if self.asks else {}
        if "window" in self.remote.keywords:
            held = ContextWindow(messages=context).estimated
            keywords["window"] = held + min(held // 5, 32_000)
        try:
            left = self.remote(context, **keywords)
        except Refused as error:
            self.refused.append(str(error))
            left = context
        self.seconds.append(self.remote.seconds)
        return left

    def warm_up(self) -> None:
        """Compact a greeting, so that what is imported late is no time of a compaction."""
        self([{"role": "user", "content": "Hello."}])
        self.seconds, self.calls, self.asked, self.refused = [], 0, 0, []

    def _summarize(self, messages: Iterable[RawMessage]) -> list[RawMessage]:
        self.calls += 1
        self.asked += tokens(messages)
        return [{"type": "text", "text": self._answer()}]
