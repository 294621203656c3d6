"""The examples in docs run as a reader would run them: on their own, without a key, to the end."""

import os
from pathlib import Path

import pytest

from steps.prerequisites import sized
from tests.preloaded import Preloaded

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
RECORDING = {"record.py", "workspace.py"}
"""What makes the recorded session; it has tests of its own."""
LONGEST = 80
TELLS = {
    "back_ends.py": ["brim:", "provider:", "provider-clearing:", "The error is in part ten."],
    "compaction_control.py": ["compacted: ", "All eight tickets are answered."],
    "langchain_agent.py": ["Every file is read.", "by template"],
    "message_list.py": ["by the model:", "100% of the facts survived"],
    "middleware.py": ["summary by model", "the list holds 61 messages"],
    "openai_loop.py": ["tokens became", "the first message is the system's"],
    "own_loop.py": ["tokens became", "the conversation holds 61 messages"],
    "pydantic_ai_agent.py": ["Every file is read.", "by template"],
    "tool_runner.py": ["All notes are read.", "30 calls of the tool, 30 files"],
}
"""What each says, in this order or another."""


def test_every_example_is_run():
    """None stands there that nobody runs."""
    assert {path.name for path in EXAMPLES.glob("*.py")} - RECORDING == TELLS.keys()


@pytest.fixture(scope="module")
def libraries():
    """Runs an example with the libraries of all of them imported already; in the nightly run with none."""
    with Preloaded(*sized(("anthropic", "langchain.agents", "pydantic_ai"), nightly=())) as it:
        yield it


@pytest.mark.parametrize("name", TELLS)
def test_an_example_runs(libraries, name):
    """It ends well, says what it has to say, and warns of nothing."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ANTHROPIC_")}
    ran = libraries.run(EXAMPLES / name, environment=environment, strict=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [words for words in TELLS[name] if words not in ran.stdout] == []


@pytest.mark.parametrize("name", TELLS)
def test_an_example_is_short(name):
    """Whoever reads it sees it whole."""
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) <= LONGEST
