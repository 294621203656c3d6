"""Recalling: the calls of recall, answered within the request of the caller, who never sees them.

Specified by features/engine/recall.feature (REC_01, REC_03).

The caller's list lacks the calls and their results. They are put back into every later request, so that its prefix is
that of the request before, and the thinking in it stays bound to what it was bound to. They are kept with the
conversation that they are of.

The steps of a request do no I/O: they yield what has to be done, and a thread or an event loop does it (`driving`).
Those of a stream also yield what the caller reads of it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from anthropic import AsyncStream, Stream
from httpx2 import AsyncByteStream, Response, SyncByteStream

from brim.conversation.formats import as_dictionary
from brim.conversation.turns import without_ephemeral
from brim.engine.compactor import Compactor
from brim.engine.driving import Action, Steps, arun, in_background, run
from brim.engine.recall import TOOL, ConversationMemory, Recalled, RecallMemory, SessionMemory, answer
from brim.errors import Refused
from brim.sessions.search import RECALL

if TYPE_CHECKING:
    from brim.sessions.session import Session

MAX_ROUNDS: Final = 10
"""Hidden requests in the caller's one; in the last the model may call nothing, whatever the caller's tool choice."""
Key: TypeAlias = bytes
"""The digest of all the caller's messages up to an answer, and of the answer."""


UNSTABLE: Final = frozenset({"text", "thinking", "redacted_thinking"})
"""Blocks of which the text alone is compared, or nothing."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Hidden:
    """What is sent in place of an answer as the caller has it."""

    sent: Sequence[Mapping[str, Any]]
    """The messages of the model and the results of recall between them; none where nothing is left of the answer."""
    results: Sequence[Mapping[str, Any]] = ()
    """Results of recall that the caller's next message has to hold, as the last message has other calls too."""


class RestoredCalls(NamedTuple):
    """The caller's messages with the hidden calls and their results."""

    messages: Sequence[Any]
    """The messages; the very same list where nothing was hidden."""
    hidden: Sequence[Hidden] = ()
    """What was hidden of the answers in them."""
    pins: Sequence[int] = ()
    """The indices in them of what the caller pins; of an answer of which something was hidden all is pinned."""


class HiddenCalls:
    """Finds the hidden calls of the conversations that go on through one client.

    It keeps none of them itself: each lives as long as the conversation that holds it.
    """

    def __init__(self) -> None:
        self._known: WeakValueDictionary[Key, Hidden] = WeakValueDictionary()

    def restored(self, messages: Sequence[Any], pins: Sequence[int] = ()) -> RestoredCalls:
        """Return the caller's messages with what was hidden of them; `pins` are indices of those the caller pins."""
        if not self._known:
            return RestoredCalls(messages, pins=pins)
        restored: list[Any] = []
        places = []
        """For each of the caller's messages the index in `restored` that it begins at."""
        used: list[Hidden] = []
        last: Hidden | None = None
        digest = blake2b(digest_size=16)
        for message in messages:
            places.append(len(restored))
            role = as_dictionary(message).get("role")
            _add(digest, message)
            hidden = self._known.get(digest.digest()) if role == "assistant" else None
            if hidden is not None:
                used.append(hidden)
                restored += hidden.sent
            elif last is not None and last.results and role == "user":
                restored.append(with_results(as_dictionary(message), last))
            else:
                restored.append(message)
            last = hidden
        places.append(len(restored))
        pinned = [place for pin in pins for place in range(places[pin], places[pin + 1])]
        return RestoredCalls(restored, used, pinned) if used else RestoredCalls(messages, pins=pins)

    def note(self, messages: Sequence[Any], visible: Sequence[Any], hidden: Hidden) -> None:
        """Note what was hidden of the answer to the caller's messages, of which the caller has what is visible."""
        digest = blake2b(digest_size=16)
        for message in (*messages, {"role": "assistant", "content": visible}):
            _add(digest, message)
        self._known[digest.digest()] = hidden


