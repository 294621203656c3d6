"""Steps of features/sessions/undo.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from brim.errors import Refused
from brim.sessions.lineage import fork
from brim.sessions.records import CompactionRecord, MessageRecord, RewindRecord
from steps.stored_sessions import tool_turn, turns, user
from steps.vocabulary import attempt, phrase


@given(phrase("a session that was compacted {count:Count} times"), target_fixture="made")
def compacted_often(shelf, count):
    shelf.make([])
    made = []
    for _ in range(count):
        shelf.open().extend(turns(40))
        shelf.compact()
        made.append(shelf.made)
    return made


@given("its old outputs were cleared since")
def cleared_since(shelf):
    shelf.open().extend(tool_turn("A"))
    shelf.remember()
    shelf.clear()


@given(phrase("a session of {count:Count} turns of which a compaction failed"))
def failed(shelf, count):
    shelf.make(turns(count))
    shelf.open().failed("the provider failed")


@given(phrase("a fork of a session of {count:Count} turns that was compacted"), target_fixture="origin")
def forked(shelf, count):
    origin = shelf.make(turns(count)).name
    shelf.compact()
    shelf.close()
    shelf.session, shelf.name = None, fork(shelf.store, origin)
    shelf.remember()
    return origin


@when("the fork goes on, is compacted, and that is undone")
def compact_fork(shelf):
    shelf.open().extend(turns(40))
    shelf.shown = shelf.session.view()
    shelf.compact()
    shelf.session.undo()


@when("the user says something and the compaction is undone")
def say_and_undo(shelf):
    shelf.open().append(user("Go on."))
    shelf.session.undo()


@when("the compaction is undone 2 times")
def undo_twice(shelf):
    shelf.open().undo()
    shelf.session.undo()


@when("the compaction is undone and the undo is taken back")
def undo_and_redo(shelf):
    shelf.open().undo()
    shelf.session.redo()


@when("the compaction is undone and the session is opened anew")
def undo_and_open(shelf):
    shelf.open().undo()
    shelf.close()
    shelf.open()


@when("an undo is taken back", target_fixture="outcome")
def redo(shelf):
    return attempt(shelf.open().redo)


@then("it shows what it showed before the compaction, and what was said since")
def check_since(shelf):
    assert [one.raw for one in shelf.view().messages] == [*(one.raw for one in shelf.shown.messages), user("Go on.")]


@then("it shows what the first compaction made")
def check_first(shelf, made):
    first = made[0].messages
    assert [one.raw for one in shelf.view().messages[: len(first)]] == first


@then("every message is shown, and no summary")
def check_all(shelf):
    recorded = [one.message for one in shelf.records() if isinstance(one, MessageRecord)]
    assert [one.raw for one in shelf.view().messages] == recorded


@then("it is refused, naming the session it came from")
def check_origin(outcome, origin):
    assert isinstance(outcome, Refused)
    assert origin in str(outcome)


def change(shelf, run_sessions, *acts):
    """Carry out commands on the session that all end well."""
    for act, *words in acts:
        code, _, error = run_sessions(act, shelf.name, *words)
        assert code == 0, error


def newest_rewind(shelf):
    return [one.id for one in shelf.records() if isinstance(one, RewindRecord)][-1]


def record_of(shelf, number):
    return [one.id for one in shelf.records() if isinstance(one, MessageRecord)][number - 1]


@when(phrase("brim rewinds it to turn {turn:Count}"), target_fixture="outcome")
def rewind_to_turn(shelf, run_sessions, turn):
    return run_sessions("rewind", shelf.name, str(turn))


@when(phrase("brim rewinds it to its message {number:Count}"), target_fixture="outcome")
def rewind_to_message(shelf, run_sessions, number):
    return run_sessions("rewind", shelf.name, record_of(shelf, number))


@when(phrase('brim rewinds it to record "{name:Quoted}"'), target_fixture="outcome")
def rewind_to_record(shelf, run_sessions, name):
    return run_sessions("rewind", shelf.name, name)


@when(phrase("brim rewinds it to turn {turn:Count} and the user says something"))
def rewind_and_say(shelf, run_sessions, turn):
    change(shelf, run_sessions, ("rewind", str(turn)))
    shelf.open().append(user("Go on."))


COMMANDS = {"show": lambda shelf: ["show", shelf.name], "search": lambda shelf: ["search", "file 3"]}
COMMANDS["expand"] = lambda shelf: ["expand", shelf.name, newest_rewind(shelf)]


@when(phrase("brim rewinds it to turn {turn:Count} and runs {command}"), target_fixture="page")
def rewind_and_look(shelf, run_sessions, monkeypatch, turn, command):
    monkeypatch.setenv("COLUMNS", "400")
    change(shelf, run_sessions, ("rewind", str(turn)))
    code, page, error = run_sessions(*COMMANDS[command](shelf))
    assert code == 0, error
    return page


THEN = {
    "undoes that": ["undo"],
    "undoes that and redoes it": ["undo", "redo"],
    "undoes that, redoes it and undoes it again": ["undo", "redo", "undo"],
    "then to turn 1, and undoes that": ["rewind", "undo"],
    "then to turn 1, and undoes both": ["rewind", "undo", "undo"],
}


@when(phrase("brim rewinds it to turn {turn:Count}, {acts}"))
def rewind_and_undo(shelf, run_sessions, turn, acts):
    change(shelf, run_sessions, ("rewind", str(turn)))
    change(shelf, run_sessions, *((act, "1") if act == "rewind" else (act,) for act in THEN[acts]))


@when("the user says something after a rewind to turn 1, and brim undoes the rewind")
def rewind_say_and_undo(shelf, run_sessions):
    rewind_and_say(shelf, run_sessions, 1)
    change(shelf, run_sessions, ("undo",))


@given(phrase("the user said {what} after brim undid a rewind to turn 1"))
def rewind_undo_and_say(shelf, run_sessions, what):
    change(shelf, run_sessions, ("rewind", "1"), ("undo",))
    shelf.open().extend({"something": [user("Go on.")], "2 things": [user("Go on."), user("Now.")]}[what])


@when("the undo of the rewind is redone", target_fixture="outcome")
def redo_rewind(shelf, run_sessions):
    return run_sessions("redo", shelf.name)


@when("brim rewinds it to the record that the refused redo names")
def rewind_to_named(shelf, run_sessions):
    _, _, error = run_sessions("redo", shelf.name)
    (named,) = (one.id for one in shelf.records() if one.id in error)
    change(shelf, run_sessions, ("rewind", named))


@when("the user says something, brim rewinds it to the compaction, and undoes twice")
def say_rewind_and_undo(shelf, run_sessions):
    made = [one.id for one in shelf.records() if isinstance(one, CompactionRecord)][-1]
    shelf.open().append(user("Go on."))
    change(shelf, run_sessions, ("rewind", made), ("undo",), ("rewind", made), ("undo",), ("undo",))


@then(phrase("it shows the first {count:Count} messages of its log"))
def check_first_messages(shelf, count):
    recorded = [one.message for one in shelf.records() if isinstance(one, MessageRecord)]
    assert [one.raw for one in shelf.view().messages] == recorded[:count]


@then(phrase("after {act} it shows {count:Count} messages"))
def check_after(shelf, run_sessions, act, count):
    change(shelf, run_sessions, (act.removeprefix("a ").removeprefix("an "),))
    assert len(shelf.view().messages) == count
