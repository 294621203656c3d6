"""Steps of features/sessions/view.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from steps.conversation_table import names, raw_messages, write_table
from steps.stored_sessions import thinks
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


@when("the visible messages are asked for", target_fixture="outcome")
def ask(implementation, history):
    return implementation("visible_messages", messages=history)


@when("a compaction of it fails")
def fail(shelf):
    shelf.open().failed("the provider failed")


@then(phrase("what is sent is, in this order: {expected}"))
def check_sent(outcome, expected):
    assert outcome == names(expected)


@then("it shows the messages")
def check_messages(shelf, datatable):
    assert write_table(shelf.view().messages, datatable[0]) == datatable


@then("no thinking is shown")
def check_thinking(shelf):
    assert not thinks(shelf.view())
