"""Sessions of Claude Code and Codex as they are while their hooks run, and what the hooks of brim answer."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pytest_bdd import given, then, when

from brim.hooks import events
from steps.vocabulary import phrase

VERSION = "2.1.217"
BEGAN = datetime(2026, 7, 26, 15, tzinfo=UTC)
ERROR = "error: no tide table for 1907"
ANSWERED = "I go on with the tide tables."
INSTEAD = "The ferry is half done."


class ClaudeCode:
    """The records of a session of Claude Code."""

    def __init__(self) -> None:
        self.version = VERSION
        self.records: list[dict[str, Any]] = []

    def _add(self, kind: str, **fields: Any) -> None:
        number = len(self.records)
        time = (BEGAN + timedelta(seconds=20 * number)).isoformat()
        self.records.append({"type": kind, "uuid": f"u{number}", "sessionId": "s", "timestamp": time, **fields})

    def user(self, content: Any) -> None:
        """What the user wrote, or the results of tools."""
        self._add("user", message={"role": "user", "content": content})

    def take_back(self, text: str) -> None:
        """What the user wrote and went back from, to write something else."""
        self.model(ANSWERED)
        before = self.records[-1]["uuid"]
        for words in (text, INSTEAD):
            self._add("user", parentUuid=before, message={"role": "user", "content": words})

    def model(self, text: str) -> None:
        """What the model wrote."""
        block = {"type": "text", "text": text}
        self._add("assistant", message={"role": "assistant", "id": f"m{len(self.records)}", "content": [block]})

    def use(self, name: str, given: dict[str, Any], output: str, *, failed: bool = False) -> None:
        """A tool use with its result."""
        call = f"call-{len(self.records)}"
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        self._add("assistant", message={"role": "assistant", "id": f"m{len(self.records)}", "content": [block]})
        self.user([{"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed}])

    def task(self, text: str) -> None:
        """An open task."""
        self.use("TodoWrite", {"todos": [{"content": text, "status": "pending", "activeForm": text}]}, "Done.")

    def run(self, command: str, output: str, *, failed: bool = False) -> None:
        """A command."""
        self.use("Bash", {"command": command}, output, failed=failed)

    def edit(self, path: str) -> None:
        """An edited file."""
        self.use("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, "The file has been updated.")

    def read(self, path: str) -> None:
        """A file that was read."""
        self.use("Read", {"file_path": path}, "1 tide")

    def compact(self, summary: str) -> None:
        """A compaction."""
        self._add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 167_000})
        self._add("user", isCompactSummary=True, message={"role": "user", "content": summary})

    def hooked(self, event: str, text: str) -> None:
        """What a hook added."""
        self._add("attachment", attachment={"type": "hook_additional_context", "hookName": event, "content": [text]})

    def lines(self) -> list[dict[str, Any]]:
        """The records of the file."""
        return [{"version": self.version, **record} for record in self.records]


class Codex:
    """The records of a rollout of Codex."""

    def __init__(self) -> None:
        self.version = "0.142.2"
        self.records: list[dict[str, Any]] = []

    def _item(self, **payload: Any) -> None:
        self.records.append({"type": "response_item", "payload": payload})

    def _message(self, role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self._item(type="message", role=role, content=[{"type": kind, "text": text}])

    def user(self, text: str) -> None:
        """What the user wrote."""
        self._message("user", text)

    def take_back(self, text: str) -> None:
        """What the user wrote and went back from."""
        self.user(text)
        self.records.append({"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}})

    def model(self, text: str) -> None:
        """What the model wrote."""
        self._message("assistant", text)

    def task(self, text: str) -> None:
        """An open task."""
        call = f"call-{len(self.records)}"
        plan = json.dumps({"plan": [{"step": text, "status": "pending"}]})
        self._item(type="function_call", name="update_plan", call_id=call, arguments=plan)
        self._item(type="function_call_output", call_id=call, output="Plan updated")

    def run(self, command: str, output: str, *, failed: bool = False) -> None:
        """A command."""
        call, code = f"call-{len(self.records)}", int(failed)
        told = f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}\n"
        self._item(type="function_call", name="exec_command", call_id=call, arguments=json.dumps({"cmd": command}))
        self._item(type="function_call_output", call_id=call, output=told)

    def edit(self, path: str) -> None:
        """An edited file."""
        call = f"call-{len(self.records)}"
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n"
        told = f"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM {path}\n"
        self._item(type="custom_tool_call", name="apply_patch", call_id=call, input=patch, status="completed")
        self._item(type="custom_tool_call_output", call_id=call, output=told)

    def compact(self, summary: str) -> None:
        """A compaction: the user's messages stay, and the summary is encrypted."""
        kept = [one["payload"] for one in self.records if one["payload"].get("role") == "user"]
        sealed = {"type": "compaction", "encrypted_content": summary}
        self.records.append({"type": "compacted", "payload": {"message": "", "replacement_history": [*kept, sealed]}})

    def hooked(self, event: str, text: str) -> None:
        """What a hook added."""
        self._message("developer", text)

    def lines(self) -> list[dict[str, Any]]:
        """The records of the file."""
        return [{"type": "session_meta", "payload": {"cli_version": self.version, "cwd": "/home/dev"}}, *self.records]


