"""Conversation: the messages of an agent, and what is sent in their place.

An agent with a loop of its own appends every message to a `Conversation`, sends what `prepare` returns, and records the
usage of the response; `send` does both around a call. Work that waits is written once, as steps, which a thread or an
event loop carries out (`engine.driving`).

`ConversationState`, which the middleware uses too, has the caller's messages and the window that is sent in their
place. Messages go in by `extend`, `preparing` gives what to send, and `report` takes the usage of the response. To
prepare a request it

1. takes what was appended since into the window, the usage of the last response behind its message (`_take_in`);
2. clears old tool outputs where a turn has ended (`_prune`);
3. compacts where that is due (`engine.loop`), with the summary that was written ahead if it still fits (`_planning`),
   or else begins one ahead (`_begin_ahead`).

After a refusal of the provider's the first of `RECOVERIES` that helps says what to send instead. What the caller
changed in messages that were sent comes in by `update`, `rewind` and `branch`.
Specified by features/engine/conversation.feature (TRG_18, TRG_26) and features/memory/system_block.feature (MEM_04).
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import dropwhile, takewhile
from typing import Any, Final, Generic, Literal, Self, TypeAlias, TypeVar, Unpack

from brim.anthropic.clients import AsyncClient, ClientT_co, SyncClient
from brim.anthropic.errors import is_overflow_response, is_thinking_refusal
from brim.compaction.context_window import ContextWindow, Request
from brim.compaction.events import Pruned, SummaryAhead, ThinkingLeftOut
from brim.compaction.layout import acceptable, with_closed_loop
from brim.compaction.plan import Cause, Plan, plan_compaction
from brim.compaction.result import Compaction, refused
from brim.conversation.formats import (
    ANTHROPIC,
    Format,
    Recognition,
    as_dictionary,
    read_appended,
    write_messages,
)
from brim.conversation.messages import (
    CACHE_MARK,
    PLAIN,
    Message,
    Thinking,
    ToolCall,
    ToolResult,
    check_pins,
    read_message,
    with_checkpoint,
    without_cache_marks,
)
from brim.conversation.thinking import (
    answer_begins_with_thinking,
    loop_needs_thinking,
    thinking_indices,
    unanswered_results,
    without_thinking,
)
from brim.conversation.tool_pairs import results_of
from brim.conversation.turns import without_ephemeral
from brim.engine.compactor import (
    Compactor,
    RequestOptions,
    WindowOptions,
    read_options,
    request_of,
)
from brim.engine.driving import WAITING, Steps, calling, waiting_for
from brim.engine.loop import Loop, Planned
from brim.engine.prefetch import PrefetchedSummary, first_kept, is_soon_due
from brim.engine.recording import Recording
from brim.errors import BrimError, CompactionCancelled, InvalidInput, Refused, warn
from brim.memory.loading import Memory
from brim.memory.system_block import with_memory
from brim.pruning.tool_outputs import cleared, is_cleared
from brim.sessions.session import Session
from brim.sessions.view import View
from brim.summary.attempts import Attempted
from brim.summary.summarizer_input import MAX_CACHE_MARKS, cache_marks
from brim.tokens.estimation import EMPTY_SIZE, measure, tokens_of
from brim.tokens.usage import TokenUsage, completed, read_usage
from brim.trigger.overflow import Verdict

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What to send for a request."""

    messages: Sequence[Any] = field(repr=False)
    """The messages to send."""
    window: ContextWindow = field(repr=False)
    """The running account of what is sent."""
    verdict: Verdict
    """Whether compaction was due, with the numbers; where it was and none was made, its reason says why."""
    compaction: Compaction | None = field(default=None, repr=False)
    """The compaction that was made for this request; None where there was none."""
    count: int = field(default=0, repr=False)
    """The number of the caller's messages that the request is for."""
    system: Any = field(default=None, repr=False)
    """The system prompt to send: the caller's, and the memory behind it where the conversation has one (MEM_04)."""


