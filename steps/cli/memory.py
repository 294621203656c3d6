"""Steps of features/cli/memory.feature."""

from __future__ import annotations

import json
import shlex

import pytest
from pytest_bdd import given, then, when

from brim import Compactor, ModelLimits
from brim.sessions import open_store
from brim.sessions.paths import default_root
from steps.vocabulary import phrase


@given(phrase('the file "{name:Quoted}" holds the user\'s words "{text:Quoted}"'))
def write_transcript(machine, name, text):
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "I will."}]
    machine.write(name, json.dumps(messages))


@given(
    phrase('a session of brim in which the user says "{text:Quoted}", which is compacted'), target_fixture="recorded"
)
def compacted_session(machine, text):
    limits = ModelLimits(context_window=6_000, max_output_tokens=1_000)
    with open_store(default_root()).create(project=str(machine.project)) as session:
        session.append({"role": "user", "content": text})
        for number in range(20):
            session.append({"role": "assistant", "content": f"Pier {number} stands."})
            session.append({"role": "user", "content": f"Build pier {number + 1}. " + "Mind the tide. " * 60})
        session.append({"role": "assistant", "content": "All piers stand."})
        session.compacted(Compactor(limits=limits).compact(session.view().window(limits)))
        assert text not in [message.raw["content"] for message in session.view().messages]
        yield session


@given(phrase('the user says "{text:Quoted}" there, which is rewound'))
def rewound(recorded, text):
    last = recorded.append({"role": "user", "content": "Go on."})
    recorded.append({"role": "user", "content": text})
    recorded.rewind(last)


@pytest.fixture
def recorded():
    """No session of brim."""


@when(phrase('brim runs "{command:Quoted}"'), target_fixture="answer")
def run(machine, memory_files, recorded, command):
    return machine.run(*shlex.split(command.replace("<session>", recorded.id if recorded else "")))


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
