"""The plan of a compaction: what it does, which messages stay, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from pytest_bdd import given, parsers, then, when

from brim.compaction.context_window import BEFORE_THE_FIRST, ContextWindow, TurnRecord
from brim.compaction.plan import Plan, plan_compaction
from brim.compaction.result import Compaction, apply_plan
from brim.conversation.messages import CLOSING, CONTINUATION, GOES_ON_BELOW, SUMMARY_QUESTION, Message, Thinking
from brim.conversation.tool_pairs import calls_of, results_of
from brim.errors import BrimError
from brim.summary.facts import Fact
from brim.summary.summarizer_input import SummaryRequest
from brim.testing import complaints
from brim.testing.strictness import loop_faults
from steps.vocabulary import attempt, phrase
from steps.worlds.conversation_line import Line
from steps.worlds.notation import Notation
from steps.worlds.tables import agrees, of

CAUSES = {"by hand": "manual", "automatically": "automatic", "after the provider's overflow error": "overflow"}
CAUSE = rf"(?P<cause>{'|'.join(CAUSES)})"

JOINED = "; "
"""What stands between the fates of messages, and between turns, in one cell."""


LENGTH = re.compile(r"it has [\d,]+ tokens at most, so write no more than [\d,]+ words")
"""What a prompt says of the length of a summary, if it says anything."""


class Planned:
    """A plan in the words of the features."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.reason, self.notices, self.messages_kept = plan.reason, plan.notices, plan.kept
        self.saved, self.outputs_cleared = plan.pruning.saved, plan.pruning.ids
        self.tokens_before, self.tokens_left = plan.context.tokens_before, plan.tokens_left
        self.characters_removed = plan.removed_characters
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
        return _named(self.plan.facts)


def _named(facts: Iterable[Fact]) -> list[str]:
    return [f"{one.kind.replace('_', ' ')} {one.text}" for one in facts]


def _told(record: TurnRecord) -> str:
    turn = record.turn
    number = "before the first" if turn.index == BEFORE_THE_FIRST else str(turn.index)
    achieved = [record.anchor.kind.replace("_", " ")] if record.anchor else []
    count = len(turn.responses)
    words: Iterator[str] = filter(None, [turn.request, f"{count} response{'' if count == 1 else 's'}", *achieved])
    return f"{number}: {', '.join(words)}"


class Made(Planned):
    """A compaction in the words of the features: its plan, and what it came to."""

    def __init__(self, compaction: Compaction, *, requests: Sequence[SummaryRequest] = ()) -> None:
        super().__init__(compaction.plan)
        self.conversation, self.text = compaction.conversation, compaction.text
        self.summary, self.writer = code_points(compaction.summary), compaction.summary_source
        self.summary_lines, self.summary_length = compaction.summary.splitlines(), len(compaction.summary)
        self.tokens_after, self.saved, self.notices = compaction.tokens_after, compaction.saved, compaction.notices
        self.share = f"{float(compaction.compression.ratio):.1%}"
        self.requests, self.tokens_asked_for = len(requests), [one.max_tokens for one in requests]
        self.length_stated = "".join(LENGTH.findall(str(requests[0].messages[-1]))) if requests else ""
        self._fidelity = compaction.fidelity

    @property
    def facts_present(self) -> str:
        """How many of the facts are present: 1 of 2."""
        return str(self._fidelity.facts)

    @property
    def words_present(self) -> str:
        """How many characters of the user's words are present: 14 of 23."""
        return str(self._fidelity.words)

    @property
    def facts_missing(self) -> list[str]:
        """The facts that are missing, each with its kind."""
        return _named(self._fidelity.missing)

    @property
    def figures_for_a_thousand_tokens(self) -> str:
        """Facts and characters of the user's words that are present for each 1,000 tokens."""
        found = self._fidelity.per_1000
        return f"{float(found.facts):,.1f} facts and {float(found.words):,.0f} characters"

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


@when(
    parsers.re("the room for the (?P<whose>user's words|template) is worked out(?P<late> after an overflow)?"),
    target_fixture="outcome",
)
def work_out_room(window, whose, late):
    """In tokens for the words, and in characters for the template."""
    plan = plan_compaction(window, "overflow" if late else "manual")
    return plan.summary_limits.template_chars if whose == "template" else plan.context.shares[0]


@then(parsers.re("the (?P<part>[a-z ]+?) are"))
def check_lines(outcome, part, datatable):
    found = of(outcome, part)
    lines = found.split(JOINED) if isinstance(found, str) else [*found]
    rows = [row[0] for row in datatable]
    assert len(lines) == len(rows), lines
    assert all(map(agrees, lines, rows)), lines


def code_points(text: str) -> str:
    """Return a text with U+1F600 for what is neither a line break nor a character of ASCII."""
    return "".join(one if one == "\n" or " " <= one <= "~" else f"U+{ord(one):04X}" for one in text)


def characters(text: str) -> str:
    """Return a text with the characters for U+1F600, and line breaks."""
    return re.sub(r"U\+([0-9A-F]{4,5})", lambda met: chr(int(met[1], 16)), text).replace("\\n", "\n")


def judged(window: ContextWindow, compaction: Any, **more: Any) -> Any:
    """Return a compaction in the words of the features, or the refusal.

    A provider accepts what came out if it accepted the conversation; where nothing is done, the messages are the same.
    """
    if isinstance(compaction, BrimError):
        return compaction
    given = [one.raw for one in window.messages]
    assert compaction.messages == [one.raw for one in compaction.conversation]
    assert compaction.plan.changes_anything or list(map(id, compaction.messages)) == list(map(id, given))
    assert not refused(compaction.messages) or refused(given)
    assert bool(compaction.summary) == compaction.plan.summarizes
    assert compaction.text.encode() is not None
    return Made(compaction, **more)


WRITES = rf'a compaction {CAUSE} writes "(?P<summary>[^"]*)"'
AGAIN = rf', and another (?P<again>{"|".join(CAUSES)}) "(?P<second>[^"]*)" after 4 more turns'


@when(parsers.re(f"{WRITES}(?:{AGAIN})?"), target_fixture="outcome")
def compact_to(window, cause, summary, again, second):
    compaction = attempt(apply_plan, plan_compaction(window, CAUSES[cause]), characters(summary))
    if again:
        messages = [*compaction.conversation, *Line.read("4 turns")]
        window = ContextWindow(window.limits, window.policy, facts=compaction.plan.facts, messages=messages)
        compaction = apply_plan(plan_compaction(window, CAUSES[again]), characters(second))
    return judged(window, compaction)
