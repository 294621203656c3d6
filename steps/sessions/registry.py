"""Steps of features/sessions/registry.feature."""

from __future__ import annotations

import errno
import json
import os

import pytest
from pytest_bdd import given, then, when

from brim.sessions.paths import folder_of
from brim.sessions.registry import RegistryFile
from brim.sessions.store import open_store
from steps.clock import TIMES, milliseconds
from steps.stored_sessions import user
from steps.vocabulary import attempt, phrase

PREFERRED = "default_model"
THREE = ("first", "second", "third")
HALVES = {
    "its title": lambda store, name: renamed(store, name, "Ship it \ud83d"),
    "another project": lambda store, name: store.create(project="/home/dev/\ud83d").close(),
    "another folder": lambda store, name: store.create(project="/home/dev/caf\udce9").close(),
    "a preferred model": lambda store, name: store.prefer(PREFERRED, "\udce9"),
}
"""Acts after which half a sign stands somewhere: a lone surrogate, of a text cut short or a name that is no UTF-8."""


@pytest.fixture
def registry(shelf):
    """The file of the registry."""
    return shelf.store.root / "registry.json"


@given(phrase('a session called "{title:Quoted}" of the project "{project:Quoted}" with the model "{model:Quoted}"'))
def described(shelf, title, project, model):
    shelf.make([], title=title, project=project, model=model)


@given("a session and a second one that came from it", target_fixture="family")
def family(shelf):
    parent = shelf.make([]).name
    return parent, shelf.make([], parent=parent).name


@given("the sessions first, second and third")
def three(shelf):
    for name in THREE:
        shelf.make([], name=name)


@given("the sessions first, second and third, made a minute apart")
def three_apart(shelf, clock):
    for name in THREE:
        shelf.make([], name=name)
        clock.tick(60)


@given(phrase('a session of the project "{one:Quoted}" and one of the project "{other:Quoted}"'))
def two_projects(shelf, one, other):
    shelf.make([], project=one)
    shelf.make([], project=other)


@given("its log grows without the registry")
def grown(shelf):
    grow(shelf, 1)


@given("the user has said something since")
def say_since(shelf):
    with shelf.store.open(shelf.name) as session:
        session.append(user())


def renamed(store, name, title):
    with store.open(name) as session:
        session.rename(title)


@given(phrase("a session of {count:Count} messages of which the registry knows none"))
def long_and_unknown(shelf, count):
    shelf.make([])
    grow(shelf, count)


def grow(shelf, count):
    """Add messages to the session, and die before the registry is told of them."""
    session = shelf.store.open(shelf.name)
    session.extend([user()] * count)
    session.journal.close()


@given(phrase("the user said something in the session {name}, and its first line was damaged"))
def damage_first(shelf, name):
    with shelf.store.open(name) as session:
        session.append(user())
    log = shelf.place.log_of(name)
    first, *others = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([b"#" * len(first[:-1]), b"\n", *others]))


@given(phrase('a session of the id "{name:Quoted}" is made in the project "{project:Quoted}" at the same time'))
def at_the_same_time(shelf, name, project, monkeypatch):
    real, other = RegistryFile.begin, open_store(shelf.place.where)

    def begin(*about):
        monkeypatch.setattr(RegistryFile, "begin", real)
        other.create(name=name, project=project).close()
        return real(*about)

    monkeypatch.setattr(RegistryFile, "begin", begin)


@given(phrase('the user prefers the model "{model:Quoted}" and later the model "{other:Quoted}"'))
def preferred(shelf, model, other):
    shelf.store.prefer(PREFERRED, model)
    shelf.store.prefer(PREFERRED, other)


@given("3 sessions and a preferred model")
def three_and_preferred(shelf):
    three(shelf)
    shelf.store.prefer(PREFERRED, "some-model")


@given("the registry is lost")
def lost(registry):
    registry.unlink()


@given("the registry is empty")
def emptied(registry):
    registry.write_text("", encoding="utf-8")


@given(phrase('the registry reads "{text}"'))
def reads(registry, text):
    registry.write_text(text.replace('\\"', '"'), encoding="utf-8")


@given(phrase("the registry is nested {count:Count} times"))
def nested(registry, count):
    registry.write_text('{"v":2,"sessions":' + "[" * count, encoding="utf-8")


@given("the registry is of a newer version", target_fixture="newer")
def of_newer_version(registry):
    registry.write_text(json.dumps(json.loads(registry.read_text(encoding="utf-8")) | {"v": 3}), encoding="utf-8")
    return registry.read_bytes()


@given(phrase('the folder of the project "{project:Quoted}" is closed'))
def closed_folder(shelf, project, monkeypatch):
    close(monkeypatch, "scandir", shelf.place.where / "sessions" / folder_of(project))


@given(phrase("the log of the session {name} is closed"))
def closed_log(shelf, name, monkeypatch):
    log = shelf.place.log_of(name)
    log.write_bytes(log.read_bytes() + b'{"v":2,"kind":"weather","id":"7","time":1}\n')
    close(monkeypatch, "open", log)


def close(monkeypatch, call, path):
    """Nobody may do this to this path, not even who may do everything."""
    real = getattr(os, call)

    def closed(what, *arguments, **named):
        if str(what) == str(path):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(what, *arguments, **named)

    monkeypatch.setattr(os, call, closed)


@given("a newer version set a further preference")
def newer_preference(shelf):
    line = {"v": 3, "kind": "preference", "id": "7" * 26, "time": 1, "name": "mood", "value": ["of", "the", "day"]}
    add_preference(shelf, json.dumps(line))


