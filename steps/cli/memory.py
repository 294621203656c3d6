"""Steps of features/cli/memory.feature."""

from __future__ import annotations

import json
import shlex

from pytest_bdd import given, then, when

from steps.vocabulary import phrase


@given(phrase('the file "{name:Quoted}" holds the user\'s words "{text:Quoted}"'))
def write_transcript(machine, name, text):
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "I will."}]
    machine.write(name, json.dumps(messages))


@when(phrase('brim runs "{command:Quoted}"'), target_fixture="answer")
def run(machine, memory_files, command):
    return machine.run(*shlex.split(command))


@then(phrase("it ends with {code:Count} and prints"))
def check_page(answer, memory_files, code, docstring):
    assert answer.code == code, answer.error
    lines = [line.rstrip() for line in memory_files.named(answer.out).splitlines()]
    assert lines == docstring.replace("\\n", "\n").splitlines()


@then(phrase('standard error says "{words:Quoted}"'))
def check_error(answer, memory_files, words):
    assert memory_files.named(answer.error).startswith(words)


@then(phrase('there is no memory file "{name:Quoted}"'))
def check_absent(memory_files, name):
    assert not (memory_files.root / name).exists()
