"""Middleware: compaction inside the SDK's own client, for agents that send their whole list with each request.

    client = Anthropic(middleware=[compaction(compactor)])

Specified by features/engine/middleware.feature (TRG_24).
"""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from copy import copy
from re import sub
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from weakref import ref

from anthropic import APIRequest, AsyncCallNext, BadRequestError, CallNext, Middleware
from httpx2 import Request as HTTPRequest
from httpx2 import Response

from brim.compaction.context_window import Request
from brim.conversation.formats import as_dictionary
from brim.conversation.messages import copied, without_cache_marks
from brim.conversation.turns import without_ephemeral
from brim.engine.compactor import Compactor, request_of_body
from brim.engine.conversation import RECOVERIES, ConversationState, Outgoing, Recovery, unreadable_usage
from brim.engine.driving import Steps, calling, is_coroutine_function, is_internal_request
from brim.engine.recalling import Attempt, Recall
from brim.errors import (
    BrimError,
    CompactionStalled,
    ContextOverflow,
    InvalidInput,
    ProviderFailed,
    ProviderRefused,
    Refused,
    UnknownLimits,
    shown,
    text_of,
    warn,
    warn_of_reader,
)

if TYPE_CHECKING:
    from brim.engine.recall import ConversationMemory
    from brim.engine.recalling import Hidden
    from brim.sessions.session import Session

CALL_IDS: Final = ("id", "tool_use_id", "call_id", "tool_call_id")
"""Where the formats name a call."""
Pinned: TypeAlias = Callable[[Mapping[str, Any]], Any]
"""Gets a message, and returns whether it is pinned."""


class TrackedConversation(ConversationState):
    """A conversation that a client goes on with. Its messages are copies, without cache marks."""

    memory: ConversationMemory | None = None
    """What recall searches; None before the first request that offers it."""
    hidden: Sequence[Hidden] = ()
    """What was hidden of the answers in it; it is found as long as it is kept here (REC_03)."""
    revision = 0
    """Grows with each change, so that a comparison from before it is made again."""


class Match(NamedTuple):
    """What a request has in common with a conversation."""

    state: TrackedConversation
    revision: int
    shared: int
    """The number of messages that both begin with."""
    changed: Sequence[int] = ()
    """Indices of those messages that differ: in reminders or environment texts, or since the caller edited them."""

    @property
    def continues(self) -> bool:
        """Whether the request continues the conversation, and does not branch off."""
        return self.shared == len(self.state.messages)

    @property
    def usable(self) -> tuple[int, int]:
        """Count messages in common that a request can continue from, then all in common, removed ones among them."""
        return (self.shared if self.shared >= self.state.summarized_until else 0, self.shared)


def _compared(state: TrackedConversation, messages: Sequence[Any]) -> Match:
    """Compare a request with a conversation, up to the first message that really differs.

    One that differs is an edit where the conversation's last message is the same in both. The first may differ in its
    numbers, such as those of a date, unless one more differs: otherwise it is another user's conversation.
    """
    ours, revision, changed = state.messages, state.revision, list[int]()
    count = min(len(ours), len(messages))
    is_other = False  # whether the first message differs
    for index in (n for n, (one, other) in enumerate(zip(ours, messages, strict=False)) if one != other):
        message = as_dictionary(messages[index])
        if ours[index] == without_cache_marks(message):
            continue
        if not _is_same(ours[index], message):
            if _call_ids(ours[index]) != _call_ids(message):  # what answers it could not be sent behind the former one
                return Match(state, revision, 0 if is_other else index, changed)
            if index == 0 and count > 1 and _without_numbers(ours[0]) == _without_numbers(message):
                is_other = True
            elif (
                index == 0
                or is_other
                or count < len(ours)
                or not _is_same(ours[-1], as_dictionary(messages[count - 1]))
            ):
                return Match(state, revision, 0 if is_other else index, changed)
        changed.append(index)
    return Match(state, revision, count, changed)


def _is_same(ours: Any, message: Any) -> bool:
    """Return whether two messages have the same content but for what agents change in each request."""
    return bool(without_ephemeral(ours) == copied(without_ephemeral(message)))


def _without_numbers(message: Any) -> str:
    """Return a message as text, without digits and what agents change in each request."""
    return sub(r"\d+", "", str(copied(without_ephemeral(message))))


