"""Conversations: those that are followed at the same time, each known again by what it begins with.

Specified by features/engine/requests.feature (TRG_24).
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, Final

from brim.engine.loop.following import Followed
from brim.engine.loop.prefixes import DIGEST_BYTES, Prefix, plain, prefix_of

FORGOTTEN: Final = 1_024
"""Forgotten conversations that are known again, by 16 bytes each."""


class Conversations:
    """The conversations that are followed, as many as `most`; the one that rested longest goes first."""

    def __init__(self, most: int, new_lock: Callable[[], Any]) -> None:
        self._most, self._new_lock = most, new_lock
        self._followed: list[Followed] = []
        self._forgotten: dict[tuple[int, bytes], None] = {}
        """What compactions replaced in them: how many messages, and a digest of those."""
        self._told = False
        self._lock = threading.Lock()

    def read(self, given: Sequence[Any]) -> tuple[list[Any], Prefix]:
        """The messages of a request as plain dictionaries, and their prefix; what was read before is not read again.

        Raises InvalidInput for what is no list of messages, and for one that cannot be written as JSON.
        """
        read_before = [followed.claimed for followed in reversed(tuple(self._followed))]
        if isinstance(given, (list, tuple)):
            known = next((one for one in read_before if one.begins(given)), None)
            if known is not None:
                new = plain(given[len(known) :])
                return [*given[: len(known)], *new], known.extended(new)
        messages = plain(given)
        alike = (one for one in read_before if one.messages and one.is_like(messages))
        return messages, prefix_of(messages, max(alike, key=len, default=None))

    def find(self, asked: Prefix) -> Followed:
        """The conversation with the most messages in common with this request, or a new one."""
        with self._lock:
            best = max(self._followed, key=lambda followed: _shared(followed, asked), default=None)
            if best is None or _shared(best, asked) == (0, 0):
                self._tell_of_forgotten(asked)
                best = Followed(self._new_lock(), claimed=asked)
            self._move_to_the_end(best)
            return best

    def branch(self, followed: Followed, asked: Prefix) -> Followed:
        """Begin another conversation with what these messages have in common with a followed one."""
        return followed.branch(asked, self._new_lock())

    def begin(self, followed: Followed) -> None:
        """Follow it while its request is read: see keep and drop."""
        with self._lock:
            self._move_to_the_end(followed)

    def keep(self, followed: Followed) -> None:
        """Follow it from now on, and forget those that rested longest where that makes too many."""
        with self._lock:
            self._move_to_the_end(followed)
            while len(self._followed) > self._most:
                gone = self._followed.pop(0)
                if 0 < gone.covered <= len(gone.taken):
                    self._forgotten[gone.covered, _digest_of(gone.taken, gone.covered)] = None
            while len(self._forgotten) > FORGOTTEN:
                del self._forgotten[next(iter(self._forgotten))]

    def drop(self, followed: Followed) -> None:
        """Follow it no longer: nothing of it could be read."""
        with self._lock:
            self._followed = [other for other in self._followed if other is not followed]

    def _move_to_the_end(self, followed: Followed) -> None:
        self._followed = [*(other for other in self._followed if other is not followed), followed]

    def _tell_of_forgotten(self, asked: Prefix) -> None:
        counts = {count for count, _ in self._forgotten if count <= len(asked)}
        if not self._told and any((count, _digest_of(asked, count)) in self._forgotten for count in counts):
            self._told = True
            warnings.warn(
                f"more than {self._most} conversations go on side by side, so that one was forgotten and is compacted "
                f"again; raise conversations={self._most}",
                stacklevel=7,
            )

    def __len__(self) -> int:
        return len(self._followed)


def _digest_of(prefix: Prefix, count: int) -> bytes:
    return blake2b(b"".join(prefix.digests[:count]), digest_size=DIGEST_BYTES).digest()


def _shared(followed: Followed, asked: Prefix) -> tuple[int, int]:
    """Messages in common that a request can go on from, and those that were replaced since."""
    shared = followed.claimed.common(asked)
    return (shared, shared) if shared >= followed.covered else (0, shared)
