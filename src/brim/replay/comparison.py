"""Comparison: one session under several policies, with what the numbers assume and how sensitive they are.

Specified by features/replay/comparison.feature (RPL_01, RPL_03).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from textwrap import shorten
from types import MappingProxyType
from typing import Any, Final

from brim.anthropic.prices import price_list
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import Message, Text, speaker
from brim.errors import BrimError, InvalidInput, Refused, UnknownLimits, shown
from brim.models import ModelLimits
from brim.replay.check import Check, check, is_estimated
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
from brim.secret_patterns import masked
from brim.summary.facts import RetentionReport
from brim.tokens.estimation import measure, tokens_of
from brim.transcripts.values import Transcript
from brim.trigger.profiles import PROFILES

SUMMARY_TOKENS: Final = 3_500
"""Tokens of a summary: about the median of those that Claude Code, OpenCode and pi wrote in recorded sessions."""
LEAST_SUMMARY: Final = 500
"""Tokens of a recorded summary from which on it counts: a shorter one is the placeholder of an encrypted one."""
UNKNOWN: Final = "unknown"
SIZES: Final = ("half", "double")
"""Summaries of another size, in an answer."""
PARTS: Final = ("cache_read", "cache_write", "output", "input")
"""The parts of a cost."""
RECORD_COUNTS: Final = ("estimated", "responses_without_usage", "summaries_without_usage")
"""What the record of a session counts besides its figures."""
Answer = Mapping[str, Any]
"""What `brim replay --json` answers for a file, or a part of it."""
CLOSE: Final = 0.05
"""Policies whose shares of the facts differ by no more than this are as good as each other."""

COMPARED: Final[Mapping[str, Candidate]] = MappingProxyType(
    {
        **{name: Candidate(name, CompactionPolicy(profile=name)) for name in PROFILES},
        "selection-s4": Candidate("selection-s4", CompactionPolicy(keep_share=1, keep_tokens=0)),
        "masking": Candidate("masking", CompactionPolicy(enabled=False), baseline=True),
    }
)
"""The policies that can be named: the profiles with all else as by default; the selection of S4, which sets no limit
to what is kept; and masking alone, a baseline."""
ON_REQUEST: Final = frozenset({"selection-s4", *(name for name, profile in PROFILES.items() if profile.deprecated)})
"""Those that are compared only where they are named."""


def candidates(names: Iterable[str] = (), policies: Mapping[str, CompactionPolicy] | None = None) -> list[Candidate]:
    """The policies of these names of COMPARED, and those of the user; where none is named all but those ON_REQUEST.

    Raises InvalidInput for an unknown name.
    """
    named, own = [*names], {**(policies or {})}
    for name in named:
        if name not in COMPARED:
            raise InvalidInput(f"there is no policy {shown(name)} to compare; there are: {', '.join(COMPARED)}")
    chosen = named or [name for name in COMPARED if name not in ON_REQUEST and not own]
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
        with_usage = sum(one.summary and one.usage is not None for one in self.transcript.responses)
        return max(made - with_usage, 0)

    def answer(self) -> dict[str, Any]:
        """The replay as JSON; costs are in USD, "unknown" where a price is not known. Responses are indices from 0.

        - `format`, `version`, `project` (its folder's name), `first_words` (of the user, masked), `model`, `date` (ISO,
          of the first response), `window`, `responses`
        - `indices`: of those responses in the file, whose others wrote summaries or were never sent
        - `system_tokens`: of the system prompt and tools, as observed; `characters_per_token`; `summary_tokens`
        - `recorded`: `compactions` (see Recorded), figures and `facts` as below, those of the file; `estimated`: how
          many outputs are estimated from their texts, since the file has placeholders; `responses_without_usage` and
          `summaries_without_usage`: requests that are in no sum
        - `sub_agents`: those of the figures that are sums, of the requests of sub-agents; null where there are none.
          They are no part of the other figures
        - `policies`: for each `name`, `profile`, `baseline`, `settings` (fields that were set), `threshold`,
          `compactions` (see ReplayedCompaction), the figures, `facts` (`facts`, `kept`; `words` and `words_present`,
          characters of the user's words; `missing`: each with its `kind` and `text`), `sensitivity` (`half` and
          `double`: `compactions`, a number, and `cost`, `sent`; left out where such summaries leave no room), and
          `refusal`: why there are no figures, else null
        - the figures: `requests`, `sent`, `cache_read`, `cache_written`, `output`, `cost`, `costs` (by kind of tokens:
          `input`, `output`, `cache_read`, `cache_write`; null where unknown), `peak`, `windows` (tokens held after each
          response; before a compaction may be more)
        - `check`: see Check, without what stands in `recorded` and `notes`; `assumptions`, `notes`: sentences;
          `recommendation`: `policy` (or null), `verdict` (beside what was recorded) and `sentence` (the reason)

        The command writes `file` and `sha256` (of the transcript; null for standard input) before these; into a file of
        lines also `asked`, the value of each option that the answer depends on, so that a run with other options is not
        continued there.
        """
        first, transcript, checked = self.timeline.steps[0].response, self.transcript, self.check.answer()
        notes = checked.pop("notes")
        recorded = {
            "compactions": checked.pop("recorded"),
            "estimated": sum(is_estimated(step.response) for step in self.timeline.steps),
            "responses_without_usage": sum(step.usage is None for step in self.timeline.steps),
            "summaries_without_usage": self.summaries_without_usage,
            **self._figures(self.recorded),
            "facts": _facts(self.recorded.facts) if self.recorded.facts else None,
        }
        policies = [self._policy(result) for result in self.results]
        return {
            "format": transcript.format,
            "version": transcript.version,
            "project": PurePath(transcript.folder).name if transcript.folder else None,
            "first_words": first_words(transcript.messages),
            "model": transcript.model,
            "date": first.time.isoformat() if first.time is not None else None,
            "window": self.limits.context_window,
            "responses": len(self.timeline.steps),
            "indices": [step.response.index for step in self.timeline.steps],
            "system_tokens": self.timeline.overhead,
            "characters_per_token": float(self.timeline.characters_per_token),
            "summary_tokens": self.summary_tokens,
            "recorded": recorded,
            "sub_agents": sums_of(self.aside) if self.aside.requests else None,
            "policies": policies,
            "check": checked,
            "assumptions": _assumptions(self),
            "notes": notes,
            "recommendation": recommend(policies, recorded, self.limits.context_window),
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
        sizes = (("half", result.half), ("double", result.double))
        return {
            **named,
            "threshold": outcome.threshold,
            "compactions": [asdict(one) for one in outcome.compactions],
            **self._figures(outcome),
            "facts": _facts(outcome.facts) if outcome.facts else None,
            "sensitivity": {
                name: {
                    "compactions": len(one.compactions),
                    "sent": one.traffic.sent,
                    "cost": _cost(one.traffic.cost),
                }
                for name, one in sizes
                if one is not None
            },
        }

    def _figures(self, outcome: ReplayOutcome) -> dict[str, Any]:
        return {
            **sums_of(outcome.traffic),
            "peak": outcome.peak,
            "windows": [*outcome.window],
        }


def first_words(messages: Iterable[Message]) -> str:
    """Return the beginning of what the user said first, on one line and without secrets."""
    texts = (part.words for one in messages if speaker(one) == "user" for part in one.parts if isinstance(part, Text))
    words = next((words for text in texts if (words := " ".join(text.split()))), "")
    return shorten(masked(words[:1_000]), 60, placeholder="…")


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


def _facts(found: RetentionReport) -> dict[str, Any]:
    facts, words = found.facts, found.words
    return {
        "facts": facts.total,
        "kept": facts.present,
        "words": words.total,
        "words_present": words.present,
        "missing": [{"kind": fact.kind, "text": fact.text} for fact in found.missing],
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
    """Replay a session under each of these policies; by default those of `candidates`.

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
    """Return the mean size of the summaries in the file, in tokens; None where it holds none that can be read."""
    messages = timeline.transcript.messages
    opened = (index for made in timeline.transcript.compactions for index in made.opening or ())
    sizes = [measure(messages[index]) for index in dict.fromkeys(opened) if messages[index].marks.summary]
    tokens = [tokens_of(size, timeline.characters_per_token) for size in sizes]
    read = [count for count in tokens if count >= LEAST_SUMMARY]
    return sum(read) // len(read) if read else None


