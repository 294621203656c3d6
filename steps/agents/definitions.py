"""Steps of features/agents/definitions.feature."""

from __future__ import annotations

import json

from pytest_bdd import given, then, when

from steps.agents.permissions import phrase

BUILT_IN = {"build", "plan", "general", "explore"}
VARIABLES = {"OpenCode": "XDG_CONFIG_HOME", "Claude Code": "CLAUDE_CONFIG_DIR"}
NOTHING = {"tools": "all", "model": ""}
"""What it is where nothing is said of it."""


def put(folder, file, text):
    """Write a file; in one of JSON single quotation marks are double ones."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("'", '"') if path.suffix in {".json", ".jsonc"} else text, encoding="utf-8")


@given(phrase('the file "{file:Quoted}" says "{text:Written}"'))
def project_file(machine, file, text):
    put(machine.project, file, text)


@given(
    phrase('the file "{file:Quoted}" says an agent "{name:Quoted}" with a number of {digits:Count} digits as its model')
)
def with_long_number(machine, file, name, digits):
    put(machine.project, file, f"{{'agent': {{'{name}': {{'model': {'1' * digits}}}}}}}")


@given(phrase('the file "{file:Quoted}" says an agent "{name:Quoted}" with a description of {size:Count} characters'))
def with_long_description(machine, file, name, size):
    put(machine.project, file, f"---\nname: {name}\ndescription: {'x' * size}\n---\n")


@given(phrase('the user\'s file "{file:Quoted}" says "{text:Written}"'))
def user_file(machine, file, text):
    put(machine.home, file, text)


@given(phrase('the user moves the folder of {system} to "{folder:Quoted}"'))
def moved_folder(machine, system, folder):
    machine.set(VARIABLES[system], machine.home / folder)


@given(phrase('the agent works in "{folder:Quoted}" of the project'))
def works_below(machine, folder):
    (machine.project / folder).mkdir(parents=True, exist_ok=True)
    machine.enter(machine.project / folder)


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
