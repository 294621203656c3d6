"""The example agent at work, in processes of its own: as a user runs it, with a scripted model on the strict server."""

import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from brim.sessions import open_store
from brim.testing import complaints
from steps.prerequisites import sized
from tests.signals import handled

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


def start(folder, *words):
    """A process of the agent, which Ctrl-C interrupts, however the tests were started."""
    environment = {**os.environ, "HOME": str(folder), "BRIM_HOME": str(folder / "brim"), "PYTHONWARNINGS": "error"}
    environment["PYTHONPATH"] = str(EXAMPLES.parents[1] / "src")
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, str(AGENT), "--project", str(folder / "project"), *words]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with handled(signal.SIGINT, signal.default_int_handler):
        return subprocess.Popen(command, env=environment, text=True, **pipes)


def run(folder, words, typed):
    """A whole process of the agent: its exit status, and what it printed."""
    with start(folder, *words) as process:
        printed, warned = process.communicate("".join(f"{line}\n" for line in typed), timeout=PATIENCE_S)
    assert warned == ""
    return process.returncode, printed


def scripted(folder, turns, window=40_000, **more):
    """The options for a model that answers so."""
    script = {"model": MODEL, "context_window": window, "max_output_tokens": 8_192, "turns": turns, **more}
    (folder / "script.json").write_text(json.dumps(script))
    return ["--scripted", str(folder / "script.json")]