def offering(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a request's body with the tool as its first. Raises Refused where the caller has one so named."""
    tools = body.get("tools") or ()
    if any(isinstance(tool, Mapping) and tool.get("name") == RECALL for tool in tools):
        raise Refused(f"the request has a tool named {RECALL} already: rename it, or leave brim's out (recall=False)")
    return {**body, "tools": [TOOL, *tools]}


def _add(digest: blake2b, message: Any) -> None:
    """Add what lasts of a message: not its thinking, which some callers leave out."""
    lasts = without_ephemeral(as_dictionary(message))
    content = lasts.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or ()
    text = "".join(str(block["text"]) for block in blocks if _kind(block) == "text")
    others = [_identity(block) for block in blocks if _kind(block) not in UNSTABLE]
    digest.update(json.dumps([lasts.get("role"), text, others], default=str, sort_keys=True).encode())


def _kind(block: Any) -> Any:
    return block.get("type") if isinstance(block, Mapping) else None


def _identity(block: Any) -> Any:
    """Return a call's id in place of the call, whose input callers write in several ways; other blocks as they are."""
    return ["tool_use", block.get("id")] if _kind(block) == "tool_use" else block


def with_results(message: Mapping[str, Any], hidden: Hidden) -> Mapping[str, Any]:
    """Return the caller's message with the results of recall among its own, in the order of the calls."""
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [*(content or ())]
    calls = [block.get("id") for block in hidden.sent[-1]["content"]]
    place = {name: number for number, name in enumerate(calls) if name}
    results = [*hidden.results, *(block for block in blocks if block.get("tool_use_id") in place)]
    others = [block for block in blocks if block.get("tool_use_id") not in place]
    return {**message, "content": [*sorted(results, key=lambda block: place[block["tool_use_id"]]), *others]}


@dataclass(slots=True)
class RecallExchange:
    """One request of the caller, and the hidden ones within it."""

    messages: Sequence[Any]
    """The caller's messages."""
    known: Sequence[Hidden] = ()
    """What was hidden of the answers in them."""
    visible: list[Any] = field(default_factory=list)
    """The blocks that the caller sees."""
    sent: list[Mapping[str, Any]] = field(default_factory=list)
    """The answers of the model so far, and the results of recall between them."""
    usages: list[Any] = field(default_factory=list)
    """The usage of each answer."""
    cut: bool = False
    """Whether an answer held a call of recall."""
    hidden: Hidden | None = None
    """What was hidden, once the answer is complete; None where nothing was."""

    def calls(self, message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Take an answer, and return the calls of recall in it, which are to be answered."""
        content = message.get("content") or []
        self.usages.append(message.get("usage"))
        self.visible += [block for block in content if not is_hidden(block)]
        calls = [block for block in content if is_hidden(block)]
        self.cut = self.cut or bool(calls)
        if message.get("stop_reason") != "tool_use":  # cut off in mid-call, it cannot be answered
            content = [block for block in content if not is_hidden(block)]
            calls = []
        if content:
            self.sent.append({"role": "assistant", "content": content})
        if not calls and (len(self.sent) > 1 or (self.cut and not self.visible)):
            self.hidden = Hidden(tuple(self.sent))
        return calls

    def follow(self, calls: Sequence[Mapping[str, Any]], answers: Sequence[Recalled]) -> bool:
        """Take the answers to the calls; return whether the model is asked again, since it called nothing else."""
        results = tuple(
            {
                "type": "tool_result",
                "tool_use_id": call.get("id"),
                "content": one.text,
                **({"is_error": True} if one.event.failed else {}),
            }
            for call, one in zip(calls, answers, strict=True)
        )
        others = [block for block in self.sent[-1]["content"] if block.get("type") == "tool_use" and block not in calls]
        if others:
            self.hidden = Hidden(tuple(self.sent), results)
            return False
        self.sent.append({"role": "user", "content": [*results]})
        return True

    def body(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Build the body of the next hidden request, after that of the first."""
        last = {"tool_choice": {"type": "none"}} if len(self.usages) >= MAX_ROUNDS else {}
        return {**body, **last, "messages": [*body["messages"], *self.sent]}

    @property
    def usage(self) -> Any:
        """The usage of all the answers, added up."""
        return added([usage for usage in self.usages if usage])


def is_hidden(block: Any) -> bool:
    """Return whether a block of an answer is a call of recall."""
    return isinstance(block, Mapping) and block.get("type") == "tool_use" and block.get("name") == RECALL


def added(usages: Sequence[Any]) -> Any:
    """Add usages up, number by number; of what is no number take the last."""
    if not usages:
        return None
    if all(isinstance(usage, Mapping) for usage in usages):
        names = dict.fromkeys(name for usage in usages for name in usage)
        found = {name: [usage[name] for usage in usages if usage.get(name) is not None] for name in names}
        return {name: added(values) for name, values in found.items()}
    if all(type(usage) is int for usage in usages):
        return sum(usages)
    return usages[-1]


class StreamedRounds:
    """The streams of one caller's request as one stream, without the calls of recall.

    `take` each event, and after each stream look at `message`: the answer that it carried, None where it broke off.
    """

    def __init__(self, exchange: RecallExchange) -> None:
        self._exchange = exchange
        self._next_index = 0
        self.begin()

    def begin(self) -> None:
        """Begin a stream."""
        self.message: dict[str, Any] | None = None
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}
        self._indices: dict[int, int] = {}
        """The index by which the caller knows each visible block."""
        self._delta: dict[str, Any] = {}

    def take(self, event: str, data: str) -> Iterator[bytes]:
        """Take an event; yield what the caller receives of it now."""
        if event not in READ:
            yield written(event, data)
            return
        read = json.loads(data)
        if event == "message_start":
            self._usage = dict(read["message"].get("usage") or {})
            if not self._exchange.usages:
                yield written(event, data)
        elif event == "message_delta":
            self._delta = read
            self._usage |= {name: count for name, count in (read.get("usage") or {}).items() if count is not None}
        elif event == "message_stop":
            stop = (self._delta.get("delta") or {}).get("stop_reason")
            content = [self._blocks[index] for index in sorted(self._blocks)]
            self.message = {"content": content, "stop_reason": stop, "usage": self._usage}
        else:
            self._add_to_block(event, read["index"], read)
            shown = self._indices.get(read["index"])
            if shown is not None:
                yield written(event, json.dumps({**read, "index": shown}) if shown != read["index"] else data)

    def _add_to_block(self, event: str, index: int, read: Mapping[str, Any]) -> None:
        if event == "content_block_start":
            self._blocks[index] = dict(read["content_block"])
            if not is_hidden(self._blocks[index]):
                self._indices[index] = self._next_index
                self._next_index += 1
            return
        block, delta = self._blocks[index], read.get("delta") or {}
        kind = delta.get("type")
        if kind == "input_json_delta":
            self._inputs[index] = self._inputs.get(index, "") + delta["partial_json"]
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        elif kind in ("text_delta", "thinking_delta", "signature_delta"):
            name = kind.removesuffix("_delta")
            block[name] = (block.get(name) or "") + delta[name]
        elif event == "content_block_stop" and index in self._inputs:
            block["input"] = _parsed(self._inputs[index])

    def end(self) -> Iterator[bytes]:
        """Yield the end of the caller's stream."""
        if len(self._exchange.usages) > 1:
            self._delta = {**self._delta, "usage": self._exchange.usage}
        if self._delta:
            yield written("message_delta", json.dumps(self._delta))
        if self.message is not None:
            yield written("message_stop", json.dumps({"type": "message_stop"}))


READ: Final = tuple(f"message_{part}" for part in ("start", "delta", "stop")) + tuple(
    f"content_block_{part}" for part in ("start", "delta", "stop")
)
"""Events that are not passed on as they come."""


def written(event: str, data: str) -> bytes:
    """Write a server-sent event."""
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    return f"event: {event}\n{lines}\n".encode()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}


