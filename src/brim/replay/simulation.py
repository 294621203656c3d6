"""Simulation: what a policy would have done with a recorded session, request by request.

Specified by features/replay/simulation.feature (RPL_01).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from brim.compaction.context_window import ContextWindow
from brim.compaction.cost import Prices, price_tokens, traffic_of
from brim.compaction.plan import plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction, apply_plan, compact_without_model, fidelity_of
from brim.conversation.messages import Message
from brim.conversation.tool_pairs import results_of
from brim.conversation.turns import has_sealed_summary
from brim.errors import Refused
from brim.models import NO_LIMIT, ModelLimits
from brim.replay.check import Recorded
from brim.replay.timeline import Step, Timeline
from brim.summary.facts import Fact, RetentionReport
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers
from brim.summary.prompts import prompt_for
from brim.tokens.calibration import Calibrations
from brim.tokens.estimation import Size, estimate_tokens, measure, tokens_of
from brim.tokens.usage import TokenUsage, billed
from brim.transcripts.window import view, with_cleared

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
    baseline: bool = False
    """Whether it masks old outputs in place of compacting, to be compared with."""


@dataclass(frozen=True, slots=True)
class ReplayedCompaction:
    """A compaction that a policy makes, or a clearing of old outputs (`summarizes` is false)."""

    response: int
    """Index of the last response before it."""
    held: int
    """Tokens that the window holds, as the profile measures them."""
    after: int
    """Tokens that the next request sends."""
    summarizes: bool
    """Whether a summary replaces anything."""
    kept: int
    """Messages that stay, those with a cleared output among them."""
    summarized: int
    """Messages that the summary replaces."""
    cleared: int
    """Outputs that are cleared in the messages that stay."""
    overflowed: bool
    """The provider refused the request first: it was longer than the model's window, and the profile was not due."""


Call = tuple[TokenUsage, Prices | None]
"""A request with its response, and its prices; None where those are not known."""


