"""Unchanged agents of other makers behind `brim serve`: each finishes a task that its model's window does not hold."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from brim.testing import MessagesServer, text_block, tool_call
from steps.prerequisites import mini_swe_agent, npm_path, npm_program
from tests.serve.proxies import MODEL, SUMMARY
from tests.serve.test_server import command

pytestmark = pytest.mark.nightly
WINDOW = 8_000
STEPS = 40
TASK = "Write the numbers from 1 to 40 into tally.txt, one command each. Never skip a number."
EACH = [
    pytest.param("mini-swe-agent", marks=pytest.mark.mini_swe_agent),
    pytest.param("pi", marks=pytest.mark.pi),
]


class Model:
    """Writes one number after the other, summarizes when it is asked to, and ends as the agent wants it to."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []
        self.summaries = self.step = 0

    def __call__(self, body: Mapping[str, Any]) -> Any:
        """Answer a request that the server accepted."""
        if self.asked and body["max_tokens"] != self.asked[0]["max_tokens"]:
            self.summaries += 1
            return SUMMARY
        self.asked.append(body)
        self.step += 1
        if self.step <= STEPS:
            line = f"echo {self.step} >> tally.txt; seq {self.step} {self.step + 300}"
            return [text_block(f"Number {self.step}."), tool_call("bash", {"command": line})]
        if "COMPLETE_TASK" in json.dumps(body):
            return [tool_call("bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"})]
        return "All numbers are written."


def run(agent: str, home: Path, url: str, key: str) -> subprocess.CompletedProcess[str]:
    """The agent at work in its project, asking an address."""
    project = home / "project"
    project.mkdir(parents=True)
    environment = {"PATH": npm_path(), "HOME": str(home), "ANTHROPIC_API_KEY": key}
    if agent == "pi":
        settings = home / ".pi" / "agent"
        settings.mkdir(parents=True)
        (settings / "models.json").write_text(json.dumps({"providers": {"anthropic": {"baseUrl": url}}}))
        typed = [str(npm_program("pi")), "--offline", "--model", f"anthropic/{MODEL}", "-p", TASK]
    else:
        own = {"MSWEA_COST_TRACKING": "ignore_errors", "MSWEA_CONFIGURED": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        environment |= {"ANTHROPIC_API_BASE": url, "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "1", **own}
        mini = Path(str(mini_swe_agent())).with_name("mini")
        typed = [str(mini), "-y", "--exit-immediately", "-m", f"anthropic/{MODEL}", "-t", TASK]
    return subprocess.run(
        typed, env=environment, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        timeout=600,
    )  # fmt: skip


def tally(home: Path) -> list[str]:
    """What the agent wrote."""
    return (home / "project" / "tally.txt").read_text().split()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("agent", EACH)
def test_an_agent_finishes_in_a_window_of_8_000_behind_the_proxy(agent: str, tmp_path: Path) -> None:
    """Without it the server refuses a request before the task is done; with it none, and each has the user's words."""
    model = Model()
    with MessagesServer(default=model, models={MODEL: (WINDOW, 128_000)}) as server:
        ended = run(agent, tmp_path / "without", server.url, server.key)
    assert len(server.requests) > len(model.asked) + model.summaries, ended.stdout + ended.stderr
    assert 0 < len(tally(tmp_path / "without")) < STEPS

    model = Model()
    with MessagesServer(default=model, models={MODEL: (WINDOW, 128_000)}) as server:
        with command("--upstream", server.url, "--window", str(WINDOW)) as (url, _):
            ended = run(agent, tmp_path / "with", url, server.key)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert tally(tmp_path / "with") == [str(number) for number in range(1, STEPS + 1)]
    assert len(model.asked) == STEPS + 1
    assert model.summaries >= 1
    asked = [one for one in server.requests if one.path == "/v1/messages"]
    assert len(asked) == len(model.asked) + model.summaries
    assert [body for body in model.asked if TASK not in json.dumps(body)] == []
