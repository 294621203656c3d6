"""Steps of features/cli/replay.feature."""

from __future__ import annotations

import json
import re

from pytest_bdd import given, then, when

from steps.recorded_sessions import write_session
from steps.vocabulary import phrase

READS = [20_020 + number * 2_100 for number in range(6)]
HARBOR = [
    {"record": "response", "read": str(read), "cached": str(before), "wrote": "100", "result": "8000"}
    for before, read in zip([0, *READS], READS, strict=False)
]


def write(folder, name, rows, version="2.1.38", **more):
    """Write a session under a name."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write_session(path.parent, rows, version, name=path.stem, **more)


@given(phrase('recorded sessions "{names:Quoted}"'))
def recorded(machine, names):
    for name in names.split(", "):
        write(machine.project, name, HARBOR)


@given(phrase('recorded sessions "{names:Quoted}" of the model "{model:Quoted}"'))
def recorded_of_a_model(machine, names, model):
    for name in names.split(", "):
        write(machine.project, name, HARBOR, model=model)


@given(phrase('recorded sessions "{names:Quoted}" in the home folder'))
def recorded_at_home(machine, names):
    write(machine.home, names, HARBOR)


@given(phrase('a session "{name:Quoted}" that compacts by itself at {held:Tokens} tokens'))
def compacting(machine, name, held):
    reads = (120_000, held - 110)
    rows = [{"record": "response", "read": str(read), "wrote": "100"} for read in reads]
    after = {"record": "response", "read": "30000", "wrote": "100"}
    write(machine.project, name, [*rows, {"record": "automatic compaction", "read": str(held)}, after], "2.1.17")


@given(phrase('a file "{name:Quoted}" that sets a threshold of {count:Tokens} tokens'))
def policy_file(machine, name, count):
    machine.write(name, f"[compaction]\nthreshold = {count}\n")


@given(phrase('files "{names:Quoted}" that are no transcripts'))
def no_transcripts(machine, names):
    for name in names.split(", "):
        machine.write(name, '{"list": "of ropes"}')


@given(phrase('a file "{name:Quoted}" of a run that was interrupted after "{done:Quoted}"'))
def interrupted(machine, name, done):
    failed = {"file": "talks/c.jsonl", "error": "it could not be replayed"}
    assert machine.run("replay", done, "--profiles", "usable", "-o", name).code == 0
    whole = json.loads((machine.project / name).read_text())
    lines = [json.dumps({**whole, "policies": []}), json.dumps(failed), '{"file": "talks/a.js']
    machine.write(name, "\n".join(lines))


@given(phrase('brim has replayed "{arguments:Quoted}"'))
def replay_before(machine, arguments):
    assert machine.run("replay", *arguments.split()).code == 0


@given(phrase('brim has replayed "{arguments:Quoted}" and ended with {code:Count}'))
def replay_and_fail(machine, arguments, code):
    assert machine.run("replay", *arguments.split()).code == code


@given(phrase('"{name:Quoted}" has {count:Count} responses more since'))
def grow(machine, name, count):
    more = {"record": "response", "read": "40000", "wrote": "100", "result": "8000"}
    write(machine.project, name, [*HARBOR, *[more] * count])


@when(phrase('brim replays "{arguments:Quoted}"'), target_fixture="answer")
def run(machine, arguments):
    return machine.run("replay", *arguments.split())


@then(phrase('stderr names "{names:Quoted}"'))
def check_named(answer, names):
    lines = answer.error.splitlines()
    assert all(any(line.startswith(f"brim: {name} is of no format") for line in lines) for name in names.split(", "))


@then(phrase('the page shows "{texts:Quoted}" and the sentence "{text:Quoted}"'))
def check_page(answer, texts, text):
    assert all(one in answer.out for one in texts.split(", "))
    assert text in " ".join(answer.out.split())


def rows_together(answer):
    """The rows of the table over all transcripts, each a list of its cells."""
    _, _, below = answer.out.partition(" together\n")
    lines = below.partition("\n*")[0].splitlines()
    return [re.split(r"\s{2,}", line.strip()) for line in lines if re.search(r"\S {2,}\S", line)]


@then("the table of all transcripts has the rows")
def check_rows_together(answer, datatable):
    assert rows_together(answer) == datatable


@then(phrase('the table of all transcripts has the rows "{names:Quoted}"'))
def check_names_together(answer, names):
    assert [name for name, *_ in rows_together(answer)[1:]] == names.split(", ")


def answers(answer):
    """The answers, a line each, in the order of their files."""
    return sorted(map(json.loads, answer.out.splitlines()), key=lambda one: one["file"])


@then(phrase('the answer is a line for "{name:Quoted}" with the policies "{names:Quoted}"'))
def check_policies(answer, name, names):
    (made,) = answers(answer)
    assert (made["file"], [one["name"] for one in made["policies"]]) == (name, names.split(", "))


@then(phrase('the answer is a line for "{name:Quoted}" with all policies'))
def check_all_policies(machine, answer, name):
    (made,) = answers(answer)
    assert made["file"] == str(machine.home / name)
    assert len(made["policies"]) > 7


@then(phrase('compactions of "{name:Quoted}" are after the responses "{responses:Quoted}"'))
def check_compactions(answer, name, responses):
    (found,) = (one for one in answers(answer)[0]["policies"] if one["name"] == name)
    assert ", ".join(str(one["response"]) for one in found["compactions"]) == responses


@then(phrase('the answers are those of "{names:Quoted}"'))
def check_files(answer, names):
    assert [one["file"] for one in answers(answer)] == names.split(", ")
    assert all(("error" in one) != ("policies" in one) for one in answers(answer))


@then(phrase('the file "{name:Quoted}" holds "{names:Quoted}", and "{done:Quoted}" as it was'))
def check_written(machine, name, names, done):
    lines = [*map(json.loads, (machine.project / name).read_text().splitlines())]
    made = {one["file"]: one for one in lines if "error" not in one}
    assert sorted(made) == names.split(", ")
    assert made[done]["policies"] == []
    assert all(one["policies"] for file, one in made.items() if file != done)


@then(phrase('the lines of "{name:Quoted}" are of "{names:Quoted}" with the responses "{counts:Quoted}"'))
def check_lines(machine, name, names, counts):
    lines = sorted(map(json.loads, (machine.project / name).read_text().splitlines()), key=lambda one: one["file"])
    assert [(one["file"], str(one.get("responses", "none"))) for one in lines] == [
        *zip(names.split(", "), counts.split(", "), strict=True)
    ]


@then(
    phrase(
        'the check of "{name:Quoted}" predicts a compaction after response {response:Count} at {held:Tokens} of '
        "{threshold:Tokens} tokens, as recorded"
    )
)
def check_check(answer, name, response, held, threshold):
    (made,) = answers(answer)
    assert made["file"] == name
    assert (made["predicted"], made["threshold"]) == ([{"response": response, "held": held}], threshold)
    assert [(one["response"], one["held"], one["trigger"]) for one in made["recorded"]] == [(response, held, "auto")]
    assert (made["missed"], made["early"]) == ([], [])