Body: TypeAlias = Mapping[str, Any]
Attempt: TypeAlias = tuple[Any, Any]
"""A response, and the conversation that its request continues; None where brim does not know it."""
StreamSteps: TypeAlias = Generator[Action | bytes, Any, None]
"""Steps that also yield the pieces of the caller's stream."""


class RecallStream(SyncByteStream, AsyncByteStream):
    """The caller's stream: the streams of all its requests as one."""

    def __init__(self, steps: StreamSteps, raw: Response) -> None:
        self._steps = steps
        self.raw = raw
        """The response that is read now."""

    def __iter__(self) -> Iterator[bytes]:
        while piece := run(self._next_piece()):
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while piece := await arun(self._next_piece()):
            yield piece

    def _next_piece(self) -> Steps[bytes]:
        """Yield the steps to the next piece of the stream; empty at its end."""
        resume: Callable[[], Action | bytes] = partial(next, self._steps, b"")
        while isinstance(step := resume(), Action):
            try:
                value = yield step
            except BaseException as error:  # noqa: BLE001 -- the steps release their lock
                resume = partial(_next_step, self._steps.throw, error)
            else:
                resume = partial(_next_step, self._steps.send, value)
        return step

    def close(self) -> None:
        """Close the stream that is read now."""
        self._steps.close()
        self.raw.close()

    async def aclose(self) -> None:
        """Close the stream that is read now."""
        self._steps.close()
        await self.raw.aclose()


def _next_step(resume: Callable[[Any], Action | bytes], value: Any) -> Action | bytes:
    """Return what the steps yield next; nothing at their end."""
    try:
        return resume(value)
    except StopIteration:
        return b""


