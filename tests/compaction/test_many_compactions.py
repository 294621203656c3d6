"""A session that is compacted again and again: what was said first still holds, and nothing piles up."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import pytest

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import plan_compaction
from brim.compaction.result import Compaction, apply_plan, compact_without_model
from brim.conversation.messages import SUMMARY_OPENING
from brim.models import ModelLimits
from brim.summary.facts import Fact, fidelity
from brim.summary.preserved_facts import preserve_facts
from brim.summary.template import MAX_SUMMARY_CHARS
from steps.prerequisites import sized
from tests.strict_api import complaints

LIMITS = ModelLimits(context_window=24_000, max_output_tokens=4_000)
TURNS = 560
FIRST = "Port the parser to Python. It must run on Python 3.11. Never push to main. Decided: two passes, no lexer."
BROKEN = "make docs: the old theme"
SAYS_NOTHING = "The conversation went on and things were done."
LASTING = ("constraint", "decision", "failed_command", "todo")
"""Kinds of facts that hold until something is done about them."""


def call(number, name, given, output, *, failed=False):
    """A call and its result."""
    use = {"type": "tool_use", "id": f"call_{number}", "name": name, "input": given}
    result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": output, "is_error": failed}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def turn(number):
    """The messages of a turn: something is read, changed and tested; the first turns lay down what has to last."""
    asked = FIRST if number == 0 else f"Now port module {number}." if number % 12 == 0 else "Continue."
    path = f"/home/dev/parser/src/module_{number % 61}.py"
    messages = [{"role": "user", "content": asked}]
    if number == 1:
        messages += call("list", "TodoWrite", {"todos": [{"content": "Write the handbook", "status": "pending"}]}, "ok")
        messages += call("task", "TaskCreate", {"subject": "Tell the team"}, "Task #7 created")
        messages += call("docs", "Bash", {"command": BROKEN}, "error: theme not found", failed=True)
    messages += call(f"{number}r", "Read", {"file_path": f"/home/dev/parser/old/{number % 83}.c"}, "int main; " * 350)
    messages += call(f"{number}e", "Edit", {"file_path": path, "old_string": "a" * 300, "new_string": "b" * 300}, "ok")
    failed = number % 5 == 0
    messages += call(
        f"{number}t", "Bash", {"command": "pytest -q"}, "1 failed" if failed else "9 passed", failed=failed
    )
    return [*messages, {"role": "assistant", "content": f"Part {number} is done. " + "It went as planned. " * 20}]


class Session(NamedTuple):
    """What came of a session."""

    compactions: list[Compaction]
    first_facts: tuple[Fact, ...]
    """Those of the first window, as it was compacted."""
    messages: list


def template(plan):
    """The compaction that needs no model."""
    return compact_without_model(plan)


def says_nothing(plan):
    """A model says nothing; the facts are appended."""
    kept = apply_plan(plan, SAYS_NOTHING).text
    told = preserve_facts(SAYS_NOTHING, plan.facts, held_elsewhere=kept, max_chars=MAX_SUMMARY_CHARS // 2)
    return apply_plan(plan, told)


def says_all_once(plan):
    """A model that tells all the facts in its own words every other time, and nothing in between."""
    words = "\n".join(fact.text for fact in plan.facts) if SAYS_NOTHING in plan.previous_summary else SAYS_NOTHING
    told = preserve_facts(words, plan.facts, max_chars=MAX_SUMMARY_CHARS // 2)
    return apply_plan(plan, told)


@cache
def session(compact):
    """A session of so many turns that is compacted whenever that is due; each window inherits the facts."""
    window = ContextWindow(LIMITS)
    compactions: list[Compaction] = []
    for number in range(TURNS):
        for message in turn(number):
            window.append(message)
        if window.verdict().due:
            made = compact(plan_compaction(window, cause="automatic"))
            compactions.append(made)
            window = ContextWindow(LIMITS, messages=made.messages, facts=made.plan.facts)
    return Session(compactions, compactions[0].plan.facts, [message.raw for message in window.messages])


WAYS = {
    "the template": lambda: session(template),
    "a summary that says nothing": lambda: session(says_nothing),
    "a summary that says all the facts every other time": lambda: session(says_all_once),
}


@pytest.fixture(params=sized([*WAYS][:2], nightly=[*WAYS]))
def made(request):
    """The session by one way after the other."""
    return WAYS[request.param]()


def shares(facts, text):
    """For each kind of facts the share that a text holds."""
    missing = Counter(fact.kind for fact in fidelity(facts, text, user_text=text).missing)
    return {kind: Fraction(count - missing[kind], count) for kind, count in Counter(one.kind for one in facts).items()}


def test_it_is_compacted_many_times(made):
    """Every compaction acts, is accepted, and there is one summary in the conversation after each."""
    assert len(made.compactions) >= 30
    for one in made.compactions:
        assert one.plan.summarizes
        assert complaints(one.messages) == []
        assert sum(message.marks.summary for message in one.conversation) == 1
        assert one.text.count(SUMMARY_OPENING) == 1


def test_what_was_said_first_still_holds(made):
    """After every compaction the first request, the standing constraints, and what is broken or open are there."""
    for one in made.compactions:
        assert FIRST in one.text
        lasting = [fact for fact in made.first_facts if fact.kind in LASTING]
        assert {fact.kind for fact in lasting} == set(LASTING)
        assert fidelity(lasting, one.text).missing == ()


def test_the_facts_of_the_first_window_do_not_wear_off(made):
    """After twenty compactions at least nine of ten facts of the first window are held."""
    later = made.compactions[20]
    told = shares(made.first_facts, later.text)
    print({kind: f"{float(share):.2f}" for kind, share in told.items()})
    assert fidelity(made.first_facts, later.text).facts.share >= Fraction(9, 10)
    assert [told[kind] for kind in LASTING] == [1, 1, 1, 1]


def test_the_plan_knows_the_same_facts_as_one_window_would():
    """What is to last is known after thirty compactions as it would be in one window that never was compacted."""
    whole = ContextWindow(LIMITS, messages=[message for number in range(TURNS) for message in turn(number)])
    facts = plan_compaction(whole).facts
    made = session(template)
    later = plan_compaction(ContextWindow(LIMITS, messages=made.messages, facts=made.compactions[-1].plan.facts)).facts
    for kind in (*LASTING, "modified_file"):
        assert {one.text for one in later if one.kind == kind} == {one.text for one in facts if one.kind == kind}