def _call_ids(message: Any) -> list[Any]:
    """Return the ids of the calls that a message makes or answers, in the form of any format."""
    parts = [message, *(one for name in ("content", "tool_calls") for one in _listed(message, name))]
    return [part[name] for part in parts if isinstance(part, Mapping) for name in CALL_IDS if name in part]


def _listed(message: Any, name: str) -> list[Any]:
    found = message.get(name) if isinstance(message, Mapping) else None
    return found if isinstance(found, list) else []


class Conversations:
    """The conversations that go on through one client, at most as many as the policy's `max_conversations`.

    A request names no conversation: it continues the one that has the same messages (TRG_24). The least recently used
    one is forgotten first.
    """

    def __init__(self, compactor: Any) -> None:
        self._compactor = compactor
        self._states: list[TrackedConversation] = []
        """The most recently used one is the last."""
        self._warned = False
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Count the known conversations."""
        return len(self._states)

    def preparing(self, request: Request) -> Steps[tuple[TrackedConversation, Outgoing]]:
        """Yield the steps of preparing a request: its conversation, what to send. Raises as ConversationState does."""
        messages = request.messages
        state = yield from self._entered(request)
        try:
            state.extend(map(_own_copy, messages[len(state.messages) :]))
            outgoing = yield from state.preparing(request, messages)
        except Exception as error:
            if not isinstance(error, BrimError):
                state.window = None  # which may lack messages
            raise
        else:
            self.keep(state)
            return state, outgoing
        finally:
            self._leave(state)

    def recovering(
        self,
        state: TrackedConversation,
        outgoing: Outgoing,
        messages: Sequence[Any],
        recoveries: Iterator[Recovery],
        response: Response,
    ) -> Steps[Outgoing | None]:
        """Return what is sent after a refusal, by the first of the recoveries that helps; None where none does."""
        yield from state.lock.acquire()
        try:
            status, body = response.status_code, response.content
            return (yield from state.recovering(recoveries, status, body, outgoing, messages))
        finally:
            self._leave(state)

    def keep(self, state: TrackedConversation) -> None:
        """Keep a conversation; the least recently used ones beyond the policy's most are forgotten."""
        with self._lock:
            self._move_to_the_end(state)
            while len(self._states) > self._compactor.policy.max_conversations:
                self._states.pop(0).hidden = ()

    def _leave(self, state: TrackedConversation) -> None:
        """Let the next request of a conversation go on; forget one that has sent nothing."""
        state.revision += 1
        state.lock.release()
        if state.window is None:
            with self._lock:
                self._states = [other for other in self._states if other is not state]

    def begin(self, _request: Request) -> TrackedConversation:
        """Begin the conversation of a request that continues none."""
        return TrackedConversation(self._compactor)

    def _entered(self, request: Request) -> Steps[TrackedConversation]:
        """Yield the steps to the conversation that a request continues, locked, with what the request changed in it."""
        messages = request.messages
        while True:
            match = self._found(request)
            state = match.state
            yield from state.lock.acquire()
            if state.revision == match.revision:
                break
            state.lock.release()
        try:
            if match.continues:
                self._update(match, messages)
                return state
            branch = state.branch(match.shared)
            self._update(match._replace(state=branch), messages)
            yield from branch.lock.acquire()
            with self._lock:
                self._move_to_the_end(branch)
        except BaseException:
            self._leave(state)
            raise
        self._leave(state)
        return branch

    def _found(self, request: Request) -> Match:
        """Find the conversation with the most messages in common with a request, or begin a new one.

        Another thread waits meanwhile, so that the same messages never begin two.
        """
        messages = request.messages
        with self._lock:
            match = self._nearest(messages)
            if match is None:
                state = self.begin(request)
                state.extend(map(_own_copy, messages[len(state.messages) :]))
                match = Match(state, state.revision, len(messages))
            if match.continues:
                self._move_to_the_end(match.state)
            return match

    def _nearest(self, messages: Sequence[Any]) -> Match | None:
        """Find the conversation with the most messages in common with these; None where none has any."""
        others = []
        for state in sorted(self._states, key=lambda state: len(state.messages), reverse=True):
            match = _compared(state, messages)
            if match.shared and match.continues:
                return match
            others.append(match)
        best = max(others, key=lambda match: match.usable, default=None)
        return best if best is not None and best.shared else None

    def _update(self, match: Match, messages: Sequence[Any]) -> None:
        """Take what the caller changed in messages that were sent before."""
        state = match.state
        for index in match.changed:
            is_edited = not _is_same(state.messages[index], as_dictionary(messages[index]))
            if is_edited and index and index >= state.summarized_until:
                state.rewind(index, strip_thinking=True)
                return
            if is_edited and state.is_summarized(index) and not self._warned:
                self._warned = True
                warn(
                    f"message {index} was changed after brim had summarized it; the summary stays, and says what the "
                    "message said before"
                )
            state.update(index, _own_copy(messages[index]))

    def _move_to_the_end(self, state: TrackedConversation) -> None:
        self._states = [*(other for other in self._states if other is not state), state]


