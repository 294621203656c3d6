"""Sessions of Claude Code and Codex as they are while their hooks run, and what the hooks of brim answer."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from brim.hooks import events
from steps.file_cells import content

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


class HookedSession:
    """A session on a machine, whose transcript is written when a hook runs."""

    def __init__(self, machine, agent: str) -> None:
        self.machine = machine
        self.records = {"Claude Code": ClaudeCode, "Codex": Codex}[agent]()
        self.named = str(machine.home / "session.jsonl")

    def add(self, record: str, text: str) -> None:
        """Add what happened."""
        made, text = self.records, text.replace("\\n", "\n")
        hooks = {"brim at the start": "session-start", "brim at a prompt": "user-prompt-submit"}
        if record in hooks:
            made.hooked("SessionStart:compact", self.hook(hooks[record], source="compact", prompt="Go on.")["context"])
        elif record == "files":
            for number in range(int(text.split()[0])):
                made.read(f"src/tides/{number}/table-of-tides.csv")
        elif record == "an older message":
            made.user(text)
            made.records[-1]["timestamp"] = BEGAN.isoformat()
        elif record:
            act = {
                "the user": lambda: made.user(content(text).decode()),
                "the user took back": lambda: made.take_back(text),
                "the model": lambda: made.model(text),
                "an open task": lambda: made.task(text),
                "a failed command": lambda: made.run(text, ERROR, failed=True),
                "an edited file": lambda: made.edit(text),
                "megabytes": lambda: made.run("make tides", "." * (int(text) * 2**20)),
                "a compaction": lambda: made.compact(text),
                "another hook": lambda: made.hooked("SessionStart:compact", text),
                "the version": lambda: setattr(made, "version", text),
            }
            act[record]()

    def write(self) -> None:
        """Write the transcript."""
        text = "".join(f"{json.dumps(one)}\n" for one in self.records.lines())
        (self.machine.home / "session.jsonl").write_text(text, encoding="utf-8")

    def hook(self, event: str, *options: str, **fields: Any) -> dict[str, Any]:
        """Run a hook as the agent does, and say what it adds."""
        self.write()
        given = {"session_id": "s", "transcript_path": self.named, "hook_event_name": events.EVENTS[event]}
        return answered(self.machine.run("hook", event, *options, given=json.dumps({**given, **fields}).encode()))


def answered(answer: Any) -> dict[str, Any]:
    """Return what a hook says: the context that it adds, and why it adds less."""
    assert answer.code == 0, answer.error
    assert not answer.error or (answer.error.startswith("brim hook ") and answer.error.count("\n") == 1)
    told = json.loads(answer.out)["hookSpecificOutput"] if answer.out else {}
    assert not told or told.keys() == {"hookEventName", "additionalContext"}
    context = told.get("additionalContext", "")
    return {
        "context": context,
        "event": told.get("hookEventName"),
        "error": answer.error.removesuffix("\n"),
        "characters": len(context),
        "bytes": len(context.encode()),
        "shortened": "characters left out" in context,
    }
