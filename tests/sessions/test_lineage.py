"""Lineage: forks and taken-over context beside what the feature shows."""

import json
from functools import partial, reduce

import pytest

from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.conversation.messages import Marks
from brim.errors import InvalidInput, Refused, SessionHeld
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


def test_the_facts_of_a_summary_go_into_the_fork(store):
    """What must survive is known in the fork of a compacted session as well."""
    make(store, "one", 40)
    compact(store, "one")
    assert view(store, fork(store, "one")).facts == view(store, "one").facts


def test_a_fork_of_a_fork_expands_in_the_first(store):
    """A summary that was handed on twice opens where it was made."""
    make(store, "one", 40)
    compact(store, "one")
    assert expand(store, fork(store, fork(store, "one"))) == expand(store, "one")


def test_a_summary_made_in_the_fork_opens_there_and_further(store):
    """The fork's own summary opens into its own messages, and then into those of its parent."""
    make(store, "one", 40)
    compact(store, "one")
    name = fork(store, "one")
    with store.open(name) as session:
        session.extend(user(f"More {n}. {WORDS * 20}") for n in range(40))
    compact(store, name)
    expansion = expand(store, name)
    assert expansion.session == name
    assert expansion.earlier == expand(store, "one")


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


def test_a_summary_that_was_handed_on_cannot_be_undone_in_the_fork(store):
    """The parent has what it stands for; without the summary the fork would show less, and not more."""
    make(store, "one", 40)
    compact(store, "one")
    name = fork(store, "one")
    before = view(store, name)
    with store.open(name) as session, pytest.raises(Refused, match="was made in session one"):
        session.undo()
    assert view(store, name) == before


def test_marks_go_into_the_fork(store):
    """A pinned message is pinned in the fork."""
    with store.create(name="one") as session:
        session.append(user(), Marks(pinned=True))
    assert view(store, fork(store, "one")).messages[0].marks.pinned


def test_a_fork_can_be_made_of_a_session_that_is_written(store):
    """A session that is held can be forked."""
    with store.create(name="one") as session:
        session.append(user())
        assert len(view(store, fork(store, "one")).messages) == 1


def deepened(store, name):
    """Put a message of 300 objects and lists, one in another, at the end of a log, as was possible once; its id."""
    deep = {**user(), "odd": reduce(lambda inner, _: [inner], range(298), [])}
    line = {"v": 2, "kind": "message", "id": "7" * 26, "time": 1, "message": deep}
    with next(store.root.glob(f"sessions/*/{name}.jsonl")).open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")
    return line["id"]


def test_a_fork_at_what_goes_too_deep(store):
    """A message of before that goes too deep is shown where it is and in no fork."""
    make(store, "one", 2)
    deep = deepened(store, "one")
    assert len(view(store, "one").messages) == 5
    for at in (None, deep):
        with pytest.raises(InvalidInput, match="a message is nested more than 190 deep"):
            fork(store, "one", at)
    assert [one.id for one in store.sessions()] == ["one"]


def test_a_fork_ahead_of_what_goes_too_deep(store):
    """Whatever comes later is no harm to a fork at an earlier message."""
    make(store, "one", 2)
    earlier = view(store, "one").ids[2]
    deepened(store, "one")
    assert len(view(store, fork(store, "one", earlier)).messages) == 3


def test_a_fork_at_what_is_no_message(store):
    """Only a message can be forked at: not a title, and not another session's message."""
    make(store, "one", 1)
    with store.open("one") as session:
        title = session.rename("One")
    with pytest.raises(InvalidInput, match="holds no message"):
        fork(store, "one", title)
    assert [one.id for one in store.sessions()] == ["one"]


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


def test_context_of_nobody(store):
    """A session that is not there is no relative."""
    make(store, "one", 1)
    with pytest.raises(InvalidInput):
        import_context(store, "one", "nobody")


def test_a_session_that_only_took_over_context_has_nothing_of_its_own(store):
    """There is nothing to take over where nothing was said."""
    make(store, "one", 1, project="/work")
    make(store, "two", 0, project="/work")
    make(store, "three", 0, project="/work")
    import_context(store, "two", "one")
    with pytest.raises(Refused, match="nothing was said"):
        import_context(store, "three", "two")


def test_a_session_that_is_its_own_parent(store):
    """A log that names itself as its parent leads nowhere."""
    make(store, "one", 0, parent="one")
    assert family_of(store, "one").related == frozenset()
