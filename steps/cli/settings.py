"""Steps of features/cli/settings.feature."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from pytest_bdd import given, then, when

from brim.sessions import open_store
from brim.testing import MessagesServer
from steps.command_line import WINDOW
from steps.compaction_windows import raw_turns
from steps.engine.settings import with_notes, worked
from steps.vocabulary import phrase

MODEL = "claude-sonnet-5-5"


def long_request(number: int) -> list[Any]:
    """A request of 4,000 characters, and its answer of 3,000 tokens."""
    asked = f"Request {number} ".ljust(4_000, "x")
    return [{"role": "user", "content": asked}, {"role": "assistant", "content": "Done. " * 2_000}]


def long_answer(number: int) -> list[Any]:
    """A short request, and an answer of 1,600 characters that begins with a long sentence."""
    answer = f"Step {number} was {'x' * 160}. ".ljust(1_600, "y")
    return [{"role": "user", "content": f"Step {number}."}, {"role": "assistant", "content": answer}]


def answer_with_ticket(turn: int) -> list[dict[str, Any]]:
    """A turn whose answer names a ticket behind a long sentence."""
    asked, answer = long_answer(turn)
    return [asked, {**answer, "content": f"{answer['content']}\n\nSee PIER-{turn}."}]


TRANSCRIPTS: dict[str, Callable[[], list[Any]]] = {
    "16 long turns": lambda: raw_turns(16, 5_000),
    "40 long requests": lambda: [one for turn in range(40) for one in long_request(turn)],
    "300 long answers": lambda: [one for turn in range(300) for one in long_answer(turn)],
    "300 answers with tickets": lambda: [one for turn in range(300) for one in answer_with_ticket(turn)],
    "turns with notes": with_notes,
    "turns with passing tests": lambda: worked("Edit"),
    "turns with a tool to mend": lambda: worked("Mend"),
    "6 outputs of 30,000": lambda: raw_turns(6, 30_000),
}
LISTS = {"harness_tags", "protected_tools", "editing_tools", "required_facts"}


def literal(key: str, value: str) -> str:
    """A value as TOML has it: numbers and switches as they are, all else as text."""
    if key in LISTS:
        return json.dumps([value])
    bare = value in {"true", "false"} or value.replace("_", "").replace(".", "").isdigit()
    return value if bare else json.dumps(value)


class Asked:
    """The command on one transcript, and the provider that it may ask."""

    def __init__(self, machine, file, server=None):
        self.machine, self.file, self.server = machine, file, server

    def compact(self, flags: str) -> dict[str, Any]:
        """The figures of one compaction by the names that examples use."""
        before = len(self.server.requests) if self.server else 0
        answer = self.machine.run("compact", self.file, *WINDOW, "--model", MODEL, "--json", *flags.split())
        sent = [request.body for request in self.server.requests[before:]] if self.server else []
        return {"exit code": answer.code, "error": answer.error, "sent": sent, **figures(answer, sent)}


def figures(answer, sent) -> dict[str, Any]:
    """The figures that the command printed, and its request to a model."""
    told = answer.json if answer.code == 0 else {}
    asked = str(sent[0]["messages"][-1]) if sent else ""
    return {
        "reason": told.get("reason"),
        "threshold": told.get("threshold"),
        "keep target": told.get("keep_tokens"),
        "kept": len(told.get("kept", ())),
        "cleared": len(told.get("pruned", ())),
        "notices": told.get("notices"),
        "summary by": told.get("by", "nobody"),
        "summary": told.get("summary"),
        "outcomes shown": len(re.findall("^✓ Step ", told.get("summary") or "", re.MULTILINE)),
        "tickets listed": len(re.findall(r"PIER-\d+(?=, |$)", told.get("summary") or "")),
        "requests shown": len(re.findall("^- Request ", told.get("summary") or "", re.MULTILINE)),
        "prompt": ((told.get("call") or {}).get("prompt") or "").partition("-")[0],
        "model asked": sent[0]["model"] if sent else None,
        "longest answer": sent[0]["max_tokens"] if sent else None,
        "names the lexer": "lexer" in asked,
        "ends with it": "Tell it all." in asked,
    }


def shown(value: Any) -> str:
    """A figure as an example writes it."""
    return f"{value:,}" if type(value) is int else str(value)


@given(phrase("a transcript of {conversation}"), target_fixture="asked")
def write_transcript(machine, conversation):
    return Asked(machine, machine.write("talk.json", json.dumps(TRANSCRIPTS[conversation]())))


@given(phrase('a provider that answers "{text:Quoted}"'))
def start_provider(asked, machine, text, request, monkeypatch):
    monkeypatch.setattr("brim.summary.attempts.WAITS_MS", (0, 0, 0))
    asked.server = MessagesServer(default=text)
    asked.server.start()
    request.addfinalizer(asked.server.close)
    machine.set("ANTHROPIC_BASE_URL", asked.server.url)
    machine.set("ANTHROPIC_API_KEY", "sk-ant-test")


@given(phrase('the variable "{variable:Quoted}" is "{value:Quoted}"'))
def set_variable(machine, variable, value):
    machine.set(variable, value)


@given(phrase('the user\'s file sets "{key:Quoted}" to "{value:Quoted}"'))
def set_for_user(machine, key, value):
    machine.write(machine.user_file, f"[compaction]\n{key} = {literal(key, value)}\n")


@given(phrase('the file "{name:Quoted}" holds "{text:Quoted}"'))
def write_file(machine, name, text):
    machine.write(name, text)


@given(phrase('the user prefers "{key:Quoted}" to be "{value:Quoted}"'))
def prefer(machine, key, value):
    machine.write(machine.user_file, f"[preferences]\n{key} = {json.dumps(value)}\n")


@given(phrase('a transcript whose model is "{model:Quoted}"'), target_fixture="source")
def transcript_of(machine, model):
    messages = [{**one, "model": model} if model and one["role"] == "assistant" else one for one in raw_turns(2, 500)]
    return machine.write("talk.json", json.dumps(messages))


@given(phrase('a session whose model is "{model:Quoted}"'), target_fixture="source")
def session_of(machine, model):
    with open_store().create(model=model) as session:
        session.extend(raw_turns(16, 5_000))
    return session.id


@when(phrase('"{command:Quoted}" runs on it with "{flags:Quoted}"'), target_fixture="answer")
def use_model(machine, source, command, flags):
    told = machine.run(*command.split(), source, "--json", *flags.split()).json
    return told if "model" in told else machine.run("sessions", "show", told["session"], "--json").json


@then(phrase('it works with the model "{model:Quoted}"'))
def check_model(answer, model):
    assert answer["model"] == model


@given("a project that is no repository")
def leave_repository(machine):
    (machine.project / ".git").rmdir()


@given(phrase('the current folder is "{folder:Quoted}"'))
def go_to(machine, folder, monkeypatch):
    (machine.project / folder).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(machine.project / folder)


@given(
    phrase(
        'thresholds of "{user:Quoted}" in the user\'s file, "{project:Quoted}" in the project\'s, '
        '"{variable:Quoted}" in the environment'
    )
)
def set_thresholds(machine, user, project, variable):
    for path, value in ((machine.user_file, user), ("brim.toml", project)):
        if value:
            machine.write(path, f'[compaction]\nthreshold = "{value}"\n')
    machine.set("BRIM_THRESHOLD", variable)


def places(machine, key: str, value: str):
    """Set a key in one place after the other; each is named, and gone again afterwards."""
    line = f"{key} = {literal(key, value)}\n"
    project = machine.project
    for file, table in (
        (machine.user_file, "compaction"),
        (project / "brim.toml", "compaction"),
        (project / "pyproject.toml", "tool.brim.compaction"),
    ):
        machine.write(file, f"[{table}]\n{line}")
        yield str(file)
        file.unlink()
    variable = f"BRIM_{key.upper()}"
    machine.set(variable, value)
    yield variable
    machine.set(variable, "")


@when(
    phrase('brim compacts it with "{flags:Quoted}", and with "{key:Quoted}" set to "{value:Quoted}" in each place'),
    target_fixture="outcomes",
)
def compact_everywhere(asked, machine, flags, key, value):
    flags = f"{flags} --trust-project"
    return [
        [asked.compact(flags)],
        [asked.compact(flags) for _ in places(machine, key, value)],
        [asked.compact(flags)],
    ]


@then(phrase('the {figure} is "{default:Quoted}", and with the setting "{changed:Quoted}"'))
def check_everywhere(outcomes, figure, default, changed):
    told = [[shown(one[figure]) for one in several] for several in outcomes]
    assert told == [[default], [changed] * 4, [default]], [one["error"] for several in outcomes for one in several]


@when(phrase('brim settings is run with "{key:Quoted}" set to "{value:Quoted}" in each place'), target_fixture="told")
def settings_everywhere(machine, key, value):
    return [(place, machine.run("settings", "--json").json["settings"][key]) for place in places(machine, key, value)]


@then(phrase('each shows "{value:Quoted}", and where it comes from'))
def check_places(told, value):
    assert [str(row["value"]) for _, row in told] == [value] * 4
    assert all(row["from"].removesuffix(" [tool.brim]") == place for place, row in told)


@when("brim settings is run", target_fixture="answer")
def run_settings(machine):
    return machine.run("settings", "--json")


@then(phrase('"{key:Quoted}" is "{value:Quoted}", from "{origin:Quoted}"'))
def check_setting(answer, key, value, origin):
    row = answer.json["settings"][key]
    assert str(row["value"]) == value
    assert origin in row["from"]


@when(phrase('brim compacts it with "{flags:Quoted}"'), target_fixture="answer")
def compact_once(asked, flags):
    return asked.compact(flags)


@then(phrase('the {figure} is "{value:Quoted}"'))
def check_figure(answer, figure, value):
    assert shown(answer[figure]) == value, answer["error"]


@when(phrase('brim inspects it with "{flags:Quoted}"'), target_fixture="answer")
def inspect_once(asked, machine, flags):
    return machine.run("inspect", asked.file, *WINDOW, "--json", *flags.split()).json


@when("brim shows the session that is imported from it", target_fixture="answer")
def show_session(asked, machine):
    machine.set("BRIM_HOME", machine.home / "sessions")
    name = machine.run("sessions", "import", asked.file, "--json").json["session"]
    return machine.run("sessions", "show", name, "--model", MODEL, "--window", "200k", "--json").json


@then(phrase("its threshold is {threshold:Tokens}"))
def check_inspected(answer, threshold):
    assert answer.get("settings", answer)["threshold"] == threshold


@when(
    phrase(
        'brim compacts it with "{flags:Quoted}", before and after the project sets "{key:Quoted}" to "{value:Quoted}"'
    ),
    target_fixture="outcomes",
)
def compact_twice(asked, machine, flags, key, value):
    before = asked.compact(flags)
    machine.write("brim.toml", f"[compaction]\n{key} = {value}\n")
    return [before, asked.compact(flags), asked.compact(f"{flags} --trust-project")]


@then('both requests and both compactions are the same, and with "--trust-project" they differ')
def check_same(outcomes):
    before, after, trusted = ({name: value for name, value in one.items() if name != "error"} for one in outcomes)
    assert before["sent"]
    assert after == before != trusted


@then(phrase('the warning names the file and "{key:Quoted}", and "{cure:Quoted}"'))
def check_warning(outcomes, machine, key, cure):
    assert key not in outcomes[0]["error"]
    assert all(part in outcomes[1]["error"] for part in (str(machine.project / "brim.toml"), key, cure))


@then(phrase('a notice says "{text:Quoted}"'))
def check_notice(answer, text):
    assert text in answer["notices"]
