"""Conversations: those of a proxy's callers, each known again by its messages, upstream and credential.

Specified by features/serve/conversations.feature (SRV_01, SRV_08, SRV_09).
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any, Final, TypeVar

from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
from httpx2 import Auth, Response
from httpx2 import Request as HTTPRequest
from openai import AsyncOpenAI

from brim.anthropic.errors import is_thinking_refusal
from brim.anthropic.summarizer import AnthropicSummarizer
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction
from brim.conversation.formats import ANTHROPIC, FORMATS, Format
from brim.engine.compactor import Compactor
from brim.engine.conversation import Outgoing
from brim.engine.driving import arun
from brim.errors import InvalidInput, SummaryFailed, UnknownLimits, described
from brim.models import NO_LIMIT, ModelLimits, known_limits, limits_of
from brim.openai.summarizer import OpenAISummarizer
from brim.secret_patterns import masked
from brim.serve.requests import NO_PROXY, WHO_ASKS, Call
from brim.serve.spending import Spending, priced, spent, summary_usage
from brim.serve.store import CompactionStore, StoredConversation, StoredConversations
from brim.summary.summarizer_input import OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import read_usage
from brim.trigger.usable_context import output_reserve

T = TypeVar("T")
LONGEST_WAIT: Final = 60.0
"""Seconds that a request waits for its summary; then the template writes it."""
MAX_OWNERS: Final = 64
"""Credentials whose conversations are kept; the least recently used one is forgotten first."""
OF_THE_BODY: Final = re.compile("accept|content-|(anthropic-beta|cookie|expect|host)$")
"""How headers begin that a summary's request has of its own."""
_CALL: Final[ContextVar[tuple[Call, float]]] = ContextVar("brim_call")
"""The request on whose behalf a summary is asked for, and when that is given up, in seconds of the monotonic clock."""
_LIMITS: Final[ContextVar[ModelLimits]] = ContextVar("brim_limits", default=NO_LIMIT)
"""Those of the request that is prepared."""


class CallersRequest(Auth):
    """Sends what an SDK asks as its caller would: to the same address, with the same key and headers."""

    def auth_flow(self, request: HTTPRequest) -> Iterator[HTTPRequest]:  # type: ignore[override]
        """Rewrite one request."""
        call, _ = _CALL.get()
        for name in filter(WHO_ASKS.search, [*request.headers]):
            del request.headers[name]
        own = [(name, one.encode("latin-1")) for name, one in call.headers.items() if not OF_THE_BODY.match(name)]
        request.headers.update([(name.encode(), one) for name, one in own])
        request.url = request.url.__class__(call.url)
        request.headers["host"] = request.url.netloc.decode()
        yield request


