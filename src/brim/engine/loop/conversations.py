"""Conversations: recognise the conversation that a request continues, among those that go on at the same time.

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
"""The number of forgotten conversations whose return is recognised, by a digest of 16 bytes each."""


class Conversations:
    """The conversations that are followed, at most `most`; the least recently used one is forgotten first."""

    def __init__(self, most: int, new_lock: Callable[[], Any]) -> None:
        self._most, self._new_lock = most, new_lock
        self._followed: list[Followed] = []
        self._forgotten: dict[tuple[int, bytes], None] = {}
        """The compacted part of each forgotten conversation: its number of messages, and their digest."""
        self._warned = False
        self._lock = threading.Lock()

    def read(self, given: Sequence[Any]) -> tuple[list[Any], Prefix]:
        """The messages of a request as plain dictionaries, and their prefix. Unchanged messages are not read again.

        Raises InvalidInput for a value that is no list of messages, and for a message that JSON cannot represent.
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
                self._warn_if_forgotten(asked)
                best = Followed(self._new_lock(), claimed=asked)
            self._move_to_the_end(best)
            return best

    def branch(self, followed: Followed, asked: Prefix) -> Followed:
        """Begin another conversation with what these messages have in common with a followed one."""
        return followed.branch(asked, self._new_lock())

    def begin(self, followed: Followed) -> None:
        """Add the conversation of a request that is being read; `keep` or `drop` decides afterwards."""
        with self._lock:
            self._move_to_the_end(followed)

    def keep(self, followed: Followed) -> None:
        """Keep the conversation, and forget the least recently used ones beyond `most`."""
        with self._lock:
            self._move_to_the_end(followed)
            while len(self._followed) > self._most:
                gone = self._followed.pop(0)
                if 0 < gone.covered <= len(gone.taken):
                    self._forgotten[gone.covered, _digest_of(gone.taken, gone.covered)] = None
            while len(self._forgotten) > FORGOTTEN:
                del self._forgotten[next(iter(self._forgotten))]

    def drop(self, followed: Followed) -> None:
        """Remove a conversation whose request could not be read."""
        with self._lock:
            self._followed = [other for other in self._followed if other is not followed]

    def _move_to_the_end(self, followed: Followed) -> None:
        self._followed = [*(other for other in self._followed if other is not followed), followed]

    def _warn_if_forgotten(self, asked: Prefix) -> None:
        counts = {count for count, _ in self._forgotten if count <= len(asked)}
        if not self._warned and any((count, _digest_of(asked, count)) in self._forgotten for count in counts):
            self._warned = True
            warnings.warn(
                f"brim keeps {self._most} conversations and had forgotten this one, so it is compacted again; "
                f"raise max_conversations={self._most}",
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