@pytest.fixture
def folder(tmp_path):
    """A home with a real project."""
    shutil.copytree(EXAMPLES / "project", tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    (tmp_path / "project" / "LEDGER.md").write_text("The port's.\n")
    (tmp_path / "project" / ".claude").mkdir()
    (tmp_path / "project" / ".claude" / "settings.json").write_text(json.dumps(RULES))
    return tmp_path


def test_without_a_key(folder, monkeypatch):
    """The user learns how to give one, and no empty session is left."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    status, printed = run(folder, [], ["Sound the bell."])
    assert status == 1
    assert "set ANTHROPIC_API_KEY, or play the model from a script with --scripted FILE" in printed
    assert not (folder / "brim").exists()


@pytest.mark.timeout(PATIENCE_S)
def test_a_long_session_keeps_the_instruction_every_fact_and_every_file(folder):
    """600 turns with compactions, sub-agents side by side, a crash and a restore; a sample of them in every run."""
    turns, window, compactions = sized((16, 13_000, 1), nightly=(600, 32_000, 5))
    story = story_of(turns)
    words = scripted(folder, story.turns, window, record=str(folder / "last.json"))
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


def test_faulty_files_are_named_with_their_lines_and_the_session_goes_on(folder):
    """An agent's definition, an import of a memory file and a rule that do not parse."""
    project = folder / "project"
    (project / ".claude" / "agents").mkdir()
    (project / ".claude" / "agents" / "bad.md").write_text("---\nname: bad\ndescription: x\nmodel: [\n---\nBe bad.\n")
    (project / "CLAUDE.md").write_text("Mind the tide.\n\nSee @gone.md.\n")
    rules = '{"permissions": {\n  "allow": ["Read"],\n  "deny": ["Bash(rm *"]\n}}'
    (project / ".claude" / "settings.json").write_text(rules)
    answers = [[call("bash", command="rm LEDGER.md")], "Not deleted."]
    twice = [[call("bash", command="mkdir -p x"), call("bash", command="mkdir -p x")], "Made."]
    words = scripted(folder, [{"prompt": "Delete it.", "answers": answers}, {"prompt": "Make x.", "answers": twice}])
    flags = ["--context-window-threshold", "3k", "--context-window-target", "500"]
    status, printed = run(folder, [*words, *flags], ["Delete it.", "n", "Make x.", "a"])
    assert status == 0
    assert "of 3,000 tokens" in printed
    assert printed.count("build wants to use bash: mkdir -p x") == 1
    for fault in (
        ".claude/agents/bad.md:",
        "CLAUDE.md, line 3: @gone.md: there is no such file",
        "settings.json:3: the rule",
    ):
        assert fault in printed
    assert "build wants to use bash: rm LEDGER.md" in printed
    assert "Not deleted." in printed
    assert (project / "LEDGER.md").exists()


FAULTS = {
    "01M863F8N9STGJ0GTTG7991QEW": (["--session", "01M863F8N9STGJ0GTTG7991QEW"], "{}"),
    "JSONDecodeError": ([], "{"),
    "model": ([], "{}"),
    "many": (["--context-window-threshold", "many"], "{}"),
}
"""What cannot be begun, by what the line names: options, and the script."""


@pytest.mark.parametrize("named", sized([*FAULTS][:1], nightly=[*FAULTS]))
def test_what_cannot_be_begun_is_one_line(folder, named):
    """A session that is not there, a script that is none, and a flag that is no number."""
    words, script = FAULTS[named]
    (folder / "script.json").write_text(script)
    status, printed = run(folder, ["--scripted", str(folder / "script.json"), *words], [])
    assert (status, printed.count("\n")) == (1, 1)
    assert named in printed


def test_ctrl_c_stops_the_turn_and_the_session_goes_on(folder):
    """At any moment: a call that was stopped has a result, and what was typed before and after is answered."""
    for number in range(sized(1, nightly=40)):
        wait = [
            call("bash", command=f"sleep {5 if number else 50}")
        ]  # the first one is interrupted, however slow a machine
        turns = [{"prompt": "Wait.", "answers": [["I wait.", *wait]]}, {"prompt": "Go on.", "answers": ["I go on."]}]
        with start(folder, *scripted(folder, turns)) as process:
            lines = iter(process.stdout.readline, "")
            session = re.search(r"session (\w+)", next(lines))[1]
            process.stdin.write("Wait.\ny\n")
            process.stdin.flush()
            if number == 0:
                assert any("sleep 50" in line and "wants" not in line for line in lines)
            else:
                time.sleep(number / 40)
            process.send_signal(signal.SIGINT)
            printed, warned = process.communicate("Go on.\n", timeout=60)
        lost = number and warned.startswith("Exception ignored in")  # in the callback of a weak reference
        assert process.returncode == 0 and (lost or warned == ""), warned
        assert "I go on." in printed, printed
        store = open_store(folder / "brim")
        with store.read(session) as reader:
            shown = reader.view()
        assert (shown.repaired.answered, complaints([one.raw for one in shown.messages])) == ((), [])
        assert number or "interrupted" in str(shown.messages)


@pytest.mark.nightly
def test_ctrl_c_stops_what_sub_agents_run(folder):
    """Their commands end with them, and the user is asked nothing more."""
    both = [call("task", subagent_type="general", description=name, prompt=f"Touch {name}.") for name in ("one", "two")]
    turns = [{"prompt": "Touch both.", "answers": [both]}, {"prompt": "Go on.", "answers": ["I go on."]}]
    for name in ("one", "two"):
        answers = [[call("bash", command=f"touch begun-{name}; sleep 3; touch late-{name}")], "Touched."]
        turns.append({"prompt": f"Touch {name}.", "answers": answers})
    with start(folder, *scripted(folder, turns), "--permission-mode", "bypassPermissions") as process:
        process.stdin.write("Touch both.\n")
        process.stdin.flush()
        until(lambda: len([*(folder / "project").glob("begun-*")]) == 2)
        process.send_signal(signal.SIGINT)
        printed, warned = process.communicate("Go on.\n", timeout=60)
    assert (process.returncode, warned) == (0, "")
    assert "I go on." in printed
    time.sleep(3)
    assert [*(folder / "project").glob("late-*")] == []


def until(happened):
    """Wait for something, at most a minute."""
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def tools(folder, monkeypatch):
    """The tools of the agent, in the project; a command may take a second."""
    monkeypatch.syspath_prepend(str(AGENT))
    module = importlib.import_module("tools")
    yield module.Tools(folder / "project", folder / "outputs", seconds=1)
    del sys.modules["tools"]


def test_a_command_that_hangs_is_stopped_with_all_that_it_started(tools, folder):
    """What it printed is there, and why there is no more."""
    with pytest.raises(ValueError, match=r"(?s)begun.*stopped: it took longer than 1 seconds"):
        tools.bash("echo begun; (sleep 3; touch late) & sleep 60")
    assert not (folder / "project" / "late").exists()


@pytest.mark.parametrize("command", ["yes", "yes | head -c 100000000"])
def test_a_long_output_is_clamped_and_the_rest_is_on_the_disk(tools, command, monkeypatch):
    """100 MB; and a command that never stops printing, which is stopped."""
    monkeypatch.setattr(importlib.import_module("tools"), "MAX_OUTPUT_BYTES", 150_000_000)
    try:
        said = tools.bash(command, timeout=60)
    except ValueError as error:
        said = str(error)
    file = re.search(r"they are in (\S+)", said)[1]
    assert len(said) < 20_000
    assert Path(file).stat().st_size >= (100_000_000 if "head" in command else 1_000_000)


def test_binary_output_is_named_and_kept(tools):
    """The model gets its size and its file."""
    said = tools.bash("head -c 1000 /dev/zero")
    assert re.fullmatch(r"\(binary output, 1,000 bytes; they are in \S+\)", said)


def test_a_file_that_is_binary_or_not_there_is_an_error(tools, folder):
    """The model is told what it met."""
    (folder / "project" / "picture").write_bytes(b"\0" * 100)
    with pytest.raises(ValueError, match="picture is binary, 100 bytes"):
        tools.read("picture")
    with pytest.raises(ValueError, match="gone is no file"):
        tools.read("gone")


def test_the_agent_is_short():
    """Whoever reads it reads 800 lines, comments among them."""
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in AGENT.glob("*.py")) <= 800
