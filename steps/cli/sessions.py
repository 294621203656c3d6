"""Steps of features/cli/sessions.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from brim.sessions import open_store
from steps.vocabulary import phrase


@given(phrase('{count:Count} sessions of the project "{project:Quoted}"'), target_fixture="made")
def make_sessions(machine, count, project):
    store = open_store()
    made = []
    for number in range(count):
        with store.create(project=project, title=f"Session {number}") as session:
            made.append(session.id)
    return made


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


@then(phrase('it ends with {code:Count}, and stderr says "{error:Quoted}"'))
def check_end(answer, code, error):
    assert (answer.code, error in answer.error) == (code, True), answer.error
