"""Steps of features/summary/facts.feature."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from pytest_bdd import given, when

from brim.conversation.messages import read_message
from brim.conversation.turns import Response, ToolUse, Turn, find_turns
from brim.summary.facts import FactCollector, collect_facts, fidelity, turn_work
from steps.compaction_windows import spoken
from steps.turn_table import RESULTS
from steps.vocabulary import phrase
from steps.worlds.summaries import Facts

STATUSES = {
    "waiting": "pending",
    "under way": "in_progress",
    "done": "completed",
    "given up": "cancelled",
    "deleted": "deleted",
    "": "",
}
"""What becomes of a to-do item, as the tools put it."""


@given("the to-do tools were used in turn", target_fixture="turns")
def to_do_tools(datatable):
    columns, *lines = datatable
    uses = [_to_do(dict(zip(columns, line, strict=True))) for line in lines]
    return tuple(Turn(n, n, n + 1, "", (Response("", (use,)),)) for n, use in enumerate(uses))


def _to_do(row):
    number, status = row.get("number", ""), STATUSES[row["status"]]
    items = [{"content": item, "status": status} for item in row["item"].split(", ")]
    steps = [{"step": item, "status": status} for item in row["item"].split(", ")]
    given = {
        "TaskCreate": {"subject": row["item"]},
        "TaskUpdate": {"taskId": number, "status": status, "subject": row["item"]},
        "update_plan": {"plan": steps},
    }.get(row["tool"], {"todos": items})
    output = f"Task #{number} created successfully" if number else ""
    return ToolUse(row["tool"], given, output, RESULTS[row.get("went") or "well"])


@when("the facts are collected", target_fixture="outcome")
def collect(turns, conversation):
    """At the end and turn by turn, of a turn that goes on, of one answer, and of messages beside the results."""
    facts = collect_facts(turns or find_turns(conversation))
    _check_turn_by_turn(turns)
    one_answer = tuple(
        replace(one, responses=(Response(one.answer, tuple(use for each in one.responses for use in each.tool_uses)),))
        for one in turns
    )
    assert collect_facts(one_answer) == collect_facts(turns)
    messages = [message for one in turns for message in spoken(one)]
    assert _facts_of(_beside_results(messages)) == _facts_of(messages)
    return Facts.of(facts)


def _check_turn_by_turn(turns):
    """Check that a running account tells the same, also while a turn goes on, of which it keeps nothing."""
    collector = FactCollector()
    for n, work in enumerate(map(turn_work, turns)):
        assert collector.facts(work) == collect_facts(turns[: n + 1])
        assert collector.facts() == collect_facts(turns[:n])
        collector.add(work)


def _facts_of(messages):
    return [
        (fact.kind, fact.text, fact.detail) for fact in collect_facts(find_turns(tuple(map(read_message, messages))))
    ]


def _beside_results(messages):
    """Return the messages with the user's words in the message of the results before them."""
    found = []
    for message in messages:
        if found and found[-1]["role"] == message["role"] == "user":
            text = {"type": "text", "text": message["content"]}
            found[-1] = {"role": "user", "content": [*found[-1]["content"], text]}
        else:
            found.append(message)
    return found


@when(phrase('the fidelity of the context "{context:Quoted}" is worked out'), target_fixture="outcome")
def work_out_fidelity(turns, facts, context):
    """Of the facts of the conversation, until a step names others."""
    facts = collect_facts(turns) if facts is None else facts
    found = fidelity(facts, context, user_text=context)
    return SimpleNamespace(
        facts_present=str(found.facts),
        share_of_the_facts=found.facts.share,
        characters_present=str(found.words),
        share_of_the_characters=found.words.share,
        facts_missing=[fact.text for fact in found.missing],
        words_missing=[one.opening for one in found.missing_words],
    )