def _own_copy(message: Any) -> Any:
    """Copy a message without cache marks, so that the caller cannot change it."""
    return copied(without_cache_marks(as_dictionary(message)))


MESSAGES: Final = "/v1/messages"
ASK_AGAIN: Final = 60.0
"""Seconds after which the provider is asked again for limits that it did not state."""


class RequestMiddleware(Middleware):
    """Judges every request for messages, sends the compacted history where one is due, and reads the usages.

    It recognizes a conversation by its messages: the caller keeps one list that grows, and a retry of the SDK is the
    same request again. It lets pass brim's own calls for a summary, token counts, batches, requests that ask the
    provider to compact, and those that continue a thread whose history the server holds (pass `thread=False`). The
    SDK's tool runner makes such a thread unless it is refused, so it is: the runner then sends its whole history.

    Args:
        compactor: judges, plans and compacts; its client, where it has one, is of the same kind as the one it is for.
        strict: raise Refused for a model whose window is unknown or too small for the policy, instead of one warning
            (TRG_23). It is unknown too where the provider refuses to state it, or fails.
        session: what recall searches in place of the conversation's own memory (REC_04).
        pinned: gets a copy of each message of each request, and returns whether it stays word for word (CNV_11).
    """

    def __init__(
        self,
        compactor: Compactor[Any],
        *,
        strict: bool = False,
        session: Session | None = None,
        pinned: Pinned | None = None,
    ) -> None:
        if not isinstance(compactor, Compactor):
            raise InvalidInput(f"the middleware takes a Compactor, not {type(compactor).__name__}")
        function: Any = pinned
        if pinned is not None and (not callable(function) or is_coroutine_function(function)):
            raise InvalidInput(
                f"pinned is {shown(pinned)}; it is a function that gets a message and returns whether it is pinned"
            )
        self._compactor, self._strict, self._pinned = compactor, strict, pinned
        if session is not None and not compactor.policy.recall:
            raise InvalidInput("a session is given for recall, which the policy does not offer: pass recall=True")
        self._recall = Recall(compactor, session) if compactor.policy.recall else None
        self._conversations = Conversations(compactor)
        self._warned: set[str] = set()
        self._unknown: dict[str, tuple[str, float]] = {}
        """The models whose limits the provider did not state: why, and when it was asked."""

    def handle(self, request: APIRequest, call_next: CallNext) -> Any:
        """Make one attempt at a request of a client that waits."""
        body = self._body_to_compact(request)
        if body is None:
            return call_next(request)
        return self._compactor.run_steps("", self._responding(request, body, call_next))

    async def handle_async(self, request: APIRequest, call_next: AsyncCallNext) -> Any:
        """Make one attempt at a request of a client for event loops."""
        body = self._body_to_compact(request)
        if body is None:
            return await call_next(request)
        return await self._compactor.arun_steps("", self._responding(request, body, call_next))

    def _responding(
        self, request: APIRequest, body: Mapping[str, Any], call_next: CallNext | AsyncCallNext
    ) -> Steps[Any]:
        """Yield the steps of one attempt."""

        def attempt(one: Mapping[str, Any], pins: Sequence[int]) -> Steps[Attempt]:
            return self._attempting(request, one, pins, call_next)

        pins = self._pins(body["messages"])
        if self._recall is not None:
            return (yield from self._recall.responding(body, pins, attempt))
        response, _ = yield from attempt(body, pins)
        return response

    def _attempting(
        self,
        request: APIRequest,
        body: Mapping[str, Any],
        pins: Sequence[int],
        call_next: CallNext | AsyncCallNext,
    ) -> Steps[Attempt]:
        """Yield the steps of a request with this body, to the response and its conversation.

        None instead of the conversation where the caller's request is sent as it is.
        """
        messages = body["messages"]
        try:
            asked = request_of_body(body, request.headers, pins)
            yield from self._require_limits(asked.model or self._compactor.model)
            state, outgoing = yield from self._conversations.preparing(asked)
        except Exception as error:  # noqa: BLE001 -- brim's own reading never ends a request
            return (yield calling(call_next, self._as_sent_or_raise(request, error))), None
        response = yield calling(call_next, _sending(request, body, outgoing))
        recoveries = iter(RECOVERIES)
        while response.http_response.status_code in (400, 413):
            yield calling(response.read)
            again = yield from self._conversations.recovering(
                state, outgoing, messages, recoveries, response.http_response
            )
            if again is None:
                break
            outgoing, response = again, (yield calling(call_next, _sending(request, body, again)))
        return self._observed(response, state, outgoing), state

    def _require_limits(self, model: str) -> Steps[None]:
        """Let the compactor learn a model's limits; a provider that does not state them is asked once a minute.

        Raises UnknownLimits, also where the provider refuses to state them or fails (TRG_25).
        """
        reason, when = self._unknown.get(model, ("", 0.0))
        if reason and monotonic() < when + ASK_AGAIN:
            raise UnknownLimits(reason)
        try:
            yield from self._compactor.finding_limits(model)
        except (UnknownLimits, ProviderRefused, ProviderFailed) as error:
            self._unknown[model] = str(error), monotonic()
            raise UnknownLimits(str(error)) from error

    def _pins(self, messages: Sequence[Any]) -> Sequence[int]:
        """Return the indices of the messages that the caller's function pins; what it raises reaches the caller."""
        if self._pinned is None:
            return ()
        copies = (copied(as_dictionary(message)) for message in messages)
        return [index for index, message in enumerate(copies) if self._pinned(message)]

    def _body_to_compact(self, request: APIRequest) -> Mapping[str, Any] | None:
        """Return the body of a request that is judged; None for any other."""
        body = request.json
        if request.method.lower() != "post" or request.url.partition("?")[0] != MESSAGES or is_internal_request():
            return None
        if not isinstance(body, Mapping) or not isinstance(body.get("messages"), list) or _provider_compacts(body):
            return None
        thread = body.get("thread")
        thread_kind = thread.get("type") if isinstance(thread, Mapping) else None
        helper = [value for name, value in request.headers.items() if name.lower() == "x-stainless-helper"]
        if thread_kind == "create" and "BetaToolRunner" in str(helper):
            raise _no_thread(request)
        if thread_kind == "continue":  # whose history the server holds: a request brings what is new alone
            self._warn("the server holds the history of this thread, so it is not compacted here: pass thread=False")
            return None
        return body

    def _as_sent_or_raise(self, request: APIRequest, error: Exception) -> APIRequest:
        """Return the request as the caller sends it, and warn: brim cannot read it, or not judge it for its model.

        Raises every other error of brim's, which the caller's policy asks for.
        """
        if isinstance(error, InvalidInput):
            self._warn(f"a conversation is sent as it is and never compacted, since it cannot be read: {error}")
        elif not isinstance(error, (BrimError, Warning)):
            warn_of_reader("a conversation", error)
        elif self._strict or not isinstance(error, Refused) or isinstance(error, (CompactionStalled, ContextOverflow)):
            raise error
        else:
            self._warn(f"a conversation is sent as it is and not compacted: {error}")
        return request

    def _warn(self, text: str, kind: str = "") -> None:
        if (kind or text) not in self._warned:
            self._warned.add(kind or text)
            warn(text)

    def _observed(self, response: Any, state: TrackedConversation, outgoing: Outgoing) -> Any:
        """Return the response, with its usage recorded as it is read (TRG_17)."""

        def report(usage: Mapping[str, Any], model: str, finished: bool) -> None:  # noqa: FBT001 -- see UsageReport
            try:
                state.report(outgoing, usage, model=model, finished=finished)
            except InvalidInput as error:
                self._warn(unreadable_usage(error), "usage")

        if response.http_response.status_code < 400:  # noqa: PLR2004 -- the first of HTTP's errors
            tap_response(response.http_response, report)
        return response


