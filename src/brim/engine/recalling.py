"""Recalling: the calls of recall, answered within the request of the caller, who never sees them.

Specified by features/engine/recall.feature (REC_01, REC_03).

The caller's list lacks the calls and their results. They are put back into every later request, so that its prefix is
that of the request before, and the thinking in it stays bound to what it was bound to.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from anthropic import AsyncStream, Stream
from httpx2 import AsyncByteStream, Response, SyncByteStream

from brim.conversation.turns import lasting
from brim.engine.conversation import plain
from brim.engine.recall import TOOL, ConversationMemory, Memory, Recalled, SessionMemory, answer
from brim.errors import InvalidInput, Refused
from brim.sessions.search import RECALL

if TYPE_CHECKING:
    from brim.compaction.policy import CompactionPolicy
    from brim.sessions.session import Session

MAX_KEPT: Final = 1_024
"""Answers whose hidden calls are kept for later requests; the least recently used are forgotten."""
MAX_ROUNDS: Final = 10
"""Hidden requests in the caller's one; in the last the model may call nothing, unless the caller forces a call."""
Key: TypeAlias = bytes
"""The digest of all the caller's messages up to an answer, and of the answer."""


UNSTABLE: Final = frozenset({"text", "thinking", "redacted_thinking"})
"""Blocks of which the text alone is compared, or nothing."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """What is sent in place of an answer as the caller has it."""

    sent: Sequence[Mapping[str, Any]]
    """The messages of the model and the results of recall between them; none where nothing is left of the answer."""
    results: Sequence[Mapping[str, Any]] = ()
    """Results of recall that the caller's next message has to hold, as the last message has other calls too."""


class HiddenCalls:
    """The hidden calls of the conversations that go on through one client."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Hidden] = OrderedDict()

    def body(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The body of a request with the tool, the first of the tools, and with what the caller did not see."""
        tools = body.get("tools") or ()
        if any(isinstance(tool, Mapping) and tool.get("name") == RECALL for tool in tools):
            raise Refused(
                f"the request has a tool named {RECALL} already: rename it, or leave brim's out (recall=False)"
            )
        return {**body, "tools": [TOOL, *tools], "messages": self.restored(body["messages"])}

    def restored(self, messages: Sequence[Any]) -> Sequence[Any]:
        """The caller's messages with the hidden calls and their results; the very same list where there is none."""
        if not self._kept:
            return messages
        restored: list[Any] = []
        last: Hidden | None = None
        digest = _digest()
        for message in messages:
            _add(digest, message)
            hidden = self._of(digest.digest()) if _role(message) == "assistant" else None
            if hidden is not None:
                restored += hidden.sent
            elif last is not None and last.results and _role(message) == "user":
                restored.append(with_results(plain(message), last))
            else:
                restored.append(message)
            last = hidden
        return restored if len(restored) > len(messages) or any(map(_is_not, restored, messages)) else messages

    def _of(self, key: Key) -> Hidden | None:
        hidden = self._kept.get(key)
        if hidden is not None:
            self._kept.move_to_end(key)
        return hidden

    def keep(self, messages: Sequence[Any], visible: Sequence[Any], hidden: Hidden | None) -> None:
        """Keep what was hidden of the answer to the caller's messages, of which the caller has what is visible.

        Where nothing was hidden, what was hidden of an equal answer to the same messages before is forgotten.
        """
        if hidden is None and not self._kept:
            return
        digest = _digest()
        for message in (*messages, {"role": "assistant", "content": visible}):
            _add(digest, message)
        key = digest.digest()
        self._kept.pop(key, None)
        if hidden is not None:
            self._kept[key] = hidden
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)


def _is_not(one: Any, other: Any) -> bool:
    return one is not other


def _role(message: Any) -> Any:
    return plain(message).get("role")


def _digest() -> blake2b:
    return blake2b(digest_size=16)


def _add(digest: blake2b, message: Any) -> None:
    """Add what lasts of a message: not its thinking, which some callers leave out."""
    lasts = lasting(plain(message))
    content = lasts.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or ()
    text = "".join(str(block["text"]) for block in blocks if _kind(block) == "text")
    others = [_identity(block) for block in blocks if _kind(block) not in UNSTABLE]
    digest.update(json.dumps([lasts.get("role"), text, others], default=str, sort_keys=True).encode())


def _kind(block: Any) -> Any:
    return block.get("type") if isinstance(block, Mapping) else None


