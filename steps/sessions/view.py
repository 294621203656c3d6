"""Steps of features/sessions/view.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.conversation.messages import PINNED
from brim.models import ModelLimits
from steps.conversation_table import names, raw_messages, write_table
from steps.stored_sessions import WORDS, thinks, tool_turn, turns, user
from steps.vocabulary import phrase

WHAT = {
    "": {},
    "a marker": {"compaction": True},
    "its summary": {"summary": True, "finished": True},
    "an unfinished summary": {"summary": True},
    "a failed summary": {"summary": True, "finished": True, "error": "the provider failed"},
    "a summary of elsewhere": {"summary": True, "finished": True, "parent": "another"},
}
"""What a message of a history is."""
LARGE = ModelLimits(context_window=300_000, max_output_tokens=1_000)
LONG = WORDS * 200


def thoughtful_turn(number, count):
    """A turn in which the model thinks before each of some calls, and is given long outputs."""
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "signed"}
    yield user(f"Look at part {number}.")
    for place in range(count):
        _, call, result, _ = tool_turn(f"call-{number}-{place}", LONG)
        yield {**call, "content": [thought, *call["content"]]}
        yield result
    yield {"role": "assistant", "content": "That is all."}


def read_message(row):
    told = {"parent": row.get("answers"), "tail_start": row.get("tail from")}
    known = {name: value for name, value in told.items() if value}
    return {"id": row["message"], "role": row["speaker"], **known, **WHAT[row.get("what", "")]}


@given("a history of", target_fixture="history")
def history(datatable):
    columns, *rows = datatable
    return [read_message(dict(zip(columns, row, strict=True))) for row in rows]


@given("a session of the messages")
def session_of_messages(shelf, datatable):
    shelf.make(raw_messages(datatable))


@given(phrase("a session of {count:Count} turns in which the model thinks before each of {outputs:Count} long outputs"))
def session_of_long_outputs(shelf, count, outputs):
    shelf.make([*(message for number in range(count) for message in thoughtful_turn(number, outputs)), *turns(2)])


@given(phrase('a session of the pinned message "{words:Quoted}" and {count:Count} turns'))
def session_with_pin(shelf, words, count):
    shelf.make([])
    shelf.open().append(user(words), PINNED)
    shelf.session.extend(turns(count))


@when("it is compacted and old outputs of what is kept are cleared")
def compact_and_clear(shelf):
    shelf.compactions.append(compact_without_model(plan_compaction(shelf.open().view().window(LARGE))))
    shelf.session.compacted(shelf.made)


@when("the visible messages are asked for", target_fixture="outcome")
def ask(implementation, history):
    return implementation("visible_messages", messages=history)


@then(phrase("what is sent is, in this order: {expected}"))
def check_sent(outcome, expected):
    assert outcome == names(expected)


@then("it shows the messages")
def check_messages(shelf, datatable):
    assert write_table(shelf.view().messages, datatable[0]) == datatable


@then(phrase('it shows "{pinned:Quoted}", the summary, the kept tail and "{since:Quoted}", in this order'))
def check_order(shelf, pinned, since):
    first, summary, *tail, last = shelf.view().messages
    assert (first.text, first.marks.pinned, last.text) == (pinned, True, since)
    assert summary.marks.summary
    assert tail
    assert [one.raw for one in tail] == [one.raw for one in shelf.shown.messages[-len(tail) :]]


@then("no thinking is shown")
def check_thinking(shelf):
    assert not thinks(shelf.view())
