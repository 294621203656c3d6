"""Steps of features/agents/definitions.feature."""

from __future__ import annotations

import json

from pytest_bdd import given, parsers, when

from steps.implementation import Refusal
from steps.vocabulary import ACTIONS, phrase

BUILT_IN = {"build", "plan", "general", "explore"}
VARIABLES = {"OpenCode": "XDG_CONFIG_HOME", "Claude Code": "CLAUDE_CONFIG_DIR"}
VERDICTS = {action: words for words, action in ACTIONS.items()}


@given(parsers.re(r'the (?P<whose>user\'s )?file "(?P<file>[^"]*)" says "(?P<text>[^"]*)"'))
def file_says(machine, whose, file, text):
    """In a file of JSON single quotation marks are double ones."""
    path = (machine.home if whose else machine.project) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    text = text.replace("\\n", "\n")
    path.write_text(text.replace("'", '"') if path.suffix in {".json", ".jsonc"} else text, encoding="utf-8")


@given(parsers.re(r'the folder of (?P<whose>the agent|OpenCode|Claude Code) is "(?P<folder>[^"]*)"'))
def folder_is(machine, whose, folder):
    """The agent works in a folder of the project; a variable moves the user's folder of a system."""
    if whose in VARIABLES:
        machine.set(VARIABLES[whose], machine.home / folder)
        return
    (machine.project / folder).mkdir(parents=True, exist_ok=True)
    machine.enter(machine.project / folder)


@when(
    parsers.re(r'brim checks whether "(?P<agent>[^"]*)" may use "(?P<use>[^"]*)"(?:, called by "(?P<caller>[^"]*)")?'),
    target_fixture="outcome",
)
def check(machine, agent, use, caller):
    called = ("--called-by", caller) if caller else ()
    return VERDICTS[
        json.loads(machine.run("agents", "check", use, "--agent", agent, *called, "--json").out)["decision"]
    ]


@when(phrase('brim shows the agent "{name:Quoted}"'), target_fixture="outcome")
def show(machine, name):
    answer = machine.run("agents", "show", name, "--json")
    if answer.code:
        return Refusal("refused", answer.error.rstrip("\n"))
    shown = answer.json
    return shown | {"tools": "all" if shown["tools"] is None else shown["tools"], "error": answer.error}


@when("brim lists the agents", target_fixture="outcome")
def list_agents(machine):
    """Whatever is wrong with others, the agents that are built in are listed."""
    answer = machine.run("agents", "list", "--json")
    assert {one["name"] for one in json.loads(answer.out)["agents"]} >= BUILT_IN
    return {"error": answer.error}
