"""Acts of a session on disk: several threads, what is handed in, what is remembered, and what was closed."""

import os
from collections import OrderedDict
from threading import Thread

import pytest

from brim.conversation.messages import Marks, read_message
from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.file_store import FileStore
from brim.sessions.records import CompactionRecord, Copy, ModelRecord, SummaryRecord, UndoRecord
from brim.sessions.undo import newest_change
from tests.sessions.memory import user

SUMMARY = SummaryRecord(content="What was done.", generated=1, summarized=1, tokens_before=2)
MOMENT = 0.3
"""Seconds that another thread is given to do what it cannot do before it is let."""


def meanwhile(act):
    """Do something in another thread, as far as it is let; the thread."""
    thread = Thread(target=act)
    thread.start()
    thread.join(MOMENT)
    return thread


def compact(session, words, tail):
    """A compaction, made by hand."""
    opening = (Copy(message=user(words)),)
    return session.write(CompactionRecord, summary=SUMMARY, opening=opening, tail=tail)


def test_two_undos_at_once_undo_two_compactions(session, monkeypatch):
    """What is undone is chosen and written in one."""
    ids = session.extend([user(str(number)) for number in range(4)])
    made = [compact(session, words, ids[2]) for words in ("one", "two")]
    others = []

    def slowly(records):
        monkeypatch.undo()
        found = newest_change(records)
        others.append(meanwhile(session.undo))
        return found

    monkeypatch.setattr("brim.sessions.session.newest_change", slowly)
    session.undo()
    others[0].join()
    assert [one.of for one in session.records() if isinstance(one, UndoRecord)] == made[::-1]


def test_what_is_done_to_a_message_later_changes_nothing(store, session):
    """What is shown is what stands in the log, whatever the caller does with the dictionary."""
    message = {"role": "user", "content": [OrderedDict(type="text", text="hello")], "mood": {"of": ["the", "day"]}}
    session.append(message)
    before = store.read(session.id).view().messages[0].raw
    message["content"][0]["cache_control"] = {"type": "ephemeral"}
    message["content"].append({"type": "text", "text": "more"})
    message["mood"]["of"].clear()
    assert session.view().messages[0].raw == before


def test_marks_that_are_given_with_a_message_hold(session):
    """They stand in the place of the message's own, which hold where none are given."""
    own = read_message(user(), Marks(checkpoint=True))
    session.append(own)
    session.append(own, Marks(pinned=True))
    assert [one.marks for one in session.view().messages] == [Marks(checkpoint=True), Marks(pinned=True)]


ODD = {
    "a title": lambda session: session.rename(None),
    "a model": lambda session: session.write(ModelRecord, model=5),
    "a usage": lambda session: session.record("much"),
    "marks": lambda session: session.append(user(), None),
    "a record to go back to": lambda session: session.write(UndoRecord, of=b"\xff"),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_not_of_its_form_is_told_in_one_line(session, what):
    """Nothing is written then, and the session goes on."""
    before = session.journal.path.read_bytes()
    with pytest.raises(InvalidInput) as met:
        ODD[what](session)
    assert "\n" not in str(met.value)
    assert session.journal.path.read_bytes() == before
    session.append(user())


def test_what_is_known_of_an_open_session_is_of_now(store, session):
    """Its size, title and when it was last active, whether it was asked for before or not."""
    with FileStore(store.root).create(title="Another") as asked:
        asked.info  # noqa: B018
        for one in (session, asked):
            one.append(user())
            one.rename("New")
            known = one.info
            assert (known.size, known.title) == (one.journal.size, "New")
            assert known.last_active == max(record.time for record in one.records())


CLOSED = {
    "a message": lambda session: session.append(user()),
    "a title": lambda session: session.rename("Another"),
    "going back": lambda session: session.rewind("1"),
    "its records": lambda session: list(session.records()),
    "its size": lambda session: session.journal.size,
}


@pytest.mark.parametrize("act", CLOSED)
def test_a_session_that_was_closed_says_so(session, act):
    """Whatever needs its log is refused, and what would cure it is told."""
    session.close()
    with pytest.raises(Refused, match=f"session {session.id} was closed; open it again"):
        CLOSED[act](session)


def test_a_log_that_is_gone_is_told_in_one_line(store, session):
    """A reader whose log was removed meanwhile is told what it met."""
    reader = store.read(session.id)
    session.journal.path.unlink()
    with pytest.raises(StoreFailed, match="No such file") as met:
        list(reader.records())
    assert "\n" not in str(met.value)
    reader.close()


def test_a_session_is_let_go_where_making_it_is_broken_off(store, monkeypatch):
    """A caller that is interrupted before it has the new session holds no lock."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("brim.sessions.file_store.Session", interrupt)
    with pytest.raises(KeyboardInterrupt) as met:
        store.create(name="one")
    monkeypatch.undo()
    with store.open("one") as session:
        session.append(user())
    assert met.value.__traceback__ is not None


def written_by_another(path):
    """A line that another process adds, to whom the same lock was given."""
    with path.open("ab") as handle:
        handle.write(b'{"v":2,"kind":"rename","id":"7","time":1,"title":"Of another"}\n')


@pytest.mark.parametrize("first", [True, False], ids=["before what is torn", "behind what is torn"])
def test_what_another_wrote_is_never_cut_off(store, session, monkeypatch, first):
    """A write that fails takes back its own bytes alone; where others stand there too, all of them stay."""
    session.append(user("first"))
    path = session.journal.path
    before = path.read_bytes()

    def torn(file, data):
        if first:
            written_by_another(path)
        os.write(file, data[:40])
        if not first:
            written_by_another(path)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("brim.sessions.log.write_synced", torn)
    with pytest.raises(StoreFailed, match="No space left"):
        session.append(user("second"))
    monkeypatch.undo()
    assert path.read_bytes().startswith(before)
    assert b"Of another" in path.read_bytes()
    with pytest.raises(Refused, match="was written by another process meanwhile; open it again"):
        session.append(user("third"))
