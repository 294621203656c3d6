"""Middleware: compaction inside the SDK's own client, for agents that send their whole list with each request.

    client = Anthropic(middleware=[compaction(compactor)])

Specified by features/engine/middleware.feature (TRG_24).
"""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from hashlib import blake2b
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar
from weakref import ref

from anthropic import APIRequest, AsyncCallNext, BadRequestError, CallNext, Middleware
from httpx2 import Request as HTTPRequest
from httpx2 import Response

from brim.compaction.context_window import Request
from brim.conversation.formats import ANTHROPIC, Format, as_dictionary
from brim.conversation.messages import copied, read_conversation, without_cache_marks
from brim.conversation.turns import lasting
from brim.engine.compactor import Compactor, request_of_body
from brim.engine.conversation import (
    RECOVERIES,
    ConversationState,
    KeptPart,
    Outgoing,
    Recovery,
    recoveries_of,
    unreadable_usage,
)
from brim.engine.driving import Steps, arun, calling, is_coroutine_function, is_internal_request, run
from brim.engine.recalling import Attempt, recall_of
from brim.errors import (
    BrimError,
    CompactionStalled,
    ContextOverflow,
    InvalidInput,
    ProviderFailed,
    ProviderRefused,
    Refused,
    UnknownLimits,
    text_of,
    warn,
    warn_of_reader,
)
from brim.tokens.estimation import SURROGATES, json_bytes

if TYPE_CHECKING:
    from brim.engine.recall import ConversationMemory
    from brim.engine.recalling import Hidden
    from brim.sessions.session import Session

CHUNK: Final = 256
"""Messages that are compared at once; only where two chunks differ, message by message."""
REMEMBERED: Final = 1_024
"""Compactions that are remembered when their conversations are forgotten."""
DIGEST_BYTES: Final = 16


PartKey: TypeAlias = tuple[int, bytes]
"""How many messages a compaction has summarized, and a digest of them."""
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
    shared: int = 0
    """The number of messages that both begin with."""
    refreshed: Sequence[int] = ()
    """Indices of messages in which only reminders or environment texts differ, and that of a changed first message."""
    edited: Sequence[int] = ()
    """Indices of messages that differ, where the last message of the conversation is the same in both."""

    @property
    def continues(self) -> bool:
        """Whether the request continues the conversation, and does not branch off."""
        return bool(self.edited) or self.shared == len(self.state.messages)


def _compared(state: TrackedConversation, messages: Sequence[Any]) -> Match:
    """Compare a request with a conversation; nothing in common if their first messages and others differ."""
    ours, revision = state.messages, state.revision
    count = min(len(ours), len(messages))
    refreshed: list[int] = []
    edited: list[int] = []
    is_other = False  # so far: in its first message alone
    for index in _differences(ours, messages, count):
        message = as_dictionary(messages[index])
        if ours[index] == without_cache_marks(message):
            continue
        if _is_same(ours[index], message):
            refreshed.append(index)
        elif index == 0 and count > 1:
            is_other = True
            refreshed.append(index)
        elif is_other or not (edited or _ends_alike(ours, messages)):
            return Match(state, revision, 0 if is_other else index, refreshed)
        else:
            edited.append(index)
    return Match(state, revision, edited[0] if edited else count, refreshed, edited)


def _differences(ours: Sequence[Any], theirs: Sequence[Any], count: int) -> Iterator[int]:
    """Yield the indices below `count` at which two lists differ."""
    for start in range(0, count, CHUNK):
        stop = min(start + CHUNK, count)
        one, other = ours[start:stop], theirs[start:stop]
        if one != other:
            yield from (index for index, pair in enumerate(zip(one, other, strict=True), start) if pair[0] != pair[1])


def _ends_alike(ours: Sequence[Any], messages: Sequence[Any]) -> bool:
    """Return whether the last message of a conversation stands at the same index in a request."""
    last = len(ours) - 1
    return 0 <= last < len(messages) and _is_same(ours[last], as_dictionary(messages[last]))


def _is_same(ours: Any, message: Any) -> bool:
    """Return whether two messages have the same content but for what agents change in each request."""
    return bool(lasting(ours) == copied(lasting(message)))


