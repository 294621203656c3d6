"""Steps of features/cli/agents.feature."""

from __future__ import annotations

import json
import shlex

from pytest_bdd import given, then, when

from steps.vocabulary import phrase


@given("Claude Code's settings of the project")
def settings_of_claude_code(machine, docstring):
    machine.write(".claude/settings.json", docstring)


@given("OpenCode's settings of the project")
def settings_of_opencode(machine, docstring):
    machine.write("opencode.json", docstring)


@given(phrase('the user prefers the permission mode "{mode:Quoted}"'))
def preferred_mode(machine, mode):
    machine.write(machine.user_file, f'[preferences]\npermission_mode = "{mode}"\n')


@when(phrase('brim checks "{use:Quoted}"'), target_fixture="answer")
def check(machine, use):
    return machine.run("agents", "check", use)


@when(phrase('brim checks "{use:Quoted}" with "{options:Quoted}"'), target_fixture="answer")
def check_with(machine, use, options):
    return machine.run("agents", "check", use, *shlex.split(options))


@when(phrase('brim checks "{use:Quoted}" as JSON'), target_fixture="answer")
def check_as_json(machine, use):
    return machine.run("agents", "check", use, "--json")


@then(phrase("the page says that it is {verdict}"))
def check_verdict(answer, verdict):
    assert answer.out.splitlines()[0].endswith(f": {verdict}")


@then(phrase('it names "{named:Quoted}"'))
def check_named(answer, named):
    assert named in " ".join(answer.out.split())


@then("the fields are")
def check_fields(answer, datatable):
    shown = json.loads(answer.out)
    assert [[name, shown[name]] for name, _ in datatable[1:]] == datatable[1:]
