"""Own calls: what brim asks of the provider while it compacts, which is never judged itself (TOK_11)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_OWN: ContextVar[bool] = ContextVar("brim_own_calls", default=False)


@contextmanager
def own_calls() -> Iterator[None]:
    """Within it, in this thread or task, requests are brim's own."""
    token = _OWN.set(True)
    try:
        yield
    finally:
        _OWN.reset(token)


def is_own_call() -> bool:
    """Whether a request that is made here and now is brim's own."""
    return _OWN.get()
