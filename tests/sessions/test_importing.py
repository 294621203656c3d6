"""Importing, on transcripts that are built for it."""

import json
from datetime import UTC, datetime
from functools import reduce

import pytest

from brim.conversation.messages import SUMMARY, read_message
from brim.errors import InvalidInput
from brim.sessions import open_store
from brim.sessions.importing import import_transcript
from brim.sessions.lines import MAX_DEPTH
from brim.sessions.records import UsageRecord
from brim.tokens.usage import TokenUsage
from brim.transcripts import read_transcript
from brim.transcripts.values import RecordedCompaction, ResponseRecord, Transcript
from tests.sessions.memory import thinks, user


def transcript(messages, **told):
    """A transcript of these messages."""
    values = tuple(one if not isinstance(one, dict) else read_message(one) for one in messages)
    return Transcript(format="made-up", messages=values, lines=tuple(range(1, len(values) + 1)), **told)


def view(store, imported):
    """What the new session shows."""
    with store.read(imported.session) as session:
        return session.view()


def records(store, imported):
    """All its records."""
    with store.read(imported.session) as session:
        return list(session.records())


def raws(shown):
    """Messages as the API has them."""
    return [one.raw for one in shown.messages]


def test_what_was_never_sent_is_left_out(store):
    """A failed answer is not shown, and it is told that it was left out."""
    imported = import_transcript(store, transcript([user(), thinks(), user("Again.")], unsent=frozenset({1})))
    assert raws(view(store, imported)) == [user(), user("Again.")]
    assert imported.left_out == 1


def test_a_usage_stands_behind_its_response(store):
    """A measure is known in the new session; one of a response that nothing was recorded of is not."""
    usage = TokenUsage(input=100, output=5)
    response = ResponseRecord(index=0, message=1, line=2, usage=usage, model="a-model")
    told = transcript([user(), thinks(), user()], responses=(response,))
    imported = import_transcript(store, told)
    (measured,) = view(store, imported).usages
    assert (measured.after, measured.usage, measured.model) == (2, usage, "a-model")
    nothing = import_transcript(store, transcript([user(), thinks()], responses=(response,), unsent=frozenset({1})))
    assert not any(isinstance(record, UsageRecord) for record in records(store, nothing))


def test_a_compaction_puts_its_opening_first(store):
    """The summary and what was kept stand first; thinking that was written on the old history is left out."""
    summary = read_message(user("What was done."), SUMMARY)
    made = RecordedCompaction("auto", 3, 3, recorded=500, opening=(3, 1, 2))
    told = transcript([user("first"), user("second"), thinks("third"), summary, user("last")], compactions=(made,))
    imported = import_transcript(store, told)
    texts = [one.text for one in view(store, imported).messages]
    assert texts == ["What was done.", "second", "third", "last"]
    with store.open(imported.session) as session:
        session.undo()
    assert [one.text for one in view(store, imported).messages] == ["first", "second", "third", "last"]


def test_the_record_of_a_compaction_tells_what_it_replaced(store):
    """Its figures are those of the file, and it names the first and the last message that it stands for."""
    summary = read_message(user("What was done."), SUMMARY)
    made = RecordedCompaction("auto", 3, 2, recorded=500, opening=(2,))
    told = transcript([user("first"), user("second"), summary], compactions=(made,))
    _, first, second, compaction = records(store, import_transcript(store, told))
    assert compaction.replaces == (first.id, second.id)
    assert (compaction.summary.summarized, compaction.summary.tokens_before) == (2, 500)
    assert (compaction.summary.content, compaction.summary.by) == ("What was done.", "made-up")


def test_a_compaction_without_what_was_before_it(store):
    """A file that holds only what a compaction left, and no count, knows no size before it."""
    summary = read_message(user("What was done."), SUMMARY)
    told = transcript([summary], compactions=(RecordedCompaction("auto", 1, 0, opening=(0,)),))
    _, compaction = records(store, import_transcript(store, told))
    assert compaction.summary.tokens_before == 0