def _price_list(model: str | None, timeline: Timeline) -> PriceList | None:
    """Return the prices on the day of the first response, by the whole name of the model or by its last part."""
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
    """Return what the numbers rest on, in sentences (RPL_03)."""
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
        calls = f"{made.summaries_without_usage:,} summary call{'s' * (made.summaries_without_usage != 1)}"
        lacking = f"{calls} of {made.transcript.format} itself"
        stated.append(f"the record has no usage of {lacking}, and costs less by that than its session did")
    if any(one.candidate.baseline for one in made.results):
        stated.append(f"masking clears the outputs of all but the newest {MASKED_BEHIND} responses, without a summary")
    at = timeline.steps[0].response.time
    day = f"of {at:%Y-%m-%d}" if at is not None else "of today, since the file has no times"
    unpriced = sorted(str(model) for model, known in made.priced.items() if not known)
    stated.append(f"prices are the list prices {day}" + (f"; unknown for {', '.join(unpriced)}" if unpriced else ""))
    return stated


def recommend(policies: Sequence[Answer], recorded: Answer, window: int | None = None) -> dict[str, Any]:
    """Return the policy that costs least of those that keep about as many facts as the best, in two sentences (RPL_03).

    `verdict` says what it costs and keeps beside what was recorded, and for the session of a `window` its threshold;
    `sentence` gives the reason. Policies and record are those of a session as its answer has them, or their sums over
    sessions.
    """
    rows = [one for one in policies if not one["refusal"] and not _never_recommended(one)]
    if not rows:
        size = f" of {window:,} tokens" if window else ""
        return _no_choice(f"no policy fits into the window{size}")
    if not any(one["compactions"] for one in rows):
        size = f" of {window:,}" if window else ""
        return _no_choice(f"no policy compacts, and the window held {recorded['peak']:,}{size} tokens at most")
    best = max(_share(one) for one in rows)
    chosen, *others = sorted((one for one in rows if _share(one) >= best - CLOSE), key=_expense)
    name, is_priced = chosen["name"], chosen["cost"] != UNKNOWN
    unit = _dollars if is_priced else _sent
    sentence = f"{name} {'costs' if is_priced else 'sends'} least"
    dearer = [one for one in others if _is_dearer(one, chosen)]
    if dearer:
        sentence += f", before {dearer[0]['name']} with {unit(_expense(dearer[0]))}"
    if not any(one["summarizes"] for one in chosen["compactions"]):
        sentence += "; it makes no summary"
    elif len(chosen["sensitivity"]) < len(SIZES):
        sentence += "; with summaries of half or twice the size it does not fit into the window"
    else:
        costs = sorted(_expense(one) for one in (chosen, *chosen["sensitivity"].values()))
        sentence += f"; with summaries of half or twice the size {unit(costs[0])} to {unit(costs[-1])}"
    same = [one["name"] for one in others if one not in dearer]
    if same:
        sentence += f"; {series(same)} may {'cost' if is_priced else 'send'} as little"
    return {"policy": name, "verdict": f"{_verdict(chosen, recorded, window)}.", "sentence": f"{sentence}."}


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}"


