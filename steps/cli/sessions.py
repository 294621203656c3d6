"""Steps of features/cli/sessions.feature."""

from __future__ import annotations

import json

import pytest
from pytest_bdd import given, then, when

from brim.conversation.messages import CONTINUATION
from brim.sessions import open_store
from brim.testing import MessagesServer
from steps.compaction_windows import raw_turns
from steps.sessions.locking import writer
from steps.stored_sessions import Folder, tool_turn, user
from steps.vocabulary import phrase


@given(phrase('{count:Count} sessions of the project "{project:Quoted}"'), target_fixture="made")
def make_sessions(machine, count, project):
    store = open_store()
    made = []
    for number in range(count):
        with store.create(project=project, title=f"Session {number}") as session:
            made.append(session.id)
    return sorted(made)  # those of one millisecond are listed by their ids


@when(phrase('brim lists the sessions with "{flags:Quoted}"'), target_fixture="answer")
def list_sessions(machine, flags):
    machine.set("COLUMNS", 400)
    return machine.run("sessions", "list", *flags.split())


@then(phrase("the page names the newest {count:Count}"))
def check_listed(answer, made, count):
    listed = [line.split()[0] for line in answer.out.splitlines()]
    assert [name for name in listed if name in made] == made[::-1][:count]


@then(phrase('the last line begins with "{text:Quoted}"'))
def check_last_line(answer, text):
    assert answer.out.splitlines()[-1].startswith(text)


@then(phrase('with "{flags:Quoted}" as JSON the same are listed, and {count:Count} more are counted'))
def check_json(machine, made, answer, flags, count):
    told = machine.run("sessions", "list", "--json", *flags.split()).json
    assert [one["id"] for one in told["sessions"]] == [name for name in made[::-1] if name in answer.out]
    assert told["more"] == count


@pytest.fixture
def place(machine, tmp_path):
    """The folder where the user's sessions live."""
    folder = Folder(tmp_path / "stores")
    machine.set("BRIM_HOME", folder.where)
    return folder


@pytest.fixture
def page(answer):
    """What the command printed for a person."""
    assert answer.code == 0, answer.error
    return answer.out


@pytest.fixture
def on_it(machine, shelf):
    """Runs a command on the session, on lines that are wide enough."""

    def run(command, *arguments):
        machine.set("COLUMNS", 400)
        return machine.run("sessions", command, shelf.name, *arguments)

    return run


@given(phrase("a session of 1 question of {count:Count} words"))
def store_question(shelf, count):
    shelf.make([{"role": "user", "content": "word " * count}])


@given("a session of 1 long turn")
def store_turn(shelf):
    store_turns(shelf, 1)


@given(phrase("a session of {count:Count} long turns"))
def store_turns(shelf, count):
    shelf.make(raw_turns(count, 5_000) if count else [], model="claude-sonnet-5-5")


@given(phrase("a session of {count:Count} long turns that another process writes"))
def store_held(shelf, count):
    store_turns(shelf, count)
    with writer(shelf):
        yield


@given(phrase('a provider that answers "{text:Quoted}"'), target_fixture="provider")
def start_provider(machine, monkeypatch, text):
    monkeypatch.setattr("brim.summary.attempts.WAITS_MS", (0, 0, 0))
    with MessagesServer(default=text) as server:
        machine.set("ANTHROPIC_BASE_URL", server.url)
        machine.set("ANTHROPIC_API_KEY", "sk-ant-test")
        yield server


@when(phrase('brim compacts the session with "{flags:Quoted}"'), target_fixture="answer")
def compact(on_it, flags):
    return on_it("compact", *flags.split())


@when(phrase('brim compacts the session with "{flags:Quoted}" and as JSON'), target_fixture="told")
def compact_for_programs(on_it, flags):
    return on_it("compact", "--json", *flags.split()).json


@when(phrase('brim shows it with "{flags:Quoted}"'), target_fixture="pages")
def show_with(on_it, flags):
    return {"session": on_it("show", *flags.split()).out}


@when(phrase('brim compacts the session with "{flags:Quoted}" and then undoes it'))
def compact_and_undo(on_it, flags):
    assert on_it("compact", *flags.split()).code == 0
    assert on_it("undo").code == 0


@when(phrase('brim compacts the session with "{flags:Quoted}" and shows it'), target_fixture="pages")
def compact_and_show(on_it, flags):
    return {name: on_it(act, *flags.split()).out for name, act in [("compaction", "compact"), ("session", "show")]}


@then(phrase('the page of the {name} says "{text:Quoted}"'))
def check_one_page(pages, name, text):
    assert text in pages[name]


@when(phrase('brim compacts the session "{name:Quoted}"'), target_fixture="answer")
def compact_named(machine, name):
    return machine.run("sessions", "compact", name)