def test_a_second_compaction_names_the_first(store):
    """The summary that went into another is found from it."""
    summaries = [read_message(user(words), SUMMARY) for words in ("One.", "Two.")]
    compactions = (RecordedCompaction("auto", 2, 1, opening=(1,)), RecordedCompaction("auto", 3, 3, opening=(3,)))
    told = transcript([user(), summaries[0], user("more"), summaries[1]], compactions=compactions)
    imported = import_transcript(store, told)
    made = [record for record in records(store, imported) if record.kind == "compaction"]
    assert made[1].earlier == made[0].id
    assert raws(view(store, imported)) == [user("Two.")]


def test_an_opening_of_nothing_begins_anew(store):
    """Where a compaction left nothing of what was visible, nothing of it is shown."""
    made = RecordedCompaction("auto", 1, 1, opening=())
    imported = import_transcript(store, transcript([user("first"), user("second")], compactions=(made,)))
    assert raws(view(store, imported)) == [user("second")]


def nested(depth):
    """A message of that many objects and lists, one in another."""
    return {**user("deep"), "odd": reduce(lambda inner, _: [inner], range(depth - 2), [])}


def test_what_goes_too_deep_is_refused(store):
    """A transcript with a message that no session takes makes none."""
    imported = import_transcript(store, transcript([user(), nested(MAX_DEPTH)]))
    assert raws(view(store, imported)) == [user(), nested(MAX_DEPTH)]
    with pytest.raises(InvalidInput, match="nested more than 190 deep"):
        import_transcript(store, transcript([user(), nested(MAX_DEPTH + 1)]))
    assert len(store.sessions()) == 1


def test_the_name_of_a_session_can_be_given(store):
    """The new session is called as asked; a name that is taken or unsafe is refused, and nothing is made."""
    assert import_transcript(store, transcript([user()]), name="mine").session == "mine"
    for name in ("mine", "../mine"):
        with pytest.raises(InvalidInput):
            import_transcript(store, transcript([user()]), name=name)
    assert [one.id for one in store.sessions()] == ["mine"]


TIMES = (datetime(2024, 3, 1, 12, tzinfo=UTC), None, datetime(2024, 3, 1, 13, tzinfo=UTC))


class Timed(Transcript):
    """A transcript whose file says when two of its messages were written down."""

    times = property(lambda _self: TIMES, lambda _self, _given: None)


def test_the_times_and_the_project_of_a_transcript_are_kept(store):
    """A message without a time has that of the one before; the session began with the first."""
    values = tuple(read_message(one) for one in (user("Look."), user("And?"), user("Thanks.")))
    timed = Timed(format="made-up", messages=values, lines=(1, 2, 3), folder="/home/dev/parser")
    imported = import_transcript(store, timed)
    noon, later = (round(time.timestamp() * 1000) for time in (TIMES[0], TIMES[2]))
    info = store.info(imported.session)
    assert (info.project, info.created, info.last_active) == ("/home/dev/parser", noon, later)
    assert [one.time for one in records(store, imported)] == [noon, noon, noon, later]
    assert sorted(one.id for one in records(store, imported)) == [one.id for one in records(store, imported)]


def test_a_system_message_of_a_list_is_no_message_of_the_user(tmp_path):
    """It is left out, a note says so, and a list of nothing else is refused."""
    path = tmp_path / "chat.json"
    system = {"role": "system", "content": "Be terse."}
    said = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    path.write_text(json.dumps([system, *said]))
    store = open_store(tmp_path / "home")
    made = import_transcript(store, read_transcript(path))
    assert made.notes == ("its system prompt stands in the file alone: a session holds messages",)
    with store.read(made.session) as session:
        assert [message.raw for message in session.view().messages] == said
    path.write_text(json.dumps([system]))
    with pytest.raises(InvalidInput, match="it holds a system prompt alone"):
        import_transcript(store, read_transcript(path))