def _identity(block: Any) -> Any:
    """A call by its id alone: callers write its input in several ways."""
    return ["tool_use", block.get("id")] if _kind(block) == "tool_use" else block


def with_results(message: Mapping[str, Any], hidden: Hidden) -> Mapping[str, Any]:
    """The caller's message with the results of recall among its own, in the order of the calls."""
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [*(content or ())]
    calls = [block.get("id") for block in hidden.sent[-1]["content"]]
    place = {name: number for number, name in enumerate(calls) if name}
    results = [*hidden.results, *(block for block in blocks if block.get("tool_use_id") in place)]
    others = [block for block in blocks if block.get("tool_use_id") not in place]
    return {**message, "content": [*sorted(results, key=lambda block: place[block["tool_use_id"]]), *others]}


@dataclass(slots=True)
class Exchange:
    """One request of the caller, and the hidden ones within it."""

    messages: Sequence[Any]
    """The caller's messages."""
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

    @property
    def rounds(self) -> int:
        """How many answers there were."""
        return len(self.usages)

    @property
    def changed(self) -> bool:
        """Whether the caller sees less than the model said, or more than its last answer."""
        return self.rounds > 1 or self.cut

    def calls(self, message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Take an answer; the calls of recall in it, which are to be answered."""
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
        """Take the answers to the calls; whether the model is asked again, since it called nothing else."""
        results = tuple(_result(call, one) for call, one in zip(calls, answers, strict=True))
        others = [block for block in self.sent[-1]["content"] if block.get("type") == "tool_use" and block not in calls]
        if others:
            self.hidden = Hidden(tuple(self.sent), results)
            return False
        self.sent.append({"role": "user", "content": [*results]})
        if self.rounds > MAX_ROUNDS:
            raise Refused(
                f"the model called {RECALL} in each of {self.rounds} answers, since the tool_choice makes it call a "
                "tool: pass another tool_choice, or leave recall out (recall=False)"
            )
        return True

    def body(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The body of the next hidden request, after that of the first."""
        choice = body.get("tool_choice") or {"type": "auto"}
        ends = self.rounds >= MAX_ROUNDS and choice.get("type") == "auto"
        last = {"tool_choice": {"type": "none"}} if ends else {}
        return {**body, **last, "messages": [*body["messages"], *self.sent]}

    @property
    def usage(self) -> Any:
        """The usage of all the answers, added up."""
        return added([usage for usage in self.usages if usage])


def is_hidden(block: Any) -> bool:
    """Whether a block of an answer is a call of recall."""
    return isinstance(block, Mapping) and block.get("type") == "tool_use" and block.get("name") == RECALL


def _result(call: Mapping[str, Any], answer: Recalled) -> dict[str, Any]:
    failed = {"is_error": True} if answer.failed else {}
    return {"type": "tool_result", "tool_use_id": call.get("id"), "content": answer.text, **failed}


def added(usages: Sequence[Any]) -> Any:
    """Usages added up, number by number; of what is no number the last."""
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

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._next_index = 0
        self.begin()

    def begin(self) -> None:
        """A stream begins."""
        self.message: dict[str, Any] | None = None
        self._begun: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}
        self._indices: dict[int, int] = {}
        """The index by which the caller knows each visible block."""
        self._delta: dict[str, Any] = {}

    def take(self, event: str, data: str) -> Iterator[bytes]:
        """Take an event; what the caller receives of it now."""
        if event not in READ:
            yield written(event, data)
            return
        read = json.loads(data)
        if event == "message_start":
            self._begun = read["message"]
            if not self._exchange.rounds:
                yield written(event, data)
        elif event == "message_delta":
            self._delta = read
        elif event == "message_stop":
            usage = added([one for one in (self._begun.get("usage"),) if one]) or {}
            usage |= {name: count for name, count in (self._delta.get("usage") or {}).items() if count is not None}
            stop = (self._delta.get("delta") or {}).get("stop_reason")
            content = [self._blocks[index] for index in sorted(self._blocks)]
            self.message = {"content": content, "stop_reason": stop, "usage": usage}
        else:
            yield from self._block(event, read, data)

    def _block(self, event: str, read: dict[str, Any], data: str) -> Iterator[bytes]:
        index = read["index"]
        if event == "content_block_start":
            self._blocks[index] = dict(read["content_block"])
            if not is_hidden(self._blocks[index]):
                self._indices[index] = self._next_index
                self._next_index += 1
        elif event == "content_block_delta":
            self._extend(index, read["delta"])
        elif index in self._inputs:
            self._blocks[index]["input"] = _parsed(self._inputs[index])
        if index in self._indices:
            shown = self._indices[index]
            yield written(event, data if shown == index else json.dumps({**read, "index": shown}))

    def _extend(self, index: int, delta: Mapping[str, Any]) -> None:
        block, kind = self._blocks[index], delta.get("type")
        if kind == "input_json_delta":
            self._inputs[index] = self._inputs.get(index, "") + delta["partial_json"]
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        elif kind in GROWING:
            name = GROWING[kind]
            block[name] = (block.get(name) or "") + delta[name]

    def end(self) -> Iterator[bytes]:
        """The end of the caller's stream."""
        if self._exchange.rounds > 1:
            self._delta = {**self._delta, "usage": self._exchange.usage}
        if self._delta:
            yield written("message_delta", json.dumps(self._delta))
        if self.message is not None:
            yield written("message_stop", json.dumps({"type": "message_stop"}))