class Conversations:
    """The conversations that go on through one client, at most as many as the policy's `max_conversations`.

    A request names no conversation: it continues the one that has the same messages (TRG_24). The least recently used
    one is forgotten first. All are in one format.
    """

    def __init__(self, compactor: Any, form: Format = ANTHROPIC) -> None:
        self._compactor, self._form = compactor, form
        self.on_compacted: Callable[[PartKey, KeptPart], object] = lambda *_: None
        """Takes what a compaction sends, and of which messages, so that another process can go on from it."""
        self._states: list[TrackedConversation] = []
        """The most recently used one is the last."""
        self._compacted: dict[PartKey, TrackedConversation | KeptPart] = {}
        """The last compactions, by the number of messages that each has summarized and a digest of them."""
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Count the known conversations."""
        return len(self._states)

    def preparing(self, request: Request, *, plans: bool = True) -> Steps[tuple[TrackedConversation, Outgoing]]:
        """Yield the steps of preparing a request: its conversation, what to send. Raises as ConversationState does."""
        messages = request.messages
        state = yield from self._entered(messages)
        try:
            state.extend(map(_own_copy, messages[len(state.messages) :]))
            outgoing = yield from state.preparing(request, messages, plans=plans)
        except Exception as error:
            if not isinstance(error, BrimError):
                state.window = None  # which may lack messages
            raise
        else:
            self._keep(state)
            if outgoing.compaction is not None:
                self._remember(state)
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
            steps = recoveries_of(recoveries, response.status_code, response.content)
            return (yield from state.recovering(steps, outgoing, messages))
        finally:
            self._leave(state)

    def _leave(self, state: TrackedConversation) -> None:
        state.revision += 1
        state.lock.release()
        if state.window is None:
            with self._lock:
                self._states = [other for other in self._states if other is not state]

    def _entered(self, messages: Sequence[Any]) -> Steps[TrackedConversation]:
        """Yield the steps to the conversation that a request continues, locked, with what the request changed in it."""
        while True:
            match = self._found(messages)
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
        except BaseException:
            self._leave(state)
            raise
        state.lock.release()
        self._move_to_the_end(branch)
        return branch

    def _found(self, messages: Sequence[Any]) -> Match:
        """Find the conversation with the most messages in common with a request, or begin a new one."""
        with self._lock:
            by_length = sorted(self._states, key=lambda state: len(state.messages), reverse=True)
        others = []
        for state in by_length:
            if _ends_alike(state.messages, messages) and (match := _compared(state, messages)).continues:
                self._move_to_the_end(state)
                return match
            others.append(state)
        best = max((_compared(state, messages) for state in others), key=_usable, default=None)
        state = self._remembered(messages) or TrackedConversation(self._compactor, form=self._form)
        if best is not None and best.shared > len(state.messages):
            return best
        state.extend(map(_own_copy, messages[len(state.messages) :]))
        self._move_to_the_end(state)
        return Match(state, state.revision, len(messages))

    def _update(self, match: Match, messages: Sequence[Any]) -> None:
        """Take what the caller changed in messages that were sent before."""
        state = match.state
        changed = (
            index
            for index in (*match.refreshed, *match.edited)
            if not _is_same(state.messages[index], as_dictionary(messages[index]))
        )
        gone = [index for index in changed if state.is_summarized(index)]
        if gone:
            self._warn(
                "edited",
                f"message {gone[0]} was changed after brim had summarized it; the summary stays, and says what the "
                "message said before",
            )
        stop = next((index for index in match.edited if index >= state.summarized_until), len(state.messages))
        for index in (*match.refreshed, *match.edited):
            if index < stop:
                state.update(index, _own_copy(messages[index]))
        if stop < len(state.messages):
            state.rewind(stop, strip_thinking=True)

    def _keep(self, state: TrackedConversation) -> None:
        """Keep the conversation, and forget the least recently used ones beyond the most."""
        self._move_to_the_end(state)
        with self._lock:
            while len(self._states) > self._compactor.policy.max_conversations:
                self._states.pop(0).hidden = ()

    def _remember(self, state: TrackedConversation) -> None:
        """Remember the compaction of a conversation, so that it is not made again where that one is forgotten."""
        for key in _digests(state.messages, {state.summarized_until, len(state.messages)}):
            if key[0] == state.summarized_until:
                record = state.compacted_part()
                record.memory, record.hidden = None, ()
                self.remember(key, record)
                part = record.kept_part(key[0])
            else:
                part = state.kept_part(key[0])
                self.remember(key, part)
            self.on_compacted(key, part)

    def remember(self, key: PartKey, record: TrackedConversation | KeptPart) -> None:
        """Remember a compaction, also one of another process; the oldest beyond the most is forgotten."""
        with self._lock:
            self._compacted[key] = record
            while len(self._compacted) > REMEMBERED:
                del self._compacted[next(iter(self._compacted))]

    def _remembered(self, messages: Sequence[Any]) -> TrackedConversation | None:
        """Find the newest compaction of a forgotten conversation that a request continues; None where there is none."""
        with self._lock:
            compacted = dict(self._compacted)
        counts = {count for count, _ in compacted if count < len(messages)}  # what is asked now is not among them
        found = [digest for digest in _digests(messages, counts) if digest in compacted] if counts else []
        if not found:
            return None
        record, own = compacted[found[-1]], map(_own_copy, messages[: found[-1][0]])
        if isinstance(record, TrackedConversation):
            return record.compacted_part(own)
        state = TrackedConversation(self._compactor, form=self._form)
        state.extend(own)
        state.restore(record)
        return state

    def _move_to_the_end(self, state: TrackedConversation) -> None:
        with self._lock:
            self._states = [*(other for other in self._states if other is not state), state]

    def _warn(self, kind: str, text: str) -> None:
        """Warn, once of each kind."""
        if kind not in self._warned:
            self._warned.add(kind)
            warn(text)


def _own_copy(message: Any) -> Any:
    """Copy a message without cache marks, so that the caller cannot change it."""
    return copied(without_cache_marks(as_dictionary(message)))


def _usable(match: Match) -> tuple[int, int]:
    """Count messages in common that a request can continue from, then all in common, removed ones among them."""
    return (match.shared if match.shared >= match.state.summarized_until else 0, match.shared)


def _digests(messages: Sequence[Any], counts: set[int]) -> Iterator[tuple[int, bytes]]:
    """Yield each of these counts with the digest of so many first messages, in rising order."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for count, message in enumerate(messages[: max(counts)], 1):
        written = json.loads(json_bytes(lasting(as_dictionary(message))).decode(errors=SURROGATES), parse_int=str)
        digest.update(json.dumps(written, sort_keys=True).encode())
        if count in counts:
            yield count, digest.digest()


