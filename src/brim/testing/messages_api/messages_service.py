"""The Messages API as a function of requests: what is checked, in which order, and what is answered.

It knows nothing of sockets; the server gives it what arrived and writes what it answers.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from brim.testing.answers import Answer, AnswerLike, settle
from brim.testing.failures import Failure
from brim.testing.messages_api.admission import Admission, Admitted
from brim.testing.messages_api.api_errors import ApiError, error_body
from brim.testing.messages_api.composer import Composer, reply_of
from brim.testing.messages_api.counting import Counter
from brim.testing.messages_api.prompt_cache import PromptCache
from brim.testing.messages_api.received import COUNT, MESSAGES, MODELS, Received
from brim.testing.messages_api.replies import Reply, identify
from brim.testing.messages_api.script import Script
from brim.testing.messages_api.served_models import ServedModel, find_model, model_info, model_list
from brim.testing.messages_api.server_compaction import compaction_edit, signed_block

SummaryLike: TypeAlias = "str | Failure | Callable[[Mapping[str, Any]], str | Failure | None] | None"
"""A summary that the server writes, None for one that failed, a failure of the call, or a function of the body."""

PAUSE = Answer((), stop_reason="compaction")
"""What stands behind a summary where the request asks to pause; the script is not asked then."""


class MessagesService:
    """Answers requests from its scripts."""

    def __init__(
        self,
        script: Script[AnswerLike],
        summaries: Script[SummaryLike],
        *,
        models: Mapping[str, ServedModel],
        key: str,
        counter: Counter,
        cache_minimum: int,
    ) -> None:
        self.script = script
        self._summaries = summaries
        self._models = models
        self._key = key
        self._admission = Admission(models, key, counter)
        self._composer = Composer(self._admission, key, counter, PromptCache(counter, cache_minimum))
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self.faults: list[Exception] = []
        """What the functions of the scripts raised."""

    def forget_threads(self) -> None:
        """Lose the conversations that are held for clients."""
        self._admission.threads.forget()

    def reply(self, received: Received) -> Reply:
        """The reply to a request; whatever is wrong with the request is in it."""
        with self._lock:
            number = next(self._numbers)
        request_id = identify("req", self._key, number)
        try:
            reply = self._route(received, number, request_id)
        except ApiError as error:
            reply = Reply(status=error.status, body=error.body(request_id))
        except Exception as fault:  # noqa: BLE001 - a test's own function failed: the test is told when the server closes
            self.faults.append(fault)
            told = error_body("api_error", f"the script failed: {fault!r}", request_id)
            reply = Reply(status=500, body=told, headers={"x-should-retry": "false"})
        return replace(reply, headers={**reply.headers, "request-id": request_id})

    def _route(self, received: Received, number: int, request_id: str) -> Reply:
        self._admission.authorise(received)
        match received.method, received.path:
            case "GET", path if path == MODELS:
                return Reply(body=model_list(self._models))
            case "GET", path if path.startswith(f"{MODELS}/"):
                name = path.removeprefix(f"{MODELS}/")
                return Reply(body=model_info(name, find_model(self._models, name)))
            case "POST", path if path == COUNT:
                return Reply(body=self._admission.count(received))
            case "POST", path if path == MESSAGES:
                return self._create(received, number, request_id)
        raise ApiError(404, "not_found_error", "Not found")

    def _create(self, received: Received, number: int, request_id: str) -> Reply:
        admitted = self._admission.admit(received)
        on_demand = admitted.sent.get("compaction") is not None
        message = self._on_demand(admitted, number) if on_demand else self._message(admitted, number)
        if isinstance(message, Failure):
            return self._composer.failure(message, admitted, number, request_id)
        self._admission.threads.keep(received.body, admitted.sent, message)
        return reply_of(message, stream=bool(admitted.sent.get("stream")))

    def _message(self, admitted: Admitted, number: int) -> dict[str, Any] | Failure:
        edit = compaction_edit(admitted.read, admitted.tokens)
        pause = edit is not None and bool(edit.get("pause_after_compaction"))
        answer = PAUSE if pause else settle(self.script.next(admitted.sent), admitted.sent)
        if isinstance(answer, Failure):
            return answer
        if edit is None:
            return self._composer.answered(answer, admitted, number)
        summary = self._summary(admitted.sent)
        if isinstance(summary, Failure):
            return summary
        return self._composer.compacted(answer, admitted, number, summary)

    def _on_demand(self, admitted: Admitted, number: int) -> dict[str, Any] | Failure:
        summary = self._summary(admitted.sent)
        if isinstance(summary, Failure):
            return summary
        answer = Answer([signed_block(summary, self._key)], stop_reason="compaction")
        return self._composer.answered(answer, admitted, number)

    def _summary(self, body: Mapping[str, Any]) -> str | Failure | None:
        scripted = self._summaries.next(body)
        return scripted(body) if callable(scripted) else scripted