@then(phrase("the model sees {count:Count} messages, the first of them a summary"))
def check_compacted(shelf, count):
    assert [message.marks.summary for message in shelf.view().messages] == [True, *[False] * (count - 1)]


@then(phrase('its {figure} is "{value:Quoted}"'))
def check_figure(told, figure, value):
    found = told[figure.replace(" ", "_")]
    assert (f"{found:,}" if isinstance(found, int) else found) == value


@then(phrase('the provider was asked once, about "{text:Quoted}"'))
def check_asked(provider, text):
    (request,) = provider.requests
    assert text in str(request.body["messages"][-1])


@then("brim sessions show lists a failed compaction")
def check_failed(on_it):
    assert [one["state"] for one in on_it("show", "--json").json["changes"]] == ["failed"]


@given(phrase('the sessions "{first:Quoted}" and "{second:Quoted}"'))
def store_named(shelf, first, second):
    for name in (first, second):
        with shelf.store.create(name=name) as session:
            session.append({"role": "user", "content": "Hello."})


@given(phrase('a file "{file:Quoted}"'))
def make_file(machine, file):
    machine.write(file, "{}")


@when(phrase('brim shows the session "{name:Quoted}"'), target_fixture="answer")
def show_named(machine, name):
    return machine.run("sessions", "show", "--", name)


@when(phrase('brim lists the sessions in the store "{store:Quoted}"'), target_fixture="answer")
def list_elsewhere(machine, store):
    machine.set("COLUMNS", 400)
    return machine.run("sessions", "list", "--store", store)


@when(phrase('brim searches "{words:Quoted}" in the store "{store:Quoted}"'), target_fixture="answer")
def search_elsewhere(machine, words, store):
    machine.set("COLUMNS", 400)
    return machine.run("sessions", "search", words, "--store", store)


@when(phrase('brim searches "{words:Quoted}" in the project "{project:Quoted}"'), target_fixture="answer")
def search_project(machine, words, project):
    return machine.run("sessions", "search", words, "--project", project, "--json")


@then(phrase('the store "{store:Quoted}" was not made'))
def check_not_made(machine, store):
    assert not (machine.project / store).exists()


@then(phrase('its notes are "{notes:Quoted}"'))
def check_notes(answer, notes):
    assert "; ".join(answer.json["notes"]) == notes


@given(phrase("a session of {count:Count} long turns with a title of {length:Count} characters"))
def store_titled(shelf, count, length):
    shelf.make(raw_turns(count, 5_000), title="x" * length)


@when(phrase('brim runs "{command:Quoted}" on the session in {columns:Count} columns'), target_fixture="answer")
def run_on_session(machine, shelf, command, columns):
    machine.set("COLUMNS", columns)
    name, *flags = command.split()
    if name == "search":
        return machine.run("sessions", name, *flags, shelf.name)
    return machine.run("sessions", name, shelf.name, *flags)


@then(phrase("the title takes {columns:Count} columns at most"))
def check_title(page, columns):
    (title,) = (line for line in page.splitlines() if line.startswith("xxx"))
    assert len(title) <= columns


@given(phrase('a session in which a tool answered "{words:Quoted}"'))
def store_tool(shelf, words):
    shelf.make(tool_turn("A", words))


@given("a session that ends with a continuation of brim's")
def store_continuation(shelf):
    shelf.make([*raw_turns(1, 10), user(CONTINUATION)])


@when(phrase('brim searches the session for "{words:Quoted}" with "{flags:Quoted}"'), target_fixture="answer")
def search_session(machine, shelf, words, flags):
    return machine.run("sessions", "search", words, "--session", shelf.name, *flags.split())


@then(phrase('with "{flags:Quoted}" as JSON {count:Count} more are counted'))
def check_more(machine, shelf, flags, count):
    told = machine.run("sessions", "search", "matter", "--session", shelf.name, "--json", *flags.split()).json
    assert told["more"] == count


@given(phrase('a recording by Claude Code that begins with "{text:Quoted}"'), target_fixture="recorded")
def record_claude_code(text):
    said = {"type": "user", "uuid": "1", "sessionId": "s", "message": user(text)}
    answer = {"role": "assistant", "id": "m", "content": [{"type": "text", "text": "Yes."}]}
    return [said, {"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s", "message": answer}]


@given(phrase('its user called it "{titles:Quoted}"'))
def title_it(recorded, titles):
    titled = filter(None, titles.split(", "))
    recorded += [{"type": "custom-title", "customTitle": title, "sessionId": "s"} for title in titled]


@when("brim imports it", target_fixture="answer")
def import_recorded(machine, place, recorded):
    file = machine.write("recorded.jsonl", "".join(f"{json.dumps(record)}\n" for record in recorded))
    machine.set("COLUMNS", 400)
    return machine.run("sessions", "import", file)
