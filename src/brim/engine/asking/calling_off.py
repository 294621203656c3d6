"""Calling off: one compaction told to stop, from whichever thread, wherever it waits (CMP_08)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue

from brim.errors import CompactionCancelled


class CallOff:
    """Whether one compaction is called off. It takes no lock, so that the handler of a signal may set it."""

    def __init__(self) -> None:
        self._is_set = False
        self._wake: Callable[[], object] | None = None

    def set(self) -> None:
        """Call it off, and wake whoever waits in it."""
        self._is_set = True
        wake = self._wake
        if wake is not None:
            wake()

    def check(self) -> None:
        """Raise CompactionCancelled where it is called off."""
        if self._is_set:
            raise CompactionCancelled("the compaction was called off; the conversation is as it was")

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Within it `wake` is called when it is called off, or at once where it is already."""
        self._wake = wake
        if self._is_set:
            wake()
        try:
            yield
        finally:
            self._wake = None

    def wait(self, seconds: float) -> None:
        """Wait so long, or until it is called off."""
        called: SimpleQueue[None] = SimpleQueue()
        with self.waking(lambda: called.put(None)), suppress(Empty):
            called.get(timeout=seconds)
