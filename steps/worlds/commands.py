"""The command `brim` in a project of its own, and the files there."""

from __future__ import annotations

import json
import shlex

from pytest_bdd import given, then, when

from steps.vocabulary import phrase


@given(phrase("a transcript of {held:Tokens} tokens"))
def write_transcript(machine, held):
    usage = {"input_tokens": held - 10, "output_tokens": 10}
    answer = {"role": "assistant", "content": "Done.", "model": "m", "usage": usage, "stop_reason": "end_turn"}
    machine.write("talk.json", json.dumps([{"role": "user", "content": "Go."}, answer]))


@given(phrase('"brim {words:Quoted}" was run'))
def was_run(machine, words):
    answer = machine.run(*shlex.split(words))
    assert answer.code == 0, answer.error


@when(phrase('"brim {words:Quoted}" runs'), target_fixture="answer")
def run(machine, words):
    return machine.run(*shlex.split(words))


@when(
    phrase('"brim {words:Quoted}" runs in a terminal where the user answers "{reply:Quoted}"'), target_fixture="answer"
)
def run_in_terminal(machine, words, reply):
    return machine.run_in_terminal(*shlex.split(words), typed="\x04" if reply == "Ctrl-D" else f"{reply}\n")


@then(phrase('it prints "{words:Quoted}"'))
def check_printed(answer, words):
    """However its lines are wrapped."""
    assert words in " ".join(answer.out.split()), answer