class CallersModel:
    """Asks for summaries as the caller asks, with the caller's key; at most until the caller's deadline."""

    def __init__(self, format: Format) -> None:  # noqa: A002 -- as the engine's own argument
        self.format = format
        """The format whose messages it sends as they are."""
        own: Any = {"api_key": "the caller's", "base_url": "http://caller", "max_retries": 0}
        http = DefaultAsyncHttpxClient(auth=CallersRequest(), follow_redirects=False, mounts=NO_PROXY)
        self._client: AsyncAnthropic | AsyncOpenAI
        self._summarizer: AnthropicSummarizer[AsyncAnthropic] | OpenAISummarizer[AsyncOpenAI]
        if format == ANTHROPIC:
            self._client = AsyncAnthropic(http_client=http, **own)
            self._summarizer = AnthropicSummarizer(self._client)
        else:
            self._client = AsyncOpenAI(http_client=http, **own)
            self._summarizer = OpenAISummarizer(self._client, format)

    async def aclose(self) -> None:
        """Close its connections."""
        await self._client.close()

    async def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once; a failure once the deadline has passed."""
        try:
            async with asyncio.timeout(_left()):
                return await self._summarizer.asummarize(request, on_text)
        except TimeoutError:
            late = SummaryFailed(f"there was no summary within {LONGEST_WAIT:.0f} seconds")
            return SummaryAnswer(failure="permanent", reason=str(late), error=late)


def _left() -> float:
    return max(_CALL.get()[1] - monotonic(), 0.0)


class CallersCompactor(Compactor[Any]):
    """Judges each request by its own limits: two for one model may differ in their betas."""

    def _known(self, _model: str) -> ModelLimits:
        return _LIMITS.get()


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(min(seconds, _left()))


class ServedConversations:
    """Prepares calls (SRV_01), in an event loop of its own: what is read and planned there holds up no stream.

    Where brim is at fault, the last compaction holds (SRV_05).

    Args:
        policy: every setting that governs compaction.
        window: tokens of every model's window, in place of the model's own; 0 for those.
        max_output: tokens of every model's longest answer, in place of the model's own (SRV_08); None for those.
        shadow: nothing is changed; what would have been is told.
        tell: is told, in a line, what is compacted or waits, what is passed on unchanged and why (SRV_09).
        folder: where compactions are kept for the next start; None to keep none.
    """

    def __init__(
        self,
        policy: CompactionPolicy,
        *,
        window: int = 0,
        max_output: int | None = None,
        shadow: bool = False,
        tell: Callable[[str], object] = lambda _: None,
        folder: Path | None = None,
    ) -> None:
        self._window, self._max_output, self._shadow = window, max_output, shadow
        self.tell: Callable[[str], object] = lambda text: tell(masked(text))
        self._store = CompactionStore(None if shadow else folder, self.tell)  # a shadow's compactions are none
        self.compactions = 0
        """How many were made, or would have been."""
        self.calls = 0
        """Requests that hold a conversation."""
        self.spending = Spending()
        """The tokens and costs of all requests, with brim and without."""
        self._kept: OrderedDict[str, StoredConversations] = OrderedDict()
        """The conversations of each credential at an address, by their name."""
        self._models: dict[Format, CallersModel] = {} if shadow else {kind: CallersModel(kind) for kind in FORMATS}
        self._compactors = {
            kind: CallersCompactor(policy=policy, summarizer=self._models.get(kind), sleep=_sleep) for kind in FORMATS
        }
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._thread = Thread(target=self._run, name="brim-serve", daemon=True)
        self._thread.start()
        self._loop.call_soon_threadsafe(partial(priced, "", ()))  # loads the prices

    async def aclose(self) -> None:
        """End the event loop, and what is asked for in it; say what was held where nothing was compacted."""
        rows = (await self.figures())["conversations"]
        if rows and not self.compactions:
            one = max(rows, key=lambda row: row["held"])
            known = "stated by --window" if self._window else "known by the model's name; --window states another"
            self.tell(
                f"nothing was compacted in this run: {one['model']} held {one['held']:,} tokens at most, the threshold "
                f"is {one['threshold']:,} of its window of {one['window']:,} ({known})"
            )
        for model in self._models.values():
            await self._there(model.aclose(), None)
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        with self._runner:  # which cancels what is still asked for
            self._loop.run_forever()

    async def figures(self) -> dict[str, Any]:
        """Return what was done, in figures: of all, and of each conversation."""

        async def read() -> list[dict[str, Any]]:
            return [row for kept in self._kept.values() for row in kept.figures()]

        return {**self.totals, "conversations": await self._there(read(), [])}

    @property
    def totals(self) -> dict[str, Any]:
        """The figures of all."""
        return {"compactions": self.compactions, "shadow": self._shadow, **self.spending.figures()}

    async def prepare(self, call: Call) -> None:
        """Write what is sent for a call: the caller's own bytes where nothing is due, or where brim is at fault."""
        self.calls += 1
        await self._there(self._preparing(call), None)

    async def recover(self, call: Call, response: Response) -> bool:
        """Return whether what is sent now cures this refusal; the response was read."""
        return await self._there(self._recovering(call, response), default=False)

    def report(self, call: Call, usage: Mapping[str, Any], model: str, finished: bool) -> None:  # noqa: FBT001 -- see UsageReport
        """Record the usage of the response, before the next request of the conversation is prepared."""
        call.usage = usage
        if call.sent is not None and not self._shadow:
            _, state, outgoing = call.sent
            finished = finished or call.api.format != ANTHROPIC  # OpenAI's report none before the end
            self._advice(partial(state.report, outgoing, usage, model=model, finished=finished))

    def account(self, call: Call) -> None:
        """Count what a response that has ended came to, as far as it has reported it."""
        if call.sent is not None and call.usage is not None:
            self._loop.call_soon_threadsafe(
                self._advice, partial(self._account, call.model, call.usage, *call.sent[1:])
            )

    def _account(self, model: str, reported: Mapping[str, Any], state: StoredConversation, outgoing: Outgoing) -> None:
        window, known = outgoing.window.limits.context_window, (model, read_usage(reported), state.removed, state.last)
        spending, state.last = spent(*known, window=window, shadow=self._shadow)
        self._spend(state, spending)

    def _account_summary(self, state: StoredConversation, model: str, made: Compaction) -> None:
        usages = [attempt.usage for attempt in made.attempts if attempt.usage is not None]
        if self._shadow:  # a call that sends the conversation once more
            usages = [summary_usage(made.tokens_before, made.summary, state.last)]
        self._spend(state, Spending(priced(model, usages)))

    def _spend(self, state: StoredConversation, spending: Spending) -> None:
        state.spending += spending
        self.spending += spending

    def _advice(self, report: Callable[[], None]) -> None:
        try:
            report()
        except Exception as error:  # noqa: BLE001 -- without a measure the window goes on being estimated
            self.tell(f"a response's usage cannot be read, so the window goes on being estimated: {described(error)}")

    async def _there(self, steps: Any, default: T) -> T:
        """Return what steps come to in the other loop; the default where brim is at fault, with a warning."""

        async def guarded() -> T:
            try:
                result: T = await steps
            except Exception as error:  # noqa: BLE001 -- brim's own reading never ends a request
                self.tell(f"passed on unchanged: {described(error)}")
                return default
            return result

        going = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(guarded(), self._loop))
        return await asyncio.shield(going)  # a summary is kept for the retry of a client that has gone

    async def _preparing(self, call: Call) -> None:
        request = call.request
        _CALL.set((call, monotonic() + LONGEST_WAIT))
        _LIMITS.set(served_limits(call.model, call.headers, self._window, self._max_output))
        conversations = self._conversations_of(call)
        state: StoredConversation
        try:
            steps: Any = (conversations.looking if call.api.counts else conversations.preparing)(request)
            state, outgoing = await arun(steps)
            if not call.api.counts:
                self._note(call.model, state, outgoing)
        except InvalidInput:  # what brim cannot read, it cannot apply a compaction to
            raise
        except Exception as error:  # noqa: BLE001 -- the last compaction holds
            self.tell(f"nothing is planned: {described(error)}")
            state, outgoing = await arun(conversations.looking(request))
        self._send(call, conversations, state, outgoing)

    def _note(self, model: str, state: StoredConversation, outgoing: Outgoing) -> None:
        """Tell once of a conversation that it goes on from a stored compaction, and why a due one waits (SRV_09)."""
        if state.is_restored:
            state.is_restored = False
            self.tell(f"{model}: goes on from a compaction that was made before")
        if outgoing.verdict.due and outgoing.compaction is None and not state.has_waited:
            state.has_waited = True
            self.tell(f"{model}: due, and left as it is: {outgoing.verdict.reason}")

    async def _recovering(self, call: Call, response: Response) -> bool:
        if self._shadow or call.api.counts or call.sent is None:
            return False
        conversations, state, outgoing = call.sent
        _CALL.set((call, monotonic() + LONGEST_WAIT))
        again = await arun(conversations.recovering(state, outgoing, call.messages, call.recoveries, response))
        if again is None:
            return False
        if is_thinking_refusal(response.status_code, response.content):
            self.tell("the provider refuses thinking that is bound to a compaction which is lost; it is left out")
        self._send(call, conversations, state, again)
        return True

    def _send(
        self, call: Call, conversations: StoredConversations, state: StoredConversation, outgoing: Outgoing
    ) -> None:
        call.sent = conversations, state, outgoing
        if (made := outgoing.compaction) is not None:
            self._advice(partial(self._account_summary, state, call.model, made))
            self.compactions += 1
            what = "would have been compacted" if self._shadow else "compacted"
            failed = made.attempts if made.summary_source != "model" else ()
            reason = (
                failed[-1].reason.removesuffix("; try again later, the conversation is as it was") if failed else ""
            )
            why = (
                f"; the model wrote no summary: {reason} (call {len(failed)} of {len(failed)}); brim did"
                if failed
                else ""
            )
            self.tell(f"{call.model}: {what}, {made.tokens_after:,} tokens of {made.tokens_before:,}{why}")
        if not self._shadow and outgoing.messages is not call.messages:
            call.write(outgoing.messages)

    def _conversations_of(self, call: Call) -> StoredConversations:
        """Return the conversations of who asks, known by a keyed digest: no key is kept."""
        who, kind = "\0".join(call.owner).encode(errors="replace"), call.api.format
        name = f"{blake2b(who, key=self._store.key, digest_size=16).hexdigest()}-{kind}"
        if name not in self._kept:
            self._kept[name] = StoredConversations(self._compactors[kind], kind, name, self._store)
        self._kept.move_to_end(name)
        while len(self._kept) > MAX_OWNERS:
            self._kept.popitem(last=False)
        return self._kept[name]


def served_limits(
    model: str, headers: Mapping[str, str], window: int = 0, max_output: int | None = None
) -> ModelLimits:
    """Return the limits of a request: stated ones, or the model's, whose window a beta may make longer (SRV_08).

    Of a stated window at most a quarter is set aside for an answer whose limit is not stated. Raises UnknownLimits
    where there is no window.
    """
    known = known_limits(model)
    if window:
        reserve = min(output_reserve(known or ModelLimits(context_window=window)), window // 4)
        return limits_of(model, window=window, max_output=reserve if max_output is None else max_output)
    if known is None:
        raise UnknownLimits(f"the context window of {model!r} is not known: name it with --window")
    if "context-1m" in headers.get("anthropic-beta", ""):
        known = known.model_copy(update={"context_window": max(known.context_window, 1_000_000)})
    return known if max_output is None else known.model_copy(update={"max_output_tokens": max_output})
