"""The Messages API as a function of requests: what is checked, in which order, and what is answered.

It knows nothing of sockets; the server gives it what arrived and writes what it answers.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

from brim.testing.answers import Answer, AnswerLike, settle
from brim.testing.failures import Failure, prompt_too_long
from brim.testing.messages_api.context_edits import (
    check_finished,
    check_on_demand,
    check_summaries,
    clear,
    compacted,
    compaction_edit,
    edit_faults,
    edits_of,
    signed_block,
    threshold_block,
)
from brim.testing.messages_api.counting import Counter
from brim.testing.messages_api.exchange import (
    COUNT,
    MESSAGES,
    MODELS,
    ApiError,
    Received,
    Reply,
    begun,
    content_of,
    error_body,
    error_event,
    events_of,
    fit,
    identify,
    invalid,
    message_of,
    output_usage,
    room_for,
)
from brim.testing.messages_api.memory import CacheUse, PromptCache, Signer
from brim.testing.messages_api.served_models import ServedModel, find_model, model_info, model_list
from brim.testing.strictness import THOUGHTS, body_faults, form_faults, loop_faults, prefill_faults

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


SIZE_MAX = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A request that was accepted."""

    sent: Mapping[str, Any]
    """The body as it came."""
    bound: Mapping[str, Any]
    """From its last summary on: what thinking is bound to."""
    read: Mapping[str, Any]
    """What is left of that after clearing: what the model reads."""
    model: ServedModel
    tokens: int
    """What the model reads, in tokens."""
    applied: list[dict[str, Any]] = field(default_factory=list)
    """What was cleared."""

    def compacted_to(self, block: dict[str, Any], counter: Counter) -> Admitted:
        """The request with a summary in the place of all its messages."""
        messages = [{"role": "assistant", "content": [block]}]
        body = {**self.sent, "messages": messages}
        return replace(self, bound=body, read=body, tokens=counter.request(body))


class Admission:
    """Checks requests, and remembers which calls it handed out behind thinking."""

    def __init__(self, models: Mapping[str, ServedModel], key: str, counter: Counter) -> None:
        self._models = models
        self._key = key
        self._counter = counter
        self._signer = Signer(key)
        self._thoughtful: set[str] = set()

    def authorise(self, received: Received) -> None:
        """Raise the API's error for a request without the right key, or without a version."""
        key = received.headers.get("x-api-key")
        bearer = received.headers.get("authorization")
        if not key and not bearer:
            raise ApiError(401, "authentication_error", "x-api-key header is required")
        if key not in {None, self._key}:
            raise ApiError(401, "authentication_error", "invalid x-api-key")
        if not key and bearer != f"Bearer {self._key}":
            raise ApiError(401, "authentication_error", "Invalid bearer token")
        if "anthropic-version" not in received.headers:
            raise invalid("anthropic-version: header is required")

    def admit(self, received: Received) -> Admitted:
        """A request that the model answers. Raises the API's error for any other."""
        body, model = self._well_formed(received)
        if body["max_tokens"] > model.max_tokens:
            limit = "which is the maximum allowed number of output tokens for"
            raise invalid(f"max_tokens: {body['max_tokens']} > {model.max_tokens}, {limit} {body['model']}")
        check_summaries(body, self._key, received.betas)
        if body.get("compaction") is not None:
            check_on_demand(body)
        else:
            _refuse(prefill_faults(body, prefill=model.prefill))
        bound = compacted(body)
        _refuse(self._signer.faults(bound))
        _refuse(loop_faults(bound, self._thoughtful))
        read, applied = clear(bound, self._counter)
        tokens = self._counter.request(read)
        if tokens > model.context_window:
            raise invalid(prompt_too_long(tokens, model.context_window))
        return Admitted(sent=body, bound=bound, read=read, model=model, tokens=tokens, applied=applied)

    def count(self, received: Received) -> dict[str, Any]:
        """The answer to a request to count its tokens."""
        body, _ = self._well_formed(received, counting=True)
        before = compacted(body)
        after, _ = clear(before, self._counter)
        counted: dict[str, Any] = {"input_tokens": self._counter.request(after)}
        if body.get("context_management") is not None:
            counted["context_management"] = {"original_input_tokens": self._counter.request(before)}
        return counted

    def hand_out(self, admitted: Admitted, blocks: Sequence[dict[str, Any]]) -> None:
        """Sign the thinking of an answer, in place, and remember the calls behind it."""
        self._signer.sign(admitted.bound, blocks)
        if blocks and blocks[0]["type"] in THOUGHTS:
            self._thoughtful.update(block["id"] for block in blocks if block["type"] == "tool_use")

    def _well_formed(self, received: Received, *, counting: bool = False) -> tuple[Mapping[str, Any], ServedModel]:
        if received.size > SIZE_MAX:
            raise ApiError(413, "request_too_large", "Request exceeds the maximum size")
        body = received.body
        if not isinstance(body, Mapping):
            raise invalid("The request body is not valid JSON.")
        if body.get("thread") is not None:  # which makes the SDK's tool runner send everything
            details = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}
            raise ApiError(400, "invalid_request_error", "thread: not held by this server", details=details)
        if body.get("compaction") is not None and not counting and not list(form_faults(body.get("messages"))):
            check_finished(body)
        _refuse(body_faults(body, received.betas, counting=counting))
        _refuse(edit_faults(body, received.betas))
        return body, find_model(self._models, body["model"])


def _refuse(faults: Iterable[str]) -> None:
    for fault in faults:
        raise invalid(fault)


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
    return {"context_management": {"applied_edits": admitted.applied}} if edits_of(admitted.sent) else {}


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
            content = error_body("api_error", f"the script failed: {fault!r}", request_id)
            reply = Reply(status=500, body=content, headers={"x-should-retry": "false"})
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
