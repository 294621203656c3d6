"""Steps of features/cli/checkpoints.feature."""

from __future__ import annotations

import signal

import pytest
from pytest_bdd import given, then, when

from steps.file_cells import git
from steps.other_process import be_killed_restoring, ended
from steps.vocabulary import phrase


@pytest.fixture
def run(machine):
    """Runs `brim checkpoints` in the folder, on lines that are wide enough."""
    machine.set("COLUMNS", 400)
    (machine.project / ".git").rmdir()
    return lambda words: machine.run("checkpoints", *words.split())


@given(phrase('a folder with the file "{name:Quoted}"'))
def folder_with(run, machine, name):
    machine.write(name, "at first\n")


@given(phrase('brim checkpoints ran "{words:Quoted}"'))
def ran(run, words):
    answer = run(words)
    assert answer.code == 0, answer.error


@given(phrase('the file "{name:Quoted}" is changed in the folder'))
def change(machine, name):
    machine.write(name, "later\n")


@given(phrase('a file "{name:Quoted}" of {size:Count} bytes'))
def write_large(machine, name, size):
    machine.write(name, " " * size)


@given(phrase('{count:Count} files named "{name:Quoted}"'))
def write_several(machine, count, name):
    for number in range(1, count + 1):
        machine.write(f"{name}{number}", "new\n")


@given(phrase('a repository "{name:Quoted}"'))
def make_repository(machine, name):
    git(machine.project / name, "init")


@given(phrase('the user\'s file holds "{text:Quoted}"'))
def set_for_user(machine, text):
    machine.write(machine.user_file, text)


@given(phrase('the file "{name:Quoted}" in the folder holds "{text:Quoted}"'))
def write_in_folder(machine, name, text):
    machine.write(name, text)


@given(phrase('a restore of the checkpoint "{name:Quoted}" that was killed while it changed files'))
def kill(run, machine, name):
    assert run(f"create {name}").code == 0
    machine.write("notes", "later\n")
    assert ended(be_killed_restoring, name) == -signal.SIGKILL


@when(phrase('brim checkpoints runs "{words:Quoted}"'), target_fixture="answer")
def runs(run, words):
    return run(words)


@then(phrase('it does not print "{text:Quoted}"'))
def check_not_printed(answer, text):
    assert answer.code == 0, answer.error
    assert text not in answer.out


@then(phrase('it ends with {code:Count}, and prints "{text:Quoted}"'))
def check_printed(answer, code, text):
    assert (answer.code, text in answer.out) == (code, True), (answer.out, answer.error)


@then(phrase('stderr says that "{name:Quoted}" is ignored'))
def check_ignored(answer, name):
    assert f"sets {name}, which a project may not: ignored" in answer.error


@then(phrase('brim checkpoints "{words:Quoted}" prints "{text:Quoted}"'))
def check_prints(run, words, text):
    answer = run(words)
    assert text in answer.out, answer.error


@then(phrase('the file "{name:Quoted}" in the folder has "{text:Quoted}"'))
def check_file(machine, name, text):
    assert (machine.project / name).read_text() == f"{text}\n"
