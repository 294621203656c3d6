"""Steps of features/memory/migration.feature."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from parse import with_pattern
from pytest_bdd import given, then, when

from brim import Compactor, ModelLimits
from brim.memory import MigrateAtCompaction
from brim.memory.section import BEGIN, END
from steps.vocabulary import phrase

FAULTS = {
    "not UTF-8 on its second line": b"Use tabs.\nMind the caf\xe9.\n",
    "binary from its third line on": b"Use tabs.\n\n\x89PNG\0\n",
    "of 131,073 characters and 262,145 bytes": ("é" * 131_072 + "\n").encode(),
    "without its end marker": f"{BEGIN}\n- A line.\n".encode(),
    "of two sections": f"{BEGIN}\n{END}\n\n{BEGIN}\n{END}\n".encode(),
    "of an end marker alone": f"{END}\n".encode(),
}
LINE = "- 2026-02-0{n}, session dawn, decision: Use the tide table {n}"
DECLINED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)
ENDS = {"Unix": b"\n", "Windows": b"\r\n"}


@with_pattern(r"\d+ (?:migrated )?lines?(?: (?:is|are))?")
def lines(text: str) -> int:
    """A number of lines."""
    return int(text.partition(" ")[0])


@with_pattern(r"once|twice")
def times(text: str) -> int:
    """How often something is done."""
    return {"once": 1, "twice": 2}[text]


COUNTS = {"Lines": lines, "Often": times}


class Session:
    """A session that is migrated, and what came of it."""

    def __init__(self, memory_files, name: str = "pier") -> None:
        self.files, self.name = memory_files, name
        self.messages: list[Any] = []
        self.answers: list[Any] = []
        self.before: bytes | None = None
        self.events: list[str] = []

    def say(self, text: str) -> None:
        """Something that the user says, and the agent's answer."""
        self.messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "Yes."}]

    def use(self, name: str, given: dict[str, Any], output: str = "Done.", *, failed: bool = False) -> None:
        """A tool use of the agent with its result."""
        call = f"call-{len(self.messages)}"
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed}
        self.messages += [{"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}]

    def task(self, text: str, status: str = "pending") -> None:
        """The agent's list of tasks, which holds one."""
        self.use("TodoWrite", {"todos": [{"content": text, "status": status, "activeForm": text}]})

    def migrate(self, name: str) -> None:
        """Migrate with the command."""
        file = self.files.machine.write(f"{self.name}.json", json.dumps(self.messages))
        into = self.files.root / name
        self.before = into.read_bytes() if into.is_file() else None
        answer = self.files.machine.run("memory", "migrate", file, "--into", into, "--as", self.name, "--json")
        self.answers.append(answer)

    def entries(self, name: str) -> list[str]:
        """The migrated lines of a memory file."""
        text = (self.files.root / name).read_text(encoding="utf-8")
        return [line for line in text.splitlines() if ", session " in line]


@pytest.fixture
def session(memory_files) -> Session:
    """A session in which nothing was said that lasts."""
    session = Session(memory_files, "empty")
    session.say("Hello.")
    return session


@given(phrase('a session "{name:Quoted}" in which the user says "{text:Quoted}"'), target_fixture="session")
def session_of(memory_files, name, text):
    session = Session(memory_files, name)
    session.say(text)
    return session


@given(phrase('the agent edits "{path:Quoted}" and has the open task "{task:Quoted}"'))
def edits_and_task(session, path, task):
    session.use("Edit", {"file_path": path, "old_string": "a", "new_string": "b"})
    session.task(task)


@given(phrase("the agent edits {count:Count} files"))
def edits_many(session, count):
    for number in range(count):
        session.use("Edit", {"file_path": f"src/pier_{number}.py", "old_string": "a", "new_string": "b"})


@given(phrase('the agent edits "{path:Quoted}"'))
def edits(session, path):
    session.use("Edit", {"file_path": path, "old_string": "a", "new_string": "b"})


@given(phrase('the agent has the open task "{task:Quoted}"'))
def open_task(session, task):
    session.task(task)


@given(phrase('a tool prints "{output:Quoted}"'))
def tool_prints(session, output):
    failed = output.startswith("<declined>")
    session.use("WebFetch", {"url": "https://harbour.example"}, output.replace("<declined>", DECLINED), failed=failed)


@given(
    phrase('a session "{name:Quoted}" whose open task "{task:Quoted}" was migrated into "{file:Quoted}"'),
    target_fixture="session",
)
def migrated_task(memory_files, name, task, file):
    session = Session(memory_files, name)
    session.say("Go on.")
    session.task(task)
    session.migrate(file)
    assert len(session.entries(file)) == 1
    return session


@given(phrase('the session goes on as "{name:Quoted}" with the task done'))
def go_on(session, name):
    session.name = name
    session.task("Add the index", "completed")


@given("the agent has done the task")
def task_done(session):
    session.task("Add the index", "completed")


@given(phrase('the memory file "{name:Quoted}" holds'))
def write_file(memory_files, name, docstring):
    memory_files.write(name, f"{docstring}\n".encode())


@given(phrase('a compactor whose listener migrates into "{name:Quoted}"'), target_fixture="compactor")
def with_listener(session, name):
    listener = MigrateAtCompaction(
        session.files.root / name,
        session=session.name,
        on_event=lambda event: session.events.append(session.files.named(str(event))),
    )
    return Compactor(limits=ModelLimits(context_window=200_000, max_output_tokens=8_192), on_event=listener)


@given("a compactor without a listener", target_fixture="compactor")
def without_listener():
    return Compactor(limits=ModelLimits(context_window=200_000, max_output_tokens=8_192))


@given(phrase('a memory file "{name:Quoted}" that is {fault}'))
def write_faulty(memory_files, name, fault):
    path = memory_files.root / name
    if fault == "a folder":
        path.mkdir()
    elif fault == "a pipe":
        os.mkfifo(path)
    elif fault == "a link to another file":
        path.symlink_to(memory_files.write("home/notes.md"))
    else:
        path.write_bytes(FAULTS[fault])


@given(phrase('a section of 3 lines with 60 characters each in "{name:Quoted}"'))
def write_section(memory_files, name):
    entries = [LINE.format(n=n).ljust(60, ".") for n in (1, 2, 3)]
    text = "\n".join(["# Harbour", "", BEGIN, "A line of a person, which counts for nothing.", *entries, END, ""])
    memory_files.write(name, text.encode())


@when(phrase('the session is migrated into "{name:Quoted}"'))
def migrate(session, name):
    session.migrate(name)


@when(phrase('the session is migrated into "{name:Quoted}" {often:Often}', COUNTS))
def migrate_often(session, name, often):
    for _ in range(often):
        session.migrate(name)


@when("the compactor compacts the session")
def compact(compactor, session):
    for number in range(12):
        session.say(f"Step {number}.")
        session.messages[-1]["content"] += " The tide was minded." * 200
    assert compactor.compact(session.messages).plan.summarizes


@when("brim checks the memory", target_fixture="answer")
def check_memory(machine):
    return machine.run("memory", "check")


@then(phrase('"{name:Quoted}" holds'))
def check_file(memory_files, name, docstring):
    assert (memory_files.root / name).read_text(encoding="utf-8") == f"{docstring}\n"


@then(phrase('"{name:Quoted}" begins with "{text:Quoted}" and has {count:Lines}', COUNTS))
def check_begins(session, name, text, count):
    assert (session.files.root / name).read_bytes().startswith(session.before)
    assert session.before.decode() == text.replace("\\r", "\r").replace("\\ufeff", "\ufeff")
    assert len(session.entries(name)) == count


@then(phrase('its new lines end as "{ends:Quoted}"'))
def check_ends(session, ends):
    data = (session.files.root / "project/CLAUDE.md").read_bytes()[len(session.before) :]
    assert data.endswith(END.encode() + ENDS[ends])
    assert data.count(b"\r\n") == (data.count(b"\n") if ends == "Windows" else 0)


@then(phrase('"{name:Quoted}" has {count:Lines}', COUNTS))
def check_entries(session, name, count):
    assert len(session.entries(name)) == count


@then(phrase("{count:Lines} added in all", COUNTS))
def check_added(session, count):
    assert sum(len(answer.json["added"]) for answer in session.answers) == count


@then(phrase('there is no file "{name:Quoted}"'))
@then(phrase('"{name:Quoted}" is not made'))
def check_absent(memory_files, name):
    assert not (memory_files.root / name).exists()


@then(phrase('the user receives "{text:Quoted}"'))
def check_event(session, text):
    assert session.events == [text]


@then(phrase('the migration is refused with "{words:Quoted}"'))
def check_refusal(session, words):
    assert session.answers[-1].code == 1
    assert words in session.answers[-1].error


@then("the memory file is as it was")
def check_same(session):
    path = session.files.root / "project/CLAUDE.md"
    assert (path.read_bytes() if session.before is not None else None) == session.before


@then(phrase('"{name:Quoted}" leaves out a secret'))
def check_secret(session, name):
    assert not (session.files.root / name).exists()
    assert [one["reason"] for one in session.answers[-1].json["left_out"]] == ["it looks like a secret"]


@then(phrase('"{name:Quoted}" leaves out a tool\'s line'))
def check_tools_line(session, name):
    assert not (session.files.root / name).exists()
    assert [one["reason"] for one in session.answers[-1].json["left_out"]] == ["it repeats the output of a tool"]


@then(phrase('the last migrated line ends with "{text:Quoted}"'))
def check_last(session, text):
    assert session.entries("project/CLAUDE.md")[-1].endswith(text)


@then(phrase("the migration reports {count:Lines} removed", COUNTS))
def check_removed(session, count):
    assert len(session.answers[-1].json["removed"]) == count


@then("the migrated lines are the newest 2")
def check_newest(session):
    assert [line[:12] for line in session.entries("project/CLAUDE.md")] == ["- 2026-02-02", "- 2026-02-03"]
    assert "A line of a person" in (session.files.root / "project/CLAUDE.md").read_text(encoding="utf-8")


@then(phrase('the check says "{words:Quoted}"'))
def check_says(answer, words):
    assert answer.code == 1
    assert words in answer.out