MESSAGES: Final = "/v1/messages"
HELD_BY_SERVER: Final = "continue"
"""The kind of a thread whose history the server holds: a request brings what is new alone."""
BEGUN: Final = "create"
RUNNER: Final = "BetaToolRunner"
"""How the SDK names its tool runner in the header of a request."""
NO_THREAD: Final = "thread_unsupported_request"
"""The API's code for a request that it holds no history for: the runner then sends its whole history instead."""
FIRST_ERROR: Final = 400
ASK_AGAIN: Final = 60.0
"""Seconds after which the provider is asked again for limits that it did not state."""
ResponseT = TypeVar("ResponseT")


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
        given: Any = pinned
        if pinned is not None and (not callable(given) or is_coroutine_function(given)):
            kind = "a coroutine function" if callable(given) else type(given).__name__
            raise InvalidInput(
                f"pinned is {kind}; it is a function that gets a message and returns whether it is pinned"
            )
        self._compactor, self._strict, self._pinned = compactor, strict, pinned
        self._recall = recall_of(compactor, session)
        self._conversations = Conversations(compactor)
        self._warned: set[str] = set()
        self._unknown: dict[str, tuple[str, float]] = {}
        """The models whose limits the provider did not state: why, and when it was asked."""
        self._shown: Sequence[Any] = ()
        """Copies of the messages of the last request, for `pinned`."""

    def handle(self, request: APIRequest, call_next: CallNext) -> Any:
        """Make one attempt at a request of a client that waits."""
        body = self._judged(request)
        if body is None:
            return call_next(request)
        self._compactor.check_form(in_loop=False)
        return run(self._responding(request, body, call_next))

    async def handle_async(self, request: APIRequest, call_next: AsyncCallNext) -> Any:
        """Make one attempt at a request of a client for event loops."""
        body = self._judged(request)
        if body is None:
            return await call_next(request)
        self._compactor.check_form(in_loop=True)
        return await arun(self._responding(request, body, call_next), self._compactor.listeners)

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
            return (yield calling(call_next, self._unchanged(request, error))), None
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
            reason = str(error)
            if not isinstance(error, UnknownLimits):
                reason = f"the context window of {model!r} is not known: {reason}"
            self._unknown[model] = reason, monotonic()
            raise UnknownLimits(reason) from error

    def _pins(self, messages: Sequence[Any]) -> Sequence[int]:
        """Return the indices of the messages that the caller's function pins; none where the API refuses one of them.

        What the function raises reaches the caller, but for such a message the API's own error does.
        """
        if self._pinned is None:
            return ()
        try:
            return [index for index, message in enumerate(self._copies(messages)) if self._pinned(message)]
        except Exception:
            if _can_be_read(messages):
                raise
            return ()

    def _copies(self, messages: Sequence[Any]) -> Sequence[Any]:
        """Copy the messages for the caller's function, which cannot change the request so; only new ones are copied."""
        copies = [*self._shown[: len(messages)]]
        for index in _differences(copies, messages, len(copies)):
            copies[index] = copied(as_dictionary(messages[index]))
        copies += (copied(as_dictionary(message)) for message in messages[len(copies) :])
        self._shown = copies
        return copies

    def _judged(self, request: APIRequest) -> Mapping[str, Any] | None:
        """Return the body of a request that is judged; None for any other."""
        body = request.json
        if request.method.lower() != "post" or request.url.partition("?")[0] != MESSAGES or is_internal_request():
            return None
        if not isinstance(body, Mapping) or not isinstance(body.get("messages"), list) or _provider_compacts(body):
            return None
        thread = body.get("thread")
        if isinstance(thread, Mapping) and thread.get("type") == BEGUN and RUNNER in _helper(request):
            raise _no_thread(request)
        if isinstance(thread, Mapping) and thread.get("type") == HELD_BY_SERVER:
            self._warn("the server holds the history of this thread, so it is not compacted here: pass thread=False")
            return None
        return body

    def _unchanged(self, request: APIRequest, error: Exception) -> APIRequest:
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

    def _observed(self, response: ResponseT, state: TrackedConversation, outgoing: Outgoing) -> ResponseT:
        """Return the response, with its usage recorded as it is read (TRG_17)."""

        def report(usage: Mapping[str, Any], model: str, finished: bool) -> None:  # noqa: FBT001 -- see UsageReport
            try:
                state.report(outgoing, usage, model=model, finished=finished)
            except InvalidInput as error:
                self._warn(unreadable_usage(error), "usage")

        answered: Any = response
        if answered.http_response.status_code < FIRST_ERROR:
            tap_response(answered.http_response, report)
        return response


