"""Steps of features/hooks/prompt_checkpoints.feature."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path

import pytest
from pytest_bdd import given, then, when

from brim.checkpoints import Checkpoints
from brim.checkpoints.git import Git
from brim.hooks import events, prompt_checkpoints
from brim.hooks.events import OutOfTime
from steps.checkpointed_projects import git
from steps.hooked_sessions import ClaudeCode
from steps.vocabulary import phrase

FORMS = {
    "no file": None,
    "no record": "",
    'the record "a1"': '{"uuid": "a1"}\n',
    'the records "a1" and "b2"': '{"uuid": "a1"}\n{"uuid": "b2"}\n',
    'the records "a1" and "b2" and a title': '{"uuid": "a1"}\n{"uuid": "b2"}\n{"type": "summary", "leafUuid": "c"}\n',
    'the record "a1" and one that quotes "b2"': '{"uuid": "a1"}\n{"type": "title", "of": {"uuid": "b2"}}\n',
    'the record "a1" and the half of another one': '{"uuid": "a1"}\n{"uuid": "b2", "mess',
}
SETTINGS = ".claude/settings.json"


class ClaudeCodeProject:
    """A project that the user works on with Claude Code, whose hook makes checkpoints."""

    def __init__(self, machine) -> None:
        self.machine = machine
        self.transcript = machine.home / "session.jsonl"
        self.told = {
            "session_id": "session-1",
            "cwd": str(machine.project),
            "transcript_path": str(self.transcript),
            "hook_event_name": "UserPromptSubmit",
        }

    def submit(self, prompt: str, *jobs: str):
        """Submit a prompt."""
        options = [word for job in jobs or ("checkpoints",) for word in ("--job", job)]
        told = json.dumps({**self.told, "prompt": prompt}).encode()
        return self.machine.run("hook", "user-prompt-submit", *options, given=told)

    @property
    def checkpoints(self):
        """What brim lists, the newest first."""
        answer = self.machine.run("checkpoints", "list", "--json")
        assert answer.code == 0, answer.error
        return json.loads(answer.out)["checkpoints"]


def made(answer) -> None:
    """Require that a hook made its checkpoint."""
    assert (answer.code, answer.out, answer.error) == (0, "", "")


@pytest.fixture
def workplace(machine, monkeypatch) -> ClaudeCodeProject:
    """The project, on a machine that is quick enough."""
    for module, name in ((events, "CPU_SECONDS"), (events, "WAIT_SECONDS"), (prompt_checkpoints, "SECONDS")):
        monkeypatch.setattr(module, name, 60_000)  # a measured or a slow run takes longer than an agent waits
    return ClaudeCodeProject(machine)


@given(phrase('a project in Claude Code with the file "{name:Quoted}"'))
def have_project(workplace, name):
    workplace.machine.write(name, "at first\n")


@given(phrase("a project in Claude Code with {count:Count} files"))
def have_files(workplace, count):
    for number in range(count):
        workplace.machine.write(f"notes/{number}", f"{number}\n")


@given(phrase("a transcript with {records}"))
def have_transcript(workplace, records):
    if FORMS[records] is not None:
        workplace.transcript.write_text(FORMS[records], encoding="utf-8")


@given(phrase('a transcript whose compaction lost "{words:Quoted}"'))
def have_compaction(workplace, words):
    records = ClaudeCode()
    records.user(words)
    records.model("I note that.")
    records.compact("The pier is half done.")
    text = "".join(f"{json.dumps(one)}\n" for one in records.lines())
    workplace.transcript.write_text(text, encoding="utf-8")


@given(phrase('the prompt "{prompt:Quoted}" was submitted'))
def was_submitted(workplace, prompt):
    made(workplace.submit(prompt))


@given(phrase('the prompt "{prompt:Quoted}" was stopped after the first {count:Count} files'))
def was_stopped(workplace, prompt, count, monkeypatch):
    run, recorded = Git.run, []

    def limited(git, *arguments, **options):
        if arguments[0] == "update-index" and recorded:
            raise OutOfTime(f"given up after 1 s; {prompt_checkpoints.STOPPED}")
        recorded.extend(options["given"].split(b"\0")[:-1] if arguments[0] == "update-index" else [])
        return run(git, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Git, "run", limited)
        answer = workplace.submit(prompt)
    assert (answer.code, len(recorded)) == (0, count)
    assert "the next prompt goes on with them" in answer.error


@given(phrase('Claude Code changed the file "{name:Quoted}"'))
def change(workplace, name):
    workplace.machine.write(name, "changed since\n")


@given(phrase('the user restored the files of "{name:Quoted}"'))
def was_restored(workplace, name):
    assert workplace.machine.run("checkpoints", "restore", name, "--what", "files").code == 0


@given("git is missing")
def miss_git(workplace):
    workplace.machine.set("PATH", workplace.machine.home)


@given("nothing is missing")
def miss_nothing():
    pass


@given("snapshots are turned off")
def turn_off(workplace):
    workplace.machine.user_file.parent.mkdir(parents=True)
    workplace.machine.user_file.write_text("[checkpoints]\nsnapshots = false\n", encoding="utf-8")


@given(phrase('Claude Code names no "{field:Quoted}"'))
def name_none(workplace, field):
    del workplace.told[field]


@given(phrase('Claude Code names the "{field:Quoted}" "{value:Quoted}"'))
def name_other(workplace, field, value):
    workplace.told[field] = value


@given(phrase('Claude Code works in "{name:Quoted}"'))
def work_in(workplace, name):
    folder = workplace.machine.project / name
    folder.mkdir(parents=True, exist_ok=True)
    workplace.told["cwd"] = str(folder)


@given("Claude Code works in a link to the project")
def work_in_link(workplace):
    link = workplace.machine.home / "link"
    link.symlink_to(workplace.machine.project)
    workplace.told["cwd"] = str(link)


@given("Python took longer to start than the agent waits")
def start_slowly(monkeypatch):
    monkeypatch.setattr(prompt_checkpoints, "SECONDS", 0.0)
    monkeypatch.setattr(prompt_checkpoints, "LEAST_SECONDS", 60_000)


@given(phrase('Claude Code works in the repository "{name:Quoted}"'))
def work_in_repository(workplace, name):
    work_in(workplace, name)
    git(workplace.machine.project / name, "init")


@given(phrase('Claude Code works in "{inner:Quoted}" of the repository "{name:Quoted}"'))
def work_below_repository(workplace, inner, name):
    work_in_repository(workplace, name)
    work_in(workplace, f"{name}/{inner}")


STARTED = {
    "the project": lambda machine: machine.project,
    "another folder": lambda machine: machine.home,
    "a folder that is gone": lambda machine: machine.project / "gone",
    "no folder that it names": lambda _: "",
}


@given(phrase("Claude Code was started in {place}"))
def start_in(workplace, place):
    workplace.machine.set("CLAUDE_PROJECT_DIR", STARTED[place](workplace.machine))


@given(phrase("at most {most:Count} checkpoints are kept"))
def keep(workplace, most):
    workplace.machine.user_file.parent.mkdir(parents=True)
    workplace.machine.user_file.write_text(f"[checkpoints]\nkeep_checkpoints = {most}\n", encoding="utf-8")


@given(phrase('{count:Count} prompts were submitted, and the file "{name:Quoted}" was changed after each'))
def were_submitted(workplace, count, name, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(prompt_checkpoints, "remove_later", lambda _: None)
        for number in range(count):
            made(workplace.submit(f"{number}"))
            workplace.machine.write(name, f"{number}\n")


@given("removing takes longer than the hook has")
def remove_slowly(monkeypatch):
    def remove(_):
        raise OutOfTime(f"given up after 1 s; {prompt_checkpoints.STOPPED}")

    monkeypatch.setattr(Checkpoints, "gc", remove)  # in the process of the hook alone


@when(phrase('the prompts "{first:Quoted}" and "{second:Quoted}" are submitted'))
def submit_two(workplace, first, second):
    made(workplace.submit(first))
    made(workplace.submit(second))


@when(phrase('the prompt "{prompt:Quoted}" is submitted'), target_fixture="answer")
def submit(workplace, prompt):
    return workplace.submit(prompt)


@when(phrase('the prompt "{prompt:Quoted}" is submitted with both jobs'), target_fixture="answer")
def submit_both(workplace, prompt):
    return workplace.submit(prompt, "context", "checkpoints")


@when(phrase('the user restores the {what} of "{name:Quoted}"'), target_fixture="answer")
def restore(workplace, what, name):
    return workplace.machine.run("checkpoints", "restore", name, "--what", what)


@when(phrase('brim installs its hooks in the project with "{options:Quoted}"'), target_fixture="answer")
def install(workplace, options):
    return workplace.machine.run("hook", "install", "--project", *options.split())


@then(phrase('the checkpoints are "{second:Quoted}" and "{first:Quoted}", tagged "{tag:Quoted}"'))
def check_two(workplace, second, first, tag):
    assert [(one["name"], one["tags"]) for one in workplace.checkpoints] == [(second, [tag]), (first, [tag])]


@then(phrase('the checkpoints are "{name:Quoted}", tagged "{tag:Quoted}"'))
def check_one(workplace, name, tag):
    assert [(one["name"], one["tags"]) for one in workplace.checkpoints] == [(name, [tag])]


@then(phrase('the file "{name:Quoted}" is as it was at the prompt'))
def check_file(answer, workplace, name):
    assert answer.code == 0, answer.error
    assert (workplace.machine.project / name).read_text(encoding="utf-8") == "at first\n"


@then(phrase('it is refused with "{text:Quoted}"'))
def check_refusal(answer, text):
    assert answer.code == 1
    assert text in answer.error


@then(phrase('the checkpoint is at "{position:Quoted}"'))
def check_position(workplace, position):
    assert [one["position"] for one in workplace.checkpoints] == [position]


@then(phrase('the hook exits with 0, and its one line on standard error says "{line:Quoted}"'))
def check_line(answer, line):
    assert (answer.code, answer.out) == (0, "")
    assert line in answer.error
    assert answer.error.count("\n") == 1


@then(phrase('the hook gives back "{words:Quoted}", and says "{line:Quoted}"'))
def check_given_back(answer, words, line):
    assert answer.code == 0
    assert words in json.loads(answer.out)["hookSpecificOutput"]["additionalContext"]
    assert line in answer.error


@then(phrase("the checkpoint has all {count:Count} files"))
def check_files(workplace, count):
    files = workplace.machine.project / "notes"
    for path in files.iterdir():
        path.unlink()
    assert workplace.machine.run("checkpoints", "restore", workplace.checkpoints[0]["id"], "--what", "files").code == 0
    assert len([*files.iterdir()]) == count


@then("the checkpoint is of the project")
def check_of_project(workplace, answer):
    made(answer)
    assert project_of_session(workplace) == workplace.machine.project


@then(phrase('the checkpoint is of the folder "{name:Quoted}"'))
def check_of_folder(workplace, answer, name):
    made(answer)
    assert project_of_session(workplace) == workplace.machine.project / name


def project_of_session(workplace) -> Path:
    """The project of the only session."""
    answer = workplace.machine.run("sessions", "list", "--all", "--json")
    assert answer.code == 0, answer.error
    [session] = json.loads(answer.out)["sessions"]
    return Path(session["project"])


@then("the hook made its checkpoint")
def check_made(answer):
    made(answer)


@then(phrase("{count:Count} snapshots are left in the store before long"))
def check_snapshots(workplace, count):
    [store] = [path.parent for path in workplace.machine.home.rglob("last.json")]
    for _ in range(600):
        refs = git(workplace.machine.home, f"--git-dir={store}", "for-each-ref", "refs/brim/").splitlines()
        if len(refs) == count:
            return
        time.sleep(0.1)
    pytest.fail(f"{len(refs)} snapshots are left")


@then("it says that the files are recorded")
def check_recorded(answer):
    assert answer.code == 0, answer.error
    assert "are recorded for checkpoints" in answer.out


@then(phrase('the prompts run "{prompts:Quoted}", and the starts "{starts:Quoted}"'))
def check_jobs(answer, workplace, prompts, starts):
    assert answer.code == 0, answer.error
    hooks = json.loads((workplace.machine.project / SETTINGS).read_bytes())["hooks"]
    commands = {name: shlex.split(groups[0]["hooks"][0]["command"]) for name, groups in hooks.items()}
    wanted = {"UserPromptSubmit": prompts.split(), "SessionStart": starts.split()}
    assert {name: words[3:] for name, words in commands.items()} == {n: words for n, words in wanted.items() if words}


@then("the project has no settings of the agent")
def check_no_settings(workplace):
    assert not (workplace.machine.project / ".claude").exists()
    assert not (workplace.machine.project / ".codex").exists()
