"""Lineage: forks and taken-over context beside what the feature shows."""

from functools import partial

import pytest

from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.conversation.messages import Marks
from brim.errors import InvalidInput, SessionHeld
from brim.models import ModelLimits
from brim.sessions.expand import expand
from brim.sessions.importing import new_session
from brim.sessions.lineage import CONTEXT_OPENING, family_of, fork, import_context
from brim.sessions.records import CompactionRecord
from steps.policies import SMALL_TARGET
from tests.sessions.memory import WORDS, user

LIMITS = ModelLimits(context_window=6_000, max_output_tokens=1_000)


def make(store, name, turns=0, **about):
    """A session of so many turns, closed."""
    with store.create(name=name, **about) as session:
        for number in range(turns):
            session.extend([user(f"Turn {number}. {WORDS * 9}"), {"role": "assistant", "content": WORDS}])


def compact(store, name):
    """Compact a session by hand."""
    with store.open(name) as session:
        window = session.view().window(LIMITS, SMALL_TARGET)
        session.compacted(compact_without_model(plan_compaction(window)))


def view(store, name):
    """What a session shows."""
    with store.read(name) as session:
        return session.view()


def test_a_fork_of_a_fork_expands_in_the_first(store):
    """A summary that was handed on twice opens where it was made."""
    make(store, "one", 40)
    compact(store, "one")
    assert expand(store, fork(store, fork(store, "one"))) == expand(store, "one")


def test_a_fork_whose_parent_is_gone(store):
    """Its summary is told to be out of reach; one that it went into still opens into what was said in the fork."""
    make(store, "one", 40)
    compact(store, "one")
    name = fork(store, "one")
    next(store.root.glob("sessions/*/one.jsonl")).unlink()
    with pytest.raises(InvalidInput, match="no session one"):
        expand(store, name)
    with store.open(name) as session:
        session.extend(user(f"More {n}. {WORDS * 20}") for n in range(40))
    compact(store, name)
    expansion = expand(store, name)
    assert expansion.messages
    assert (expansion.earlier.session, expansion.earlier.messages) == ("one", ())


def add(record, drafts):
    """Draft a record that is there."""
    drafts.records.append(record)


def test_summaries_that_point_at_one_another(store):
    """Logs that name each other as the source of a summary lead to an end."""
    for name, other in (("one", "two"), ("two", "one")):
        summary = {"content": "x", "generated": 0, "summarized": 0, "tokens_before": 0}
        source = {"session": other, "compaction": "same"}
        record = CompactionRecord(id="same", time=0, summary=summary, source=source)
        new_session(store, partial(add, record), name=name)
    assert expand(store, "one", "same").messages == ()


def test_marks_go_into_the_fork(store):
    """A pinned message is pinned in the fork."""
    with store.create(name="one") as session:
        session.append(user(), Marks(pinned=True))
    assert view(store, fork(store, "one")).messages[0].marks.pinned


def test_context_of_a_session_that_is_held(store):
    """Context comes only into a session that can be written."""
    make(store, "one", 1, project="/work")
    with store.create(name="two", project="/work"), pytest.raises(SessionHeld):
        import_context(store, "two", "one")


def test_context_of_a_session_that_took_over_context_itself(store):
    """Context that was taken over is not told a second time as if it were the session's own."""
    for name in ("one", "two", "three"):
        make(store, name, 1, project="/work")
    import_context(store, "two", "one")
    import_context(store, "three", "two")
    assert view(store, "three").messages[-1].text.count(CONTEXT_OPENING) == 1


def test_a_session_that_is_its_own_parent(store):
    """A log that names itself as its parent leads nowhere."""
    make(store, "one", 0, parent="one")
    assert family_of(store, "one").related == frozenset()
