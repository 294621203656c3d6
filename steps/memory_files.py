"""Memory files in a home and a project, what the user's settings say of them, and what brim loads."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from pytest_bdd import given, then, when

from steps.vocabulary import phrase

PICTURE = b"\x89PNG\r\n\x1a\n\0\0"


class MemoryFiles:
    """The files of an example, by paths from the folder that holds the home and the project."""

    def __init__(self, machine) -> None:
        self.machine, self.root = machine, machine.home.parent

    def write(self, name: str, data: bytes | None = None) -> Path:
        """Write a file; by default one that says its own name, or a picture."""
        name, _, form = name.partition(" as ")
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if data is not None else PICTURE if form else f"I am {name}.".encode())
        return path

    def named(self, path: str) -> str:
        """The path as an example writes it."""
        return path.replace(f"{self.root}/", "")

    def show(self, folder: str, *options: str):
        """What brim shows in a folder."""
        where = self.root / folder
        where.mkdir(parents=True, exist_ok=True)
        before = Path.cwd()
        os.chdir(where)
        try:
            return Shown(self, self.machine.run("memory", "show", "--json", *options))
        finally:
            os.chdir(before)


class Shown:
    """What brim showed."""

    def __init__(self, files: MemoryFiles, answer) -> None:
        self.files, self.answer = files, answer

    @property
    def loaded(self) -> list[str]:
        """The files that are loaded."""
        return [self.files.named(file["path"]) for file in self.answer.json["files"]]

    @property
    def texts(self) -> dict[str, str]:
        """The text of each file."""
        return {self.files.named(file["path"]): file["text"] for file in self.answer.json["files"]}

    @property
    def warnings(self) -> list[str]:
        """What could not be loaded, and what of the settings is not taken."""
        told = [line.removeprefix("brim: ") for line in self.answer.error.splitlines()]
        return [self.files.named(one) for one in [*self.answer.json["warnings"], *told]]


def listed(names: str) -> list[str]:
    """The names of a list with commas."""
    return [name.strip() for name in names.split(",") if name.strip()]


@pytest.fixture
def memory_files(machine) -> MemoryFiles:
    """A home and a project without memory files."""
    return MemoryFiles(machine)


@given(phrase('the memory files "{names:Quoted}"'))
def write_files(memory_files, names):
    for name in listed(names):
        memory_files.write(name)


@given(phrase('the memory file "{name:Quoted}" holds "{text:Quoted}"'))
def write_memory_file(memory_files, name, text):
    text = text.replace("\\\\", "\\").replace("\\r", "\r").replace("\\ufeff", "\ufeff").replace("<long>", "x" * 300)
    memory_files.write(name, text.encode())


@given(phrase('the user\'s settings hold "{text:Quoted}"'))
def write_user_settings(machine, memory_files, text):
    machine.write(machine.user_file, text.replace("<root>", str(memory_files.root)))


@given(phrase('the project\'s settings hold "{text:Quoted}"'))
def write_project_settings(machine, text):
    machine.write("brim.toml", text)


@when(phrase('brim shows the memory of "{folder:Quoted}" in the mode "{mode:Quoted}"'), target_fixture="shown")
def show(memory_files, folder, mode):
    return memory_files.show(folder, "--mode", mode)


@then(phrase('it loads "{names:Quoted}"'))
def check_loaded(shown, names):
    assert shown.loaded == listed(names)


@then(phrase("it loads {count:Count} files"))
def check_count(shown, count):
    assert len(shown.loaded) == count


@then(phrase('a warning names "{name:Quoted}" and says "{words:Quoted}"'))
def check_warning(shown, name, words):
    assert [one for one in shown.warnings if one.startswith(name) and words in one], shown.warnings


@then(phrase('brim warns of "{words:Quoted}"'))
def check_words(shown, words):
    assert [one for one in shown.warnings if words in one], shown.warnings


@then("it warns of nothing")
def check_silence(shown):
    assert shown.warnings == []


@then(phrase('brim refuses it with "{words:Quoted}"'))
def check_refusal(shown, words):
    assert shown.answer.code in {1, 2}
    assert words in re.sub(r"\s+", " ", shown.answer.error)
    assert json.loads(shown.answer.out or "null") is None
