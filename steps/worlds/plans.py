"""The plan of a compaction: what it does, which messages stay, and why."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from pytest_bdd import given, parsers, then, when

from brim.compaction.context_window import BEFORE_THE_FIRST, TurnRecord
from brim.compaction.plan import Plan, plan_compaction
from brim.compaction.result import Compaction, apply_plan
from brim.conversation.messages import CLOSING, CONTINUATION, GOES_ON_BELOW, SUMMARY_QUESTION, Message, Thinking
from brim.conversation.tool_pairs import calls_of, results_of
from brim.testing import complaints
from brim.testing.strictness import loop_faults
from steps.vocabulary import phrase
from steps.worlds.conversation_line import Line
from steps.worlds.notation import Notation
from steps.worlds.tables import agrees, of

CAUSES = {"by hand": "manual", "automatically": "automatic", "after the provider's overflow error": "overflow"}
CAUSE = rf"(?P<cause>{'|'.join(CAUSES)})"

JOINED = "; "
"""What stands between the fates of messages, and between turns, in one cell."""


class Planned:
    """A plan in the words of the features."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.reason, self.notices, self.messages_kept = plan.reason, plan.notices, plan.kept
        self.saved, self.outputs_cleared = plan.pruning.saved, plan.pruning.ids
        self.tokens_before, self.characters_replaced = plan.tokens_before, plan.replaced_characters
        self.earlier_summary, self.above_the_target = plan.previous_summary, plan.over_target

    @property
    def does(self) -> str:
        """What it does: nothing, clears outputs, summarizes, or both."""
        cleared = ["clears outputs"] if self.plan.pruning.outputs else []
        return " and ".join([*cleared, *(["summarizes"] if self.plan.summarizes else [])]) or "nothing"

    @property
    def fates(self) -> str:
        """What becomes of each message and why, messages of one fate behind each other together."""
        runs = groupby(self.plan.decisions(), lambda one: one[1:])
        told = ((", ".join(str(index) for index, *_ in run), fate, why) for (fate, why), run in runs)
        return JOINED.join(f"{indices} {fate}: {why}" for indices, fate, why in told)

    @property
    def anchor(self) -> str:
        """The anchor with its turn and kind, if the messages kept begin with one."""
        anchor = self.plan.anchor
        return f"turn {anchor.turn}, a {anchor.kind.replace('_', ' ')}" if anchor else ""

    @property
    def turns(self) -> str:
        """The turns that are summarized: request, number of responses, and what was achieved."""
        return JOINED.join(map(_told, self.plan.turns))

    @property
    def facts(self) -> list[str]:
        """The facts of the conversation, each with its kind."""
        return [f"{one.kind.replace('_', ' ')} {one.text}" for one in self.plan.facts]


def _told(record: TurnRecord) -> str:
    turn = record.turn
    number = "before the first" if turn.index == BEFORE_THE_FIRST else str(turn.index)
    achieved = [record.anchor.kind.replace("_", " ")] if record.anchor else []
    count = len(turn.responses)
    words: Iterator[str] = filter(None, [turn.request, f"{count} response{'' if count == 1 else 's'}", *achieved])
    return f"{number}: {', '.join(words)}"


class Made:
    """A compaction in the words of the features."""

    def __init__(self, compaction: Compaction) -> None:
        self.compaction = compaction
        self.plan = Planned(compaction.plan)
        self.conversation, self.summary = compaction.conversation, compaction.summary

    @property
    def layout(self) -> list[str]:
        """What each message of the new conversation is: who speaks, a call or result, or a message of brim's."""
        return [
            _kind(one) + " thinking" * any(type(part) is Thinking for part in one.parts) for one in self.conversation
        ]


def refused(messages: list[Any]) -> list[str]:
    """Return what a provider refuses in messages, thinking with a budget."""
    return complaints(messages) or [*loop_faults({"messages": messages, "thinking": {"type": "enabled"}}, ())]


BRIMS = {CLOSING: "interruption", SUMMARY_QUESTION: "question", GOES_ON_BELOW: "opening"}


def _kind(message: Message) -> str:
    if message.marks.summary:
        return "summary"
    if message.marks.synthetic and message.text in BRIMS:
        return BRIMS[message.text]
    if message.marks.synthetic and message.text.startswith(CONTINUATION):
        return "continuation"
    of_tools = [f"call {one.id}" for one in calls_of(message)] + [
        f"result {one.call_id}" for one in results_of(message)
    ]
    return ", ".join(of_tools) or message.role


@given(phrase("a last response that reports {count:Tokens} tokens"), target_fixture="usage")
def last_response(count):
    return {"input": count}


@given(Notation("after it came {line}", Line.read))
def came_after(window, line):
    for message in Line.read(line):
        window.append(message)


@when(parsers.re(rf"a compaction is planned {CAUSE}"), target_fixture="outcome")
def plan_of_window(window, cause):
    """The same again, because planning changes nothing."""
    plan = plan_compaction(window, CAUSES[cause])
    assert plan_compaction(window, CAUSES[cause]) == plan
    return Planned(plan)


@then(parsers.re("the (?P<part>[a-z ]+?) are"))
def check_lines(outcome, part, datatable):
    found = of(outcome, part)
    lines = found.split(JOINED) if isinstance(found, str) else [*found]
    rows = [row[0] for row in datatable]
    assert len(lines) == len(rows), lines
    assert all(map(agrees, lines, rows)), lines


@when(parsers.re(rf'a compaction {CAUSE} writes "(?P<summary>[^"]*)"'), target_fixture="outcome")
def compact_to(window, cause, summary):
    """A provider accepts what comes out, and its dictionaries say the same."""
    compaction = apply_plan(plan_compaction(window, CAUSES[cause]), summary)
    assert compaction.messages == [one.raw for one in compaction.conversation]
    assert not refused(compaction.messages) or refused([one.raw for one in window.messages])
    return Made(compaction)