def compaction(compactor: Compactor[Any], **options: Any) -> RequestMiddleware:
    """Build the middleware for a client: `Anthropic(middleware=[compaction(compactor)])`. See RequestMiddleware."""
    return RequestMiddleware(compactor, **options)


def _provider_compacts(body: Mapping[str, Any]) -> bool:
    """Return whether the provider is asked to compact, at once or when it is due: one of the two is enough."""
    management = body.get("context_management")
    edits = management.get("edits") if isinstance(management, Mapping) else None
    kinds = [edit.get("type") for edit in edits if isinstance(edit, Mapping)] if isinstance(edits, list) else []
    return body.get("compaction") is not None or any(text_of(kind).startswith("compact_") for kind in kinds)


def _no_thread(request: APIRequest) -> BadRequestError:
    """Build the API's refusal to hold a history: the SDK's tool runner then sends it whole. Nothing is sent here."""
    text = (
        "brim compacts this history, so the server cannot hold it: make the thread with "
        "unsupported_request_behavior='continue_unthreaded'"
    )
    error = {"type": "invalid_request_error", "message": text, "details": {"error_code": "thread_unsupported_request"}}
    body = {"type": "error", "error": error}
    response = Response(400, json=body, request=HTTPRequest(request.method, f"http://localhost{MESSAGES}"))
    return BadRequestError(text, response=response, body=body)