READ: Final = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    }
)
"""Events that are not passed on as they come."""
GROWING: Final = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""The field that each kind of delta makes longer."""


def written(event: str, data: str) -> bytes:
    """A server-sent event."""
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    return f"event: {event}\n{lines}\n".encode()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return {}


Body: TypeAlias = Mapping[str, Any]
Attempt: TypeAlias = tuple[Any, Any]
"""A response, and the conversation that its request continues; None where brim does not know it."""
FIRST_ERROR: Final = 400
STREAMED: Final = "text/event-stream"
OF_BYTES: Final = frozenset({"content-length", "content-encoding", "transfer-encoding"})
"""Headers that tell how a body was sent, which is another one now."""


def recall_of(policy: CompactionPolicy, session: Session | None) -> Recall | None:
    """Recall for a client; None where the policy does not offer it. Raises InvalidInput for a session without it."""
    if not policy.recall:
        if session is not None:
            raise InvalidInput("a session is given for recall, which the policy does not offer: pass recall=True")
        return None
    return Recall(policy, session)


class Recall:
    """Offers recall in every request of a client, and answers its calls."""

    def __init__(self, policy: CompactionPolicy, session: Session | None) -> None:
        self._length = policy.text_length
        self._memory = None if session is None else SessionMemory(session)
        self._hidden = HiddenCalls()

    def run(self, asked: Body, attempt: Callable[[Body], Attempt]) -> Any:
        """The response to the caller's request, once every call of recall alone in an answer was answered."""
        body, exchange = self._hidden.body(asked), Exchange(asked["messages"])
        response, state = attempt(body)
        while True:
            if _is_passed_on(response, state):
                return response
            if _is_streamed(response):
                first = response.http_response
                return _streaming(response, _Streamed(self._rounds(first, state, body, exchange, attempt), first))
            response.http_response.read()
            calls = exchange.calls(response.http_response.json())
            if not calls or not exchange.follow(calls, self._answers(calls, self._memory_of(state))):
                return self._ended(response, exchange)
            response, state = attempt(exchange.body(body))

    async def run_async(self, asked: Body, attempt: Callable[[Body], Awaitable[Attempt]]) -> Any:
        """The same in an event loop."""
        body, exchange = self._hidden.body(asked), Exchange(asked["messages"])
        response, state = await attempt(body)
        while True:
            if _is_passed_on(response, state):
                return response
            if _is_streamed(response):
                first = response.http_response
                return _streaming(response, _AsyncStreamed(self._arounds(first, state, body, exchange, attempt), first))
            await response.http_response.aread()
            calls = exchange.calls(response.http_response.json())
            if not calls or not exchange.follow(calls, await self._aanswers(calls, self._memory_of(state))):
                return self._ended(response, exchange)
            response, state = await attempt(exchange.body(body))

    def _rounds(
        self, raw: Response, state: Any, body: Body, exchange: Exchange, attempt: Callable[[Body], Attempt]
    ) -> Iterator[bytes]:
        """The streams of a request as one."""
        rounds = StreamedRounds(exchange)
        while True:
            try:
                for event in Stream.raw_events(raw):
                    yield from rounds.take(event.event or "", event.data)
            finally:
                raw.close()
            calls = [] if rounds.message is None else exchange.calls(rounds.message)
            if not calls or not exchange.follow(calls, self._answers(calls, self._memory_of(state))):
                break
            response, state = attempt(exchange.body(body))
            raw = response.http_response
            if _is_passed_on(response, state):
                raw.read()
                yield _error(raw)
                return
            rounds.begin()
        self._keep(exchange)
        yield from rounds.end()

    async def _arounds(
        self, raw: Response, state: Any, body: Body, exchange: Exchange, attempt: Callable[[Body], Awaitable[Attempt]]
    ) -> AsyncIterator[bytes]:
        rounds = StreamedRounds(exchange)
        while True:
            try:
                async for event in AsyncStream.raw_events(raw):
                    for piece in rounds.take(event.event or "", event.data):
                        yield piece
            finally:
                await raw.aclose()
            calls = [] if rounds.message is None else exchange.calls(rounds.message)
            if not calls or not exchange.follow(calls, await self._aanswers(calls, self._memory_of(state))):
                break
            response, state = await attempt(exchange.body(body))
            raw = response.http_response
            if _is_passed_on(response, state):
                await raw.aread()
                yield _error(raw)
                return
            rounds.begin()
        self._keep(exchange)
        for piece in rounds.end():
            yield piece

    def _memory_of(self, state: Any) -> Memory:
        if self._memory is not None:
            return self._memory
        if state.memory is None or state.memory.state is not state:  # a branch begins with the memory of another
            state.memory = ConversationMemory(state, () if state.memory is None else state.memory.times)
        memory: ConversationMemory = state.memory
        memory.note_time()
        return memory

    def _answers(self, calls: Sequence[Mapping[str, Any]], memory: Memory) -> list[Recalled]:
        return [answer(call.get("input"), memory, self._length) for call in calls]

    async def _aanswers(self, calls: Sequence[Mapping[str, Any]], memory: Memory) -> list[Recalled]:
        return await asyncio.to_thread(self._answers, calls, memory)

    def _keep(self, exchange: Exchange) -> None:
        self._hidden.keep(exchange.messages, exchange.visible, exchange.hidden)

    def _ended(self, response: Any, exchange: Exchange) -> Any:
        """The response as the caller sees it."""
        self._keep(exchange)
        if not exchange.changed:
            return response
        whole = {**response.http_response.json(), "content": exchange.visible, "usage": exchange.usage}
        return _with_body(response, content=json.dumps(whole).encode())