class Conversation(Generic[ClientT_co]):
    """The messages of an agent that has its own loop, compacted before the request that would overflow its window.

    Append every message, `prepare` gives what to send, `record` takes the usage of the response; `send` does both, and
    tries again after a refusal that brim recovers from. In an event loop call `aprepare` and `asend`; the client of the
    compactor decides which form works, and without one both do.

    Its messages are Anthropic's, or OpenAI's chat messages or Responses items (ADP_03).

    Args:
        compactor: judges, plans and compacts by its policy.
        format: the format of the messages, where they do not show it.
        options: what every request carries besides its messages: `system`, `tools`, `model` and so on. A request may
            name other values.
        memory: memory files; their text is the last block of the system prompt, and is read again after a compaction
            alone (MEM_04).
        session: a session that is open to be written; the conversation begins with what it shows, and what happens is
            written there (SES_18).

    Raises InvalidInput, and Refused for a session that is open to be read.
    """

    def __init__(
        self,
        compactor: Compactor[ClientT_co],
        *,
        memory: Memory | None = None,
        session: Session | None = None,
        format: Format | None = None,  # noqa: A002 -- as the compactor's own argument
        **options: Unpack[RequestOptions],
    ) -> None:
        if not isinstance(compactor, Compactor):
            raise InvalidInput(f"a Conversation takes a Compactor, not {type(compactor).__name__}")
        if memory is not None and not isinstance(memory, Memory):
            raise InvalidInput(f"memory is {type(memory).__name__}; it is what Memory.load returned")
        self._options, self._memory = read_options(options, RequestOptions), memory
        self._request = Request()
        self._compactor, self._state = compactor, ConversationState(compactor, form=format)
        if session is not None:
            self._state.resume(Recording(session))
        self._outgoing: Outgoing | None = None

    def prepare(self: Conversation[SyncClient | None], **options: Unpack[RequestOptions]) -> Outgoing:
        """Return what to send now, after a compaction where one is due.

        A call without a result, a result without a call, and an empty message are repaired there, with a warning; your
        own messages stay as they are (TRG_26). Raises CompactionStalled, and what Compactor.apply raises.
        """
        return self._compactor.run_steps("prepare", self._preparing(options))

    async def aprepare(self: Conversation[AsyncClient | None], **options: Unpack[RequestOptions]) -> Outgoing:
        """Return what to send now; see prepare."""
        return await self._compactor.arun_steps("prepare", self._preparing(options))

    def overflowed(self: Conversation[SyncClient | None]) -> Outgoing | None:
        """Return what to send once again after the provider's overflow error; None where nothing would help."""
        return self._compactor.run_steps("overflowed", self._recovering(iter(RECOVERIES), 413))

    async def aoverflowed(self: Conversation[AsyncClient | None]) -> Outgoing | None:
        """Return what to send once again after the provider's overflow error; see overflowed."""
        return await self._compactor.arun_steps("overflowed", self._recovering(iter(RECOVERIES), 413))

    def send(self: Conversation[SyncClient | None], call: Callable[..., T], **options: Unpack[RequestOptions]) -> T:
        """Let `call` make the request with the messages to send, and again after a refusal that brim recovers from.

        After an overflow the messages are compacted (TRG_18). Thinking that the provider refuses as bound to other
        messages is left out (CNV_06).

        With a memory `call` gets the system prompt too, as the argument `system`.
        The usage of the response is recorded; a stream has none yet: see `prepare` and `record`. Raises what prepare
        raises, and what `call` does: a second overflow too.
        """
        response: T = self._compactor.run_steps("send", self._sending(call, options))
        return response

    async def asend(
        self: Conversation[AsyncClient | None],
        call: Callable[..., Awaitable[T]],
        **options: Unpack[RequestOptions],
    ) -> T:
        """Let `call` make the request with the messages to send; see send."""
        response: T = await self._compactor.arun_steps("send", self._sending(call, options))
        return response

    @property
    def messages(self) -> list[Any]:
        """The messages that were appended, in a list of its own; compactions do not change them."""
        return [*self._state.messages]

    def append(self, message: Any) -> None:
        """Append the next message: a dictionary, or a value of the SDK. Raises InvalidInput."""
        self._state.extend([message])

    def extend(self, messages: Iterable[Any]) -> None:
        """Append several messages. Raises InvalidInput, and then none is appended."""
        self._state.extend(messages)

    def mark_checkpoint(self) -> None:
        """Note that the user made a checkpoint here, or wants this turn kept: it is an anchor (ANC_07).

        Raises InvalidInput before the first message.
        """
        self._state.mark_checkpoint()

    def record(self, response: Any, *, finished: bool = True) -> None:
        """Record the usage of the response to the last request: the response or its usage, or either as a dictionary.

        It measures the window from the next request on (TRG_17). Append the message of the response too, before or
        after. `finished`: the response gave a stop reason. Raises InvalidInput where it is no usage, or where no
        request was prepared.
        """
        if self._outgoing is None:
            raise InvalidInput("a response answers a request, and none was prepared: call prepare before record")
        whole = response if isinstance(response, Mapping) else {"model": getattr(response, "model", "")}
        usage, model = getattr(response, "usage", response), str(whole.get("model") or "")
        self._state.report(self._outgoing, usage, model=model, finished=finished)

    def _preparing(self, options: RequestOptions) -> Steps[Outgoing]:
        merged: Any = {**self._options, **options}
        request = request_of(read_options(merged, RequestOptions))
        with (yield from self._state.lock.acquire()):
            self._request = request
            request = self._with_memory(self._state.messages)
            outgoing = yield from self._state.preparing(request, self._state.messages)
            self._outgoing = self._with_system(replace(outgoing, system=request.system))
            return self._outgoing

    def _with_memory(self, messages: Iterable[Any]) -> Request:
        """Build the last request with the memory, which has a cache mark where the request has fewer than four."""
        request = self._request
        if self._memory is None:
            return request
        messages = messages if self._state.format == ANTHROPIC else ()  # OpenAI's have no cache marks
        marks = cache_marks(messages, request.system, request.tools or ()) + bool(request.parameters.get(CACHE_MARK))
        return replace(request, system=with_memory(request.system, self._memory.text, mark=marks < MAX_CACHE_MARKS))

    def _with_system(self, outgoing: Outgoing) -> Outgoing:
        """Return what to send, with the memory as its files are now after a compaction."""
        if self._memory is None or outgoing.compaction is None:
            return outgoing
        try:
            self._memory = self._memory.reload()
        except BrimError as error:
            warn(f"the memory files stay as they were read before: {error}")
        request = self._with_memory(outgoing.messages)
        outgoing.window.set_request(request)
        return replace(outgoing, system=request.system)

    def _recovering(self, recoveries: Iterator[Recovery], status: int, body: object = None) -> Steps[Outgoing | None]:
        """Return what to send after a refusal; see ConversationState.recovering."""
        if self._outgoing is None:
            return None
        with (yield from self._state.lock.acquire()):
            again = yield from self._state.recovering(recoveries, status, body, self._outgoing, self._state.messages)
            again = again and self._with_system(again)
        self._outgoing = again or self._outgoing
        return again

    def _sending(self, call: Callable[..., Any], options: RequestOptions) -> Steps[Any]:
        """Yield the steps to the response that `call` receives, once what it refuses is recovered from."""
        outgoing: Outgoing = yield from self._preparing(options)
        recoveries = iter(RECOVERIES)
        while True:
            try:
                system = {} if self._memory is None else {"system": outgoing.system}  # with the memory that brim adds
                response = yield calling(call, [*outgoing.messages], **system)
            except Exception as error:
                status, body = getattr(error, "status_code", None), getattr(error, "body", None)
                if not isinstance(status, int):
                    raise
                again = yield from self._recovering(recoveries, status, body)
                if again is None:
                    raise
                outgoing = again
            else:
                break
        try:
            if (
                response.get("usage") if isinstance(response, Mapping) else getattr(response, "usage", None)
            ) is not None:
                self.record(response)
        except InvalidInput as unreadable:
            warn(unreadable_usage(unreadable))
        return response


