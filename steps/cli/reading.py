"""Steps of features/cli/reading.feature."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_bdd import given, then, when

from steps.cli.limits import TOOLS
from steps.command_line import WINDOW
from steps.vocabulary import phrase

RECORDED = Path(__file__).parents[2] / "docs" / "examples" / "recorded-session.jsonl"


@given(phrase("a transcript file of {kind}"), target_fixture="file")
def write_transcript(machine, kind):
    if kind == "recorded messages":
        return RECORDED
    lines = TOOLS[kind]("gpt-5-codex", 0, 1_000)
    return machine.write("talk.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


@when(phrase("brim {command} reads it from standard input and from the file"), target_fixture="answers")
def read_both(machine, file, command):
    flags = (*WINDOW, "--json")
    piped = machine.run(command, "-", *flags, given=file.read_bytes())
    return [piped.json, machine.run(command, file, *flags).json]


@then(phrase("both answers are the same, and {count:Count} messages were read"))
def check_same(answers, count):
    assert answers[0] == answers[1]
    assert answers[0]["messages"] == count


@when("brim inspect prints the page of standard input", target_fixture="answer")
def read_page(machine, file):
    return machine.run("inspect", "-", given=file.read_bytes())


@then(phrase('the page names the format "{name:Quoted}"'))
def check_format(answer, name):
    assert answer.out.splitlines()[1] == name


@then(phrase('the page begins with "{text:Quoted}"'))
def check_page(answer, text):
    assert answer.out.startswith(f"{text}\n")


@when(phrase('brim inspect reads "{text:Quoted}" from standard input'), target_fixture="answer")
def read_text(machine, text):
    return machine.run("inspect", "-", given=text.replace("'", '"').encode())


@given("a Claude Code session whose second answer begins with a change of the model", target_fixture="file")
def write_changed_model(machine):
    changed = {"type": "fallback", "from": {"model": "claude-opus-5-5"}, "to": {"model": "claude-sonnet-5"}}
    contents = ["Go.", [{"type": "text", "text": "Yes."}], "On.", [changed, {"type": "text", "text": "Done."}]]
    records = [
        {"type": role, "uuid": str(number), "sessionId": "s", "message": {"role": role, "content": content}}
        for number, (role, content) in enumerate(zip(("user", "assistant") * 2, contents, strict=True))
    ]
    return machine.write("talk.jsonl", "".join(json.dumps(record) + "\n" for record in records))


@when("brim inspects it and compacts it into a file", target_fixture="inspected")
def inspect_and_compact(machine, file):
    machine.run("compact", file, *WINDOW, "-o", machine.home / "out.json", "--to", "anthropic")
    return machine.run("inspect", file, "--json").json


@then(phrase('{count:Count} "{kind:Quoted}" is left out'))
def check_left_out(inspected, count, kind):
    assert inspected["left_out"][kind] == count


@then(phrase('the file holds "{kind:Quoted}" blocks alone'))
def check_blocks(machine, kind):
    messages = json.loads((machine.home / "out.json").read_text())["messages"]
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    assert {block["type"] for block in blocks} == {kind}
