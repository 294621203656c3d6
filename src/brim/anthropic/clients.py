"""The two kinds of a provider's client: one that waits in a thread, and one for event loops.

The kind of a client shows in its `close`, a coroutine function in one for event loops: so the clients of every provider
and platform count, and a type checker refuses the wrong one.
"""

from __future__ import annotations

import inspect
from typing import Any, Protocol

from typing_extensions import TypeVar

from brim.errors import InvalidInput


class SyncClient(Protocol):
    """A client whose calls return, such as `Anthropic`, `AnthropicBedrock` or `OpenAI`."""

    def close(self) -> None:
        """Close its connections."""
        ...


class AsyncClient(Protocol):
    """A client whose calls are awaited, such as `AsyncAnthropic` or `AsyncOpenAI`."""

    async def close(self) -> None:
        """Close its connections."""
        ...


ClientT_co = TypeVar("ClientT_co", covariant=True, default=Any)
"""The type of a client; None where there is none, so that both forms work. Any where an annotation names none."""


def is_async(client: Any) -> bool:
    """Return whether a client is for event loops."""
    return inspect.iscoroutinefunction(getattr(client, "close", None))


def check_form(client: Any, method: str = "", *, in_loop: bool) -> None:
    """Raise InvalidInput where a client is of the other kind than a method is for; no client fits both.

    `method` is named as it is called in a thread; with an a before it, it is the one for event loops.
    """
    if client is None or is_async(client) is in_loop:
        return
    if not in_loop:
        raise for_loops("client", method)
    call = f"call {method}, or " * bool(method)
    raise InvalidInput(f"this client waits in a thread: {call}pass an async client")


def for_loops(part: str, method: str = "") -> InvalidInput:
    """Return the error for a part, such as a client, that only an event loop can use."""
    call = f"call a{method}, or " * bool(method)
    return InvalidInput(f"this {part} is for event loops: {call}pass one that is not")
