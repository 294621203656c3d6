"""How signals are handled while a test runs: not left to how the tests were started."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Handler = Callable[..., Any] | signal.Handlers


@contextmanager
def handled(number: int, handler: Handler) -> Iterator[None]:
    """Handle a signal so meanwhile. A process started inside ignores it where this one does, else has its default.

    Without it both inherit from whoever started the tests: `nohup` ignores SIGHUP, a script's background SIGINT.
    """
    former = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, former)
