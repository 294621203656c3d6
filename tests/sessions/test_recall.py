"""Recall: what a product reader need not see of the index, and odd queries."""

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brim.compaction.planning import plan_compaction
from brim.compaction.without_model import compact_without_model
from brim.errors import InvalidInput, Refused, StoreFailed
from brim.models import ModelLimits
from brim.sessions.disk.store import FileStore
from brim.sessions.recall import Hit, index_of, search
from brim.sessions.viewing.rewound import is_left_behind, standing_spans
from brim.sessions.viewing.walking import walk_back
from tests.sessions.memory import call, new_session, result, thinks, user


@pytest.fixture
def filled(store):
    """A store with a session in which a parser is spoken of."""
    with store.create(title="The parser") as session:
        session.extend([user("The parser in src/parser.py"), thinks("It is read."), call("A"), result("A", "41 files")])
    return store


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(query=st.text(max_size=40))
def test_no_query_is_an_error_of_sqlite(filled, query):
    """Whatever is asked for, there are hits, or none, or a sentence that there is no word in it."""
    try:
        found = search(index_of(filled), query)
    except InvalidInput as refusal:
        assert "nothing to look for" in str(refusal)
    else:
        assert all(isinstance(one, Hit) for one in found)


@pytest.mark.parametrize("query", ["src/parser.py", "parser", "PARSER", "parser.py src", '"the parser"', "41", "Bash"])
def test_words_paths_and_numbers_are_found(filled, query):
    """A path is found as it is written, and case does not matter."""
    (hit,) = search(index_of(filled), query)
    assert (hit.turn, hit.state, hit.title) == (1, "visible", "The parser")


@pytest.mark.parametrize("query", ["Hm", "signed"])
def test_thinking_is_not_searched(filled, query):
    """What a model thought was said to nobody."""
    assert search(index_of(filled), query) == []


def test_a_lone_surrogate_is_no_hindrance(store):
    """A text that is no valid Unicode is indexed as far as it is."""
    with store.create() as session:
        session.append(user("before \ud800 after"))
    assert len(search(index_of(store), "before after")) == 1


def test_the_index_is_private(filled):
    """Nobody but the user can read what was said."""
    index = index_of(filled)
    search(index, "parser")
    assert stat.S_IMODE(index.path.stat().st_mode) == 0o600


def test_nothing_is_read_twice(filled):
    """A second search reads no line of a log."""
    index = index_of(filled)
    search(index, "parser")
    assert index.lines_read == 5
    search(index, "parser")
    assert index.lines_read == 5


def test_an_index_in_use_is_waited_for_and_told(filled, monkeypatch):
    """Where another holds the index for too long it is told, and the index is left alone."""
    monkeypatch.setattr("brim.sessions.searching.index.WAIT_SECONDS", 0)
    index = index_of(filled)
    search(index, "parser")
    with filled.open(filled.sessions()[0].id) as session:
        session.append(user("More."))
    base = sqlite3.connect(index.path, isolation_level=None)
    base.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="locked"):
        search(index, "parser")
    base.close()
    assert len(search(index, "parser")) == 1
    assert index.reports == []


def test_several_can_search_at_once(filled):
    """Those who search a store for the first time together all find what is there, once."""
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: search(index_of(filled), "parser"), range(8)))
    assert [len(one) for one in found] == [1] * 8


def test_a_store_that_is_no_folder_needs_a_place(tmp_path):
    """Another store's index is a file that is named."""
    with pytest.raises(InvalidInput, match="name a file"):
        index_of(object())
    assert index_of(object(), tmp_path / "index.sqlite").path.parent == tmp_path


@pytest.mark.parametrize("limit", [0, -1])
def test_a_search_for_nothing(filled, limit):
    """A search for fewer than 1 message is refused."""
    with pytest.raises(InvalidInput, match="1 or more"):
        search(index_of(filled), "parser", limit=limit)


def test_a_limit_holds(store):
    """No more are told than asked for, the best of them."""
    with store.create() as session:
        session.extend([user("The parser " + "and much else " * n) for n in range(5)])
    assert [one.number for one in search(index_of(store), "parser", limit=2)] == [1, 2]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(0, 30)), max_size=25))
def test_what_is_left_behind_is_what_a_walk_passes_over(acts):
    """A message is left behind exactly where a walk back does not meet it; None says something, a number goes back."""
    session, _ = new_session()
    for act in acts:
        known = [record.id for record in session.records()]
        if act is None:
            session.append(user())
        else:
            session.rewind(known[act % len(known)])
    records = list(session.records())
    spans = standing_spans((one.to, one.id) for one in records if one.kind == "rewind")
    met = {one.id for one in walk_back(reversed(records)).records if one.kind == "message"}
    left = {one.id for one in records if one.kind == "message" and is_left_behind(one.id, spans)}
    assert met | left == {one.id for one in records if one.kind == "message"}
    assert not met & left


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.none(), st.sampled_from(["compact", "undo", "redo"]), st.integers(0, 60)), max_size=30))
def test_the_state_of_a_message_is_what_the_view_says(tmp_path_factory, acts):
    """Whatever was compacted, undone and left behind, what is called visible is what is shown."""
    store = FileStore(tmp_path_factory.mktemp("home"))
    with store.create() as session:
        for act in acts:
            with suppress(Refused):
                perform(session, act)
        shown = set(session.view().ids)
    states = {one.record: one.state for one in search(index_of(store), "word", limit=100)} if acts.count(None) else {}
    assert all((state == "visible") == (record in shown) for record, state in states.items())


def perform(session, act):
    """Say something (None), compact, undo, redo, or go back to a record (a number)."""
    if act is None:
        session.extend([user("A word. " * 400), thinks("It is so. " * 40)])
    elif act == "compact":
        window = session.view().window(ModelLimits(context_window=6_000, max_output_tokens=1_000))
        session.compacted(compact_without_model(plan_compaction(window, keep_share=Fraction(1, 3))))
    elif act in {"undo", "redo"}:
        getattr(session, act)()
    else:
        known = [record.id for record in session.records()]
        session.rewind(known[act % len(known)])