def compaction(compactor: Compactor[Any], **options: Any) -> RequestMiddleware:
    """Build the middleware for a client: `Anthropic(middleware=[compaction(compactor)])`. See CompactionMiddleware."""
    return RequestMiddleware(compactor, **options)


def _can_be_read(messages: Sequence[Any]) -> bool:
    try:
        read_conversation(messages)
    except InvalidInput:
        return False
    return True


def _provider_compacts(body: Mapping[str, Any]) -> bool:
    """Return whether the provider is asked to compact, at once or when it is due: one of the two is enough."""
    management = body.get("context_management")
    edits = management.get("edits") if isinstance(management, Mapping) else None
    kinds = [edit.get("type") for edit in edits if isinstance(edit, Mapping)] if isinstance(edits, list) else []
    return body.get("compaction") is not None or any(text_of(kind).startswith("compact_") for kind in kinds)


def _helper(request: APIRequest) -> str:
    return " ".join(str(value) for name, value in request.headers.items() if name.lower() == "x-stainless-helper")


def _no_thread(request: APIRequest) -> BadRequestError:
    """Build the API's refusal to hold a history, for the SDK's tool runner; nothing is sent."""
    text = (
        "brim compacts this history, so the server cannot hold it: make the thread with "
        "unsupported_request_behavior='continue_unthreaded'"
    )
    error = {"type": "invalid_request_error", "message": text, "details": {"error_code": NO_THREAD}}
    body = {"type": "error", "error": error}
    response = Response(FIRST_ERROR, json=body, request=HTTPRequest(request.method, f"http://localhost{MESSAGES}"))
    return BadRequestError(text, response=response, body=body)


