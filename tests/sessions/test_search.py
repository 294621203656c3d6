"""Recall: what a product reader need not see of the index, and odd queries."""

from contextlib import suppress
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brim.compaction.plan import plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import compact_without_model
from brim.conversation.tool_pairs import results_of
from brim.errors import InvalidInput, Refused
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.sessions import records
from brim.sessions.file_store import FileStore
from brim.sessions.full_text import (
    MAX_QUERY_CHARS,
    MAX_TERMS,
    PASSAGE_CHARS,
    About,
    FullText,
    Query,
    passages_of,
)
from brim.sessions.index import VERSION
from brim.sessions.records import MessageRecord
from brim.sessions.search import SearchHit, SearchIndex, search
from brim.sessions.view import replay_from_end, visibility_of
from steps.policies import SMALL_TARGET
from steps.prerequisites import sized
from tests.sessions.memory import call, new_session, result, thinks, user


@pytest.fixture
def filled(store):
    """A store with a session in which a parser is spoken of."""
    with store.create(title="The parser") as session:
        session.extend([user("The parser in src/parser.py"), thinks("It is read."), call("A"), result("A", "41 files")])
    return store


@settings(suppress_health_check=list(HealthCheck), max_examples=sized(20, nightly=300))
@given(query=st.text(max_size=40))
def test_no_query_is_an_error_of_sqlite(filled, query):
    """Whatever is asked for, there are hits, or none, or a sentence that there is no word in it."""
    try:
        found = search(SearchIndex(filled), query)
    except InvalidInput as refusal:
        assert "nothing to look for" in str(refusal)
    else:
        assert all(isinstance(one, SearchHit) for one in found)


@pytest.mark.parametrize("query", ["Hm", "signed"])
def test_thinking_is_not_searched(filled, query):
    """What a model thought was said to nobody."""
    assert search(SearchIndex(filled), query) == []


def test_a_lone_surrogate_is_no_hindrance(store):
    """A text that is no valid Unicode is indexed as far as it is."""
    with store.create() as session:
        session.append(user("before \ud800 after"))
    assert len(search(SearchIndex(store), "before after")) == 1


def newer(store, name):
    """A session with a message of a newer version between two others, which the newer version wrote."""
    with store.create(name=name) as session:
        session.append(user("alpha"))
        with patch("brim.sessions.records.VERSION", 99):
            session.write(MessageRecord, v=99, message=user("alpha"))
            session.append(user("alpha"))


def test_a_newer_record_is_told_once_and_read_once(store):
    """However often it is searched, by the same index or another."""
    newer(store, "one")
    index = SearchIndex(store)
    for _ in range(3):
        assert len(search(index, "alpha")) == 1
    assert (len(index.warnings), index.lines_read) == (1, 4)
    again = SearchIndex(store)
    assert len(search(again, "alpha")) == 1
    assert (again.warnings, again.lines_read) == (index.warnings, 0)


def test_a_newer_brim_searches_all_of_it(store, monkeypatch):
    """The index names the version of records it understood, so that a newer brim rebuilds it."""
    newer(store, "one")
    assert len(search(SearchIndex(store), "alpha")) == 1
    assert VERSION % 1_000 == records.VERSION
    monkeypatch.setattr("brim.sessions.records.VERSION", 99)
    monkeypatch.setattr("brim.sessions.index.VERSION", VERSION + 97)
    index = SearchIndex(store)
    assert len(search(index, "alpha")) == 3
    assert index.warnings == []


@settings(max_examples=sized(20, nightly=300))
@given(st.lists(st.one_of(st.none(), st.integers(0, 30)), max_size=25))
def test_what_is_left_behind_is_what_a_walk_passes_over(acts):
    """A message is rewound exactly where reading back passes it over; None says something, a number goes back."""
    session, _ = new_session()
    for act in acts:
        known = [record.id for record in session.records()]
        if act is None:
            session.append(user())
        else:
            session.rewind(known[act % len(known)])
    records = list(session.records())
    visibility = visibility_of([one for one in records if one.kind == "rewind"])
    met = {one.id for one in replay_from_end(reversed(records)).records if one.kind == "message"}
    left = {one.id for one in records if one.kind == "message" and visibility.is_rewound(one.id)}
    assert met | left == {one.id for one in records if one.kind == "message"}
    assert not met & left


ACTS = ["compact", "prune", "undo", "redo"]