def _sent(amount: float) -> str:
    return f"{amount:,.0f} tokens"


def _verdict(chosen: Answer, recorded: Answer, window: int | None) -> str:
    """Return what a policy costs and keeps beside what was recorded and, for the session of a window, how it is set."""
    verb, unit, now = (
        ("sent", _sent, recorded["sent"]) if chosen["cost"] == UNKNOWN else ("cost", _dollars, recorded["cost"])
    )
    verdict = f"{chosen['name']} would have {verb} {unit(_expense(chosen))}"
    if now == UNKNOWN:  # a summary of the tool's own may be by a model without a price
        verdict += " beside a record without a price"
    elif _expense(chosen) < now:
        verdict += f" instead of {unit(now)}"
    else:
        verdict = f"No policy would have {verb} less than the {unit(now)} recorded; {verdict}"
    kept, before = (_percent(one["facts"]) for one in (chosen, recorded))
    if kept:
        verdict += f" and kept {kept} of the facts" + (f" instead of {before}" if before not in ("", kept) else "")
    above = f"compacts above {chosen['threshold']:,} tokens" if window and chosen["threshold"] else ""
    if chosen["profile"] == chosen["name"]:
        return f"{verdict}; set it in brim.toml or by brim run --profile {chosen['name']}{above and f', which {above}'}"
    return f"{verdict}; it {above}" if above else verdict


