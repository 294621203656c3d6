"""The result of a compaction: the new conversation, and what it came to.

Specified by features/compaction/result.feature (CMP_05).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias

from brim.compaction.context_window import BEFORE_THE_FIRST
from brim.compaction.events import AttemptRejected, Compacted, CompactionEvent, Failed, Pruned, Started, Summarizing
from brim.compaction.layout import Keep, acceptable, fold, in_order
from brim.compaction.plan import (
    LEAST_SUMMARY,
    MIN_REMOVED_SHARE,
    NOTHING_TO_COMPACT,
    Plan,
    SummaryCall,
    longest_summary,
)
from brim.compaction.policy import CompactionPolicy, OnFailure
from brim.conversation.formats import ANTHROPIC, CHAT, Format, format_of, write_messages
from brim.conversation.messages import (
    Message,
    Text,
    ToolCall,
    ToolResult,
    encodable,
    is_sendable,
    is_visible,
    sendable,
)
from brim.conversation.tool_pairs import calls_of, pair_tools
from brim.conversation.turns import Turn, find_turns, read_turn
from brim.errors import BrimError, Refused, SummaryFailed, advisory, described, text_of, warn_of_reader
from brim.evidence.failures import on_one_line
from brim.summary.acceptance import STOPPED_SHORT, Acceptance, judge_summary
from brim.summary.attempts import Ask, Attempt, Attempted, Judge, attempt_summary
from brim.summary.compression import Compression, compression
from brim.summary.facts import Fact, RetentionReport, SearchText, collect_facts, fidelity
from brim.summary.identifiers import Identifiers, index_section
from brim.summary.preserved_facts import preserve_facts
from brim.summary.prompts import prompt_for, prompt_version
from brim.summary.summarizer_input import SummaryAnswer, SummaryRequest, SummarySource, fallback_strategies
from brim.summary.template import (
    SAMPLED_PATHS,
    TurnOutcome,
    assemble_summary,
    common_folder,
)
from brim.summary.user_words import words_section
from brim.tokens.estimation import tokens_of
from brim.tokens.exact import exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The new conversation, and its figures by one measure: the estimate of all that is sent (TOK_11)."""

    plan: Plan
    """The plan that was carried out."""
    conversation: tuple[Message, ...] = field(repr=False)
    """The new conversation as values."""
    summary: str = field(repr=False)
    """The summary that was accepted; empty where nothing was summarized."""
    tokens_after: int
    """The estimate of all that is sent now, in tokens."""
    summary_source: str = ""
    """Who wrote the summary: model, template, truncate or fallback; empty if there is none, or the caller wrote it."""
    attempts: tuple[Attempt, ...] = ()
    """The calls of a summarizer, and what each came to."""

    @property
    def tokens_before(self) -> int:
        """The estimate of all that was sent before, in tokens."""
        return self.plan.context.tokens_before

    @property
    def over_target(self) -> bool:
        """Whether more is held afterwards than the target that was set (CMP_05)."""
        return 0 < self.plan.context.target_tokens < self.tokens_after and (
            self.plan.changes_anything or not self.plan.context.automatic
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """The notices of the plan, and how far the target is not met."""
        plan, left = self.plan, self.plan.tokens_left
        if not self.over_target:
            return plan.notices
        summary = f", and the summary takes {self.tokens_after - left:,}" if plan.summarizes else ""
        missed = f"the target of {plan.context.target_tokens:,} tokens is not met: {left:,} stay in any case{summary}"
        return (*plan.notices, missed)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notices, and what the API would refuse in a conversation that was not compacted, by message (CNV_09)."""
        faults = () if self.plan.changes_anything else refused(self.plan.context.original, self.format)
        return (*self.notices, *faults)

    @property
    def saved(self) -> int:
        """Tokens that are no longer sent."""
        return self.tokens_before - self.tokens_after

    @property
    def compression(self) -> Compression:
        """The share that is no longer sent, and the warning where it is small (SUM_12)."""
        return compression(self.tokens_before, self.tokens_after)

    @property
    def text(self) -> str:
        """All text of the new conversation, to look for facts in it."""
        return _all_text(self.conversation)

    @property
    def fidelity(self) -> RetentionReport:
        """How many of the facts and how much of the user's words are in the new conversation (SUM_13).

        Its tokens are those of the messages, without the system prompt and the tools.
        """
        # where nothing is lost, the facts are those of the conversation as it can be sent
        messages = self.conversation if self.plan.changes_anything else self.plan.context.messages
        facts = self.plan.facts or collect_facts(all_turns(messages), self.plan.context.earlier_facts)
        return fidelity_of(facts, messages, tokens=self.plan.context.message_tokens(messages))

    @property
    def identifiers(self) -> Identifiers:
        """The identifiers of all that was removed from the conversation, with this compaction and before (REC_02)."""
        return self.plan.identifiers

    @property
    def messages(self) -> list[Any]:
        """The new conversation in the format that came in, for the next request; a kept message is the same object."""
        return write_messages((message.raw for message in self.conversation), self.format)

    @property
    def format(self) -> Format:
        """The format of the messages (ADP_03)."""
        return format_of(message.raw for message in self.plan.context.messages)


def apply_plan(plan: Plan, summary: str = "") -> Compaction:
    """Return the conversation that a plan and an accepted summary make; the caller's is not changed (CNV_07).

    A plan that does nothing gives the conversation as it came, any other what the API accepts (CNV_09). A pruning alone
    needs no summary. U+FFFD replaces half of a surrogate pair and NUL in a summary. Raises Refused where a summary is
    needed and there is none.
    """
    if plan.summarizes and not is_visible(summary):
        raise Refused("this plan summarizes, and what leaves needs a summary that says something in its place")
    summary = encodable(summary) if plan.summarizes else ""
    return Compaction(
        plan=plan,
        conversation=acceptable(fold(plan.layout, summary)) if plan.changes_anything else plan.context.original,
        summary=summary,
        tokens_after=plan.tokens_with(summary) if plan.summarizes else plan.tokens_left,
    )


def refused(messages: Sequence[Message], form: Format) -> Iterator[str]:
    """Yield what the API of this format would refuse in these messages, in words (CNV_04, CNV_09)."""
    repaired = pair_tools(messages)
    faults = {"has no result": repaired.answered}
    if form == ANTHROPIC:
        faults["is missing, but has a result"] = repaired.left_out
        times = Counter(call_id for message in messages for call_id in {call.id for call in calls_of(message)})
        faults["occurs in more than one message"] = tuple(call_id for call_id, number in times.items() if number > 1)
        sent = sendable(messages)
        for n, one, placed in zip(sent.sources, sent.messages, in_order(sent.messages), strict=False):
            if one is not placed:
                yield (
                    f"message {n} is the {one.role}'s where the API takes none: a user's is the first, and the "
                    "system's stands behind a user's, before an assistant's or last"
                )
                break
        empty = (index for index, message in enumerate(messages) if not is_sendable(message))
        yield from (
            f"message {n} is empty, or has a text that nobody can see or a part that is never sent" for n in empty
        )
    if form == ANTHROPIC or any(CHAT in message.raw for message in messages):  # an item need not stand behind its call
        faults |= {"has its result too late": repaired.moved, "occurs twice in a message": repaired.unsendable_calls}
    yield from (f"the tool call {call_id!r} {fault}" for fault, ids in faults.items() for call_id in ids)


def all_turns(messages: Sequence[Message]) -> Sequence[Turn]:
    """Return the turns, and before them what the model did before the first, if anything."""
    turns = find_turns(messages)
    stop = turns[0].start if turns else len(messages)
    start = next((index for index, message in enumerate(messages) if message.role == "assistant"), stop)
    return (read_turn(messages, BEFORE_THE_FIRST, start, stop), *turns) if start < stop else turns


def _all_text(messages: Iterable[Message]) -> str:
    return "\n".join(text for message in messages for text in _texts(message))


def _texts(message: Message) -> Iterator[str]:
    for part in message.parts:
        if type(part) is Text or type(part) is ToolResult:
            yield part.text
        if type(part) is Text and part.written:  # of a slash command the words alone are a fact
            yield part.written
        if type(part) is ToolCall:
            yield from (text_of(value) for value in part.input.values())


def fidelity_of(facts: Sequence[Fact], messages: Sequence[Message], *, tokens: int = 0) -> RetentionReport:
    """Count the facts and the characters of the user's words that are in a conversation of so many tokens (SUM_13)."""
    summaries = "\n".join(message.text for message in messages if message.marks.summary)
    return fidelity(facts, summaries, _all_text(messages), user_text=user_words_of(messages), tokens=tokens)


def user_words_of(messages: Sequence[Message]) -> str:
    """Return what the user wrote in these messages."""
    return "\n".join(text for turn in all_turns(messages) for text in turn.words)


def template_for(plan: Plan) -> str:
    """Return the template summary of what a plan replaces, never longer than half of it, nor than there is room for.

    What the user wrote in messages that stay is not repeated in it.
    """
    kept = [piece.message for piece in plan.kept_pieces if piece.message is not None]
    turns = all_turns(kept)
    texts = dict.fromkeys(text for turn in turns for text in turn.words)
    limits = plan.summary_limits
    max_chars = min(limits.template_chars, limits.half_removed_chars, limits.total_chars)
    if plan.context.words_first:  # they stand beside the first lines and one line of an outcome
        first = min(plan.words_length * 9 // 8, limits.words_chars, max(limits.total_chars - 400, 0))
        max_chars = min(max_chars, 2 * (limits.total_chars - first))
    words_chars = min(limits.words_chars, limits.total_chars - max_chars // 2)
    outcomes = [TurnOutcome(record.work) for record in plan.turns]
    facts = [fact for fact in plan.facts if fact.kind != "request" or fact.text not in texts]

    def write(share: Fraction) -> str:
        return assemble_summary(
            outcomes,
            facts,
            [record.anchor for record in plan.turns if record.anchor],
            max_chars=math.floor(max_chars * share),
            words_chars=math.floor(words_chars * share),
            previous_summary=plan.previous_summary,
            has_first=plan.has_first_message,
            identifiers=plan.identifiers,
            index_chars=math.floor(_index_chars(plan, max_chars) * share),
            with_turns=plan.context.policy.recall,
            held_elsewhere=_all_text(kept),
            kept_words="\n".join(texts),
        )

    return _write_within(max(max_chars, max_chars // 2 + words_chars), plan, write)


def _write_within(limit: int, plan: Plan, write: Callable[[Fraction], str]) -> str:
    """Return the text that `write` makes, no longer than the limit as the plan measures it (TOK_07).

    `write` has limits in characters, and is given the share of them to use: the characters of its text for each 4 of a
    token counter, and less where that is still too long.
    """
    text = write(Fraction(1))
    share = Fraction(len(text), max(len(text), plan.context.length(text), 1))
    while text and share < 1 <= share * limit:
        text = write(share)
        size = plan.context.length(text)
        if size <= limit:
            return text
        share *= min(Fraction(limit, size), Fraction(7, 8))
    return text if share == 1 else write(Fraction(0))


def _index_chars(plan: Plan, max_chars: int) -> int:
    """Return the room for the index in characters: less, even below 0, where what stays exceeds the target (REC_02)."""
    ratio = plan.context.characters_per_token
    kept = plan.tokens_left - tokens_of(plan.context.extras, ratio)
    share = exact(plan.context.policy.identifiers_share)
    return math.floor((max_chars - max(kept - plan.target, 0) * ratio) * share)


def with_required(plan: Plan, text: str) -> str:
    """Return the text, with the required facts that it lacks behind it (SUM_08)."""
    held = on_one_line(text) if plan.context.policy.required_facts else ""
    missing = [f"- {fact}" for fact in plan.context.policy.required_facts if on_one_line(fact) not in held]
    return "\n".join([text, "", "Required facts:", *missing]) if missing else text


def _with_words_alone(plan: Plan) -> Compaction:
    """Carry a plan out with the user's words as its summary, and how much is left out."""
    words = [fact.text for fact in plan.facts if fact.kind == "request"]
    summary = f"{left_out(plan)}\n\n{words_section(words, plan.summary_limits.words_chars)}"
    return apply_plan(plan, with_required(plan, summary.strip()))


@advisory("what leaves", _with_words_alone)
def compact_without_model(plan: Plan) -> Compaction:
    """Carry a plan out with the template summary; one that would save nothing is not carried out (SEL_07)."""
    if not plan.summarizes:
        return apply_plan(plan)
    summary = with_required(plan, template_for(plan))
    if not is_visible(summary):
        return apply_plan(not_carried_out(plan, f"{NOTHING_TO_COMPACT}: there is no room for a summary of what leaves"))
    tokens, compaction = plan.context.tokens(plan.context.length(summary)), apply_plan(plan, summary)
    if not judge_summary(summary, replaces_tokens=plan.removed_tokens, summary_tokens=tokens).accepted:
        compaction = replace(compaction, tokens_after=plan.context.tokens_before)
    return _if_enough_saved(compaction)


def _if_enough_saved(compaction: Compaction) -> Compaction:
    """Return the compaction; where it saves too little, the conversation as it was, with its attempts (CMP_05).

    It has to save a token, by hand without a target a twentieth of what is sent (SEL_07).
    """
    context, saved, before = compaction.plan.context, compaction.saved, compaction.tokens_before
    by_share = not (context.automatic or context.target_tokens)
    if saved >= max(math.ceil(before * MIN_REMOVED_SHARE) if by_share else 1, 1):
        return compaction
    reason = f"{NOTHING_TO_COMPACT}: a summary would save {max(saved, 0):,} of {before:,} tokens"
    return replace(apply_plan(not_carried_out(compaction.plan, reason)), attempts=compaction.attempts)


def not_carried_out(plan: Plan, reason: str) -> Plan:
    """Return the plan that does nothing instead, of the same conversation."""
    return Plan(context=plan.context, reason=reason, target=plan.target, facts=plan.facts, call=plan.call)


def fallback_compaction(plan: Plan, policy: OnFailure, error: BrimError) -> Compaction:
    """Return the compaction that a policy makes without a model's summary; `raise` raises the error."""
    match policy:
        case "raise":
            raise error
        case "template":
            compaction = compact_without_model(plan)
        case "truncate":
            compaction = apply_plan(plan, with_required(plan, left_out(plan)))
        case "fallback":
            note = (  # unlike the text that it follows, it does not claim to be a summary
                "The earlier conversation was compacted, but no summary of it could be made. Nothing is deleted: the "
                "messages stand where the conversation was kept before this point. Look at the files and ask the user "
                "before you assume anything."
            )
            compaction = apply_plan(plan, with_required(plan, note))
    return replace(compaction, summary_source=policy)


def left_out(plan: Plan) -> str:
    """Return the note that replaces the removed messages, with their number and tokens."""
    return (
        "No summary could be made of the earlier conversation, and it is left out here: "
        f"{len(plan.summarized):,} messages, about {plan.removed_tokens:,} tokens. Nothing is deleted: they stand "
        "where the conversation was kept before this point. Ask the user for what you need of them."
    )


Step: TypeAlias = Ask | CompactionEvent
"""A call of a summarizer that is to be made, after a wait, or an event for the listeners."""
Steps: TypeAlias = Generator[Step, SummaryAnswer | None, Compaction]
"""Yields steps, is sent the answer of each call, and returns the compaction."""


def summarize(
    plan: Plan, policy: CompactionPolicy | None, model: str = "", attempted: Attempted | None = None
) -> Steps:
    """Carry a plan out; its conversation is unchanged, also after a failure (CMP_04).

    `attempted`: the summary that was asked for ahead; none is asked for then (CMP_13).

    Raises SummaryFailed, or what the provider refused, under the policy `raise` alone.
    """
    if not plan.changes_anything:
        return apply_plan(plan)
    yield Started(
        automatic=plan.context.automatic,
        reason=plan.reason,
        tokens_before=plan.context.tokens_before,
        summarized=len(plan.summarized),
    )
    if plan.pruning.outputs:
        yield Pruned(outputs=len(plan.pruning.outputs), saved=plan.pruning.saved, reread=plan.pruning.reread)
    if plan.summarizes:
        compaction = yield from _with_summary(plan, policy, model, attempted)
    else:
        compaction = apply_plan(plan)
    if compaction.plan.changes_anything:
        yield Compacted(
            tokens_before=compaction.tokens_before,
            tokens_after=compaction.tokens_after,
            saved=compaction.saved,
            share=compaction.compression.ratio,
            summary_source=compaction.summary_source,
            summary=compaction.summary,
            compaction=compaction,
        )
    else:  # SEL_07
        reason = "a summary would save nothing, the conversation is as it was"
        yield Failed(reason=reason, attempts=len(compaction.attempts), then="nothing")
    return compaction


def _with_summary(plan: Plan, policy: CompactionPolicy | None, model: str, attempted: Attempted | None) -> Steps:
    if policy is None or not (attempted or _is_worth_a_call(plan)):
        compaction = compact_without_model(plan)
        return replace(compaction, summary_source="template") if compaction.plan.changes_anything else compaction
    attempted = attempted or (yield from ask_summary(plan, policy, model))
    if attempted.error is None:
        compaction = replace(apply_plan(plan, with_facts(plan, attempted.text)), summary_source="model")
    else:
        if policy.on_failure != "raise":
            yield Failed(reason=str(attempted.error), attempts=len(attempted.attempts), then=policy.on_failure)
        compaction = fallback_compaction(plan, policy.on_failure, attempted.error)
    return _if_enough_saved(replace(compaction, attempts=attempted.attempts))


def _is_worth_a_call(plan: Plan) -> bool:
    """Return whether there is room for a useful summary, and one takes fewer tokens than what it replaces (CMP_05).

    The lines of brim's around it count as well: they are measured around a summary of one token.
    """
    written = fold((piece for piece in plan.layout if not isinstance(piece, Keep)), ".")
    fewest = plan.context.message_tokens(written) + LEAST_SUMMARY - 1
    return plan.summary_limits.is_useful and fewest < plan.removed_tokens


def ask_summary(plan: Plan, policy: CompactionPolicy, model: str) -> Generator[Step, SummaryAnswer | None, Attempted]:
    """Ask for the summary of a plan: yield the calls of the attempts, and an event for the outcome of each."""
    answer: SummaryAnswer | None = None
    cut_off = False
    try:
        attempts = attempt_summary(fallback_strategies(source_of(plan, policy, model)), _judge(plan, policy))
        while True:
            step = attempts.send(answer)
            answer = None
            if isinstance(step, Ask):
                request = step.request
                yield Summarizing(
                    attempt=step.number,
                    waited=step.wait,
                    strategy=step.strategy,
                    model=request.model,
                    tokens=request.tokens,
                )
                cut_off = cut_off and step.number > 1
                answer = yield replace(step, request=_with_answer_limit(request, plan, twice=cut_off))
                cut_off = cut_off or (answer is not None and answer.stop_reason in STOPPED_SHORT)
            elif step.outcome != "ok":
                yield AttemptRejected(attempt=step.number, outcome=step.outcome, reason=step.reason)
    except StopIteration as done:
        attempted: Attempted = done.value
        return attempted
    except (BrimError, Warning):
        raise
    except Exception as error:  # noqa: BLE001 -- of what is summarized, not of a summarizer: the policy goes on
        warn_of_reader("what is summarized", error)
        return Attempted("", (), SummaryFailed(described(error)))


def _with_answer_limit(request: SummaryRequest, plan: Plan, *, twice: bool) -> SummaryRequest:
    """Return a request whose answer and thinking are together no more than the model's longest answer.

    After an answer that was cut off it may be twice as long, where the window has room: some models think in it.
    """
    wanted, longest = request.max_tokens, plan.context.limits.max_output_tokens - request.thinking_budget
    if twice:
        room = plan.context.limits.context_window - request.tokens - request.thinking_budget
        wanted = max(wanted, min(2 * wanted, room if plan.context.limits.context_window else 2 * wanted))
    return replace(request, max_tokens=min(wanted, longest) if longest > 0 else wanted)


def source_of(plan: Plan, policy: CompactionPolicy, model: str) -> SummarySource:
    """Return what there is to summarize, and by whom."""
    longest = longest_summary(policy, plan.context.limits)
    asked = plan.summary_limits.asked(longest)
    return SummarySource(
        messages=plan.context.messages,
        indices=plan.removed,
        sent_tokens=plan.context.tokens_before,
        replaced_tokens=plan.removed_tokens,
        system=plan.context.request.system,
        tools=plan.context.request.tools or (),
        parameters=plan.context.request.parameters,
        headers=plan.context.request.headers,
        warm_prefix_blocker=plan.context.request.warm_prefix_blocker,
        model=model,
        summary_model=policy.summary_model,
        prompt=_prompt(policy, plan.context.focus, asked if asked < longest else 0),
        previous_summary=plan.previous_summary,
        context_window=plan.context.limits.context_window,
        max_tokens=asked,
        characters_per_token=plan.context.characters_per_token,
        length=plan.context.length,
    )


def _prompt(policy: CompactionPolicy, focus: str | None, room: int) -> str:
    """Return the prompt, with the room for the summary in tokens, unless 0, and the facts that it has to hold."""
    prompt = prompt_for(policy.prompt, focus or policy.focus)
    if room:
        prompt += (
            f"\n\nThere is little room for the summary: it has {room:,} tokens at most, so write no more than "
            f"{room // 2:,} words."
        )
    if not policy.required_facts:
        return prompt
    facts = "\n".join(f"- {fact}" for fact in policy.required_facts)
    return f"{prompt}\n\nThe summary has to hold each of these, word for word:\n{facts}"


def _judge(plan: Plan, policy: CompactionPolicy) -> Judge:
    highest = plan.summary_limits.window_tokens

    def judge(text: str, answer: SummaryAnswer, request: SummaryRequest) -> Acceptance:
        counted = answer.usage is not None and 0 < answer.usage.output <= request.max_tokens
        return judge_summary(
            text,
            replaces_tokens=request.replaces_tokens,
            summary_tokens=plan.context.tokens(plan.context.length(text)),
            stop_reason=answer.stop_reason,
            required_facts=policy.required_facts if request.final else (),
            longest_tokens=0 if counted else request.max_tokens,
            tokens_after=plan.tokens_with(text),
            highest=highest if request.final else 0,
        )

    return judge


@advisory("facts", lambda _, summary: summary)
def with_facts(plan: Plan, summary: str) -> str:
    """Return a summary with the facts behind it that it and what is kept lack (SUM_14), and the index (REC_02)."""
    compaction, summary = apply_plan(plan, summary), summary.strip()
    words, kept, limits = user_words_of(compaction.conversation), SearchText(compaction.text), plan.summary_limits
    identifiers = plan.identifiers
    folder = common_folder([one.text for one in identifiers.found if one.sort == "path"][:SAMPLED_PATHS])
    most = limits.total_chars - plan.context.length(summary)
    max_chars = max(
        min(min(limits.template_chars, limits.half_removed_chars) + min(limits.words_chars, plan.words_length), most), 0
    )

    def write(share: Fraction) -> str:
        limit = math.floor(max_chars * share)
        text = preserve_facts(
            summary,
            plan.facts,
            held_elsewhere=kept,
            user_text=words,
            max_chars=limit,
            words_chars=math.floor(limits.words_chars * share),
            previous_summary=plan.previous_summary,
            has_first=plan.has_first_message,
        )
        index_chars = math.floor(_index_chars(plan, min(limits.template_chars, limits.half_removed_chars)) * share)
        room = min(index_chars, limit - (len(text) - len(summary))) - len("\n\n")
        shown, with_turns = (SearchText(text), kept), plan.context.policy.recall
        index = index_section(identifiers, room, shown=shown, folder=folder, with_turns=with_turns)
        return (f"{text}\n\n{index}" if index else text).removeprefix(summary)

    return f"{summary}{_write_within(max_chars, plan, write)}"


@advisory("what leaves", lambda *_: None)
def planned_call(plan: Plan, policy: CompactionPolicy, model: str) -> SummaryCall | None:
    """Return how the summary of a plan will be asked for first; None where no model is asked, or no way fits."""
    if not (plan.summarizes and _is_worth_a_call(plan)):
        return None
    source = source_of(plan, policy, model)
    way = next(fallback_strategies(source), None)
    if way is None:
        return None
    return SummaryCall(
        model=source.writer,
        strategy=way.name,
        reason=way.reason,
        tokens=way.tokens,
        max_tokens=source.max_tokens,
        prompt=prompt_version(policy.prompt),
        first_request=next(way.requests()),
    )
