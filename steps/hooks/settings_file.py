"""Steps of features/hooks/settings_file.feature."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pytest_bdd import given, then, when

from steps.vocabulary import phrase

OTHER = {"type": "command", "command": "entire hooks session-start"}
PLAIN = '{\n  "model": "opus",\n  "share": 1.5\n}\n'
FORMS = {
    "an empty object": "{}\n",
    "set in by 4 spaces": PLAIN.replace("  ", "    "),
    "set in by tabs": PLAIN.replace("  ", "\t"),
    "with line ends of Windows": PLAIN.replace("\n", "\r\n"),
    "without a line end": PLAIN.rstrip("\n"),
    "with hooks of another program": json.dumps({"hooks": {"Stop": [{"hooks": [OTHER]}]}, "a": 1}, indent=2) + "\n",
    "with another hook of the same event": json.dumps({"hooks": {"SessionStart": [{"hooks": [OTHER]}]}}, indent=4),
    "no JSON": "model = opus",
    "empty": "",
    "JSON with a comment": '{"model": "opus"} // the best',
    "a list": "[]",
    "hooks that are a list": '{"hooks": []}',
    "hooks that are two": '{"hooks": {"Stop": []}, "hooks": {}}',
    "an event that is two": '{"hooks": {"SessionStart": [], "SessionStart": []}}',
    "hooks of an event as an object": '{"hooks": {"SessionStart": {}}}',
}
INDENTS = {"2": "  ", "4": "    ", "tab": "\t"}


@pytest.fixture
def settings(machine) -> Path:
    """The user's settings of Claude Code."""
    file = machine.home / ".claude" / "settings.json"
    file.parent.mkdir()
    return file


@pytest.fixture
def before() -> dict[str, bytes]:
    """The settings as they were, by the name of the file."""
    return {}


def put(settings: Path, before, data: bytes) -> None:
    """Write settings, and remember them."""
    settings.write_bytes(data)
    before["settings"] = data


def running(command: str) -> dict[str, str]:
    """A handler that runs a command."""
    return {"type": "command", "command": command}


def without_ours(given):
    """Settings without the events that brim has entries of."""
    hooks = {name: groups for name, groups in given.get("hooks", {}).items() if name != "UserPromptSubmit"}
    starts = [group for group in hooks.get("SessionStart", []) if group.get("matcher") != "compact"]
    hooks = {**hooks, "SessionStart": starts}
    rest = {name: groups for name, groups in hooks.items() if groups}
    return {name: value for name, value in {**given, "hooks": rest}.items() if value}


def pieces(text):
    """The lines of settings without the commas at their ends, but for the brackets around all."""
    return [line.rstrip(",") for line in text.strip("{}\r\n").splitlines()]


@given(phrase("settings of Claude Code that are {form}"))
def write_settings(settings, before, form):
    if form == "a folder":
        settings.mkdir()
    elif form == "a pipe":
        os.mkfifo(settings)
    elif form == "a link to a device":
        settings.symlink_to("/dev/full")
    elif form == "a link into another folder":
        target = settings.parents[1] / "dotfiles.json"
        target.write_text(PLAIN, encoding="utf-8")
        settings.symlink_to(target)
    else:
        put(settings, before, b'{"model": "\xff"}' if form == "not UTF-8" else FORMS[form].encode())


@given(phrase('settings of Claude Code whose "SessionStart" runs "{command:Quoted}" beside {what}'))
def write_entry(settings, before, command, what):
    ours = [running("/usr/bin/brim hook session-start --job context")] if what == "brim" else []
    group = {"matcher": "compact", "hooks": [running(command), *ours]}
    put(settings, before, json.dumps({"hooks": {"SessionStart": [group]}}).encode())


@given(phrase('settings of Claude Code whose "SessionStart" runs "{command:Quoted}" behind brim'))
def write_entry_behind(settings, before, command):
    ours = running("/usr/bin/brim hook session-start --job context")
    group = {"matcher": "compact", "hooks": [ours, running(command)]}
    put(settings, before, json.dumps({"hooks": {"SessionStart": [group]}}).encode())


@given(phrase('the variable "{variable:Quoted}" names the folder "{folder:Quoted}"'))
def set_variable(machine, variable, folder):
    if variable:
        machine.set(variable, machine.home.parent / folder)


@given("brim has installed its hooks")
def have_installed(machine):
    assert machine.run("hook", "install").code == 0


@when(phrase('brim installs its hooks with "{options:Quoted}"'), target_fixture="answer")
def install(machine, options):
    return machine.run("hook", "install", *options.split())


@when(phrase('brim uninstalls its hooks with "{options:Quoted}"'), target_fixture="answer")
def uninstall(machine, options):
    return machine.run("hook", "uninstall", *options.split())


@then(phrase('the page shows the entries, and says that they are written to "{file:Quoted}"'))
def check_page(answer, machine, file):
    assert answer.code == 0, answer.error
    assert '+    "UserPromptSubmit": [' in answer.out
    place = file.removeprefix("project/") if file.startswith("project/") else machine.home.parent / file
    assert f"Written to {place}" in answer.out.splitlines()


@then(phrase('the entries run brim in "{file:Quoted}"'))
def check_entries(answer, machine, file):
    assert answer.code == 0, answer.error
    hooks = json.loads((machine.home.parent / file).read_bytes())["hooks"]
    start, prompt = hooks["SessionStart"][-1], hooks["UserPromptSubmit"][-1]
    assert start["matcher"] == "compact"
    assert "matcher" not in prompt
    for group, event in ((start, "session-start"), (prompt, "user-prompt-submit")):
        (handler,) = group["hooks"]
        assert handler["type"] == "command"
        assert handler["timeout"] == 10
        assert handler["command"].endswith(f"brim hook {event} --job context")
        assert handler["command"].startswith("brim" if "project" in file else "/")


@then(phrase('the rest of the settings is as it was, and set in by "{indent:Quoted}"'))
def check_rest(settings, before, indent):
    data = settings.read_bytes()
    old, new = before["settings"].decode(), data.decode()
    assert without_ours(json.loads(data)) == json.loads(old)
    assert all(piece in new for piece in pieces(old))
    assert new.count("\r\n") == (new.count("\n") if "\r\n" in old else 0)
    assert f'\n{INDENTS[indent]}"hooks": {{' in new


@then("the settings are as they were, byte for byte")
def check_same(settings, before):
    assert (settings.read_bytes() == before["settings"]) if before else not settings.is_file()


@then(phrase('"SessionStart" runs "{command:Quoted}" alone'))
def check_alone(answer, settings, command):
    assert answer.code == 0, answer.error
    (group,) = json.loads(settings.read_bytes())["hooks"]["SessionStart"]
    assert group == {"matcher": "compact", "hooks": [running(command)]}


@then(phrase('"SessionStart" has {count:Count} entry'))
def check_count(settings, count):
    assert len(json.loads(settings.read_bytes())["hooks"]["SessionStart"]) == count


@then(phrase('it answers "{text:Quoted}"'))
def check_says(answer, text):
    assert answer.code == 0, answer.error
    assert text in answer.out


@then(phrase('there is no file "{file:Quoted}"'))
def check_absent(machine, file):
    assert not (machine.home.parent / file).exists()


@then("the link is still one, and its file has the entries")
def check_link(answer, settings):
    assert answer.code == 0, answer.error
    assert settings.is_symlink()
    assert "SessionStart" in json.loads(settings.resolve().read_bytes())["hooks"]


@then(phrase('it is refused with "{text:Quoted}"'))
def check_refusal(answer, text):
    assert answer.code == 1
    assert text in answer.error
