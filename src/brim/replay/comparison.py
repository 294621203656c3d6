"""Comparison: one session under several policies, with what the numbers assume and how sensitive they are.

Specified by features/replay/comparison.feature (RPL_01, RPL_03).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from brim.anthropic.prices import price_list
from brim.compaction.policy import CompactionPolicy
from brim.errors import BrimError, InvalidInput, Refused, UnknownLimits, shown
from brim.models import ModelLimits
from brim.replay.check import UNJUDGED, Check, check
from brim.replay.simulation import (
    MASKED_BEHIND,
    Candidate,
    PriceList,
    ReplayOutcome,
    ReplayTraffic,
    as_recorded,
    price_of,
    simulate,
)
from brim.replay.timeline import Timeline, timeline_of
from brim.summary.facts import RetentionReport
from brim.tokens.estimation import measure, tokens_of
from brim.transcripts.values import Transcript
from brim.trigger.profiles import PROFILES

SUMMARY_TOKENS: Final = 3_500
"""Tokens of a summary: about the median of those that Claude Code, OpenCode and pi wrote in recorded sessions."""
LEAST_SUMMARY: Final = 500
"""Tokens of a recorded summary from which on it counts: a shorter one is the placeholder of an encrypted one."""
UNKNOWN: Final = "unknown"
CLOSE: Final = 0.05
"""Policies whose shares of the facts differ by no more than this are as good as each other."""

COMPARED: Final[Mapping[str, Candidate]] = MappingProxyType(
    {
        **{name: Candidate(name, CompactionPolicy(profile=name)) for name in PROFILES},
        "selection-s4": Candidate("selection-s4", CompactionPolicy(keep_share=1, keep_tokens=0)),
        "masking": Candidate("masking", CompactionPolicy(enabled=False), baseline=True),
    }
)
"""The policies that are compared unless some are named: the profiles with all else as by default; the selection of S4,
which sets no limit to what is kept; the filled target; and masking alone, a baseline."""


def candidates(names: Iterable[str] = (), policies: Mapping[str, CompactionPolicy] | None = None) -> list[Candidate]:
    """The policies of these names of COMPARED, and those of the user; all of COMPARED where none is named.

    Raises InvalidInput for an unknown name.
    """
    named, own = [*names], {**(policies or {})}
    for name in named:
        if name not in COMPARED:
            raise InvalidInput(f"there is no policy {shown(name)} to compare; there are: {', '.join(COMPARED)}")
    chosen = named or ([] if own else [*COMPARED])
    return [*(COMPARED[name] for name in chosen), *(Candidate(name, policy) for name, policy in own.items())]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A candidate's outcome, and the same with summaries of half and of twice the size; or why there is none."""

    candidate: Candidate
    """The policy."""
    outcome: ReplayOutcome | None = None
    """What it does; None where it is refused."""
    half: ReplayOutcome | None = None
    """The same with summaries of half the size; None where those leave no room."""
    double: ReplayOutcome | None = None
    """The same with summaries of twice the size; None where those leave no room."""
    refusal: str | None = None
    """Why the policy cannot judge a window of this size, or what it leaves does not fit into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A session replayed."""

    transcript: Transcript
    """The session."""
    timeline: Timeline
    """Its requests, as measured."""
    limits: ModelLimits
    """The limits that the policies are judged by."""
    check: Check
    """What the profile of its tool predicts."""
    recorded: ReplayOutcome
    """What the file itself reports."""
    results: tuple[Result, ...]
    """The policies, in the order they were named."""
    summary_tokens: int
    """Tokens that a summary is taken to have."""
    priced: Mapping[str | None, bool]
    """For each model that answered: whether its prices are known."""
    aside: ReplayTraffic
    """The requests of sub-agents, which have windows of their own: no policy changes them."""

    @property
    def summaries_without_usage(self) -> int:
        """Summaries of the tool itself that the file records without the usage of their requests."""
        made = sum(one.response is not None for one in self.check.recorded)
        told = sum(one.summary and one.usage is not None for one in self.transcript.responses)
        return max(made - told, 0)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the numbers rest on, in sentences (RPL_03)."""
        return tuple(_assumptions(self))

    def answer(self) -> dict[str, Any]:
        """The replay as JSON; costs are in USD, "unknown" where a price is not known. Responses are indices from 0.

        - `format`, `version`, `model`, `date` (ISO, of the first response), `window`, `responses`
        - `indices`: of those responses in the file, whose others wrote summaries or were never sent
        - `system_tokens`: of the system prompt and tools, as observed; `characters_per_token`; `summary_tokens`
        - `recorded`: `compactions` (those of the check) and the figures below, as the file reports them; `estimated`:
          the number of responses whose output is estimated from their texts, since the file has a placeholder;
          `responses_without_usage` and `summaries_without_usage`: requests that are in no sum, since the file has no
          usage of them: responses, and calls for the tool's own summaries
        - `sub_agents`: those of the figures that are sums, of the requests of sub-agents; null where there are none.
          They are no part of the other figures
        - `policies`: for each `name`, `profile`, `baseline`, `settings` (fields that were set), `threshold`,
          `compactions` (`response`, `held`, `threshold`, `after`, `kept`, `summarized`, `cleared`, `summarizes`,
          `overflowed`: see Compacted), the figures, `facts` (`facts`, `kept`, `share`; `words` and `words_present`,
          characters of the user's words; `missing`: those lost, each with its `kind` and `text`), `sensitivity`
          (`half` and `double`: `compactions`, a number, and `cost`, `sent`; left out where such summaries leave no
          room), and `refusal`: why there are no figures
          (then they are all left out), else null
        - the figures: `requests`, `sent`, `cache_read`, `cache_written`, `output`, `cost`, `costs` (by kind of tokens:
          `input`, `output`, `cache_read`, `cache_write`; null where unknown), `peak`, `unused` (tokens of the window
          that were never held), `windows` (tokens held after each response; before a compaction may be more)
        - `check`: see Check; `assumptions`, `notes`: sentences; `recommendation`: `policy` (or null), `sentence`

        The command writes `file` and `sha256` (of the transcript; null for standard input) before these; into a file of
        lines also `asked`, the value of each option that the answer depends on, so that a run with other options is not
        continued there.
        """
        first = self.timeline.steps[0].response
        return {
            "format": self.transcript.format,
            "version": self.transcript.version,
            "model": self.transcript.model,
            "date": first.time.isoformat() if first.time is not None else None,
            "window": self.limits.context_window,
            "responses": len(self.timeline.steps),
            "indices": [step.response.index for step in self.timeline.steps],
            "system_tokens": self.timeline.overhead,
            "characters_per_token": float(self.timeline.characters_per_token),
            "summary_tokens": self.summary_tokens,
            "recorded": {
                "compactions": [asdict(one) for one in self.check.recorded],
                "estimated": sum(step.estimated for step in self.timeline.steps),
                "responses_without_usage": sum(step.usage is None for step in self.timeline.steps),
                "summaries_without_usage": self.summaries_without_usage,
                **self._figures(self.recorded),
            },
            "sub_agents": sums_of(self.aside) if self.aside.requests else None,
            "policies": [self._policy(result) for result in self.results],
            "check": self.check.answer(),
            "assumptions": [*self.assumptions],
            "notes": [note for note in self.check.notes if not note.startswith(UNJUDGED)],
            "recommendation": recommend(self),
        }

    def _policy(self, result: Result) -> dict[str, Any]:
        candidate, outcome = result.candidate, result.outcome
        policy = candidate.policy
        named = {
            "name": candidate.name,
            "profile": None if candidate.baseline else policy.profile,
            "baseline": candidate.baseline,
            "settings": {} if candidate.baseline else policy.model_dump(include=policy.model_fields_set, mode="json"),
            "refusal": result.refusal,
        }
        if outcome is None:
            return named
        return {
            **named,
            "threshold": outcome.threshold,
            "compactions": [asdict(one) for one in outcome.compactions],
            **self._figures(outcome),
            "facts": _facts(outcome.facts),
            "sensitivity": {
                name: {
                    "compactions": len(other.compactions),
                    "sent": other.traffic.sent,
                    "cost": _cost(other.traffic.cost),
                }
                for name, other in (("half", result.half), ("double", result.double))
                if other is not None
            },
        }

    def _figures(self, outcome: ReplayOutcome) -> dict[str, Any]:
        return {
            **sums_of(outcome.traffic),
            "peak": outcome.peak,
            "unused": max(self.limits.context_window - outcome.peak, 0),
            "windows": [*outcome.window],
        }


def sums_of(traffic: ReplayTraffic) -> dict[str, Any]:
    """The figures of requests, as JSON has them."""
    return {
        "requests": traffic.requests,
        "sent": traffic.sent,
        "cache_read": traffic.usage.cache_read,
        "cache_written": traffic.usage.cache_write,
        "output": traffic.usage.output,
        "cost": _cost(traffic.cost),
        "costs": traffic.costs and {name: _cost(cost) for name, cost in traffic.costs.items()},
    }


def _facts(found: RetentionReport | None) -> dict[str, Any] | None:
    if found is None:
        return None
    missing = [{"kind": fact.kind, "text": fact.text} for fact in found.missing]
    facts, words = found.facts, found.words
    return {
        "facts": facts.total,
        "kept": facts.present,
        "share": round(float(facts.share), 4),
        "words": words.total,
        "words_present": words.present,
        "missing": missing,
    }


def _cost(cost: Decimal | None) -> float | str:
    return UNKNOWN if cost is None else round(float(cost), 6)


def replay(
    transcript: Transcript,
    limits: ModelLimits | None,
    compared: Sequence[Candidate] | None = None,
    *,
    summary_tokens: int | None = None,
) -> Replay:
    """Replay a session under each of these policies; by default all of COMPARED.

    Raises InvalidInput where the file tells too little or a summary is no shorter than the window,
    UnknownLimits where its window is unknown.

    Args:
        transcript: the session.
        limits: those of its model.
        compared: the policies.
        summary_tokens: the size of each summary; None for that of the recorded ones, else of SUMMARY_TOKENS.
    """
    timeline = timeline_of(transcript)
    if limits is None or not limits.context_window:
        raise UnknownLimits(f"the context window of {transcript.model or 'the model'} is unknown; set --window")
    if summary_tokens is not None and not 0 < summary_tokens < limits.context_window:
        raise InvalidInput(
            f"a summary of {summary_tokens:,} tokens does not fit into a window of {limits.context_window:,}; "
            f"--summary-tokens is from 1 to {limits.context_window - 1:,}"
        )
    size = summary_tokens or recorded_summary(timeline) or SUMMARY_TOKENS
    models = [*(one.model for one in transcript.responses), *(model for _, model in transcript.aside)]
    prices = {model: _price_list(model, timeline) for model in dict.fromkeys(models)}
    checked = check(transcript, limits, characters_per_token=timeline.characters_per_token)
    chosen = candidates() if compared is None else compared
    return Replay(
        transcript=transcript,
        timeline=timeline,
        limits=limits,
        check=checked,
        recorded=as_recorded(timeline, prices, checked.recorded),
        results=tuple(_result(timeline, limits, candidate, size, prices) for candidate in chosen),
        summary_tokens=size,
        priced={model: listed is not None for model, listed in prices.items()},
        aside=ReplayTraffic.of([(usage, price_of(prices, model, usage)) for usage, model in transcript.aside]),
    )


def _result(
    timeline: Timeline,
    limits: ModelLimits,
    candidate: Candidate,
    size: int,
    prices: Mapping[str | None, PriceList | None],
) -> Result:
    sizes = (size, max(size // 2, 1), size * 2)
    try:
        outcome, half, double = simulate(timeline, limits, candidate, sizes=sizes, prices=prices)
    except Refused as refusal:
        return Result(candidate=candidate, refusal=str(refusal))
    return Result(candidate=candidate, outcome=outcome, half=half, double=double)


def recorded_summary(timeline: Timeline) -> int | None:
    """The mean size of the summaries in the file, in tokens; None where it holds none that can be read."""
    messages = timeline.transcript.messages
    opened = (index for made in timeline.transcript.compactions for index in made.opening or ())
    sizes = [measure(messages[index]) for index in dict.fromkeys(opened) if messages[index].marks.summary]
    tokens = [tokens_of(size, timeline.characters_per_token) for size in sizes]
    read = [count for count in tokens if count >= LEAST_SUMMARY]
    return sum(read) // len(read) if read else None


def _price_list(model: str | None, timeline: Timeline) -> PriceList | None:
    """The prices on the day of the first response, by the whole name of the model or by its last part."""
    at = timeline.steps[0].response.time
    for name in dict.fromkeys((model or "", (model or "").rpartition("/")[2])):
        try:
            listed = price_list(name, at)
            listed(0)
        except BrimError:
            continue
        return listed
    return None


def _assumptions(made: Replay) -> list[str]:
    timeline, size = made.timeline, made.summary_tokens
    source = "the mean of those in the file" if recorded_summary(timeline) == size else "assumed"
    remains = f"the system prompt and tools ({timeline.overhead:,} tokens, as the first response read)"
    ratio = f"{float(timeline.characters_per_token):.2f} characters a token"
    stated = [
        f"a summary has {size:,} tokens ({source}); the sensitivity is that of half and twice as many",
        f"after a compaction remain {remains}, the summary, and what the plan keeps, estimated at {ratio}",
        "the window is the reported usage up to the first compaction; then a response adds what it added in the file",
        "the model answers as it did in the file, whatever the window holds",
        "with room left a policy waits for the end of a tool loop with thinking, and may act far above its threshold",
        "the summary call reads the warm prefix from the cache; the facts in a summary are those of brim's template",
        "facts are those of the session, without those that the last summary and what was kept beside it lack",
    ]
    if timeline.writes:
        times: dict[Fraction, str] = {Fraction(0): "five minutes", Fraction(1): "an hour"}
        kept = times.get(timeline.hourly, f"an hour to {float(timeline.hourly):.0%}, else five minutes")
        stated.append(f"what is written to the cache is kept there for {kept}, and priced so, as in the file")
    if timeline.caches:
        less = "and less where the file's own did" if timeline.writes else "and no larger share than the file's own did"
        stated.append(f"a request reads from the cache what the one before sent unchanged, {less}")
    else:
        stated.append("nothing is read from a cache, as in the file")
    if made.summaries_without_usage:
        own = "summary call" if made.summaries_without_usage == 1 else "summary calls"
        told = f"{made.summaries_without_usage:,} {own} of {made.transcript.format} itself"
        stated.append(f"the record has no usage of {told}, and costs less by that than its session did")
    if any(one.candidate.baseline for one in made.results):
        stated.append(f"masking clears the outputs of all but the newest {MASKED_BEHIND} responses, without a summary")
    at = timeline.steps[0].response.time
    day = f"of {at:%Y-%m-%d}" if at is not None else "of today, since the file has no times"
    unpriced = sorted(str(model) for model, known in made.priced.items() if not known)
    stated.append(f"prices are the list prices {day}" + (f"; unknown for {', '.join(unpriced)}" if unpriced else ""))
    return stated


def recommend(made: Replay) -> dict[str, Any]:
    """The policy that costs least of those that keep about as many facts as the best, in a sentence with its reason."""
    rows = [one for one in made.results if one.outcome is not None and _is_choice(one)]
    if not rows:
        reason = f"no policy fits into the window of {made.limits.context_window:,} tokens"
        return {"policy": None, "sentence": f"Nothing to choose between: {reason}."}
    compacting = [one for one in rows if one.outcome is not None and one.outcome.compactions]
    if not compacting:
        reason = f"and the window held {made.recorded.peak:,} of {made.limits.context_window:,} tokens at most"
        return {"policy": None, "sentence": f"Nothing to choose between: no policy compacts, {reason}."}
    best = max(_share(one) for one in rows)
    near = sorted((one for one in rows if _share(one) >= best - CLOSE), key=_expense)
    chosen, others = near[0], near[1:]

    def unit(amount: Decimal) -> str:
        priced = chosen.outcome is not None and chosen.outcome.traffic.cost is not None
        return f"${amount:,.2f}" if priced else f"{int(amount):,} tokens"

    costs = sorted(_expense_of(one) for one in _sizes(chosen) if one is not None)
    low, high = costs[0], costs[-1]
    same = [one.candidate.name for one in others if not _is_dearer(one, chosen)]
    second = next((one for one in others if _is_dearer(one, chosen)), None)
    name, share = chosen.candidate.name, _share(chosen)
    verb = "costs" if chosen.outcome is not None and chosen.outcome.traffic.cost is not None else "sends"
    sentence = f"{name} {verb} least: {unit(_expense(chosen))} with {share:.0%} of the facts present"
    if second is not None:
        sentence += f", {second.candidate.name} {unit(_expense(second))}"
    if chosen.outcome is not None and not any(one.summarizes for one in chosen.outcome.compactions):
        sentence += "; it makes no summary"
    elif chosen.half is None or chosen.double is None:
        sentence += "; with summaries of half or twice the size it does not fit into the window"
    else:
        sentence += f"; with summaries of half or twice the size {unit(low)} to {unit(high)}"
    if same:
        sentence += (
            f"; {series(same)} cannot be told apart from it, being no dearer with summaries of at least one size"
        )
    return {"policy": name, "sentence": f"{sentence}."}


def series(names: Sequence[str]) -> str:
    """Names in a sentence: with commas, and an `and` before the last."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _is_choice(result: Result) -> bool:
    return not result.candidate.baseline and PROFILES[result.candidate.policy.profile].deprecated is None


def _sizes(result: Result) -> tuple[ReplayOutcome | None, ...]:
    """What it does with summaries of each size; None where those leave no room."""
    return result.outcome, result.half, result.double


def _is_dearer(result: Result, chosen: Result) -> bool:
    """Whether it costs more with summaries of each size with which both go on."""
    pairs = zip(_sizes(result), _sizes(chosen), strict=True)
    return all(_expense_of(one) > _expense_of(least) for one, least in pairs if one and least)


def _share(result: Result) -> float:
    facts = result.outcome.facts if result.outcome is not None else None
    return float(facts.facts.share) if facts is not None else 0.0


def _expense(result: Result) -> Decimal:
    return _expense_of(result.outcome) if result.outcome is not None else Decimal("Infinity")


def _expense_of(outcome: ReplayOutcome) -> Decimal:
    """The cost; where that is unknown, the tokens sent."""
    cost = outcome.traffic.cost
    return cost if cost is not None else Decimal(outcome.traffic.sent)
