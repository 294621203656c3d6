"""The composer: makes messages of answers, and failures of failures, for requests that were admitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brim.testing.answers import Answer
from brim.testing.failures import Failure
from brim.testing.messages_api.admission import Admission, Admitted
from brim.testing.messages_api.api_errors import error_body
from brim.testing.messages_api.clearing import edits_of
from brim.testing.messages_api.counting import Counter
from brim.testing.messages_api.prompt_cache import CacheUse, PromptCache
from brim.testing.messages_api.replies import Reply, content_of, fit, identify, message_of, output_usage, room_for
from brim.testing.messages_api.server_compaction import threshold_block
from brim.testing.messages_api.streaming import begun, error_event, events_of


class Composer:
    """Gives answers their ids, signatures and usage."""

    def __init__(self, admission: Admission, key: str, counter: Counter, cache: PromptCache) -> None:
        self._admission = admission
        self._key = key
        self._counter = counter
        self._cache = cache

    def answered(self, answer: Answer, admitted: Admitted, number: int) -> dict[str, Any]:
        """The message of an answer to the request of this number."""
        message = self._message(answer, admitted, number)
        usage = self._cache.use(admitted.read).usage() | output_usage(message["content"], self._counter)
        return message | {"usage": usage | dict(answer.usage)}

    def compacted(self, answer: Answer, admitted: Admitted, number: int, summary: str | None) -> dict[str, Any]:
        """The message of an answer behind a compaction."""
        block = threshold_block(summary)
        spent = _iteration("compaction", self._cache.use(admitted.read).usage(), self._counter.content([block]))
        after = admitted if summary is None else admitted.compacted_to(block, self._counter)
        message = self._message(answer, after, number)
        usage = CacheUse(after.tokens, 0, 0).usage() | output_usage(message["content"], self._counter)
        usage["iterations"] = [spent, _iteration("message", usage, usage["output_tokens"])]
        return message | {"content": [block, *message["content"]], "usage": usage | dict(answer.usage)}

    def failure(self, failure: Failure, admitted: Admitted, number: int, request_id: str) -> Reply:
        """The reply of a failure: an error, a message that breaks off, or nothing at all."""
        stream = bool(admitted.sent.get("stream"))
        error = error_body(failure.kind, failure.message, request_id)
        ending = None if failure.ending == "error" else failure
        if ending is None and not (stream and failure.text is not None):
            headers = {} if failure.retry_after is None else {"retry-after": f"{failure.retry_after:g}"}
            return Reply(status=failure.status, body=error, headers=headers)
        if failure.text is None:
            return Reply(ending=ending)
        message = self.answered(Answer(failure.text), admitted, number)
        if not stream:
            return Reply(body=message, ending=ending)
        events = list(begun(message, failure.text[: failure.after]))
        return Reply(events=events if ending else [*events, error_event(error)], ending=ending)

    def _message(self, answer: Answer, admitted: Admitted, number: int) -> dict[str, Any]:
        body = admitted.read
        room = room_for(body["max_tokens"], admitted.model.context_window, admitted.tokens)
        content, cut = fit(content_of(answer, body, self._key, number, admitted.tokens), room, self._counter)
        self._admission.hand_out(admitted, content)
        message = message_of(answer, content, model=body["model"], message_id=identify("msg", self._key, number))
        return message | ({"stop_reason": cut} if cut else {}) | _managed(admitted)


def reply_of(message: Mapping[str, Any], *, stream: bool) -> Reply:
    """A message as it is sent."""
    return Reply(events=list(events_of(message))) if stream else Reply(body=message)


def _iteration(kind: str, usage: Mapping[str, Any], output: int) -> dict[str, Any]:
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "cache_creation")
    return {"type": kind, **{name: usage[name] for name in names}, "output_tokens": output}


def _managed(admitted: Admitted) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if edits_of(admitted.sent):
        told["context_management"] = {"applied_edits": admitted.applied}
    if admitted.dropped is not None:
        told["input_transformations"] = admitted.dropped
    return told
