"""Steps of features/memory/migration.feature."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pytest_bdd import given, when

from brim import Compactor, ModelLimits
from brim.memory import MigrateAtCompaction
from steps.vocabulary import phrase

FILE = "project/CLAUDE.md"
DECLINED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)


class Session:
    """A session that is migrated into the project's memory file, and what came of it."""

    def __init__(self, machine) -> None:
        self.machine, self.messages, self.added, self.events = machine, list[Any](), 0, list[str]()

    def add(self, what: str, text: str) -> None:
        """Add what happened in it."""
        if what == "the user says":
            self.messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "Yes."}]
        elif what == "the agent edits":
            self._use("Edit", {"file_path": text.replace("\\n", "\n"), "old_string": "a", "new_string": "b"})
        elif what in {"an open task", "a task is done"}:
            status = "pending" if what == "an open task" else "completed"
            self._use("TodoWrite", {"todos": [{"content": text, "status": status, "activeForm": text}]})
        elif what:
            prefix = DECLINED if what == "a tool is declined" else ""
            self._use("WebFetch", {"url": "https://harbour.example"}, prefix + text, failed=bool(prefix))

    def _use(self, name: str, given: dict[str, Any], output: str = "Done.", *, failed: bool = False) -> None:
        call = f"call-{len(self.messages)}"
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed}
        self.messages += [{"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}]

    def migrate(self, name: str) -> dict[str, Any]:
        """Migrate with the command, and say what it did."""
        transcript, into = self.machine.write("talk.json", json.dumps(self.messages)), self.machine.root / FILE
        before = into.read_bytes() if into.is_file() else None
        answer = self.machine.run("memory", "migrate", transcript, "--into", into, "--as", name, "--json")
        after = into.read_bytes() if into.is_file() else None
        if answer.code:
            assert after == before
        made = json.loads(answer.out or '{"added": [], "removed": [], "left_out": []}')
        self.added += len(made["added"])
        return {
            "refusal": answer.error.strip(),
            "added_lines": self.added,
            "removed": len(made["removed"]),
            "left_out": [one["reason"] for one in made["left_out"]],
            "lines": None if after is None else after.decode(errors="replace").count(", session "),
            "begins_as_before": after is None or after.startswith(before or b""),
            "ends": "" if after is None else "Windows" if after.endswith(b"\r\n") else "Unix",
        }

    def compact(self, *, listens: bool) -> dict[str, Any]:
        """Compact it, with a listener that migrates or without, and say what that did."""
        listener = MigrateAtCompaction(
            self.machine.root / FILE,
            session="pier",
            on_event=lambda event: self.events.append(str(event).replace(f"{self.machine.root}/", "")),
        )
        for number in range(12):
            self.add("the user says", f"Step {number}.")
            self.messages[-1]["content"] += " The tide was minded." * 200
        limits = ModelLimits(context_window=200_000, max_output_tokens=8_192)
        assert Compactor(limits=limits, on_event=listener if listens else None).compact(self.messages).plan.summarizes
        return {"events": self.events}


@pytest.fixture
def session(machine) -> Session:
    """A session in which nothing was said."""
    return Session(machine)


@given("a session in which")
def happened(session, datatable):
    for what, text in datatable:
        session.add(what, text)


@given(phrase('a session in which the user says "{text:Quoted}"'))
def said(session, text):
    session.add("the user says", text)


@when(phrase('the session is migrated as "{name:Quoted}"'), target_fixture="outcome")
@given(phrase('the session was migrated as "{name:Quoted}"'))
def migrate(session, name):
    return session.migrate(name)


@when(phrase("the session is compacted {how} a listener"), target_fixture="outcome")
def compact(session, how):
    return session.compact(listens=how == "with")