def _percent(facts: Answer | None) -> str:
    """Return the share of the facts that are present, rounded down; empty where there were none."""
    return f"{facts['kept'] * 100 // facts['facts']}%" if facts and facts["facts"] else ""


def missing_calls(recorded: Answer) -> list[str]:
    """Return how many requests the record has no usage of, which are in no sum: 1 response, 2 summary calls."""
    kinds = (("response", "responses_without_usage"), ("summary call", "summaries_without_usage"))
    return [f"{recorded[key]:,} {what}{'s' * (recorded[key] != 1)}" for what, key in kinds if recorded[key]]


def _no_choice(reason: str) -> dict[str, Any]:
    sentence = f"Nothing to choose between: {reason}."
    return {"policy": None, "verdict": sentence, "sentence": sentence}


def series(names: Sequence[str]) -> str:
    """Return names in a sentence: with commas, and an `and` before the last."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _never_recommended(policy: Answer) -> bool:
    return policy["baseline"] or PROFILES[policy["profile"]].deprecated is not None


def _is_dearer(policy: Answer, chosen: Answer) -> bool:
    """Return whether it costs more with summaries of each size with which both go on."""
    sizes = [one for one in SIZES if one in policy["sensitivity"] and one in chosen["sensitivity"]]
    pairs = [(policy, chosen), *((policy["sensitivity"][one], chosen["sensitivity"][one]) for one in sizes)]
    return all(_expense(one) > _expense(least) for one, least in pairs)


def _share(policy: Answer) -> float:
    facts = policy["facts"]
    return float(facts["kept"] / facts["facts"]) if facts["facts"] else 1.0


def _expense(policy: Answer) -> float:
    """Return the cost; where that is unknown, the tokens sent."""
    return float(policy["sent"] if policy["cost"] == UNKNOWN else policy["cost"])


def totals(made: Sequence[Answer]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the sums of what was recorded over sessions, and those of each policy, as recommend reads them."""
    found: dict[str, list[Answer]] = {}
    for one in made:
        # without a recorded cost there is nothing to compare a policy's with
        cost = {"cost": UNKNOWN} if one["recorded"]["cost"] == UNKNOWN else {}
        for policy in one["policies"]:
            found.setdefault(policy["name"], []).append({**policy, **cost})
    return total([one["recorded"] for one in made]), [total(every) for every in found.values()]


def total(found: Sequence[Answer]) -> dict[str, Any]:
    """Return the sums of a policy over sessions, as recommend reads them; of costs those that are known.

    A policy that is refused in any of them has no sums: they would be those of fewer sessions.
    """
    refusals = [one["refusal"] for one in found if one.get("refusal")]
    if refusals:
        where = f"refused in {len(refusals):,} of {len(found):,} sessions, first since {refusals[0]}"
        return {**found[0], "refusal": where}
    priced = [one for one in found if one["cost"] != UNKNOWN]
    facts = [one["facts"] for one in found if one.get("facts")]

    def sums(size: str = "") -> dict[str, Any]:
        figures = [one.get("sensitivity", {}).get(size, one) for one in found]
        costs = [one["cost"] for one, same in zip(figures, found, strict=True) if same["cost"] != UNKNOWN]
        return {"sent": sum(one["sent"] for one in figures), "cost": sum(costs) if costs else UNKNOWN}

    return {
        **found[0],
        **sums(),
        **{key: sum(one[key] for one in found) for key in RECORD_COUNTS if key in found[0]},
        "compactions": [made for one in found for made in one["compactions"]],
        "costs": {part: sum(one["costs"][part] for one in priced) for part in PARTS} if priced else None,
        "peak": max(one["peak"] for one in found),
        "facts": {key: sum(one[key] for one in facts) for key in ("facts", "kept", "words", "words_present")},
        "sensitivity": {size: sums(size) for size in SIZES},
    }