class ConversationState:
    """The caller's messages, and the window that is sent in their place.

    The key of each message of the window is the index of the caller's message that it is; None for one of brim's own.
    Appending a message costs what that message costs, and so does preparing the next request.
    """

    def __init__(
        self, compactor: Compactor[Any], *, form: Format | None = ANTHROPIC, strip_thinking_until: int = 0
    ) -> None:
        """Begin without messages. `form` is their format; None where they tell it. Raises InvalidInput."""
        read_options(WindowOptions(format=form))
        self.compactor, self.loop = compactor, Loop(compactor)
        self.messages: list[Any] = []
        """The caller's messages."""
        self._form, self._recognition = form, Recognition()
        self._last: Message | None = None
        """The last of the caller's messages, as it was read."""
        self._instructions = frozenset[int]()
        """Indices of messages of OpenAI's that instruct the model: they stay pinned."""
        self._calls = frozenset[str]()
        """Ids of the calls in messages of OpenAI's."""
        self.window: ContextWindow | None = None
        """What is sent; None before the first request."""
        self.lock = ConversationLock()
        self.summarized_until = 0
        """Index of the first message after those that the last compaction summarized."""
        self._new: list[Message] = []
        """Messages that the window does not hold yet."""
        self._checkpoints: set[int] = set()
        """Indices of messages that were marked since the last request."""
        self._updated: set[int] = set()
        """Indices of messages of the window that the caller changed since the last request."""
        self._rewritten: set[int] = set()
        """Indices of the messages that are sent in another form, such as with cleared outputs."""
        self._altered = False
        """Whether anything but the caller's own messages is sent."""
        self._strip_thinking_until = strip_thinking_until
        """Index up to which the thinking of the caller's messages is bound to a history that is not sent (CNV_06)."""
        self._reported: PendingUsage | None = None
        self._ahead: PrefetchedSummary | None = None
        """The summary that is written in the background (CMP_13)."""
        self._tried_ahead = False
        """Whether the next summary is not asked for ahead any more: it failed, or there was nothing to summarize."""
        self._recording: Recording | None = None
        self._resumed: View | None = None
        """What the session showed when the conversation began."""

    def resume(self, recording: Recording) -> None:
        """Begin with what a session shows, and write there what happens from now on (SES_18)."""
        view = recording.resume()
        messages = tuple(read_message(one.raw, one.marks, key=n) for n, one in enumerate(view.messages))
        self._recording, self._resumed = recording, replace(view, messages=messages)
        self.messages += [one.raw for one in messages]

    @property
    def turns_before(self) -> int:
        """Turns of the session that had left before the first message."""
        return self._resumed.identifiers.turns if self._resumed else 0

    def extend(self, messages: Iterable[Any]) -> None:
        """Append messages, dictionaries or the SDK's. Raises InvalidInput, and then none is appended."""
        if isinstance(messages, (str, bytes)) or not isinstance(messages, Iterable):
            raise InvalidInput(f"a conversation is a list of messages, not {type(messages).__name__}")
        messages, recognition = [*messages], self._recognition
        for index, one in enumerate(messages if self._form is None else (), len(self.messages)):
            recognition = recognition.narrowed(one, index)
        form = self._form or recognition.form
        new = self._read_appended(messages, form)
        for message in new:
            measure(message)  # refuses what cannot be measured before anything holds it
        if self._recording is not None:
            if self.messages and self._recording.has_checkpoint:
                self.mark_checkpoint()
            self._recording.append(new)
        if form != self.format:
            self._read_again(form)
        self._recognition = recognition
        self._new += new
        self._last = new[-1] if new else self._last
        self.messages += [one.raw for one in new] if form == ANTHROPIC else messages
        if form != ANTHROPIC:
            self._instructions |= {one.key for one in new if one.marks.pinned}
            self._calls |= {part.id for one in new for part in one.parts if type(part) is ToolCall}

    @property
    def format(self) -> Format:
        """The format of the messages, as far as they tell it."""
        return self._form or self._recognition.form

    def read(self, index: int) -> Message:
        """Read one of the caller's messages, with the marks that the session has of it."""
        resumed = self._resumed.messages if self._resumed else ()
        if self.format == ANTHROPIC:
            return read_message(
                self.messages[index], resumed[index].marks if index < len(resumed) else PLAIN, key=index
            )
        return read_appended([self.messages[index]], self.format, None, index)[0]

    def _read_as(self, message: Any, sent: Message) -> Message:
        """Read another form of a message that the window holds, with its marks. Raises InvalidInput."""
        if self.format == ANTHROPIC:
            return read_message(message, sent.marks, key=sent.key)
        return replace(read_appended([message], self.format, None, sent.key)[0], marks=sent.marks)

    def _read_appended(self, messages: Sequence[Any], form: Format) -> list[Message]:
        """Read messages that are to be appended. Raises InvalidInput."""
        first = len(self.messages)
        if form == ANTHROPIC:
            return [read_message(as_dictionary(one), key=n, source=n) for n, one in enumerate(messages, first)]
        if self._recording is not None:
            raise InvalidInput(
                f"message {first} is in the format {form}, and a session holds Anthropic's: leave session= out, or "
                "convert the messages"
            )
        new, calls = read_appended(messages, form, self._last, first), set(self._calls)
        for message in new:
            calls |= {part.id for part in message.parts if type(part) is ToolCall}
            for result in results_of(message):
                if result.call_id not in calls:
                    raise InvalidInput(
                        f"message {message.key} answers the call {result.call_id!r}, which no message before it makes: "
                        "append the message with the call first"
                    )
        return new

    def _read_again(self, form: Format) -> None:
        """Read the messages in the format that a later one has told: before, they were plain texts, the same in all."""
        again = {one.key: one for one in read_appended(self.messages, form, None, 0)}
        self._new = [again[one.key] for one in self._new]
        self._last = again.get(len(self.messages) - 1)
        self._instructions |= {key for key, one in again.items() if one.marks.pinned}
        for position, sent in enumerate(self.window.messages if self.window else ()):
            if sent.key is not None and sent.key not in self._rewritten:
                self._current.replace(position, again[sent.key])

    def mark_checkpoint(self) -> None:
        """Mark the newest message, so that its turn is an anchor (ANC_07). Raises InvalidInput where there is none."""
        if not self.messages:
            raise InvalidInput("there is no message to mark yet: append the message first")
        self._checkpoints.add(len(self.messages) - 1)

    def preparing(self, request: Request, originals: Sequence[Any]) -> Steps[Outgoing]:
        """Yield the steps of preparing a request; the caller holds the lock.

        `originals`, here and below: the caller's messages as this request has them, which are `messages` itself, or a
        list that an agent makes anew for each request, with cache marks in other places.

        Raises CompactionStalled, and what Compactor.apply raises.
        """
        check_pins(request.pinned, len(self.messages))
        limits = yield from self.compactor.judging_by(request.model or self.compactor.model)
        if self.window is None:
            self.window = self.compactor.open_window(limits, request.model, self._resumed)
        elif self.window.limits != limits:
            self.window.limit(limits)
            self.compactor.warn_of(self.window)
        turn_ended = self._take_in(request)
        self._close_loop()
        self.window.set_request(request)
        if turn_ended:
            self._prune()
        result = yield from self.loop.compacting(
            self.window, seen=len(self.messages), planning=partial(self._planning, originals), keep=self._keep
        )
        assert result.verdict is not None  # noqa: S101 -- the loop has judged the window
        if is_soon_due(result.verdict, self.window.policy):
            yield from self._begin_ahead(originals)
        return Outgoing(self._sent(originals), self._current, result.verdict, result.compaction, len(self.messages))

    def _take_in(self, request: Request) -> bool:
        """Append what is new to the window, and pin what this request pins; return whether a turn ended with it.

        A usage that waits for its answer is recorded before anything that it did not measure.
        """
        new, self._new = self._new, []
        window, pinned = self._current, frozenset(request.pinned)
        is_other = (window.system, window.tools) != (request.system, request.tools)
        begun = max(len(window.turns.starts), 1)
        marked, self._checkpoints = self._checkpoints, set()
        for position in (found for index in marked if (found := self._position(index)) is not None):
            window.replace(position, with_checkpoint(window.messages[position]))
        new = [with_checkpoint(message) if message.key in marked else message for message in new]
        bound = [message for message in new if message.key < self._strip_thinking_until]
        if bound:
            stripped = without_thinking(bound)
            self._note_changes(bound, stripped)
            self._altered = self._altered or len(stripped) < len(bound)
            new = stripped + new[len(bound) :]
        if self._reported is not None and (new or self._updated or is_other):
            answer = list(takewhile(lambda message: message.role == "assistant", new))
            for message in answer:
                window.append(message)
            reported, self._reported, new = self._reported, None, new[len(answer) :]
            window.record(reported.measured(answer, window), model=reported.model)
        updated, self._updated = self._updated, set()
        for position, sent in enumerate(window.messages if updated else ()):
            if sent.key in updated:
                newer = self._read_as(self.messages[sent.key], sent)
                window.replace(position, _rewritten_as(sent, newer) if sent.key in self._rewritten else newer)
        for message in new:
            window.append(message)
        if pinned or window.pins:  # others are released (CNV_08)
            pinned |= self._instructions
            window.pin([n for n, message in enumerate(window.messages) if message.key in pinned])
        return len(window.turns.starts) > begun

    def _close_loop(self) -> None:
        """Close a tool loop whose thinking is not sent: the caller went back into it after a compaction (CNV_06)."""
        sent = self._current.messages
        end = unanswered_results(sent) if self._altered and self.format == ANTHROPIC else None
        if end is None:
            return
        answer = list(dropwhile(lambda message: message.role != "assistant", reversed(sent[:end])))
        own = takewhile(lambda message: message.role == "assistant" and message.key is not None, answer)
        if answer_begins_with_thinking([read_message(self.messages[message.key]) for message in own][::-1]):
            self.window = self._current.with_messages(with_closed_loop(sent, end))

    def _prune(self) -> None:
        """Clear old tool outputs of what is sent (PRN_10)."""
        before = [*self._current.messages]
        pruning = self._current.prune()
        if pruning.outputs:
            self._note_changes(before, self._current.messages)
            self._strip_thinking_until = len(self.messages)
            event = Pruned(outputs=len(pruning.outputs), saved=pruning.saved, reread=pruning.reread)
            self.compactor.listeners.emit(event)
            if self._recording is not None:
                self._recording.pruned(pruning, before)

    def _planning(self, originals: Sequence[Any], cause: Cause = "automatic") -> Steps[Planned]:
        """Return the plan, with the prefetched summary where that still covers what is removed."""
        self._refresh(originals)
        if self._ahead is not None and cause == "automatic":
            ahead = self._ahead
            attempted = yield ahead.waiting()
            plan = self._plan_with(ahead, attempted)
            if plan is not None:
                return plan, attempted
        plan = yield from self.compactor.planning(self._current, {"cause": cause})
        if plan.changes_anything:
            self._discard_ahead(f"another compaction is made: {plan.reason}")
        return plan, None

    def _plan_with(self, ahead: PrefetchedSummary, attempted: Any) -> Plan | None:
        """Return the plan that a prefetched summary is for; None, and an event says why, where there is none any more.

        Raises CompactionCancelled.
        """
        if isinstance(attempted, CompactionCancelled):
            self._discard_ahead("it was cancelled")
            raise attempted
        if not isinstance(attempted, Attempted) or attempted.error is not None:
            error = attempted.error if isinstance(attempted, Attempted) else attempted
            self._discard_ahead(f"it failed: {error or 'its event loop has ended'}")
            return None
        plan = plan_compaction(self._current, "automatic", first_kept=ahead.first_kept)
        plan = replace(plan, call=ahead.plan.call)
        if not ahead.leaves_the_same(plan):
            self._discard_ahead("other messages leave by now")
            return None
        left, most = (
            plan.tokens_with(attempted.text),
            min(plan.summary_limits.window_tokens, self._current.trigger.due_from - 1),
        )
        if left > most:
            self._discard_ahead(f"it would leave {left:,} tokens, where {most:,} leave room to go on")
            return None
        self._emit_ahead("used", f"{len(plan.context.messages) - plan.cut} messages stay behind it")
        self._ahead = None
        return plan

    def _keep(self, compaction: Compaction, left: ContextWindow) -> None:
        """Send the result of a compaction from now on (CMP_05), and record it."""
        plan = compaction.plan
        self._note_changes(self._current.messages, compaction.conversation)
        self.window = left
        self._strip_thinking_until = len(self.messages)
        self._altered, self._tried_ahead, self._reported = True, False, None
        if plan.summarizes:
            kept_keys = (message.key for message in plan.context.messages[plan.cut :] if message.key is not None)
            self.summarized_until = next(kept_keys, len(self.messages))
        if self._recording is not None:
            self._recording.compacted(compaction)

    def _begin_ahead(self, originals: Sequence[Any]) -> Steps[None]:
        """Ask for the summary in the background, once; whatever was asked for stays until it is used or discarded.

        Not in a tool loop whose thinking a compaction would lose: that waits, and other messages leave by then.
        """
        if self._ahead is not None or self._tried_ahead or self.compactor.summarizer is None:
            return
        if loop_needs_thinking(self._current.messages):
            return
        self._tried_ahead = True
        if not self.loop.progress.has_news(len(self.messages)):
            return
        self._refresh(originals)
        plan = yield from self.compactor.planning(self._current, {})
        key = first_kept(plan, len(self.messages))
        if key is not None and plan.call is not None:
            self._ahead = yield PrefetchedSummary(self.compactor, plan, key, self).starting(self.lock)
            verdict = plan.context.verdict
            self._emit_ahead("started", f"{verdict.held:,} of {verdict.threshold:,} tokens are held")

    def _discard_ahead(self, reason: str, *, again: bool = False) -> None:
        """Discard the summary that is written in the background, if one is; `again`: another may be asked for."""
        if self._ahead is not None:
            self._tried_ahead = not again
            self._ahead.discard()
            self._emit_ahead("discarded", reason)
            self._ahead = None

    def _emit_ahead(self, step: Literal["started", "used", "discarded"], reason: str) -> None:
        """Emit what happened in the background, and what becomes of it."""
        ahead = self._ahead
        assert ahead is not None  # noqa: S101 -- called while there is one
        for event in () if step == "started" else ahead.events:
            self.compactor.listeners.emit(event)
        self.compactor.listeners.emit(SummaryAhead(step=step, reason=reason, tokens=ahead.tokens))

    def recovering(
        self, recoveries: Iterator[Recovery], status: int, body: object, outgoing: Outgoing, originals: Sequence[Any]
    ) -> Steps[Outgoing | None]:
        """Return what to send after a response of this status, by the next of the recoveries that helps, if one does.

        Each is taken from `recoveries` when it is tried. The caller holds the lock.
        """
        for is_refusal, steps in recoveries:
            again = (yield from steps(self, outgoing, originals)) if is_refusal(status, body) else None
            if again is not None:
                return again
        return None

    def without_bound_thinking(self, outgoing: Outgoing, originals: Sequence[Any]) -> Steps[Outgoing | None]:
        """Yield the steps after the provider's refusal of thinking bound to another history: send none (CNV_06).

        Such is the thinking of an agent's list whose compactions, or whose calls of recall, another process made, or
        this one has forgotten. None if messages were appended meanwhile, or where there is none.
        """
        yield from ()
        bound = thinking_indices(self._current.messages)
        if self.window is not outgoing.window or len(self.messages) != outgoing.count or not bound:
            return None
        stripped = without_thinking(self._current.messages)
        self._note_changes(self._current.messages, stripped)
        self.window = self._current.with_messages(stripped)
        self._altered, self._strip_thinking_until = True, len(self.messages)
        self._close_loop()
        self.compactor.listeners.emit(ThinkingLeftOut(messages=len(bound)))
        return replace(outgoing, messages=self._sent(originals), window=self._current)

    def without_overflow(self, outgoing: Outgoing, originals: Sequence[Any]) -> Steps[Outgoing | None]:
        """Yield the steps after the provider's overflow error: compact whatever the estimate says (TRG_18).

        None if messages were appended meanwhile, or compaction is off. Another request of the same messages may have
        compacted them already. Raises ContextOverflow if what must be kept does not fit.
        """
        if not outgoing.window.policy.enabled or len(self.messages) != outgoing.count:
            return None
        compaction = None
        if self.window is outgoing.window:
            planning = partial(self._planning, originals, "overflow")
            steps = self.loop.compacting(
                self._current, "overflow", seen=len(self.messages), planning=planning, keep=self._keep
            )
            compaction = (yield from steps).compaction
        if self.window is outgoing.window:
            return None
        return replace(outgoing, messages=self._sent(originals), window=self._current, compaction=compaction)

    def report(self, outgoing: Outgoing, usage: Any, *, model: str = "", finished: bool = True) -> None:
        """Record the usage of the response to a request (TRG_17); one of what is no longer sent measures nothing.

        Raises InvalidInput where it is no usage (TOK_08, TOK_11).
        """
        reported, window = PendingUsage(read_usage(usage), model, finished), outgoing.window
        if self.window is window and len(self.messages) - len(self._new) == outgoing.count:
            self._reported = reported
            if self._recording is not None:
                self._recording.used(lambda answer: reported.measured(answer, window), model, self._new)

    def update(self, index: int, message: Any) -> None:
        """Take another form of a message that is not summarized, such as with a reminder that the caller refreshed.

        The window takes it with the next request, once it has the last response's usage, which measured the former one.
        """
        position = self._position(index)
        if position is None:
            self._new = [self._read_as(message, one) if one.key == index else one for one in self._new]
        else:
            sent = self._current.messages[position]
            self._read_as(message, sent)  # refuses what cannot be read
            is_covered = self._ahead is not None and index > 0 and position < self._ahead.plan.cut
            # the first message may change in each request
            if is_covered and without_ephemeral(sent.raw) != without_ephemeral(message):
                self._discard_ahead(f"message {index} was changed", again=True)
            self._updated = self._updated | {index}  # a branch shares the set
        self.messages[index] = message

    def rewind(self, index: int, *, strip_thinking: bool) -> None:
        """Drop the messages from an index on, which is not covered by a compaction; others are appended next.

        `strip_thinking`: those are the same that were dropped, with thinking from before the last compaction.
        """
        if self._ahead is not None and index < self._ahead.first_kept:
            self._discard_ahead(f"the conversation goes on from message {index} in another way", again=True)
        if self.window is not None:
            sent = self.window.messages
            stop = next((n for n, one in enumerate(sent) if one.key is not None and one.key >= index), len(sent))
            self.window = self.window.with_messages(sent[:stop])
        del self.messages[index:]
        self._new = [message for message in self._new if message.key < index]
        known = [*(self.window.messages if self.window else ()), *self._new]
        self._last = next((one for one in reversed(known) if one.key == index - 1), None)
        self._instructions = frozenset(instruction for instruction in self._instructions if instruction < index)
        self._reported = None
        seen = min(self.loop.progress.messages_seen, index)
        self.loop.progress = replace(self.loop.progress, messages_seen=seen)
        self._rewritten = {rewritten for rewritten in self._rewritten if rewritten < index}
        self._updated = {updated for updated in self._updated if updated < index}
        if not strip_thinking:
            self._strip_thinking_until = min(self._strip_thinking_until, index)

    def branch(self, count: int) -> Self:
        """Return another conversation that begins with the first `count` messages, compacted as they are here.

        Not where the last of them is a user's message that a summary replaces: a request that goes on from it needs it.
        """
        is_lost = count > 0 and self.is_summarized(count - 1) and self.read(count - 1).role != "assistant"
        if self.window is None or count < self.summarized_until or is_lost:
            other = type(self)(self.compactor, strip_thinking_until=count if self.window else 0)
            vars(other).update(_form=self._form)
            other.extend(self.messages[:count])
            return other
        other = copy(self)
        other.lock, other.loop, other.messages = ConversationLock(), copy(self.loop), [*self.messages]
        vars(other).update(_ahead=None, _tried_ahead=False)
        other.rewind(count, strip_thinking=False)
        return other

    def is_summarized(self, index: int) -> bool:
        """Return whether a summary replaces the message at this index."""
        return index < self.summarized_until and self._position(index) is None

    @property
    def not_sent(self) -> list[int]:
        """The indices of the messages that a summary replaces, or whose outputs are not sent any more."""
        sent = {message.key: message for message in self.window.messages} if self.window else {}
        return [
            index
            for index in range(len(self.messages))
            if (index < self.summarized_until and index not in sent)
            or (index in sent and index in self._rewritten and _outputs(sent[index]) != _outputs(self.read(index)))
        ]

    @property
    def _current(self) -> ContextWindow:
        assert self.window is not None  # noqa: S101 -- the first request opens it
        return self.window

    def _position(self, index: int) -> int | None:
        """Find the position in the window of the caller's message at this index, newest first; None if removed."""
        sent = self.window.messages if self.window else []
        return next((n for n in reversed(range(len(sent))) if sent[n].key == index), None)

    def _note_changes(self, before: Sequence[Message], after: Iterable[Message]) -> None:
        """Note which messages are sent in another form from now on."""
        raws = {message.key: message.raw for message in before}
        changed = {one.key for one in after if one.key is not None and one.raw is not raws.get(one.key)}
        self._rewritten |= changed
        self._altered = self._altered or bool(changed)

    def _refresh(self, originals: Sequence[Any]) -> None:
        """Take the caller's messages into the window as they are now: their cache marks may have moved."""
        if self.format == ANTHROPIC:
            self._current.refresh(map(as_dictionary, self._forms(originals)))

    def _sent(self, originals: Sequence[Any]) -> Sequence[Any]:
        """Return what is sent: where nothing is replaced `originals`, or a copy if it is the list that grows here.

        Of that list what the provider would refuse is repaired, with a warning (TRG_26).
        """
        window, is_own = self._current, originals is self.messages
        if is_own and not (window.is_sendable or window.waits_for_provider):
            faults = [*refused(window.messages, self.format)]
            self.compactor.warn_once(
                f"repaired in what is sent, which the provider would refuse: {one}" for one in faults
            )
            if faults:
                return write_messages((one.raw for one in acceptable(window.sendable()[0].messages)), self.format)
        if not self._altered:
            return [*originals] if is_own else originals
        return self._forms(originals)

    def _forms(self, originals: Sequence[Any]) -> list[Any]:
        """Return the window's messages: the caller's as in `originals`, brim's and changed ones without cache marks."""
        if self.format != ANTHROPIC:
            return write_messages((one.raw for one in self._current.messages), self.format)
        return [
            without_cache_marks(one.raw) if one.key is None or one.key in self._rewritten else originals[one.key]
            for one in self._current.messages
        ]


