"""Steps of features/hooks/prompt_checkpoints.feature."""

from __future__ import annotations

import json

import pytest
from pytest_bdd import given, then, when

from brim.hooks import events, prompt_checkpoints
from steps.hooked_sessions import answered
from steps.vocabulary import phrase
from steps.worlds.tables import check_rows

FOLDERS = ("cwd", "started in")


class ClaudeCodeProject:
    """A project that the user works on with Claude Code, whose hook makes checkpoints."""

    def __init__(self, machine) -> None:
        self.machine = machine

    def submit(self, fields: dict[str, str]):
        """Submit a prompt, and say what the hook adds."""
        named = {"session_id": "session-1", "cwd": str(self.machine.project), "prompt": "Go.", **fields}
        for name in FOLDERS:
            if (named.get(name) or "/")[0] != "/" and named[name] != "none":
                named[name] = str(self.machine.root / named[name])
        for name, variable in (("started in", "CLAUDE_PROJECT_DIR"), ("PATH", "PATH")):
            if value := named.pop(name, ""):
                self.machine.set(variable, value)
        jobs = named.pop("jobs", "checkpoints").split()
        told = {"transcript_path": str(self.machine.home / "session.jsonl"), "hook_event_name": "UserPromptSubmit"}
        options = [word for job in jobs for word in ("--job", job)]
        text = json.dumps({name: value for name, value in (told | named).items() if value != "none"})
        return answered(self.machine.run("hook", "user-prompt-submit", *options, given=text.encode()))

    @property
    def checkpoints(self):
        """What brim lists, the newest first, with the folder that each is of."""
        sessions = self.machine.run("sessions", "list", "--all", "--json").json["sessions"]
        found = [self.machine.run("checkpoints", "list", "--session", one["id"], "--json") for one in sessions]
        return [
            {**checkpoint, "project": one["project"].removeprefix(f"{self.machine.root}/")}
            for one, answer in zip(sessions, found, strict=True)
            for checkpoint in answer.json["checkpoints"]
        ]


@pytest.fixture
def workplace(machine, monkeypatch) -> ClaudeCodeProject:
    """The project, on a machine that is quick enough."""
    for module, name in ((events, "CPU_SECONDS"), (events, "WAIT_SECONDS"), (prompt_checkpoints, "SECONDS")):
        monkeypatch.setattr(module, name, 60_000)  # a measured or a slow run takes longer than an agent waits
    return ClaudeCodeProject(machine)


@given(phrase('Claude Code was given "{prompt:Quoted}"'))
def was_given(workplace, prompt):
    assert workplace.submit({"prompt": prompt})["error"] == ""


@when("Claude Code is given the prompt", target_fixture="outcome")
def give(workplace, request, datatable):
    if "session" in request.fixturenames:
        request.getfixturevalue("session").write()
    return workplace.submit(dict(zip(*datatable, strict=True)))


@then("the checkpoints are")
def check_checkpoints(workplace, datatable):
    check_rows(workplace.checkpoints, datatable)
