"""Steps of features/sessions/undo.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from brim.conversation.tool_pairs import results_of
from brim.errors import Refused
from brim.pruning.tool_outputs import Output, Pruning
from brim.sessions.lineage import fork
from brim.sessions.records import MessageRecord
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


@given("a session whose old outputs were cleared")
def cleared(shelf):
    shelf.make(tool_turn("A"))
    clear(shelf)


@given("its old outputs were cleared since")
def cleared_since(shelf):
    shelf.open().extend(tool_turn("A"))
    shelf.remember()
    clear(shelf)


def clear(shelf):
    """Clear every output that is shown."""
    view = shelf.open().view()
    outputs = [Output(n, 0, one.call_id, 1) for n, message in enumerate(view.messages) for one in results_of(message)]
    shelf.session.pruned(Pruning(tuple(outputs), 1, "by hand"))


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
