"""`pytest features/ --implementation COMMAND` holds the portable scenarios against a program, and nothing else."""

from __future__ import annotations

import sys
from decimal import Decimal

import pytest

from steps.implementation import Refusal, perform_by, perform_directly
from steps.program import Program

pytest_plugins = ["pytester"]

CONFTEST = "from steps.implementation import *\n"

SCENARIOS = """
import pytest

@pytest.mark.portable
@pytest.mark.parametrize("size", [1, 2])
def test_echo(implementation, size):
    assert implementation("echo", size=size) == {"size": size}

@pytest.mark.portable
def test_rare(implementation):
    assert implementation("rare") == {}

def test_of_brim_alone(implementation):
    assert implementation.__name__ == "perform_directly"
"""

PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["operation"] == "echo":
        told = {"output": asked["input"]}
    else:
        told = {"error": {"kind": "unknown_operation", "message": "not yet"}}
    print(json.dumps({"id": asked["id"], **told}), flush=True)
"""


@pytest.fixture
def rulebook(pytester, monkeypatch, pytestconfig):
    """A project with two portable scenarios and one that is not."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", f"{pytestconfig.rootpath}:{pytestconfig.rootpath / 'src'}")
    pytester.makeini("[pytest]\nmarkers =\n    portable\naddopts = --strict-markers\nfilterwarnings = error\n")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_scenarios=SCENARIOS, program=PROGRAM)
    return pytester


def test_without_a_program_all_run_against_brim(rulebook):
    """The scenarios that are not portable run too; brim has no operation called echo."""
    rulebook.runpytest_subprocess("-k", "alone").assert_outcomes(passed=1, deselected=3)


def test_with_a_program_only_portable_scenarios_run(rulebook):
    """What it does not know is skipped, and named with how often it was wanted; the rest is left out."""
    result = rulebook.runpytest_subprocess("--implementation", f"{sys.executable} program.py", "-rs")
    result.assert_outcomes(passed=2, skipped=1, deselected=1)
    result.stdout.fnmatch_lines(["*does not know 1 of the operations: rare (1)*", "*unknown operation: rare*"])


def test_a_faulty_program_fails_the_scenario(rulebook):
    """Not an error of the harness, and no trace of it: what the program did."""
    result = rulebook.runpytest_subprocess("--implementation", f"{sys.executable} -c 1/0")
    result.assert_outcomes(failed=3, deselected=1)
    result.stdout.fnmatch_lines(["*ended with exit status 1 in place of an answer*", "*ZeroDivisionError*"])


def test_a_failing_example_shows_what_was_asked_and_answered(rulebook):
    """Each request with its answer, as lines; an example that passes shows them with -rP."""
    wrong = PROGRAM.replace('asked["input"]', '{"size": 1}')
    rulebook.makepyfile(program=wrong)
    result = rulebook.runpytest_subprocess("--implementation", f"{sys.executable} program.py", "-rP", "-k", "echo")
    result.assert_outcomes(passed=1, failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        ["*FAILURES*", '→ *"operation": "echo", "input": {"size": 2}}', '← *"output": {"size": 1}}', "*PASSES*"]
    )
    result.stdout.fnmatch_lines(["*PASSES*", '→ *"input": {"size": 1}}', '← *"output": {"size": 1}}'])


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("", "there is no program"),
        ("no-such-program x", "no program 'no-such-program'"),
        ("'x", "No closing quotation"),
    ],
)
def test_a_command_that_cannot_be_is_wrong_usage(rulebook, command, told):
    """It is told once, before anything runs."""
    result = rulebook.runpytest_subprocess("--implementation", command)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{told}*"])


def test_no_shell_reads_the_command(rulebook):
    """A semicolon is a character."""
    result = rulebook.runpytest_subprocess("--implementation", f"{sys.executable} program.py ; touch made")
    result.assert_outcomes(passed=2, skipped=1, deselected=1)
    assert not (rulebook.path / "made").exists()


def test_brim_and_a_program_are_answered_alike(share_of, tmp_path):
    """No step can tell a direct call from the way through a program: the values are of the same types."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace('asked["input"]', '{"exact": 14.5, "whole": 14, "label": ""}'))
    program = Program([sys.executable, str(path)])
    direct = perform_directly("share_of", size=50, share=Decimal("0.29"))
    foreign = perform_by(program, print, "echo", size=50, share=Decimal("0.29"))
    program.close()
    assert direct == foreign
    assert {name: type(one) for name, one in direct.items()} == {name: type(one) for name, one in foreign.items()}


def test_refusals_are_values(share_of):
    """A rule's refusal and a form's are told apart by their kind."""
    assert perform_directly("share_of", size=0) == Refusal("refused", "nothing to share:\nsize 0, give at least 1")
    assert perform_directly("share_of", size=-1).kind == "invalid_input"
