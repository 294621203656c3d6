"""Steps of features/sessions/lineage.feature."""

from __future__ import annotations

import pytest
from pytest_bdd import given, parsers, then, when

from brim.conversation.tool_pairs import INTERRUPTED
from brim.sessions.lineage import family_of, fork, import_context
from brim.sessions.records import CompactionRecord, MessageRecord
from brim.tokens.usage import TokenUsage
from steps.stored_sessions import tool_turn, turns, user
from steps.vocabulary import attempt, phrase

RELATIONS = {
    "its parent": {},
    "its child": {"parent": "here"},
    "the child of its child": {"parent": "between"},
    "one of its project": {"project": "/home/dev/parser"},
    "a stranger": {"project": "/home/dev/lexer"},
}


def view_of(shelf, name):
    with shelf.store.read(name) as session:
        return session.view()


def raws(view):
    return [one.raw for one in view.messages]


def make(shelf, name, messages=(), **about):
    with shelf.store.create(name=name, **about) as session:
        session.extend(messages)
        session.rename(name)


def messages_of(shelf):
    return [one.id for one in shelf.records() if isinstance(one, MessageRecord)]


@given("a session that ends with a call of a tool and its result")
def ends_with_result(shelf):
    shelf.make(list(tool_turn("A"))[:3])


@given("a session whose last answer was measured")
def measured(shelf):
    shelf.make(turns(2))
    shelf.open().record(TokenUsage(input=1_000, output=10), model="some-model")


@given(phrase('a session "{here:Quoted}" and {relation} "{there:Quoted}" of {count:Count} turns'))
def relative(shelf, here, relation, there, count):
    about = RELATIONS[relation]
    parent = there if relation == "its parent" else None
    make(shelf, here, project="/home/dev/parser" if "child" not in relation else "", parent=parent)
    make(shelf, "between", parent=here)
    make(shelf, there, turns(count), **about)


@when(phrase('the relations of "{name:Quoted}" are asked for'), target_fixture="outcome")
def ask_relations(shelf, name):
    return attempt(family_of, shelf.store, name)


@when(parsers.re(r'it is forked(?: at (?P<place>message \d+|its last answer|"[^"]*"))?'), target_fixture="outcome")
def fork_at(shelf, place):
    """At its newest message, a message by its number, the newest of the assistant's, or one by its id."""
    shelf.remember()
    ids = messages_of(shelf)
    if place == "its last answer":
        said = {one.id: one.message["role"] for one in shelf.records() if isinstance(one, MessageRecord)}
        place = [name for name in ids if said[name] == "assistant"][-1]
    elif place and place.startswith("message "):
        place = ids[int(place.removeprefix("message ")) - 1]
    return attempt(fork, shelf.store, shelf.name, place and place.strip('"'))


@when("it is forked and the user says something in the fork", target_fixture="outcome")
def fork_and_say(shelf):
    name = fork(shelf.store, shelf.name)
    with shelf.store.open(name) as session:
        session.append(user("Go on."))
    return name


@when(phrase('what happened in "{there:Quoted}" is taken over into "{here:Quoted}"'), target_fixture="outcome")
def take_over(shelf, there, here):
    return attempt(import_context, shelf.store, here, there)


@when(phrase('"{words:Quoted}" is taken over from "{there:Quoted}" into "{here:Quoted}"'), target_fixture="outcome")
def take_over_words(shelf, words, there, here):
    return attempt(import_context, shelf.store, here, there, summary=words)


@when(
    phrase('brim takes over what happened in "{there:Quoted}" into "{here:Quoted}" with "{flags:Quoted}"'),
    target_fixture="outcome",
)
def take_over_by_command(shelf, run_sessions, there, here, flags):
    shelf.close()
    return run_sessions("import-context", here, "--from", there, *flags.split())


@pytest.fixture
def page(outcome):
    code, page, error = outcome
    assert code == 0, error
    return page


@then(phrase('"{here:Quoted}" shows nothing'))
def check_nothing(shelf, here):
    assert view_of(shelf, here).messages == ()


@then(
    phrase(
        'its parents are "{parents:Quoted}", its children "{children:Quoted}" and its siblings "{siblings:Quoted}"',
    )
)
def check_relations(outcome, parents, children, siblings):
    told = (outcome.parents, outcome.children, outcome.siblings)
    assert [", ".join(one.id for one in each) for each in told] == [parents, children, siblings]


@then("the fork shows what the session shows")
def check_same(shelf, outcome):
    assert raws(view_of(shelf, outcome)) == raws(shelf.view())


@then("its parent is the session")
def check_parent(shelf, outcome):
    assert shelf.store.info(outcome).parent == shelf.name


@then(phrase("the fork shows the first {count:Count} messages"))
def check_first(shelf, outcome, count):
    said = [one.message for one in shelf.records() if isinstance(one, MessageRecord)]
    assert raws(view_of(shelf, outcome)) == said[:count]


@then("the summary is in the fork with its figures")
def check_summary(shelf, outcome):
    with shelf.store.read(outcome) as session:
        made = next(one for one in session.records() if isinstance(one, CompactionRecord))
    assert made.summary == next(one for one in shelf.records() if isinstance(one, CompactionRecord)).summary


@then("the fork ends with a result that tells of an interruption")
def check_interrupted(shelf, outcome):
    (block,) = view_of(shelf, outcome).messages[-1].raw["content"]
    assert block["content"] == INTERRUPTED


@then("the fork knows the same measure")
def check_measure(shelf, outcome):
    assert view_of(shelf, outcome).usages == shelf.view().usages


@then("the session shows what it showed before")
def check_unchanged(shelf):
    assert shelf.view() == shelf.shown


@then(phrase('"{here:Quoted}" ends with a summary that names "{there:Quoted}"'))
def check_source(shelf, here, there):
    last = view_of(shelf, here).messages[-1]
    assert last.marks.summary
    assert f"session {there}" in last.text


@then(phrase('the summary in "{here:Quoted}" is shorter than half of "{there:Quoted}"'))
def check_short(shelf, here, there):
    lengths = [sum(len(one.text) for one in view_of(shelf, name).messages) for name in (here, there)]
    assert 0 < lengths[0] < lengths[1] // 2


@then(phrase('"{here:Quoted}" ends with a summary that reads "{words:Quoted}"'))
def check_words(shelf, here, words):
    assert view_of(shelf, here).messages[-1].text.endswith(f"\n\n{words}")