def _sending(request: APIRequest, body: Mapping[str, Any], outgoing: Outgoing) -> APIRequest:
    """Return the request with what is to be sent; the very same where that is what the caller sends.

    The SDK's own copy of a request copies its whole history first, so it is made here without.
    """
    if outgoing.messages is body["messages"] and body is request.json:
        return request
    options = request.options.model_copy(update={"json_data": {**body, "messages": outgoing.messages}})
    return APIRequest(
        options=options,
        cast_to=request.cast_to,
        stream=request.stream,
        stream_cls=request.stream_cls,
        retries_taken=request.retries_taken,
    )


UsageReport: TypeAlias = Callable[[Mapping[str, Any], str, bool], None]
"""Is called with the usage, the model, and whether the response gave a stop reason."""
STREAMED: Final = "text/event-stream"
USAGE_EVENTS: Final = (b'"message_start"', b'"message_delta"')
"""The events of a stream that carry a usage."""


class UsageObserver:
    """Reports the usage in the bytes of one response; what cannot be read is not reported, and nothing is ever raised.

    A stream's usage is reported when it begins, and again when it is complete: of one that is closed early what was
    read is known.
    """

    events: Sequence[bytes] = USAGE_EVENTS
    """What stands in an event of a stream that carries a usage."""

    def __init__(self, report: UsageReport, *, streamed: bool) -> None:
        self._report, self._streamed = report, streamed
        self._rest = b""
        self._usage: dict[str, Any] = {}
        self._model = ""

    def feed(self, piece: bytes) -> None:
        """Read the next bytes."""
        self._rest += piece
        if self._streamed and b"\n" in piece:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if line.startswith(b"data:") and any(event in line for event in self.events):
                    self._feed_event(_read(line.removeprefix(b"data:")))

    def end(self) -> None:
        """Report the usage of a response that is no stream: all of it is read."""
        if not self._streamed:
            self.feed_message(_read(self._rest))

    def feed_message(self, message: Any) -> None:
        """Read a whole response, as it was parsed."""
        if isinstance(message, Mapping) and isinstance(message.get("usage"), Mapping):
            self._usage, self._model = dict(message["usage"]), text_of(message.get("model", ""))
            self._emit(None, finished=message.get("stop_reason") is not None)

    def _feed_event(self, event: Any) -> None:
        if not isinstance(event, Mapping):
            return
        message = event.get("message")
        if event.get("type") == "message_start" and isinstance(message, Mapping):
            self._model = text_of(message.get("model", ""))
            self._emit(message.get("usage"), finished=False)
        elif event.get("type") == "message_delta":
            delta = event.get("delta")
            stopped = isinstance(delta, Mapping) and delta.get("stop_reason") is not None
            self._emit(event.get("usage"), finished=stopped)

    def _emit(self, usage: Any, *, finished: bool) -> None:
        if isinstance(usage, Mapping):
            self._usage |= {name: count for name, count in usage.items() if count is not None}
        if self._usage:
            self._report(self._usage, self._model, finished)


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def tap_response(response: Response, report: UsageReport) -> None:
    """Report the usage of a response: at once where it was read already, else while its caller reads it.

    Nothing is read that the caller does not read, and every byte reaches the caller unchanged, decoded as without brim.
    """
    observer = UsageObserver(report, streamed=response.headers.get("content-type", "").startswith(STREAMED))
    if response.is_stream_consumed:
        observer.feed(response.content)
        observer.end()
        return
    _tap_while_read(response, observer)


def _tap_while_read(response: Any, observer: UsageObserver) -> None:
    """Replace the two methods by which the SDK reads bodies, raw or parsed, line by line or at once.

    They do not hold the response: a stream that is dropped unread closes when its last reader lets go of it.
    """
    kind, here = type(response), ref(response)

    def iter_bytes(chunk_size: int | None = None) -> Iterator[bytes]:
        for piece in kind.iter_bytes(here(), chunk_size):
            observer.feed(piece)
            yield piece
        observer.end()

    async def aiter_bytes(chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        async with aclosing(kind.aiter_bytes(here(), chunk_size)) as pieces:
            async for piece in pieces:
                observer.feed(piece)
                yield piece
        observer.end()

    response.iter_bytes, response.aiter_bytes = iter_bytes, aiter_bytes