Recovery: TypeAlias = tuple[
    Callable[[int, object], bool], Callable[[ConversationState, Outgoing, Sequence[Any]], Steps[Outgoing | None]]
]
"""Whether a response of this status, with this body, is a refusal of one kind, and the steps to what is sent then."""
RECOVERIES: Final[tuple[Recovery, ...]] = (
    (is_thinking_refusal, ConversationState.without_bound_thinking),
    (is_overflow_response, ConversationState.without_overflow),
)
"""Each is tried once a request, in the order in which the provider looks for the causes of its refusals."""


@dataclass(frozen=True, slots=True)
class PendingUsage:
    """The usage of a response whose message the caller has not appended yet (TRG_26)."""

    usage: TokenUsage
    model: str = ""
    finished: bool = True
    """Whether the response gave a stop reason; a stream that was closed early did not (TOK_10)."""

    def measured(self, answer: Sequence[Message], window: ContextWindow) -> TokenUsage:
        """Return what it measures of the window; an answer that the caller did not append is not part of it."""
        if not answer:
            return self.usage.model_copy(update={"output": 0, "reasoning": 0})
        if self.finished:
            return self.usage
        size = sum((measure(message, window.length) for message in answer), EMPTY_SIZE)
        return completed(self.usage, tokens_of(size, window.characters_per_token), finished=False)


