"""Message threads: conversations that the server holds, so that a request sends only what is new.

A thread is begun with a whole conversation and continued from its last response, each response once.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from brim.testing.messages_api.api_errors import ApiError, invalid
from brim.testing.messages_api.blocks import canonical

BETA: Final = "message-threads-2026-08-12"
FIXED: Final = ("system", "tools")
"""What a thread keeps from its beginning."""
UNSUPPORTED: Final = ("context_management",)

Body = Mapping[str, Any]


@dataclass(slots=True)
class Held:
    """A conversation up to one of its responses."""

    fixed: Mapping[str, Any]
    messages: list[Any]
    continued: bool = False


class Threads:
    """The conversations that are held, by the ids of their responses."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        self._lock = threading.Lock()

    def whole(self, body: Any) -> Any:
        """The body with the whole conversation. Raises the API's error where there is none to continue."""
        thread = body.get("thread") if isinstance(body, Mapping) else None
        if thread is None:
            return body
        if any(body.get(name) is not None for name in UNSUPPORTED):
            raise _unsupported()
        kind = thread.get("type") if isinstance(thread, Mapping) else None
        if kind not in {"create", "continue"}:
            raise invalid("thread: Input tag should be 'create' or 'continue'")
        return body if kind == "create" else self._continued(body, str(thread.get("previous_message_id")))

    def keep(self, sent: Any, whole: Body, message: Body) -> None:
        """Hold a conversation under the id of its new response, where its request belongs to a thread."""
        thread = sent.get("thread")
        if thread is None:
            return
        reply = {"role": "assistant", "content": message["content"]}
        fixed = {name: whole[name] for name in FIXED if name in whole}
        with self._lock:
            if thread["type"] == "continue" and thread["previous_message_id"] in self._held:
                self._held[thread["previous_message_id"]].continued = True
            self._held[message["id"]] = Held(fixed, [*whole["messages"], reply])

    def forget(self) -> None:
        """Lose every conversation, as the API does after a while."""
        with self._lock:
            self._held.clear()

    def _continued(self, body: Body, previous: str) -> Body:
        with self._lock:
            held = self._held.get(previous)
        if held is None:
            message = f"thread: no thread was found for `previous_message_id` {previous}"
            raise ApiError(404, "not_found_error", message, details={"error_code": "thread_not_found"})
        if held.continued:
            raise invalid(f"thread: {previous} has already been continued", code="thread_already_continued")
        changed = [n for n in FIXED if n in body and canonical(body[n]) != canonical(held.fixed.get(n))]
        if changed:
            message = f"thread: differs from what the thread was created with: {', '.join(changed)}"
            raise invalid(message, code="thread_fingerprint_mismatch")
        new = body.get("messages")
        return {**body, **held.fixed, "messages": [*held.messages, *new] if isinstance(new, list) else new}


def _unsupported() -> ApiError:
    message = f"thread: cannot be combined with {', '.join(UNSUPPORTED)}"
    details = {"error_code": "thread_unsupported_request", "unsupported": list(UNSUPPORTED)}
    return ApiError(400, "invalid_request_error", message, details=details)
