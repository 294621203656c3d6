"""Steps of features/sessions/view.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from brim.conversation.messages import PINNED
from steps.conversation_table import names, raw_messages, write_table
from steps.stored_sessions import thinks, turns, user
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


@given(phrase('a session of the pinned message "{words:Quoted}" and {count:Count} turns'))
def session_with_pin(shelf, words, count):
    shelf.make([])
    shelf.open().append(user(words), PINNED)
    shelf.session.extend(turns(count))


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