class ConversationLock:
    """Held while a request of a conversation is prepared, by the thread or task that prepares it, in turn (TRG_26)."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._last: Future[Any] = Future()
        """Set once the last who holds it, or waits for it, is done: to None, or to whom it waited for and gave up."""
        self._last.set_result(None)
        self._turn = self._last
        """That of the one who holds it, or held it last."""

    def acquire(self) -> Steps[Self]:
        """Yield the steps of taking it; as a context it is let go at the end.

        Raises Refused in a listener or summarizer of the request that holds it, which would wait for ever.
        """
        waiting = WAITING.get()
        if self in waiting or (self._turn in waiting and not self._turn.done()):
            raise Refused(
                "a listener or summarizer cannot prepare the conversation whose request waits for it: prepare it after "
                "the request"
            )
        turn: Future[Any] = Future()
        with self._guard:
            before, self._last = self._last, turn
        try:
            while before is not None:
                before = before.result() if before.done() else (yield waiting_for(before))
        except BaseException:
            turn.set_result(before)
            raise
        self._turn = turn
        WAITING.set((*(one for one in waiting if not (isinstance(one, Future) and one.done())), turn))
        return self

    def __enter__(self) -> None:
        """Go on, as it is held."""

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let the next request be prepared."""
        self._turn.set_result(None)


