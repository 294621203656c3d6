"""Scripts: answers in the order in which they are given, and answers for requests of a certain kind."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

T = TypeVar("T")
Predicate: TypeAlias = Callable[[Mapping[str, Any]], bool]


class Script(Generic[T]):
    """What is given next. Routes come first, in the order of their making, each for as long as it has answers."""

    def __init__(self, entries: Iterable[T], default: T) -> None:
        self._entries = deque(entries)
        self._default = default
        self._routes: list[tuple[Predicate, deque[T]]] = []
        self._lock = threading.Lock()

    @property
    def left(self) -> int:
        """Entries that nobody has asked for yet, those of routes among them."""
        with self._lock:
            return len(self._entries) + sum(len(entries) for _, entries in self._routes)

    def add(self, entries: Iterable[T]) -> None:
        """Put entries behind the last."""
        with self._lock:
            self._entries.extend(entries)

    def route(self, predicate: Predicate, entries: Iterable[T]) -> None:
        """Keep entries for the requests for whose body the predicate holds."""
        with self._lock:
            self._routes.append((predicate, deque(entries)))

    def next(self, body: Mapping[str, Any]) -> T:
        """The entry for a request: of the first route that fits, else of the script, else the default."""
        with self._lock:
            for predicate, entries in self._routes:
                if entries and predicate(body):
                    return entries.popleft()
            return self._entries.popleft() if self._entries else self._default
