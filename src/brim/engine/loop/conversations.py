"""Conversations: those that are followed at the same time, each known again by what it begins with."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from brim.engine.loop.following import Followed
from brim.engine.loop.prefixes import Chain, common


class Conversations:
    """The conversations that are followed, as many as `most`; the one that rested longest goes first."""

    def __init__(self, most: int, new_lock: Callable[[], Any]) -> None:
        self._most, self._new_lock = most, new_lock
        self._followed: list[Followed] = []
        self._lock = threading.Lock()

    def find(self, chain: Chain) -> Followed:
        """The conversation with the most messages in common with this request, or a new one."""
        with self._lock:
            best = max(self._followed, key=lambda followed: _shared(followed, chain), default=None)
            if best is None or _shared(best, chain) == (0, 0):
                best = Followed(self._new_lock(), claimed=chain)
            self._keep(best)
            return best

    def branch(self, followed: Followed, chain: Chain) -> Followed:
        """Begin another conversation with what these messages have in common with a followed one."""
        return followed.branch(chain, self._new_lock())

    def keep(self, followed: Followed) -> None:
        """Follow it from now on."""
        with self._lock:
            self._keep(followed)

    def _keep(self, followed: Followed) -> None:
        others = [other for other in self._followed if other is not followed]
        self._followed = [*others, followed][-self._most :]

    def __len__(self) -> int:
        return len(self._followed)


def _shared(followed: Followed, chain: Chain) -> tuple[int, int]:
    """Messages in common that a request can go on from, and those that were replaced since."""
    shared = common(followed.claimed, chain)
    return (shared, shared) if shared >= followed.covered else (0, shared)
