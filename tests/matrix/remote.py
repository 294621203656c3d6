"""Calls a compactor that runs in an environment of its own, as if it were a function here."""

from __future__ import annotations

import inspect
import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

RawMessage = dict[str, Any]
WORKER: Final = Path(__file__).with_name("worker.py")


class Refused(Exception):
    """Says what a compactor raised, by the name of its error."""


class Remote:
    """A compactor in a process of its own, with the keywords that it takes."""

    def __init__(self, python: str | Path, adapter: Path, name: str = "compact") -> None:
        """Start the process. Raises Refused where the adapter cannot be imported."""
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  closed with the process
        self._process = subprocess.Popen(
            [str(python), str(WORKER), str(adapter), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        try:
            hello = self._read()
        except Refused:
            self.close()
            raise
        self.versions: dict[str, str] = hello["versions"]
        self.seconds = 0.0
        """Of the package itself in the newest call, without its adapter, the summarizer and the pipe."""
        self.keywords: list[str] = hello["keywords"]
        keywords = [inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY) for one in self.keywords]
        first = inspect.Parameter("messages", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.__signature__ = inspect.Signature([first, *keywords])

    def __call__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        summarize: Callable[[list[RawMessage]], Any] | None = None,
        **keywords: Any,
    ) -> list[RawMessage]:
        """Return the messages as the compactor leaves them. Raises Refused with what it raised."""
        self._write({"messages": messages, "summarize": summarize is not None, **keywords})
        while "summarize" in (answer := self._read()):
            assert summarize is not None
            try:
                reply = {"content": summarize(answer["summarize"])}
            except Exception as error:  # noqa: BLE001  the compactor is told of every failure
                reply = {"error": type(error).__name__, "text": str(error)}
            self._write(reply)
        self.seconds = answer["seconds"]
        if "error" in answer:
            raise Refused(f"{answer['error']}: {answer['text']}")
        found: list[RawMessage] = answer["messages"]
        return found

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _write(self, value: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self._errors.seek(0)
            raise Refused(f"the process ended with {code}: {self._errors.read()[-500:]}")
        return json.loads(line)
