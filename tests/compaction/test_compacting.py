"""What holds of every compaction, of any conversation, for any model, asked for or automatic."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from brim.compaction.context_window import ContextWindow
from brim.compaction.layout import acceptable
from brim.compaction.plan import Cause, Plan, plan_compaction
from brim.compaction.result import Compaction, apply_plan, compact_without_model
from brim.conversation.messages import Message, Part, Thinking, ToolResult, sendable, write_part
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import begins_turn
from brim.errors import Refused
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from steps.prerequisites import sized
from tests.compaction.strategies import Case, cases, steady
from tests.strict_api import complaints

CAUSES = st.sampled_from(["manual", "automatic"])
SUMMARIES = st.sampled_from([None, "All went well.", "It did. " * 2_000])
"""None stands for the template."""


def compact(case: Case, *, cause: Cause, summary: str | None = None) -> Compaction:
    """The compaction of a case; where nothing is compacted, with the conversation as it can be sent."""
    plan = plan_compaction(case.window(), cause=cause)
    made = compact_without_model(plan) if summary is None else apply_plan(plan, summary)
    return made if made.plan.changes_anything else replace(made, conversation=plan.context.messages)


def sent(case: Case) -> tuple[Message, ...]:
    """The conversation as it can be sent, worked out apart from the window."""
    return pair_tools(sendable(case.messages).messages).messages


def own(message: Message) -> bool:
    """Whether brim wrote a message of a result, and nobody handed it in."""
    return message.marks.synthetic and "written by brim]" in message.text.partition("\n")[0]


@steady
@given(case=cases(), cause=CAUSES, summary=SUMMARIES)
def test_what_comes_out_is_accepted(case: Case, cause: Cause, summary: str | None) -> None:
    """A strict check finds nothing in what was compacted; what it finds in anything else is among the warnings."""
    result = compact(case, cause=cause, summary=summary)
    if result.plan.changes_anything:
        assert (complaints(result.messages), result.warnings) == ([], result.notices)
    elif not result.warnings and result.plan.context.original:  # who speaks first and repeated ids are not named
        assert complaints([message.raw for message in acceptable(result.plan.context.original)]) == []


@steady
@given(case=cases(), cause=CAUSES)
def test_what_is_not_compacted_comes_back_as_it_is(case: Case, cause: Cause) -> None:
    """Where nothing is compacted every message is the very one that came, whatever the API would refuse (CNV_09)."""
    result = compact_without_model(plan_compaction(case.window(), cause=cause))
    if not result.plan.changes_anything:
        assert [id(message.raw) for message in result.conversation] == [id(message.raw) for message in case.messages]


@steady
@given(case=cases(), cause=CAUSES, summary=SUMMARIES)
def test_the_last_request_is_kept(case: Case, cause: Cause, summary: str | None) -> None:
    """What the user wrote last is in the new conversation once, its texts word for word and its other parts as well."""
    requests = [message for message in sent(case) if begins_turn(message)]
    if requests and said(requests[-1]):
        result = compact(case, cause=cause, summary=summary)
        wanted = said(requests[-1])
        assert [said(message) for message in result.conversation].count(wanted) >= 1
        last = next(message for message in reversed(result.conversation) if begins_turn(message))
        assert said(last) == wanted


def said(message: Message) -> list[Any]:
    """The parts of a message that no rule takes out or clears."""
    return [part for part in message.parts if type(part) not in (ToolResult, Thinking)]


@steady
@given(case=cases(), cause=CAUSES, summary=SUMMARIES)
def test_pins_are_kept(case: Case, cause: Cause, summary: str | None) -> None:
    """Every pinned message is in the new conversation with all its parts, but for thinking that lost its history."""
    pins = [message for message in sent(case) if message.marks.pinned]
    result = compact(case, cause=cause, summary=summary)
    kept = [parts_of(message) for message in result.conversation if message.marks.pinned]
    assert [parts for parts in map(parts_of, pins) if parts] == [parts for parts in kept if parts]


def parts_of(message: Message) -> list[Any]:
    """The dictionaries of all parts but thinking."""
    return [write_part(part) for part in message.parts if type(part) is not Thinking]


@steady
@given(case=cases(), cause=CAUSES, summary=SUMMARIES)
def test_what_is_kept_is_what_came_in(case: Case, cause: Cause, summary: str | None) -> None:
    """The messages kept are the very dictionaries that came in, in their order, but for what the rules take out."""
    result = compact(case, cause=cause, summary=summary)
    plan = result.plan
    places = [n for n, (_, fate) in enumerate(fates(plan)) if fate != "summarized"]
    before = [plan.context.messages[place] for place in places]
    after = list(result.conversation)
    if plan.changes_anything:
        told = [
            message
            for message in after
            if id(message) not in {id(one) for one in plan.context.messages} and own(message)
        ]
        assert told or not plan.summarizes
        after = [message for message in after if all(message is not one for one in told)]
    whole = [message for message in before if any(type(part) is not Thinking for part in message.parts)]
    stripped = [message for message in before if message not in whole]
    after = [message for message in after if all(message is not one for one in stripped)]
    assert len(after) == len(whole)
    parted = {id(plan.context.messages[one.index]) for one in plan.kept_pieces if one.index in plan.removed}
    for old, new in zip(whole, after, strict=True):
        assert new.marks is old.marks
        assert new is old or (new.role == old.role and changes(old, new, parted=id(old) in parted))


def fates(plan: Plan) -> list[tuple[int, str]]:
    """For every message that can be sent, whether it stays; what the pairing added is judged by where it stands."""
    told = {index: fate for index, fate, _ in plan.decisions()}
    kept = {piece.index for piece in plan.kept_pieces}
    added = ["kept" if position in kept else "summarized" for position in range(len(plan.context.messages))]
    return [
        (position, added[position] if source is None else told[source])
        for position, source in enumerate(plan.context.origin_indices)
    ]


def changes(old: Message, new: Message, *, parted: bool) -> list[Part]:
    """The parts that a rule took out of a message or cleared; empty where anything else happened to it."""
    kinds = (Thinking, ToolResult) if parted else (Thinking,)
    gone = [part for part in old.parts if type(part) in kinds and part not in new.parts]
    left = [part for part in old.parts if part not in gone]
    cleared = [(one, other) for one, other in zip(left, new.parts, strict=True) if one is not other]
    fine = all(
        type(one) is type(other) is ToolResult and other.text == PLACEHOLDER and one.call_id == other.call_id
        for one, other in cleared
    )
    return [*gone, *(one for one, _ in cleared)] if fine else []


@steady
@given(case=cases(), cause=CAUSES, summary=SUMMARIES)
def test_thinking_stands_on_its_history_alone(case: Case, cause: Cause, summary: str | None) -> None:
    """A thinking block of the new conversation has before it exactly what it had before, and there it stays."""
    result = compact(case, cause=cause, summary=summary)
    before, after = result.plan.context.messages, result.conversation
    same = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a is not b), len(after))
    assert thinking_in(after[same:]) == []
    if before[same : same + 1] and after[same : same + 1] and thinking_in([before[same]]):
        assert write(before[same]) != write(after[same])


def write(message: Message) -> list[Any]:
    """All of a message but its thinking."""
    return [message.role, *parts_of(message)]


def thinking_in(messages: Sequence[Message]) -> list[Part]:
    """All thinking of some messages."""
    return [part for message in messages for part in message.parts if type(part) is Thinking]


@steady
@given(case=cases(), cause=CAUSES, summary=SUMMARIES)
def test_an_unfinished_loop_is_not_robbed_of_its_thinking(case: Case, cause: Cause, summary: str | None) -> None:
    """Where the conversation ends with results, the calls they answer have the thinking they had, or are gone."""
    before, after = sent(case), compact(case, cause=cause, summary=summary).conversation
    if after and thinking_in(loop(before)):
        last = [message for message in loop(after) if not own(message)]
        assert not last or thinking_in(last) == thinking_in(loop(before))


def loop(messages: Sequence[Message]) -> list[Message]:
    """The tool loop that a conversation ends in the middle of: what follows the last words that the user wrote."""
    if not messages or not any(type(part) is ToolResult for part in messages[-1].parts) or messages[-1].role != "user":
        return []
    starts = [n for n, message in enumerate(messages) if begins_turn(message) or message.marks.summary]
    return list(messages[starts[-1] + 1 if starts else 0 :])


@steady
@given(case=cases(), cause=CAUSES)
def test_what_is_handed_in_stays_as_it_is(case: Case, cause: Cause) -> None:
    """Neither planning nor compacting changes a message, the window or its verdict."""
    raws = deepcopy([message.raw for message in case.messages])
    window = case.window()
    verdict, held, messages = window.verdict(), window.held, list(window.messages)
    compact_without_model(plan_compaction(window, cause=cause))
    assert [message.raw for message in case.messages] == raws
    assert (window.verdict(), window.held) == (verdict, held)
    assert all(one is other for one, other in zip(window.messages, messages, strict=True))


@steady
@given(case=cases(), cause=CAUSES)
def test_every_message_has_one_fate(case: Case, cause: Cause) -> None:
    """Kept and summarized together are the messages handed in, but for those of which nothing can be sent."""
    plan = plan_compaction(case.window(), cause=cause)
    forms = [n for n, message in enumerate(case.messages) if sendable([message]).messages]
    repaired = pair_tools([sendable([case.messages[n]]).messages[0] for n in forms])
    there = [forms[source] for source in repaired.sources if source is not None]
    assert sorted([*plan.kept, *plan.summarized]) == there
    assert plan.kept == sorted(plan.kept)
    assert [index for index, _, _ in plan.decisions()] == there
    assert all(why for _, _, why in plan.decisions())


@steady
@given(case=cases(), cause=CAUSES)
def test_it_saves_or_leaves_everything(case: Case, cause: Cause) -> None:
    """A compaction without a model has fewer tokens after it, or the conversation is the one that came in."""
    result = compact(case, cause=cause)
    if result.plan.changes_anything:
        assert result.tokens_after < result.tokens_before
    else:
        assert [id(message) for message in result.conversation] == [
            id(message) for message in result.plan.context.messages
        ]
        assert (result.tokens_after, result.summary) == (result.tokens_before, "")


@steady
@given(case=cases(), cause=CAUSES)
def test_the_figures_are_those_of_the_messages(case: Case, cause: Cause) -> None:
    """Before and after are what a window of the conversation before, and one of that after, are estimated at."""
    window = case.window()
    result = compact_without_model(plan_compaction(window, cause=cause))
    assert result.tokens_before == window.with_messages(sent(case)).estimated
    if result.plan.changes_anything:
        assert result.tokens_after == window.with_messages(result.conversation).estimated


@steady
@given(case=cases(), cause=CAUSES, again=CAUSES)
def test_a_second_compaction_never_grows(case: Case, cause: Cause, again: Cause) -> None:
    """What was compacted and did not change comes to no more tokens and no more messages when compacted again."""
    window = case.window()
    first = compact_without_model(plan_compaction(window, cause=cause))
    second = compact_without_model(plan_compaction(window.with_messages(first.conversation), cause=again))
    assert second.tokens_after <= first.tokens_after
    empty = not second.conversation
    assert complaints(second.messages) == complaints(first.messages) or empty or second.plan.summarizes
    if first.plan.summarizes:
        assert sum(map(own, second.conversation)) <= sum(map(own, first.conversation)) + (again == "automatic")


@steady
@given(case=cases(), cause=CAUSES)
def test_planning_twice_is_planning_once(case: Case, cause: Cause) -> None:
    """The same window gives an equal plan again, and so does another window of the same conversation."""
    window = case.window()
    plan = plan_compaction(window, cause=cause)
    assert (plan_compaction(window, cause=cause) == plan) is True
    assert (plan_compaction(case.window(), cause=cause) == plan) is True


@settings(steady, max_examples=sized(15, nightly=250))
@given(case=cases(), cause=CAUSES, share=st.sampled_from(["0.001", "0.5", "1"]))
def test_another_share_is_kept(case: Case, cause: Cause, share: str) -> None:
    """With any share of the window to keep, what is kept without being obliged to is within the target."""
    try:
        window = case.window(keep_share=share)
    except Refused:  # of a tiny window nothing is left to keep
        reject()
    plan = plan_compaction(window, cause=cause)
    if plan.summarizes and not plan.over_target:
        window = case.empty().with_messages(plan.context.messages[plan.cut :])
        assert window.estimated - case.empty().estimated <= plan.target + 1


@steady
@given(
    sizes=st.lists(st.integers(100, 6_000), min_size=8, max_size=40),
    before=st.integers(8_000, 60_000),
    thinks=st.booleans(),
    cause=st.sampled_from(["manual", "overflow"]),
)
def test_an_unfinished_loop_fills_its_target(sizes: list[int], before: int, thinks: bool, cause: Cause) -> None:
    """Its newest calls and results take 60% of the keep target or more, or all of it is kept.

    No call and result are above 40% of the target, and the conversation fills no window.
    """
    messages: list[Any] = [{"role": "user", "content": "x" * before}, {"role": "assistant", "content": "Yes."}]
    messages.append({"role": "user", "content": "Go on."})
    for number, size in enumerate(sizes):
        thinking = [{"type": "thinking", "thinking": "Hm. " * 300, "signature": "s"}] if thinks else []
        called = {"type": "tool_use", "id": f"call-{number}", "name": "Bash", "input": {"command": "make"}}
        result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": "y" * size}
        messages += [{"role": "assistant", "content": [*thinking, called]}, {"role": "user", "content": [result]}]
    window = ContextWindow(ModelLimits(context_window=1_000_000), messages=messages, characters_per_token=4)
    plan = plan_compaction(window, cause=cause)
    assume(plan.summarizes and max(sizes) + 200 <= plan.target * 4 * 0.4)
    kept = [index for index in plan.kept if index > 2]
    held = sum(window.weights[index + 1] - window.weights[index] - 1_200 * (thinks and index % 2) for index in kept)
    assert len(kept) == 2 * len(sizes) or held >= plan.target * 4 * 0.6
    assert complaints(apply_plan(plan, "All went well.").messages) == []
