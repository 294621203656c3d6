"""The examples in docs run as a reader would run them: on their own, without a key, to the end."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from steps.prerequisites import mini_swe_agent, sized
from tests.preloaded import Preloaded

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
RECORDING = {"record.py", "workspace.py"}
"""What makes the recorded session; it has tests of its own."""
MINI_SWE_AGENT = "mini_swe_agent.py"
"""It runs in an environment of its own: mini-swe-agent needs another version of the openai package."""
TESTED = "test_own_loop.py"
"""The tests of an example."""
LONGEST = 80
LIBRARIES = ("anthropic", "langchain.agents", "pydantic_ai", "brim.testing", "brim.engine.backends")
TELLS = {
    "back_ends.py": ["brim:", "provider:", "provider-clearing:", "The error is in part ten."],
    "compaction_control.py": ["compacted: ", "All eight tickets are answered."],
    "langchain_agent.py": ["Every file is read.", "by template"],
    "message_list.py": ["by the model:", "1 of 1 facts are present, 386 of 386 characters of the user's words"],
    "middleware.py": ["summary by model", "the list holds 61 messages"],
    "openai_loop.py": ["tokens became", "the first message is the system's"],
    "own_loop.py": ["compacted: ", "All are read.", "the conversation holds 62 messages"],
    "pydantic_ai_agent.py": ["Every file is read.", "by template"],
    "tool_runner.py": ["All notes are read.", "30 calls of the tool, 30 files"],
}
"""What each says, in this order or another."""


def test_every_example_is_run():
    """None stands there that nobody runs."""
    assert {path.name for path in EXAMPLES.glob("*.py")} - RECORDING - {MINI_SWE_AGENT, TESTED} == TELLS.keys()


def test_the_tests_of_an_example_run():
    """As its reader runs them: beside it, by pytest alone."""
    typed = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-c", os.devnull, TESTED]
    ran = subprocess.run(typed, cwd=EXAMPLES, capture_output=True, text=True, check=False)
    assert "2 passed" in ran.stdout, ran.stdout


@pytest.fixture(scope="module")
def libraries():
    """Runs an example with the libraries of all of them imported already; in the nightly run with none."""
    with Preloaded(*sized(LIBRARIES, nightly=())) as it:
        yield it


@pytest.mark.parametrize("name", TELLS)
def test_an_example_runs(libraries, name):
    """It ends well, says what it has to say, and warns of nothing."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ANTHROPIC_")}
    ran = libraries.run(EXAMPLES / name, environment=environment, strict=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [words for words in TELLS[name] if words not in ran.stdout] == []


@pytest.mark.nightly
@pytest.mark.mini_swe_agent
def test_mini_swe_agent_finishes_in_a_small_window(tmp_path):
    """50 steps, none of whose requests is above the window of 4,000 by the JSON that the model is sent."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(EXAMPLES.parents[1] / "src")}
    command = [str(mini_swe_agent()), str(EXAMPLES / MINI_SWE_AGENT)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "Submitted after 50 steps: counted\n" in ran.stdout
    assert int(re.search(r"the largest request held (\d+) tokens of 4000", ran.stdout)[1]) <= 4_000
    assert int(re.search(r"the last request held (\d+)", ran.stdout)[1]) < 60


def test_brim_is_added_to_mini_swe_agent_in_15_lines():
    """Those of the class that has the compactor, and the line that imports it."""
    tree = ast.parse((EXAMPLES / MINI_SWE_AGENT).read_text(encoding="utf-8"))
    (added,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    text = ast.unparse(added)
    assert "Compactor(" in text
    docs = sum(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in ast.walk(added))
    assert len([line for line in text.splitlines() if line.strip()]) - docs + 1 <= 15


@pytest.mark.parametrize("name", [*TELLS, MINI_SWE_AGENT])
def test_an_example_is_short(name):
    """Whoever reads it sees it whole."""
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) <= LONGEST