@settings(max_examples=sized(20, nightly=300))
@given(st.lists(st.one_of(st.none(), st.sampled_from(ACTS), st.integers(0, 60)), max_size=30))
def test_the_state_of_a_message_is_what_the_view_says(tmp_path_factory, acts):
    """Whatever was compacted, cleared, undone and rewound: what is shown is visible, or cleared where it reads so."""
    store = FileStore(tmp_path_factory.mktemp("home"))
    with store.create() as session:
        for act in acts:
            with suppress(Refused):
                perform(session, act)
        view = session.view()
    shown = {
        name: "cleared" if any(one.text == PLACEHOLDER for one in results_of(message)) else "visible"
        for name, message in zip(view.ids, view.messages, strict=True)
    }
    for one in search(SearchIndex(store), "word", limit=100) if acts.count(None) else []:
        assert one.state in {shown.get(one.record, "compacted"), shown.get(one.record, "rewound")}


def perform(session, act):
    """Say something (None), compact, clear old outputs, undo, redo, or go back to a record (a number)."""
    if act is None:
        name = f"call-{len(list(session.records()))}"
        session.extend([user("A word. " * 400), call(name), result(name, "A word. " * 40), thinks("It is so. " * 40)])
    elif act == "prune":
        policy = CompactionPolicy(prune_protect=100, prune_minimum=10)
        session.pruned(session.view().window(policy=policy).prune())
    elif act == "compact":
        window = session.view().window(ModelLimits(context_window=6_000, max_output_tokens=1_000), SMALL_TARGET)
        session.compacted(compact_without_model(plan_compaction(window)))
    elif act in {"undo", "redo"}:
        getattr(session, act)()
    else:
        known = [record.id for record in session.records()]
        session.rewind(known[act % len(known)])


def test_a_message_that_repeats_a_word_is_found(store, session):
    """SQLite's snippet compares every two places of a word, and has a passage alone to look at."""
    session.append(user("parser " * 300_000))
    (hit,) = search(SearchIndex(store), "parser")
    assert "[parser] [parser]" in hit.snippet
    assert len(hit.snippet) < 500


@pytest.mark.parametrize("end", ["\n", " ", "", " " * 300, "\n" * 300])
def test_passages_hold_all_of_a_text(end):
    """Every passage is part of the text, none is longer than the most, and nothing between two of them is lost."""
    text = "".join(f"x{n:05}{end}" for n in range(1_000))
    covered = 0
    for passage in passages_of(text):
        start = text.index(passage)
        assert start <= covered < start + len(passage) <= start + PASSAGE_CHARS
        covered = start + len(passage)
    assert covered == len(text)


def test_what_is_removed_leaves_nothing_in_the_index():
    """A row of a session goes with its passages, and SQLite finds the index sound."""
    text = FullText.in_memory()
    for number in range(1, 4):
        text.add(About("one", str(number), number, number, "user", 0), f"parseConfig {number} " * 300)
    text.remove("one", 2)
    assert {found.about.number for found in text.find(Query("parse config"))} == {1}
    text._base.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
    text._base.execute("INSERT INTO stems (stems, rank) VALUES ('integrity-check', 1)")


@pytest.mark.parametrize("word", ["a", "x_y", "parseConfig", '"a b"', "ab*"])
def test_a_query_of_many_words(word):
    """The longest query of short words is understood, however it is written."""
    text = FullText.in_memory()
    text.add(About("", "1", 1, 1, "user", 0), "a b parseConfig x_y abc")
    query = " ".join([word] * (MAX_QUERY_CHARS // (len(word) + 1)))
    assert len([*text.find(Query(query), for_recall=True)]) == 1
    distinct = " ".join(f"{n:x}" for n in range(500))
    assert [*text.find(Query(distinct))]


def test_a_common_word_is_not_looked_for_alone(monkeypatch):
    """Where every word is common the least common one is looked for, and else only the rarer ones."""
    monkeypatch.setattr("brim.sessions.full_text.COMMON", 2)
    text = FullText.in_memory()
    for number, said in enumerate(["alpha", "alpha", "alpha beta", "beta", "beta", "beta gamma"], 1):
        text.add(About("", str(number), number, number, "user", 0), said)
    assert [found.about.number for found in text.find(Query("alpha gamma"))] == [6]
    assert {found.about.number for found in text.find(Query("alpha beta delta"))} == {1, 2, 3}


def test_only_the_first_words_of_a_long_query_are_looked_for(filled):
    """The fifty-first different word is left out, and a warning says so; a word that is repeated counts once."""
    index = SearchIndex(filled)
    words = " ".join(f"word{n}" for n in range(MAX_TERMS - 1))
    search(index, f"{words} {words} parser")
    assert index.warnings == []
    assert search(index, f"{words} once more parser") == []
    assert index.warnings == ["the first 50 words of the query are looked for, and 2 are left out"]
