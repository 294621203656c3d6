"""Usage heard: what a response reports, taken from its bytes as they pass by on their way to whoever reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

from brim.errors import InvalidInput

Report: TypeAlias = Callable[[Mapping[str, Any], str, bool], None]
"""Told the usage, the model, and whether the response gave a stop reason."""
STREAMED: Final = "text/event-stream"
TELLING: Final = (b'"message_start"', b'"message_delta"')
"""The events of a stream that carry a usage."""


class UsageHeard:
    """Listens to the bytes of one response; what cannot be read is not reported, and nothing is ever raised.

    A stream's usage is reported as soon as it begins, and again when it is complete: one that is closed early has told
    what it read.
    """

    def __init__(self, report: Report, *, streamed: bool) -> None:
        self._report, self._streamed = report, streamed
        self._rest = b""
        self._usage: dict[str, Any] = {}
        self._model = ""

    def hear(self, piece: bytes) -> None:
        """Listen to the next bytes."""
        self._rest += piece
        if self._streamed and b"\n" in piece:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if line.startswith(b"data:") and any(telling in line for telling in TELLING):
                    self._hear_event(_read(line.removeprefix(b"data:")))

    def end(self) -> None:
        """Nothing more comes: a response that is no stream has told all."""
        if not self._streamed:
            self.hear_message(_read(self._rest))

    def hear_message(self, message: Any) -> None:
        """A whole response, as it was parsed."""
        if isinstance(message, Mapping) and isinstance(message.get("usage"), Mapping):
            self._usage, self._model = dict(message["usage"]), str(message.get("model", ""))
            self._tell(None, finished=message.get("stop_reason") is not None)

    def _hear_event(self, event: Any) -> None:
        if not isinstance(event, Mapping):
            return
        message = event.get("message")
        if event.get("type") == "message_start" and isinstance(message, Mapping):
            self._model = str(message.get("model", ""))
            self._tell(message.get("usage"), finished=False)
        elif event.get("type") == "message_delta":
            delta = event.get("delta")
            stopped = isinstance(delta, Mapping) and delta.get("stop_reason") is not None
            self._tell(event.get("usage"), finished=stopped)

    def _tell(self, usage: Any, *, finished: bool) -> None:
        if isinstance(usage, Mapping):
            self._usage |= {name: count for name, count in usage.items() if count is not None}
        if self._usage:
            with suppress(InvalidInput):
                self._report(self._usage, self._model, finished)


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