def committed(words: str) -> str:
    """What git prints of a commit with this id and subject."""
    commit, subject = words.split(" ", 1)
    return f"[main {commit}] {subject}\n 1 file changed, 2 insertions(+)"


class HookedSession:
    """A session on a machine, whose transcript is written when a hook runs."""

    def __init__(self, machine, agent: str) -> None:
        self.machine = machine
        self.records = {"Claude Code": ClaudeCode, "Codex": Codex}[agent]()
        self.transcript: Path = machine.home / "session.jsonl"
        self.named = self.transcript

    def add(self, record: str, text: str) -> None:
        """Add what happened."""
        made, text = self.records, text.replace("\\n", "\n")
        if record == "400 read files":
            self.read_files(400, text)
        elif record == "100 commits":
            for number in range(100):
                made.run("git commit -m tides", committed(f"{number:07} {text} {number}"))
        else:
            act = {
                "the user wrote": lambda: made.user(text),
                "the user took back": lambda: made.take_back(text),
                "the model said": lambda: made.model(text),
                "an open task": lambda: made.task(text),
                "a failed command": lambda: made.run(text, ERROR, failed=True),
                "an edited file": lambda: made.edit(text),
                "a commit": lambda: made.run("git commit -m tides", committed(text)),
                "a commit's output": lambda: made.run("make tides", committed(text)),
                "megabytes of output": lambda: made.run("make tides", "." * (int(text) * 2**20)),
            }
            act[record]()

    def read_files(self, count: int, folder: str) -> None:
        """Read files, each in a folder of its own."""
        for number in range(count):
            self.records.read(f"{folder}{number}/table-of-tides.csv")

    def write(self) -> None:
        """Write the transcript."""
        self.transcript.write_text("".join(f"{json.dumps(one)}\n" for one in self.records.lines()), encoding="utf-8")

    def hook(self, event: str, *options: str, **fields: Any) -> Any:
        """Run a hook as the agent does."""
        self.write()
        given = {"session_id": "s", "transcript_path": str(self.named), "hook_event_name": events.EVENTS[event]}
        return self.machine.run("hook", event, *options, given=json.dumps({**given, **fields}).encode())


def added(answer) -> str:
    """The context that an answer adds; empty where it adds nothing."""
    assert answer.code == 0, answer.error
    return json.loads(answer.out)["hookSpecificOutput"]["additionalContext"] if answer.out else ""


@given(phrase("a session in {agent}"), target_fixture="session")
def tell_session(machine, agent, datatable, monkeypatch):
    monkeypatch.setattr(events, "CPU_SECONDS", 60)  # a measured or a slow run takes longer than an agent waits
    session = HookedSession(machine, agent)
    for record, text in datatable[1:]:
        session.add(record, text)
    return session


@given(phrase('a compaction whose summary says "{summary:Quoted}"'))
def compact_session(session, summary):
    session.records.compact(summary)


@when("the session starts again after the compaction", target_fixture="answer")
def start_again(session):
    return session.hook("session-start", source="compact")


@when(phrase('the user\'s prompt "{prompt:Quoted}" is submitted'), target_fixture="answer")
def submit_prompt(session, prompt):
    return session.hook("user-prompt-submit", prompt=prompt)


@then(phrase('the added context has the line "{line:Quoted}"'))
def check_line(answer, line):
    assert line in added(answer).splitlines()


@then(phrase('the added context has the line "{line:Quoted}": {has}'))
def check_whether_line(answer, line, has):
    assert (line in added(answer).splitlines()) == (has == "yes")
