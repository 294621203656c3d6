"""Simulation: what a policy would have done with a recorded session, request by request.

Specified by features/replay/simulation.feature (RPL_01).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Final

from brim.compaction.context_window import ContextWindow
from brim.compaction.cost import Prices, price_tokens, traffic_of
from brim.compaction.plan import Plan, plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import apply_plan, compact_without_model
from brim.conversation.tool_pairs import results_of
from brim.models import NO_LIMIT, ModelLimits
from brim.replay.timeline import Step, Timeline
from brim.summary.facts import Fidelity
from brim.summary.prompts import prompt_for
from brim.tokens.estimation import Size, estimate_tokens, measure, tokens_of
from brim.tokens.usage import TokenUsage
from brim.transcripts.view import cleared

MASKED_BEHIND: Final = 10
"""Responses whose outputs masking leaves: the ten newest, as in the studies of it."""

PriceList = Callable[[int], Prices]
"""The prices of a model by the tokens of a request."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A policy under a name. A baseline is no policy of brim: masking alone clears outputs older than ten responses."""

    name: str
    """What it is called in the comparison."""
    policy: CompactionPolicy
    """The policy."""
    masks: bool = False
    """Whether it masks old outputs in place of compacting."""

    @property
    def baseline(self) -> bool:
        """Whether it is there for comparison alone."""
        return self.masks


@dataclass(frozen=True, slots=True)
class Compacted:
    """A compaction that a policy makes, or a clearing of old outputs (`summarizes` is false)."""

    response: int
    """Index of the last response before it."""
    held: int
    """Tokens that the window holds, as the profile measures them."""
    threshold: int
    """Tokens that they were judged by."""
    after: int
    """Tokens that the next request sends."""
    summarizes: bool
    """Whether a summary replaces anything."""
    overflowed: bool = False
    """The provider refused the request first: it was longer than the model's window, and the profile was not due."""


NOTHING: Final = Compacted(response=0, held=0, threshold=0, after=0, summarizes=False)