@dataclass(frozen=True, slots=True)
class ReplayTraffic:
    """Tokens of all requests together."""

    requests: int
    """Requests, those for summaries included."""
    usage: TokenUsage
    """Their sum."""
    costs: dict[str, Decimal] | None
    """USD by what is paid for, as price_tokens names it; None where a price is not known."""

    @classmethod
    def of(cls, calls: Sequence[Call]) -> ReplayTraffic:
        """Return the sums of these requests; those of one price are priced together."""
        by_price: dict[Prices | None, list[TokenUsage]] = {}
        for usage, prices in calls:
            by_price.setdefault(prices, []).append(usage)
        costs: dict[str, Decimal] | None = {}
        for prices, usages in by_price.items():
            if prices is None or costs is None:
                costs = None
                continue
            for name, price in price_tokens(billed(usages), prices).items():
                costs[name] = costs.get(name, Decimal(0)) + price
        return cls(len(calls), billed(usage for usage, _ in calls), costs)

    def __add__(self, other: ReplayTraffic) -> ReplayTraffic:
        """Return the sums of both; the costs are not known where those of one are not."""
        costs = None
        if self.costs is not None and other.costs is not None:
            names = {**self.costs, **other.costs}
            costs = {name: self.costs.get(name, Decimal(0)) + other.costs.get(name, Decimal(0)) for name in names}
        return ReplayTraffic(self.requests + other.requests, billed((self.usage, other.usage)), costs)

    @property
    def sent(self) -> int:
        """Tokens that the requests send."""
        return self.usage.input + self.usage.cache_read

    @property
    def cost(self) -> Decimal | None:
        """USD in all; None where a price is not known."""
        return None if self.costs is None else sum(self.costs.values(), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutcome:
    """What a policy does with a session."""

    compactions: tuple[ReplayedCompaction, ...]
    """The compactions and clearings, in the order of time."""
    traffic: ReplayTraffic
    """The tokens of all requests, and their cost."""
    threshold: int | None
    """Tokens; None for a baseline without one."""
    window: tuple[int, ...] = field(repr=False)
    """Tokens that the window holds after each response."""
    facts: RetentionReport | None
    """The facts of the session, without those that the last summary lacks; None where that is encrypted."""

    peak: int
    """The most tokens that the window holds, also before a compaction, with what was appended since the response."""


def simulate(
    timeline: Timeline,
    limits: ModelLimits,
    candidate: Candidate,
    *,
    sizes: Sequence[int],
    prices: Mapping[str | None, PriceList | None],
) -> list[ReplayOutcome | None]:
    """Walk the requests under a policy; return an outcome for each size of summaries, in tokens (RPL_01).

    Raises Refused where the limits leave no room, or a compaction with summaries of the first size leaves more than the
    window; of another size there is no outcome then. `prices` are the price lists of the models by their names, None
    for one whose prices are not known.
    """
    walk = _Walk(timeline, limits, candidate, sizes, prices)
    for step in timeline.steps:
        for one in (walk, *walk.forks):
            one.take(step)
        walk.forks = [one for one in walk.forks if one.refusal is None]
        if walk.refusal is not None:
            raise Refused(walk.refusal)
    outcome = walk.outcome(with_facts=True)
    if not walk.forked:
        return [outcome] * len(sizes)
    others = {one.summary_tokens: one.outcome() for one in walk.forks}
    return [outcome, *(others.get(size) for size in sizes[1:])]


class _Walk:
    """A session under one policy so far.

    Until the first summary the session is the same with summaries of any size; there a fork begins for each other size.
    """

    def __init__(
        self,
        timeline: Timeline,
        limits: ModelLimits,
        candidate: Candidate,
        sizes: Sequence[int],
        prices: Mapping[str | None, PriceList | None],
    ) -> None:
        self.timeline, self.limits, self.candidate, self.prices = timeline, limits, candidate, prices
        self.summary_tokens, self.other_sizes = sizes[0], sizes[1:]
        self.forks: list[_Walk] = []
        self.forked = False
        self.refusal: str | None = None
        """Why no request can go on."""
        self.instruction = estimate_tokens(prompt_for(candidate.policy.prompt, candidate.policy.focus))
        self.calls: list[Call] = []
        self.compactions: list[ReplayedCompaction] = []
        self.held: list[int] = []
        self.most = 0
        """Tokens that it held before a compaction at most."""
        self.done: Compaction | None = None
        """The last one that replaced messages."""
        self._begin()

    def _fork(self, summary_tokens: int) -> _Walk:
        """The same session up to here, with summaries of another size; its window is replaced by the summary's."""
        other = copy(self)
        other.summary_tokens, other.other_sizes, other.forks = summary_tokens, (), []
        other.calls, other.compactions = [*self.calls], [*self.compactions]
        other.held, other.answers = [*self.held], [*self.answers]
        return other

    def outcome(self, *, with_facts: bool = False) -> ReplayOutcome:
        """Return what the policy did."""
        return ReplayOutcome(
            compactions=tuple(self.compactions),
            traffic=ReplayTraffic.of(self.calls),
            threshold=None if self.candidate.baseline else self.window.trigger.threshold,
            window=tuple(self.held),
            facts=self._facts() if with_facts else None,
            peak=max((self.most, *self.held)),
        )

    def _begin(self) -> None:
        ratio, overhead = self.timeline.characters_per_token, self.timeline.overhead
        self.system = "." * (overhead * ratio.numerator // ratio.denominator)
        """As long as the system prompt and the tools are."""
        self.calibrations = Calibrations()
        self.window = self._window()
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

    def _window(
        self, messages: Iterable[Message] = (), facts: Iterable[Fact] = (), identifiers: Identifiers = NO_IDENTIFIERS
    ) -> ContextWindow:
        """Return a window that knows what was learned so far: other sizes learn for themselves."""
        self.calibrations = Calibrations(self.calibrations)
        return ContextWindow(
            self.limits,
            self.candidate.policy,
            system=self.system,
            calibrations=self.calibrations,
            model=self.timeline.transcript.model or "",
            messages=messages,
            facts=facts,
            identifiers=identifiers,
        )

    def take(self, step: Step) -> None:
        """Take a request and its response."""
        if step.begins:
            self._begin()
        self.simulated = self.simulated or step.crosses
        self._append(step.appended)
        read = self.total + step.growth
        cached = self._cached(step)
        if self.candidate.baseline:
            saved, unchanged = self._mask()
            self.answer(step, read - saved, cached if unchanged is None else min(cached, unchanged))
            return
        verdict = self.window.verdict()
        plan = plan_compaction(self.window, cause="automatic") if verdict.due else None
        overflowed = read > self.limits.context_window and not (plan is not None and plan.changes_anything)
        if overflowed:
            plan = plan_compaction(self.window, cause="overflow")
        if plan is None or not plan.changes_anything:
            if overflowed:
                self._refuse(read, "no compaction is possible, and the next request sends")
            self.answer(step, read, cached)
            return
        forks = [self._fork(size) for size in self.other_sizes] if plan.summarizes and not self.forked else []
        self.forked = self.forked or bool(forks)
        done = compact_without_model(plan)
        for one in (self, *forks):
            one.answer(step, *one.compact(step, done, verdict.held, read=read, cached=cached, overflowed=overflowed))
        self.forks += forks

    def _cached(self, step: Step) -> int:
        """Return the tokens that a request reads from the cache: all of the prefix, or as little as the file's own did.

        A cache that its provider keeps by itself misses by shares, an expired one holds what is always in it.
        """
        if step.cached is None:
            return self.prefix
        if self.timeline.writes or not step.readable or not self.prefix:
            return min(step.cached, self.prefix or step.cached)
        return min(self.prefix * step.cached // step.readable, self.prefix)

    def _append(self, indices: Iterable[int]) -> None:
        for index in indices:
            self.window.append(self.timeline.messages[index])

    def _call(self, step: Step, usage: TokenUsage) -> None:
        self.calls.append((usage, price_of(self.prices, step.response.model, usage)))

    def answer(self, step: Step, read: int, cached: int) -> None:
        """Send the request, and take its response."""
        read = max(read, 1)
        usage = self._usage(read, cached, step.output)
        self.answers.append(len(self.window.messages))
        self._append(step.answer)
        self._call(step, usage)
        if self.simulated or step.usage is not None:
            self.window.record(usage if self.simulated else step.usage, model=step.response.model or "")
        self.total, self.prefix = read + step.output, read
        self.held.append(self.total)

    def _usage(self, read: int, cached: int, output: int, instruction: int = 0) -> TokenUsage:
        """Return the usage of a request that sends these tokens, and an instruction that no later one reads again."""
        cached = min(cached, read) if self.timeline.caches else 0
        written = read - cached if self.timeline.writes else 0
        return TokenUsage(
            input=read - cached + instruction,
            cache_read=cached,
            output=output,
            cache_write=written,
            cache_write_1h=int(written * self.timeline.hourly),
        )

    def compact(
        self, step: Step, done: Compaction, held: int, *, read: int, cached: int, overflowed: bool
    ) -> tuple[int, int]:
        """Go on with what a compaction leaves; return the tokens of the next request, and those that are cached."""
        plan = done.plan
        if not plan.changes_anything:
            return read, cached
        ratio, overhead = self.timeline.characters_per_token, Size(0, self.timeline.overhead)
        context = replace(plan.context, extras=overhead, characters_per_token=ratio, tokens_before=read)
        moved = traffic_of(replace(plan, context=context), None, self.summary_tokens)
        after = moved.after
        if not plan.summarizes:
            after += read - context.estimate(context.size(context.messages))
        self.window, self.done = self._window(done.conversation, plan.facts, done.identifiers), done
        self.most = max(self.most, read)
        if plan.summarizes:
            self._call(step, self._usage(read, cached, self.summary_tokens, self.instruction))
            cached = read  # the summary call has just written the prefix
        kept = {piece.index for piece in plan.kept_pieces}
        self.compactions.append(
            ReplayedCompaction(
                response=self.timeline.steps[len(self.held) - 1].response.index if self.held else 0,
                held=held,
                after=after,
                summarizes=plan.summarizes,
                kept=len(plan.kept),
                summarized=len(plan.summarized),
                cleared=sum(output.message in kept for output in plan.pruning.outputs),
                overflowed=overflowed,
            )
        )
        self.simulated = True
        if after > self.limits.context_window:
            summary = f", the summary {self.summary_tokens:,}" if plan.summarizes else ""
            self._refuse(after, "even a compaction leaves", summary)
        return after, min(cached, moved.unchanged)

    def _refuse(self, tokens: int, why: str, summary: str = "") -> None:
        self.refusal = self.refusal or (
            f"{why} {tokens:,} tokens, more than the window of {self.limits.context_window:,}: the system prompt and "
            f"the tools have {self.timeline.overhead:,}{summary}; set a larger --window"
        )

    def _mask(self) -> tuple[int, int | None]:
        """Clear outputs older than ten responses; tokens that this saves, and those ahead of the first one."""
        window, ratio = self.window, self.timeline.characters_per_token
        stop = self.answers[-MASKED_BEHIND] if len(self.answers) >= MASKED_BEHIND else 0
        unchanged: int | None = None
        saved = 0
        for index in range(self.masked, stop):
            message = window.messages[index]
            mask = with_cleared(message, frozenset(one.call_id for one in results_of(message)))
            size, left = tokens_of(measure(message), ratio), tokens_of(measure(mask), ratio)
            if left < size:
                window.replace(index, mask)
                unchanged, saved = self.ahead if unchanged is None else unchanged, saved + size - left
            self.ahead += min(size, left)
        self.masked = max(self.masked, stop)
        self.simulated = self.simulated or unchanged is not None
        return saved, unchanged

    def _facts(self) -> RetentionReport:
        """Return the facts of the session, without those that the last summary and what was beside it lack.

        What came since is in the window. Without a summary a fact is lost that was in the messages before outputs were
        cleared: a message need not hold a relative path as the fact spells it.
        """
        facts = self.timeline.facts
        if self.done is not None:
            found = self.done.fidelity
            lost = {(fact.kind, fact.text) for fact in found.missing}
            missing = [fact for fact in facts if (fact.kind, fact.text) in lost]
            return RetentionReport.of(facts, missing, found.missing_words)
        if not self.candidate.baseline:
            return RetentionReport.of(facts, (), ())
        before, after = (_searched(window, facts) for window in (self.timeline.last, self.window))
        return RetentionReport.of(
            facts, [fact for fact in after.missing if fact not in before.missing], after.missing_words
        )


def _searched(window: ContextWindow, facts: tuple[Fact, ...]) -> RetentionReport:
    """Return what a window still holds of these facts."""
    window.limit(NO_LIMIT)
    return apply_plan(replace(plan_compaction(window, cause="automatic"), facts=facts)).fidelity


def price_of(prices: Mapping[str | None, PriceList | None], model: str | None, usage: TokenUsage) -> Prices | None:
    """Return the prices of a request; None where those of its model are not known."""
    listed = prices.get(model)
    return None if listed is None else listed(usage.input + usage.cache_read)


def recorded_facts(timeline: Timeline) -> RetentionReport | None:
    """Return the facts that the context had at the end of the file; None where its summary is encrypted (RPL_01)."""
    seen = view(timeline.transcript).messages
    if has_sealed_summary(seen):
        return None
    before, after = (fidelity_of(timeline.facts, messages) for messages in (timeline.last.messages, seen))
    missing = [fact for fact in after.missing if fact not in before.missing]
    return RetentionReport.of(timeline.facts, missing, after.missing_words)


def as_recorded(
    timeline: Timeline, prices: Mapping[str | None, PriceList | None], compactions: Iterable[Recorded] = ()
) -> ReplayOutcome:
    """Return what the file itself reports, with the requests for its own summaries, before these compactions too."""
    outputs = {step.response.index: step.output for step in timeline.steps}
    calls: list[Call] = []
    for response in timeline.transcript.responses:
        if response.usage is not None:
            output = outputs.get(response.index, response.usage.output)
            usage = response.usage.model_copy(update={"output": output})
            calls.append((usage, price_of(prices, response.model, usage)))
    held: list[int] = []
    for step in timeline.steps:
        held.append(step.usage.total if step.usage else held[-1] if held else 0)
    before = (one.held for one in compactions if one.response is not None and one.held is not None)
    return ReplayOutcome(
        compactions=(),
        traffic=ReplayTraffic.of(calls),
        threshold=None,
        window=tuple(held),
        facts=recorded_facts(timeline),
        peak=max((0, *before, *held)),
    )
