"""Steps of features/cli/latest.feature."""

from __future__ import annotations

from pathlib import Path

from pytest_bdd import given, then, when

from steps.kept_sessions import TOOLS, at, write
from steps.vocabulary import phrase


@given(phrase('the session "{name:Quoted}" was written to at {clock}'))
def write_again(written, name, clock):
    at(written[name], clock)


@given(phrase('the variable "{variable:Quoted}" names a folder with one session of {tool}, "{name:Quoted}"'))
def move_home(machine, variable, tool, name):
    machine.set(variable, machine.home / "moved")
    TOOLS[tool][0](machine.home / "moved", name, "/home/dev/other", child=False)


NO_SESSION = {
    "an empty file": (),
    "a title alone": ({"type": "summary", "summary": "Tides", "leafUuid": "u1"},),
    "a snapshot of files": ({"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"messageId": "u1"}},),
}

CUT = {
    "half a message": '{"type": "user", "message": {"role": "user", "content": "Where is the pa',
    "no JSON": "\N{REPLACEMENT CHARACTER}\0 none",
    "a cut title": '{"type": "summary", "summ',
}


@given(phrase('{what} of Claude Code of "{project:Quoted}" at {clock}'))
def write_no_session(machine, what, project, clock):
    path = machine.home / ".claude" / "projects" / project.replace("/", "-") / "nine.jsonl"
    file = write(path, *NO_SESSION.get(what, ()))
    if what in CUT:
        file.write_text(CUT[what], encoding="utf-8")
    at(file, clock)


@given(phrase('the folder "{folder:Quoted}" of another tool'))
def make_folder(machine, folder):
    (machine.home / folder).mkdir(parents=True)


@when(phrase('brim inspects the latest session of "{project:Quoted}"'), target_fixture="answer")
def inspect(machine, project):
    return machine.run("inspect", "--latest", *filter(None, [project]))


@when(phrase('brim compacts the latest session of "{project:Quoted}"'), target_fixture="answer")
def compact(machine, project):
    return machine.run("compact", "--latest", project)


@when(phrase('brim inspects with "{arguments:Quoted}"'), target_fixture="answer")
def inspect_with(machine, arguments):
    return machine.run("inspect", *arguments.split())


@then(phrase('it is the session "{name:Quoted}" of {tool}'))
def check_session(answer, name, tool):
    assert answer.code == 0, answer.error
    file, told = answer.out.splitlines()[:2]
    assert Path(file).stem.endswith(name) or file.endswith(f"#ses_{name}")
    assert told.startswith(TOOLS[tool][2])