def _sending(request: APIRequest, body: Mapping[str, Any], outgoing: Outgoing) -> APIRequest:
    """Return the request with what is to be sent; the very same where that is what the caller sends.

    The SDK's own copy of a request copies its whole history first.
    """
    if outgoing.messages is body["messages"] and body is request.json:
        return request
    sending = copy(request)
    sending.options = request.options.model_copy(update={"json_data": {**body, "messages": outgoing.messages}})
    return sending


UsageReport: TypeAlias = Callable[[Mapping[str, Any], str, bool], None]
"""Is called with the usage, the model, and whether the response gave a stop reason."""


class UsageObserver:
    """Reports the usage in the bytes of one response; what cannot be read is not reported, and nothing is ever raised.

    A stream's usage is reported when it begins, and again when it is complete: of one that is closed early what was
    read is known.
    """

    def __init__(self, report: UsageReport, *, streamed: bool) -> None:
        self._report, self._streamed = report, streamed
        self._rest = b""
        self._usage: dict[str, Any] = {}
        self._model = ""

    def feed(self, data: bytes) -> None:
        """Read the next bytes."""
        self._rest += data
        if self._streamed and b"\n" in data:
            lines, _, self._rest = self._rest.rpartition(b"\n")
            for line in lines.split(b"\n") if b'"usage"' in lines else ():
                if line.startswith(b"data:") and b'"usage"' in line:
                    self._read(line.removeprefix(b"data:"))

    def end(self) -> None:
        """Report the usage of a response that is no stream: all of it is read."""
        if not self._streamed:
            self._read(self._rest)

    def _read(self, text: bytes) -> None:
        """Read a whole response, or an event of a stream: the response as it begins, or what was added at its end."""
        try:
            read = json.loads(text)
            response = read.get("message", read.get("response", read))
            usage = {name: count for name, count in response["usage"].items() if count is not None}
            finished = (read.get("delta") or response).get("stop_reason") is not None
        except (ValueError, RecursionError, TypeError, AttributeError, KeyError):  # it has another form
            return
        self._model = text_of(response.get("model", self._model))
        self._usage |= usage
        if self._usage:
            self._report(self._usage, self._model, finished)


def tap_response(response: Any, report: UsageReport) -> None:
    """Report the usage of a response: at once where it was read already, else while its caller reads it.

    Nothing is read that the caller does not read, and every byte reaches the caller unchanged, decoded as without brim.
    The two methods by which the SDK reads bodies, raw or parsed, line by line or at once, are replaced by ones that do
    not hold the response: a stream that is dropped unread closes when its last reader lets go of it.
    """
    streamed = response.headers.get("content-type", "").startswith("text/event-stream")
    observer, kind, here = UsageObserver(report, streamed=streamed), type(response), ref(response)
    if response.is_stream_consumed:
        observer.feed(response.content)
        observer.end()
        return

    def iter_bytes(chunk_size: int | None = None) -> Iterator[bytes]:
        for data in kind.iter_bytes(here(), chunk_size):
            observer.feed(data)
            yield data
        observer.end()

    async def aiter_bytes(chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        async with aclosing(kind.aiter_bytes(here(), chunk_size)) as chunks:
            async for data in chunks:
                observer.feed(data)
                yield data
        observer.end()

    response.iter_bytes, response.aiter_bytes = iter_bytes, aiter_bytes