@given("a further preference is damaged")
def damaged_preference(shelf):
    add_preference(shelf, "{ no")


def add_preference(shelf, line):
    with (shelf.place.where / "preferences.jsonl").open("a", encoding="utf-8") as handle:
        handle.write(f"{line}\n")


@when("the sessions are listed", target_fixture="outcome")
def list_all(shelf):
    return attempt(shelf.store.sessions)


@when(phrase("the user says something in the session {name} and the sessions are listed"), target_fixture="outcome")
def say_and_list(shelf, name):
    with shelf.store.open(name) as session:
        session.append(user())
    return shelf.store.sessions()


@when("the user says something and the sessions are listed", target_fixture="outcome")
def say_more_and_list(shelf):
    shelf.open().append(user())
    return shelf.store.sessions()


@when(phrase('the sessions of the project "{project:Quoted}" are listed'), target_fixture="outcome")
def list_some(shelf, project):
    return shelf.store.sessions(project)


@when(phrase('it is renamed "{title:Quoted}" and the sessions are listed'), target_fixture="outcome")
def rename_and_list(shelf, title):
    shelf.open().rename(title)
    return shelf.store.sessions()


@when(phrase("half a sign stands in {place} and the sessions are listed"), target_fixture="outcome")
def halve_and_list(shelf, place):
    HALVES[place](shelf.store, shelf.name)
    return attempt(shelf.store.sessions)


@when(phrase('a session of the id "{name:Quoted}" is made in the project "{project:Quoted}"'), target_fixture="outcome")
def make_in_project(shelf, name, project):
    return attempt(shelf.store.create, name=name, project=project)


@when("the command lists the sessions", target_fixture="page")
def list_by_command(command):
    return command("list")


@when("the command shows the session", target_fixture="page")
def show_by_command(shelf, command):
    return command("show", shelf.name)


@when("the preferences are asked for", target_fixture="preferences")
def ask_preferences(shelf):
    return shelf.store.preferences()


@when(phrase('the session "{name:Quoted}" is opened'), target_fixture="outcome")
def open_named(shelf, name):
    return attempt(shelf.store.open, name)


@when(phrase('the store "{url:Quoted}" is opened'), target_fixture="outcome")
def open_named_store(url):
    return attempt(open_store, url)


@then("the list tells of it")
def check_told(outcome, datatable):
    (one,) = outcome
    assert [[name, getattr(one, name)] for name, _ in datatable] == datatable


@then("the second one names the first as its parent")
def check_parent(outcome, family):
    parent, child = family
    assert {one.id: one.parent for one in outcome} == {parent: None, child: parent}


@then(phrase("they are listed as {first}, {second}, {third}"))
def check_order(outcome, first, second, third):
    assert [one.id for one in outcome] == [first, second, third]


@then(phrase("{count:Count} session is listed"))
@then(phrase("{count:Count} sessions are listed"))
def check_count(outcome, count):
    assert len(outcome) == count


@then(phrase('{count:Count} session of the id "{name:Quoted}" is there'))
def check_alone(shelf, count, name):
    assert [one.id for one in shelf.store.sessions()] == [name] * count


@then("the registry knows how far its log was read")
def check_handed_on(registry, shelf):
    told = json.loads(registry.read_text(encoding="utf-8"))
    assert told["sessions"][shelf.name]["size"] == len(shelf.log.read_bytes())


@then("what the registry says of them is the same")
def check_known(shelf, outcome):
    again = open_store(shelf.place.where)
    try:
        assert again.sessions() == outcome
    finally:
        again.close()


@then(phrase("it is reported that the first line of the session {name} is lost"))
def check_headless(shelf, name):
    assert any(f"session {name} is listed without" in report for report in shelf.store.reports())


@then(phrase("it was made at {made:Moment} and last active at {active:Moment}", TIMES))
def check_times(outcome, made, active):
    (one,) = outcome
    assert (one.created, one.last_active) == (milliseconds(made), milliseconds(active))


@then(phrase('it is listed as active "{when:Quoted}"'))
def check_active(shelf, page, when):
    assert f"\n{shelf.name}  {when:<10}  (no title)\n" in page


@then(phrase('the preferred model is "{model:Quoted}"'))
def check_preference(preferences, model):
    assert preferences[PREFERRED] == model


@then("the preferred model is still known")
def check_kept_preference(shelf):
    assert shelf.store.preferences()[PREFERRED] == "some-model"


@then("it is reported that the registry was rebuilt")
def check_report(shelf):
    (report,) = shelf.store.reports()
    assert "rebuilt from 3 sessions" in report


@then(phrase('it is reported that the folder of "{project:Quoted}" is closed'))
def check_closed(shelf, project):
    (report,) = shelf.store.reports()
    assert folder_of(project) in report
    assert "Permission denied" in report


@then(phrase("it is reported that the session {name} could not be read"))
def check_unread(shelf, name):
    (report,) = shelf.store.reports()
    assert f"{name}.jsonl: Permission denied" in report


@then("it is reported that a preference was set aside")
def check_preference_aside(shelf):
    assert any("preferences.jsonl: the line at" in report for report in shelf.store.reports())


@then("the damaged registry is kept under another name")
def check_aside(registry):
    assert registry.with_name("registry.json.damaged-1").read_text(encoding="utf-8") == "{ no"


@then("it is refused, naming both versions")
def check_versions(outcome):
    assert "version 3" in str(outcome)
    assert "up to 2" in str(outcome)


@then("the registry still reads the same")
def check_same(registry, newer):
    assert registry.read_bytes() == newer
