"""Steps of features/sessions/claude_code_records.feature."""

from __future__ import annotations

import json

import pytest
from pytest_bdd import given, parsers, then, when

from steps.imported_fields import ImportedSession, value_of
from steps.vocabulary import phrase

SAID = "Where is the parser?"
NAMED = {"role": "assistant", "content": "In parser.py.", "model": "claude-opus-4-6"}


class Registry:
    """A registry of Claude Code with one session, whose transcript is beside it."""

    def __init__(self, folder):
        self.path, self.rows, self.preferences = folder / "claude.json", [], {}
        self.lines = [{"role": "user", "content": SAID}]
        self.sessions = {"abc123": {"transcriptPath": "sessions/abc123.jsonl"}}
        """What the file holds in place of a registry."""

    def write(self):
        """Write the files."""
        transcript = self.path.parent / "sessions" / "abc123.jsonl"
        transcript.parent.mkdir()
        transcript.write_text("".join(f"{json.dumps(line)}\n" for line in self.lines))
        told = {"sessions": self.sessions, "preferences": self.preferences}
        self.path.write_text(json.dumps(told))
        return self.path


@pytest.fixture
def registry(tmp_path):
    return Registry(tmp_path)


@pytest.fixture
def rows(registry):
    return registry.rows


@given("a registry of Claude Code whose session has")
def session_with(registry, datatable):
    registry.rows = [
        (field, value_of(value) if field != "transcriptPath" else SAID, place) for field, value, place in datatable[1:]
    ]
    entry = {field: value for field, value, _ in datatable[1:]}
    entry["lastActive"] = entry["lastActive"].replace(" ", "T") + ":00Z"
    registry.sessions = {"abc123": entry}


@given("a transcript of Claude Code whose lines have")
def lines_with(registry, datatable):
    registry.rows = [(field, value_of(value), place) for _, field, value, place in datatable[1:]]
    lines = {}
    for line, field, value, _ in datatable[1:]:
        lines.setdefault(line, {})[field] = value
    registry.lines = [
        {"role": one["role"], "content": content(one), "timestamp": value_of(one["timestamp"])}
        for one in lines.values()
    ]


def content(line):
    """The content of a line: words, a call without an id, or a result."""
    if "tool" in line:
        return [{"type": "tool_use", "name": line["tool"], "input": {"path": line["path"]}}]
    if "result" in line:
        return [{"type": "tool_result", "tool_use_id": line["tool_use_id"], "content": line["result"]}]
    return line["content"]


@given(parsers.re('a registry of Claude Code with (?P<what>[^"]+)'))
def registry_with(registry, what):
    CONTENTS[what](registry)


def transcript_of_its_own(registry):
    registry.sessions["abc123"] |= {"cwd": "/elsewhere", "model": "sonnet", "lastActive": "2020-01-01T00:00:00Z"}
    about = {"sessionId": "s", "cwd": "/home/dev/parser", "version": "2.1.38", "timestamp": "2025-01-15T10:30:00Z"}
    registry.lines = [
        {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "Where?"}, **about},
        {"type": "assistant", "uuid": "u2", "message": {"id": "m", **NAMED}, **about},
    ]


def with_sessions(**sessions):
    return lambda registry: setattr(registry, "sessions", sessions)


CONTENTS = {
    "a transcript that has a folder, a model and times of its own": transcript_of_its_own,
    "no session": with_sessions(),
    "2 sessions": with_sessions(s1={"transcriptPath": "1.jsonl"}, s2={"transcriptPath": "2.jsonl"}),
    "a session whose transcript is gone": with_sessions(abc123={"transcriptPath": "gone.jsonl"}),
    "a session that is no object": with_sessions(abc123=7),
}


@given(phrase('a registry of Claude Code with the model "{model:Quoted}" and the permission mode "{mode:Quoted}"'))
def preferring(registry, model, mode):
    registry.preferences = {"defaultModel": model, "permissionMode": mode}


@when("it is imported", target_fixture="answer")
def import_registry(machine, registry):
    return machine.run("sessions", "import", registry.write(), "--json")


@pytest.fixture
def brim(machine, answer):
    return ImportedSession(machine, answer.json)


@pytest.fixture
def notes(brim):
    return brim.notes


@pytest.fixture
def reason(answer):
    assert answer.code != 0
    return answer.error


@then("the session has the folder, the model and the times of the transcript")
def check_own(brim):
    told = brim.show["project"], brim.show["model"], brim.show["last_active"]
    assert told == ("/home/dev/parser", "claude-opus-4-6", value_of("2025-01-15 10:30"))


@then(phrase('its model is "{model:Quoted}"'))
def check_model(brim, model):
    assert brim.show["model"] == model


@then("there is no file of settings")
def check_no_settings(machine):
    assert not machine.user_file.exists()