def unreadable_usage(error: InvalidInput) -> str:
    """Write the warning about a usage that cannot be read."""
    return f"a response's usage cannot be read, so the window goes on being estimated: {error}"


def _outputs(message: Message) -> list[str]:
    return [result.text for result in results_of(message)]


def _rewritten_as(sent: Message, newer: Message) -> Message:
    """Return a newer form of a message that brim has changed, changed as the one that is sent."""
    cleared_ids = {one.call_id for one in results_of(sent) if is_cleared(one)}
    return changed_as(newer, cleared_ids, stays=stays_whole(sent))


def stays_whole(sent: Message) -> bool:
    """Return whether what is bound to other messages is still sent: an answer's thinking, a user message's results."""
    return any(type(part) is (Thinking if sent.role == "assistant" else ToolResult) for part in sent.parts)


def changed_as(message: Message, cleared_ids: Collection[str], *, stays: bool) -> Message:
    """Return a caller's message without what is bound to others, unless it stays, and with these outputs cleared."""
    bound = Thinking if message.role == "assistant" else ToolResult
    parts = tuple(
        cleared(part) if type(part) is ToolResult and part.call_id in cleared_ids else part
        for part in message.parts
        if stays or type(part) is not bound
    )
    return message if not parts or [*map(id, parts)] == [*map(id, message.parts)] else message.with_parts(parts)
