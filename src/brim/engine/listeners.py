"""Listeners: whoever wants to know how a compaction goes on; one that fails harms nothing (CMP_06)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from typing import TypeAlias

from brim.compaction.events import Event
from brim.errors import InvalidInput

Listener: TypeAlias = Callable[[Event], object]
"""Told every event, in the order they happen."""


class Listeners:
    """Any number of listeners. One that raises is warned about once, and told the next event all the same.

    Raises InvalidInput for what cannot be told anything.
    """

    def __init__(self, listeners: Listener | Iterable[Listener] | None) -> None:
        self._listeners = _each(listeners)
        self._faulty: set[int] = set()

    def tell(self, event: Event) -> None:
        """Tell an event to each."""
        for place, listener in enumerate(self._listeners):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 -- a listener may raise anything
                self._report(place, error)

    def _report(self, place: int, error: Exception) -> None:
        if place not in self._faulty:
            self._faulty.add(place)
            warnings.warn(f"a listener failed and is told of everything all the same: {error!r}", stacklevel=3)


def _each(listeners: Listener | Iterable[Listener] | None) -> tuple[Listener, ...]:
    if listeners is None:
        return ()
    each = (listeners,) if callable(listeners) or not isinstance(listeners, Iterable) else tuple(listeners)
    for listener in each:
        _check(listener)
    return each


def _check(listener: object) -> None:
    if not callable(listener):
        raise InvalidInput(f"a listener is {type(listener).__name__}; it is called with every event")
    if inspect.iscoroutinefunction(listener) or inspect.iscoroutinefunction(getattr(listener, "__call__", None)):  # noqa: B004
        raise InvalidInput("a listener is called and not awaited: hand in a plain function, which may start a task")
