"""The example agent at work, in processes of its own: as a user runs it, with a scripted model on the strict server."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from brim.sessions import open_store
from steps.prerequisites import sized

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
AGENT = EXAMPLES / "agent"
MODEL = "claude-sonnet-5-5"
RULES = {
    "permissions": {"allow": ["Edit(./**)", "Bash(python -m unittest *)", "Bash(touch *)"], "deny": ["Bash(rm *)"]}
}
INSTRUCTION = "Write down the berths of the harbour, one after the other. Never edit LEDGER.md: it belongs to the port."
PATIENCE_S = 3_000


@dataclass
class Story:
    """A session: what the user types, what the model answers, and which files there are in the end."""

    turns: list[dict] = field(default_factory=list)
    typed: list[list[str]] = field(default_factory=lambda: [[]])
    """The lines that are typed into each process."""
    files: dict[str, str] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)

    def turn(self, prompt, *answers, then=()):
        """A prompt with the model's answers; `then` is what the user answers to questions."""
        self.turns.append({"prompt": prompt, "answers": [*answers]})
        self.typed[-1] += [prompt, *then]

    def berth(self, number):
        """A turn that reads, edits and checks."""
        name, line = f"berths/{number % 10}.md", f"Berth {number} is {10 + number % 7} m deep.\n"
        fact = f" Berth {number} has the code QX-{7_000 + number}, never another one." if number % 50 == 5 else ""
        self.facts += [fact.strip()] * bool(fact)
        before = self.files.get(name)
        act = call("write", file_path=name, content=line)
        if before is not None:
            last = before.splitlines(keepends=True)[-1]
            act = call("edit", file_path=name, old_string=last, new_string=last + line)
        self.files[name] = (before or "") + line
        checks = (
            call("bash", command="python -m unittest tests.test_money")
            if number % 20 == 1
            else call("grep", pattern=f"Berth {number} ", path="berths")
        )
        looks = call("read", file_path="parcel/rates.py") if number % 3 else call("glob", pattern="**/*.py")
        said = f"Berth {number} is written down."
        self.turn(f"Write down berth {number}.{fact}", ["I look first.", looks], [act], [checks], said)


def call(tool, **given):
    """A call in a script."""
    return {"call": tool, "input": given}


def story_of(turns):
    """A session of so many turns, with two sub-agents side by side, a crash and a restore on the way."""
    story = Story()
    todo = {"content": "write down the berths", "status": "in_progress"}
    story.turn(INSTRUCTION, [call("todowrite", todos=[todo])], "I begin.")
    story.files["LEDGER.md"] = "The port's.\n"
    delegates, crashes, restores = turns // 4, turns // 2, 3 * turns // 4
    for number in range(2, turns + 1):
        if number == delegates:
            tasks = [("general", "first", "second"), ("general", "second", "first")]
            for _, own, other in tasks:
                meets = f"touch met-{own}; until [ -e met-{other} ]; do sleep 0.01; done"
                story.turns.append(
                    {"prompt": f"Meet the {other}.", "answers": [[call("bash", command=meets)], f"{own} met {other}."]}
                )
                story.files[f"met-{own}"] = ""
            both = [
                call("task", subagent_type=kind, description=own, prompt=f"Meet the {other}.")
                for kind, own, other in tasks
            ]
            story.turn("Let two agents meet.", both, "They met.", then=["y", "y"])
        elif number == crashes:
            story.turn("Stop the process.", [call("bash", command="kill -9 $PPID")], then=["y"])
            story.typed.append([])
            story.turn("What happened?", "I was interrupted.")
        elif number == restores:
            kept = dict(story.files)
            wrong = [call("write", file_path="LEDGER.md", content="Mine.\n")]
            story.turn("Tidy up.", wrong, "The ledger is tidy.")
            story.typed[-1].append("/restore Before: Tidy up....")
            story.files = kept
        else:
            story.berth(number)
    return story


def run(folder, words, typed):
    """A process of the agent: its exit status, and what it printed."""
    environment = {**os.environ, "HOME": str(folder), "BRIM_HOME": str(folder / "brim"), "PYTHONWARNINGS": "error"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        [sys.executable, str(AGENT), "--project", str(folder / "project"), *words],
        input="".join(f"{line}\n" for line in typed),
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ran.stderr == ""
    return ran.returncode, ran.stdout


@pytest.fixture
def folder(tmp_path):
    """A home with a real project."""
    shutil.copytree(EXAMPLES / "project", tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    (tmp_path / "project" / "LEDGER.md").write_text("The port's.\n")
    (tmp_path / "project" / ".claude").mkdir()
    (tmp_path / "project" / ".claude" / "settings.json").write_text(json.dumps(RULES))
    return tmp_path


@pytest.mark.timeout(PATIENCE_S)
def test_a_long_session_keeps_the_instruction_every_fact_and_every_file(folder):
    """600 turns with compactions, sub-agents side by side, a crash and a restore; a sample of them in every run."""
    turns, window, compactions = sized((16, 13_000, 1), nightly=(600, 36_000, 5))
    story = story_of(turns)
    script = {"model": MODEL, "context_window": window, "max_output_tokens": 8_192, "turns": story.turns}
    (folder / "script.json").write_text(json.dumps({**script, "record": str(folder / "last.json")}))
    words = ["--scripted", str(folder / "script.json")]
    before, after = story.typed
    status, printed = run(folder, words, before)
    assert status == -9, printed
    session = re.search(r"session (\w+)", printed)[1]
    status, more = run(folder, [*words, "--session", session], after)
    assert status == 0, more
    printed += more
    assert [
        line for line in printed.splitlines() if re.search(r"Error|rejected|failed|could not|no answer", line)
    ] == []

    last = json.dumps(json.loads((folder / "last.json").read_text()), ensure_ascii=False)
    assert [text for text in (INSTRUCTION, *story.facts) if text not in last] == []
    found = {name: (folder / "project" / name).read_text() for name in story.files}
    assert found == story.files
    store = open_store(folder / "brim")
    with store.read(session) as reader:
        records = [*reader.records()]
    assert sum(one.kind == "compaction" and one.counts for one in records) >= compactions
    assert sum(one.parent == session for one in store.sessions()) == 2
    assert re.search(r"window [\d,]+ of [\d,]+ tokens, \d+% · \$\d", printed)
