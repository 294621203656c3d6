"""Steps of features/agents/definitions.feature."""

from __future__ import annotations

import json

from pytest_bdd import given, then, when

from steps.agents.permissions import phrase

BUILT_IN = {"build", "plan", "general", "explore"}
NOTHING = {"tools": "all", "model": ""}
"""What it is where nothing is said of it."""


def put(folder, file, text):
    """Write a file; in one of JSON single quotation marks are double ones."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("'", '"') if path.suffix == ".json" else text, encoding="utf-8")


@given(phrase('the file "{file:Quoted}" says "{text:Written}"'))
def project_file(machine, file, text):
    put(machine.project, file, text)


@given(phrase('the user\'s file "{file:Quoted}" says "{text:Written}"'))
def user_file(machine, file, text):
    put(machine.home, file, text)


@when(phrase('brim checks whether "{agent:Quoted}" may use "{use:Written}"'), target_fixture="outcome")
def check(machine, agent, use):
    return json.loads(machine.run("agents", "check", use, "--agent", agent, "--json").out)["decision"]


@when(
    phrase('brim checks whether "{agent:Quoted}" may use "{use:Written}", called by "{caller:Quoted}"'),
    target_fixture="outcome",
)
def check_called(machine, agent, use, caller):
    arguments = ("agents", "check", use, "--agent", agent, "--called-by", caller, "--json")
    return json.loads(machine.run(*arguments).out)["decision"]


@then(phrase("the use is {expected:Decision}"))
def verdict(outcome, expected):
    assert outcome == expected


@when(phrase('brim shows the agent "{name:Quoted}"'), target_fixture="answer")
def show(machine, name):
    return machine.run("agents", "show", name, "--json")


@then(phrase('its {field} is "{value:Quoted}"'))
def field_is(answer, field, value):
    shown = answer.json[field]
    assert (NOTHING[field] if shown is None else shown) == (value.split(", ") if isinstance(shown, list) else value)


@when("brim lists the agents", target_fixture="answer")
def list_agents(machine):
    return machine.run("agents", "list", "--json")


@then(phrase('it says "{fault:Quoted}"'))
def says(answer, fault):
    assert fault in answer.error


@then("the agents that are built in are listed")
def listed(answer):
    assert {one["name"] for one in json.loads(answer.out)["agents"]} >= BUILT_IN


@then(phrase('it is refused, and the agents "{names:Quoted}" are named'))
def refused(answer, names):
    assert (answer.code, answer.error.endswith(f"there are: {names}\n")) == (1, True)
