"""Steps of features/sessions/undo.feature."""

from __future__ import annotations

from pytest_bdd import given, then

from brim.errors import Refused
from brim.sessions.lineage import fork
from brim.sessions.records import MessageRecord
from steps.stored_sessions import turns, user
from steps.vocabulary import phrase


@given(phrase("a fork of a session of {count:Count} turns that was compacted"), target_fixture="origin")
def forked(shelf, count):
    origin = shelf.make(turns(count)).name
    shelf.compact()
    shelf.close()
    shelf.session, shelf.name = None, fork(shelf.store, origin)
    shelf.remember()
    return origin


@then("it shows what it showed before the compaction, and what was said since")
def check_since(shelf):
    assert [one.raw for one in shelf.view().messages] == [*(one.raw for one in shelf.shown.messages), user("Go on.")]


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


@then(phrase("it shows the first {count:Count} messages of its log"))
def check_first_messages(shelf, count):
    recorded = [one.message for one in shelf.records() if isinstance(one, MessageRecord)]
    assert [one.raw for one in shelf.view().messages] == recorded[:count]


@then(phrase("after {act} it shows {count:Count} messages"))
def check_after(shelf, run_sessions, act, count):
    change(shelf, run_sessions, (act.removeprefix("a ").removeprefix("an "),))
    assert len(shelf.view().messages) == count