class Recall:
    """Offers recall in every request of a client, and answers its calls."""

    def __init__(self, compactor: Compactor[Any], session: Session | None) -> None:
        self._length, self._listeners = compactor.policy.text_length, compactor.listeners
        self._memory = None if session is None else SessionMemory(session)
        self._hidden = HiddenCalls()

    def responding(
        self, request: Body, pins: Sequence[int], attempt: Callable[[Body, Sequence[int]], Steps[Attempt]]
    ) -> Steps[Any]:
        """Yield the steps to the caller's response, once each call of recall alone in an answer is answered.

        `pins` are the indices of what it pins. `attempt` gives the steps of a request with this body and these pins.
        """
        messages, known, pins = self._hidden.restored(request["messages"], pins)
        body, exchange = {**offering(request), "messages": messages}, RecallExchange(request["messages"], known)
        response, state = yield from attempt(body, pins)
        if state is not None:
            self._memory_of(state)
        while not _is_passed_on(response, state):
            raw = response.http_response
            if raw.headers.get("content-type", "").startswith("text/event-stream"):
                return self._streaming(response, state, body, exchange, lambda one: attempt(one, pins))
            yield Action(raw.read, raw.aread)
            if not (yield from self._answering(_parsed(raw.text), state, exchange)):
                return self._ended(response, state, exchange)
            response, state = yield from attempt(exchange.body(body), pins)
        return response

    def _streaming(
        self,
        response: Any,
        state: Any,
        body: Body,
        exchange: RecallExchange,
        attempt: Callable[[Body], Steps[Attempt]],
    ) -> Any:
        """Return the response with the caller's stream; what watches the SDK's own stream watches it too."""
        first = response.http_response

        def relaying() -> StreamSteps:
            rounds, known = StreamedRounds(exchange), state
            while True:
                raw = stream.raw
                events, aevents = Stream.raw_events(raw), AsyncStream.raw_events(raw)
                reading = Action(lambda: next(events, None), lambda: anext(aevents, None))  # noqa: B023 -- of this round
                while (event := (yield reading)) is not None:
                    yield from rounds.take(event.event or "", event.data)
                yield Action(raw.close, raw.aclose)
                if rounds.message is None or not (yield from self._answering(rounds.message, known, exchange)):
                    break
                again, known = yield from attempt(exchange.body(body))
                stream.raw = raw = again.http_response
                if _is_passed_on(again, known):
                    yield Action(raw.read, raw.aread)
                    yield written("error", raw.text)
                    return
                rounds.begin()
            self._keep(known, exchange)
            yield from rounds.end()

        stream = RecallStream(relaying(), first)
        observer = getattr(first.stream, "stream_observer", None)
        if observer is not None:
            stream.stream_observer = observer  # type: ignore[attr-defined]
        return _with_body(response, stream=stream)

    def _answering(self, message: Mapping[str, Any], state: Any, exchange: RecallExchange) -> Steps[bool]:
        """Yield the steps of answering the calls of recall in an answer; return whether the model is asked again."""
        calls = exchange.calls(message)
        if not calls:
            return False
        memory = self._memory_of(state)
        answers = yield in_background(lambda: [answer(call.get("input"), memory, self._length) for call in calls])
        for one in answers:
            self._listeners.emit(one.event)
        return exchange.follow(calls, answers)

    def _memory_of(self, state: Any) -> RecallMemory:
        """Return what is searched, and note the time of the messages that came since."""
        if self._memory is not None:
            return self._memory
        if state.memory is None or state.memory.state is not state:  # a branch begins with the memory of another
            state.memory = ConversationMemory(state, () if state.memory is None else state.memory.times)
        memory: ConversationMemory = state.memory
        memory.note_time()
        return memory

    def _keep(self, state: Any, exchange: RecallExchange) -> None:
        """Keep with the conversation what was hidden in it."""
        state.hidden = exchange.known
        if exchange.hidden is not None:
            self._hidden.note(exchange.messages, exchange.visible, exchange.hidden)
            state.hidden = (*exchange.known, exchange.hidden)

    def _ended(self, response: Any, state: Any, exchange: RecallExchange) -> Any:
        """Return the response as the caller sees it."""
        self._keep(state, exchange)
        if not exchange.cut:
            return response
        whole = {**response.http_response.json(), "content": exchange.visible, "usage": exchange.usage}
        return _with_body(response, content=json.dumps(whole).encode())


def _is_passed_on(response: Any, state: Any) -> bool:
    """Return whether a response goes to the caller as it is: an error, or the answer to a request without the tool."""
    return state is None or response.http_response.is_error


def _with_body(response: Any, **body: Any) -> Any:
    """Return the response with another body."""
    old = response.http_response
    of_bytes = ("content-length", "content-encoding", "transfer-encoding")
    headers = [(name, value) for name, value in old.headers.multi_items() if name.lower() not in of_bytes]
    response.http_response = Response(
        old.status_code, headers=headers, request=old.request, extensions=old.extensions, **body
    )
    return response