@dataclass(slots=True)
class Traffic:
    """Tokens of all requests together."""

    requests: int = 0
    """Requests, those for summaries included."""
    sent: int = 0
    """Tokens that the requests send."""
    cache_read: int = 0
    """Those of them that are read from the cache."""
    cache_written: int = 0
    """Those of them that are written to the cache."""
    output: int = 0
    """Tokens of the responses and of the summaries."""
    costs: dict[str, Decimal] | None = field(default_factory=dict)
    """USD by what is paid for, as price_tokens names it; None where a price is not known."""

    @property
    def cost(self) -> Decimal | None:
        """USD in all; None where a price is not known."""
        return None if self.costs is None else sum(self.costs.values(), Decimal(0))

    def add(self, read: int, cached: int, written: int, output: int, prices: Prices | None) -> None:
        """Add a request that reads so many tokens, and its response."""
        self.requests += 1
        self.sent += read
        self.cache_read += cached
        self.cache_written += written
        self.output += output
        if prices is None or self.costs is None:
            self.costs = None
            return
        usage = TokenUsage(input=read - cached, cache_read=cached, cache_write=written, output=output)
        for name, price in price_tokens(usage, prices).items():
            self.costs[name] = self.costs.get(name, Decimal(0)) + price


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a policy does with a session."""

    compactions: tuple[Compacted, ...]
    """The compactions and clearings, in the order of time."""
    traffic: Traffic
    """The tokens of all requests, and their cost."""
    threshold: int | None
    """Tokens; None for a baseline without one."""
    window: tuple[int, ...] = field(repr=False)
    """Tokens that the window holds after each response."""
    facts: Fidelity | None
    """What the window holds at the end of the facts of the session; None where nobody looked for them."""

    @property
    def peak(self) -> int:
        """The most tokens that the window holds."""
        return max(self.window, default=0)


def simulate(
    timeline: Timeline,
    limits: ModelLimits,
    candidate: Candidate,
    *,
    summary_tokens: int,
    prices: Mapping[str | None, PriceList | None],
    with_facts: bool = True,
) -> Outcome:
    """Walk the requests under a policy. Raises Refused where the limits leave no room.

    `prices` are the price lists of the models by their names, None for one whose prices are not known.
    """
    walk = _Walk(timeline, limits, candidate, summary_tokens, prices)
    for step in timeline.steps:
        walk.take(step)
    return Outcome(
        compactions=tuple(walk.compactions),
        traffic=walk.traffic,
        threshold=None if candidate.masks else walk.window.trigger.threshold,
        window=tuple(walk.held),
        facts=walk.facts() if with_facts else None,
    )


class _Walk:
    """A session under one policy so far."""

    def __init__(
        self,
        timeline: Timeline,
        limits: ModelLimits,
        candidate: Candidate,
        summary_tokens: int,
        prices: Mapping[str | None, PriceList | None],
    ) -> None:
        self.timeline, self.limits, self.candidate = timeline, limits, candidate
        self.summary_tokens, self.prices = summary_tokens, prices
        self.instruction = estimate_tokens(prompt_for(candidate.policy.prompt, candidate.policy.focus))
        self.traffic = Traffic()
        self.compactions: list[Compacted] = []
        self.held: list[int] = []
        self._begin()

    def _begin(self) -> None:
        ratio, overhead = self.timeline.characters_per_token, self.timeline.overhead
        self.window = ContextWindow(
            self.limits, self.candidate.policy, system="." * (overhead * ratio.numerator // ratio.denominator)
        )
        self.total = 0
        """Tokens after the last response."""
        self.prefix = 0
        """Tokens that the last request left in the cache."""
        self.simulated = False
        """Whether the usages reported are no longer those of this window."""
        self.masked = 0
        """How many messages have no output to be masked any more."""
        self.ahead = overhead
        """Tokens of the system prompt, the tools and these messages."""
        self.answers: list[int] = []
        """For each response, how many messages precede it."""

    def take(self, step: Step) -> None:
        """Take a request and its response."""
        if step.begins:
            self._begin()
        self.simulated = self.simulated or step.crosses
        for index in step.appended:
            self.window.append(self.timeline.messages[index])
        read = self.total + step.growth
        cached = self.prefix if step.cached is None else min(step.cached, self.prefix or step.cached)
        prices = self.prices.get(step.response.model)
        price = prices(read) if prices is not None else None
        if self.candidate.masks:
            saved, kept = self._mask()
            read, cached = read - saved, min(cached, kept)
        else:
            verdict = self.window.verdict()
            if verdict.due and not self.window.is_sendable:
                self.window = self.window.sendable()[0]  # once, not for each plan
                self.window.record(TokenUsage(input=verdict.held))
            plan = plan_compaction(self.window, automatic=True) if verdict.due else None
            overflowed = read > self.limits.context_window and not (plan is not None and plan.acts)
            if overflowed:
                plan = plan_compaction(self.window, overflowed=True)
            if plan is not None and plan.acts:
                made = replace(NOTHING, held=verdict.held, threshold=verdict.threshold, overflowed=overflowed)
                read, cached = self._compact(plan, made, read, cached, price)
        self._answer(step, max(read, 1), cached, price)

    def _answer(self, step: Step, read: int, cached: int, price: Prices | None) -> None:
        cached, written = self._split(read, cached)
        self.answers.append(len(self.window.messages))
        for index in step.answer:
            self.window.append(self.timeline.messages[index])
        self.traffic.add(read, cached, written, step.written, price)
        if self.simulated:
            usage = TokenUsage(input=read - cached, cache_read=cached, output=step.output, cache_write=written)
            self.window.record(usage, model=step.response.model or "")
        elif step.usage is not None:
            self.window.record(step.usage, model=step.response.model or "")
        self.total, self.prefix = read + step.output, read
        self.held.append(self.total)

    def _split(self, read: int, cached: int) -> tuple[int, int]:
        """Tokens read from the cache, and written to it, of those a request sends."""
        cached = min(cached, read) if self.timeline.caches else 0
        return cached, read - cached if self.timeline.writes else 0

    def _compact(self, plan: Plan, made: Compacted, read: int, cached: int, price: Prices | None) -> tuple[int, int]:
        """Carry a plan out; tokens that the next request sends, and those of them that are in the cache."""
        clears = not plan.summarises and self.window.is_sendable and plan.pruning == self.window.prunable()
        done = None if clears else compact_without_model(plan)
        if done is None:
            after, unchanged = self._clear(plan, read)
        elif done.plan.acts:
            ratio, overhead = self.timeline.characters_per_token, Size(0, self.timeline.overhead)
            measured = replace(done.plan, extras=overhead, characters_per_token=ratio, tokens_before=read)
            moved = traffic_of(measured, None, self.summary_tokens)
            after, unchanged = moved.after, moved.unchanged
            self.window = self.window.with_messages(done.conversation, facts=plan.facts)
        else:
            return read, cached
        if plan.summarises:
            held, written = self._split(read, cached)
            self.traffic.add(read + self.instruction, held, written, self.summary_tokens, price)
            cached = read  # the summary call has just written the prefix
        last = self.timeline.steps[len(self.held) - 1].response.index if self.held else 0
        self.compactions.append(replace(made, response=last, after=after, summarizes=plan.summarises))
        self.simulated = True
        return after, min(cached, unchanged)

    def _clear(self, plan: Plan, read: int) -> tuple[int, int]:
        """Clear old outputs in place; tokens that are sent then, and those ahead of the first that changed."""
        weights, ratio = self.window.weights, self.timeline.characters_per_token
        before, ahead = weights[-1], tokens_of(Size(weights[plan.pruning.outputs[-1].message]), ratio)
        self.window.prune()
        return read - tokens_of(Size(before - self.window.weights[-1]), ratio), self.timeline.overhead + ahead

    def _mask(self) -> tuple[int, int]:
        """Clear outputs older than ten responses; tokens that this saves, and those ahead of the first change."""
        window, ratio = self.window, self.timeline.characters_per_token
        stop = self.answers[-MASKED_BEHIND] if len(self.answers) >= MASKED_BEHIND else 0
        unchanged, saved = None, 0
        for index in range(self.masked, stop):
            message = window.messages[index]
            mask = cleared(message, frozenset(one.call_id for one in results_of(message)))
            size, left = tokens_of(measure(message), ratio), tokens_of(measure(mask), ratio)
            if left < size:
                window.replace(index, mask)
                unchanged, saved = self.ahead if unchanged is None else unchanged, saved + size - left
            self.ahead += min(size, left)
        self.masked = max(self.masked, stop)
        if unchanged is None:
            return 0, self.prefix
        self.simulated = True
        return saved, unchanged

    def facts(self) -> Fidelity:
        """What the window holds of the facts of the session, by the fidelity of a compaction that does nothing.

        All of them where nothing left it.
        """
        window = self.window
        facts = window.turns.facts(window.turns.going_on(window.messages))
        if not self.compactions and not self.masked:
            return Fidelity(len(facts), len(facts), Fraction(1), ())
        window.limit(NO_LIMIT)
        return apply_plan(replace(plan_compaction(window, automatic=True), facts=facts)).fidelity


def as_recorded(timeline: Timeline, prices: Mapping[str | None, PriceList | None]) -> Outcome:
    """What the file itself reports, the requests for its own summaries included."""
    traffic = Traffic()
    written = {step.response.index: step.written for step in timeline.steps}
    for response in timeline.transcript.responses:
        usage, listed = response.usage, prices.get(response.model)
        if usage is not None:
            read, output = usage.input + usage.cache_read, written.get(response.index, usage.output)
            price = listed(read) if listed is not None else None
            traffic.add(read, usage.cache_read, usage.cache_write, output, price)
    held: list[int] = []
    for step in timeline.steps:
        held.append(step.usage.total if step.usage else held[-1] if held else 0)
    return Outcome(compactions=(), traffic=traffic, threshold=None, window=tuple(held), facts=None)