def _is_passed_on(response: Any, state: Any) -> bool:
    """Whether a response goes to the caller as it is: an error, or the answer to a request without the tool."""
    return state is None or response.http_response.status_code >= FIRST_ERROR


def _is_streamed(response: Any) -> bool:
    return bool(response.http_response.headers.get("content-type", "").startswith(STREAMED))


def _with_body(response: Any, **body: Any) -> Any:
    """The response with another body."""
    old = response.http_response
    headers = [(name, value) for name, value in old.headers.multi_items() if name.lower() not in OF_BYTES]
    response.http_response = Response(
        old.status_code, headers=headers, request=old.request, extensions=old.extensions, **body
    )
    return response


class _Streamed(SyncByteStream):
    def __init__(self, pieces: Iterator[bytes], first: Response) -> None:
        self._pieces, self._first = pieces, first

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """Close the stream that is read now."""
        self._pieces.close()  # type: ignore[attr-defined]  # a generator: one that never began closes nothing itself
        self._first.close()


class _AsyncStreamed(AsyncByteStream):
    def __init__(self, pieces: AsyncIterator[bytes], first: Response) -> None:
        self._pieces, self._first = pieces, first

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    async def aclose(self) -> None:
        """Close the stream that is read now."""
        await self._pieces.aclose()  # type: ignore[attr-defined]  # a generator: as above
        await self._first.aclose()


def _streaming(response: Any, stream: _Streamed | _AsyncStreamed) -> Any:
    """The response with this stream; what watches the SDK's own stream watches it too."""
    observer = getattr(response.http_response.stream, "stream_observer", None)
    if observer is not None:
        stream.stream_observer = observer  # type: ignore[union-attr]
    return _with_body(response, stream=stream)


def _error(response: Response) -> bytes:
    """A refusal of a hidden request as the event of a stream that has begun."""
    try:
        body = response.json()
    except ValueError:
        body = {"type": "error", "error": {"type": "api_error", "message": response.text}}
    return written("error", json.dumps(body))
