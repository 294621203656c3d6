"""Summarising: a plan is carried out with a model's summary, or without one where no attempt succeeds.

The whole of a compaction as one generator: it yields what is to be done and told, and whoever drives it does that, in a
thread or in an event loop (CMP_02, CMP_08). Specified by features/compaction/summarising.feature.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from brim.compaction.events import Compacted, Event, Failed, Pruned, Started, Summarising, TurnedDown
from brim.compaction.plan import Plan, SummaryCall
from brim.compaction.policies import by_policy
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction, apply_plan
from brim.compaction.without_model import compact_without_model, not_carried_out
from brim.conversation.messages import is_visible
from brim.models import ModelLimits
from brim.summary.acceptance import Acceptance, judge_summary
from brim.summary.attempts import Ask, Attempt, Attempted, Judge, attempt_summary
from brim.summary.preserved_facts import preserve_facts
from brim.summary.prompts import prompt_for, prompt_version
from brim.summary.succession import own_words
from brim.summary.summariser_input import Rung, SummarySource, ladder
from brim.summary.summarizer import SummaryAnswer, SummaryRequest
from brim.summary.template import CHARACTERS_MAX
from brim.tokens.estimation import Size, tokens_of

PARTS: Final = 5
"""A summary is at most this part of a window: a fifth, so that in a small one there is room for what it is made of."""


@dataclass(frozen=True, slots=True)
class Tell:
    """Something to be told to whoever listens."""

    event: Event


Step: TypeAlias = Ask | Tell
"""What a compaction wants done: a summarizer asked, after a wait, or an event told."""
Steps: TypeAlias = Generator[Step, SummaryAnswer | None, Compaction]
"""Yields steps, wants the answer of each call, and returns the compaction."""


def summarise(plan: Plan, policy: CompactionPolicy | None, model: str = "") -> Steps:
    """Carry a plan out; the conversation it was made of stays as it is, whatever happens (CMP_04).

    Raises SummaryFailed, or what the provider refused, under the policy `raise` alone.
    """
    if not plan.acts:
        return apply_plan(plan)
    yield Tell(_started(plan))
    if plan.pruning.outputs:
        yield Tell(Pruned(outputs=len(plan.pruning.outputs), saved=plan.pruning.saved))
    compaction = apply_plan(plan) if not plan.summarises else (yield from _with_summary(plan, policy, model))
    yield Tell(_compacted(compaction) if compaction.plan.acts else _left(compaction))
    return compaction


def _with_summary(plan: Plan, policy: CompactionPolicy | None, model: str = "") -> Steps:
    if policy is None:
        compaction = compact_without_model(plan)
        return replace(compaction, by="template") if compaction.plan.acts else compaction
    attempted = yield from _ask(plan, policy, model)
    if attempted.error is None:
        compaction = replace(apply_plan(plan, with_facts(plan, attempted.text)), by="model")
    else:
        if policy.on_failure != "raise":
            yield Tell(_failed(attempted, policy.on_failure))
        compaction = by_policy(plan, policy.on_failure, attempted.error)
    made = replace(compaction, attempts=attempted.attempts)
    return made if made.saved > 0 else replace(apply_plan(not_carried_out(plan)), attempts=attempted.attempts)


def _ask(plan: Plan, policy: CompactionPolicy, model: str) -> Generator[Step, SummaryAnswer | None, Attempted]:
    """Pass the calls of the attempts on, and tell what they come to."""
    attempts = attempt_summary(rungs(plan, policy, model), _judge(plan, policy))
    answer: SummaryAnswer | None = None
    try:
        while True:
            step = attempts.send(answer)
            answer = None
            if isinstance(step, Ask):
                yield Tell(_summarising(step))
                answer = yield replace(step, request=_as_in_the_cache(step.request, plan))
            elif step.outcome != "ok":
                yield Tell(_turned_down(step))
    except StopIteration as done:
        attempted: Attempted = done.value
        return attempted


def _as_in_the_cache(request: SummaryRequest, plan: Plan) -> SummaryRequest:
    """A request under the parameters that a prefix was cached under may think, on top of its summary.

    The two together are no more than the model's longest answer.
    """
    longest = plan.limits.max_output_tokens - request.thinking_budget
    return replace(request, max_tokens=min(request.max_tokens, longest)) if longest > 0 else request


def rungs(plan: Plan, policy: CompactionPolicy, model: str) -> tuple[Rung, ...]:
    """The ways to hand over what a plan summarises, the best first (SUM_10, SUM_16)."""
    return ladder(source_of(plan, policy, model))


def source_of(plan: Plan, policy: CompactionPolicy, model: str) -> SummarySource:
    """What there is to summarise, and by whom."""
    kept = {*plan.front, *(place for place in plan.request if not plan.is_parted(place))}
    return SummarySource(
        messages=plan.messages,
        places=tuple(place for place in range(plan.cut) if place not in kept),
        system=plan.sent.system,
        tools=plan.sent.tools or (),
        parameters=plan.sent.parameters,
        headers=plan.sent.headers,
        hindrance=plan.sent.hindrance,
        model=model,
        summary_model=policy.summary_model,
        prompt=_prompt(policy, plan.focus),
        earlier=plan.earlier,
        context_window=plan.limits.context_window,
        max_tokens=longest_summary(policy, plan.limits),
        characters_per_token=plan.characters_per_token,
    )


def longest_summary(policy: CompactionPolicy, limits: ModelLimits) -> int:
    """The longest answer that is asked for: never above the model's own, nor a fifth of what it can hold."""
    bounds = (policy.max_summary_tokens, limits.max_output_tokens, limits.context_window // PARTS)
    return min(bound for bound in bounds if bound)


def _prompt(policy: CompactionPolicy, focus: str | None) -> str:
    """The prompt, with the facts that a summary is turned down without."""
    prompt = prompt_for(policy.prompt, focus or policy.focus)
    if not policy.required_facts:
        return prompt
    facts = "\n".join(f"- {fact}" for fact in policy.required_facts)
    return f"{prompt}\n\nThe summary has to hold each of these, word for word:\n{facts}"


def _judge(plan: Plan, policy: CompactionPolicy) -> Judge:
    due_from = _due_from(plan)

    def judge(text: str, answer: SummaryAnswer, request: SummaryRequest) -> Acceptance:
        counted = answer.usage is not None and 0 < answer.usage.output <= request.max_tokens
        return judge_summary(
            text,
            replaces_tokens=request.replaces_tokens,
            summary_tokens=tokens_of(Size(len(text)), plan.characters_per_token),
            stop_reason=answer.stop_reason,
            pinned_facts=policy.required_facts if request.final else (),
            longest_tokens=0 if counted else request.max_tokens,
            tokens_after=_after(plan, text) if request.final else 0,
            due_from=due_from,
        )

    return judge


def _due_from(plan: Plan) -> int:
    """From how many tokens on a compaction has brought no relief; 0 where no summary could, however short."""
    return plan.due_from if _after(plan, ".") < plan.due_from else 0


def _after(plan: Plan, summary: str) -> int:
    """What the window would hold with this summary, in tokens, by estimate; a summary of nothing is not applied."""
    return apply_plan(plan, summary).tokens_after if is_visible(summary) else 0


def with_facts(plan: Plan, summary: str) -> str:
    """A summary with the facts behind it that neither it nor what is kept holds (SUM_14)."""
    kept = apply_plan(plan, summary).text
    room = min(CHARACTERS_MAX, plan.replaced_characters // 2 - len(summary))
    return preserve_facts(own_words(summary), plan.facts, held_elsewhere=kept, characters_max=max(room, 0))


def _started(plan: Plan) -> Started:
    return Started(
        automatic=plan.automatic,
        reason=plan.reason,
        tokens_before=plan.tokens_before,
        summarised=len(plan.summarised),
    )


def _summarising(step: Ask) -> Summarising:
    return Summarising(
        attempt=step.number,
        waited=step.wait,
        way=step.way,
        model=step.request.model,
        tokens=step.request.tokens,
    )


def _failed(attempted: Attempted, then: str) -> Failed:
    return Failed(reason=str(attempted.error), attempts=len(attempted.attempts), then=then)


def _turned_down(attempt: Attempt) -> TurnedDown:
    return TurnedDown(attempt=attempt.number, outcome=attempt.outcome, reason=attempt.reason)


def _compacted(compaction: Compaction) -> Compacted:
    return Compacted(
        tokens_before=compaction.tokens_before,
        tokens_after=compaction.tokens_after,
        saved=compaction.saved,
        share=compaction.compression.ratio,
        by=compaction.by,
        summary=compaction.summary,
    )


def _left(compaction: Compaction) -> Failed:
    """A compaction that is not carried out (SEL_07)."""
    reason = "a summary would save nothing, the conversation is as it was"
    return Failed(reason=reason, attempts=len(compaction.attempts), then="nothing")


def planned_call(plan: Plan, policy: CompactionPolicy, model: str) -> SummaryCall | None:
    """How the summary of a plan will be asked for first, and why so; None where there is none, or no way."""
    ways = rungs(plan, policy, model) if plan.summarises else ()
    if not ways:
        return None
    first = next(ways[0].requests())
    return SummaryCall(
        model=first.model,
        way=ways[0].name,
        why=ways[0].why,
        tokens=first.tokens,
        max_tokens=first.max_tokens,
        prompt=prompt_version(policy.prompt),
    )
