"""Memory files: what brim loads of them, and what a session adds to one."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_bdd import given, then, when

from steps.vocabulary import phrase


class Shown:
    """What the command showed of a folder's memory."""

    def __init__(self, machine, answer) -> None:
        self._root, lines = f"{machine.root}/", answer.error.splitlines()
        self.refusal = " ".join(lines) if answer.code else ""
        found = json.loads(answer.out or "{}")
        self.loaded_files = [self._named(one["path"]) for one in found.get("files", [])]
        told = [*found.get("warnings", []), *(line.removeprefix("brim: ") for line in lines)]
        self.text, self.warns = self._named(found.get("text", "")), [self._named(one) for one in told]

    @property
    def says(self) -> str:
        """The text of the only file."""
        return self.text.partition("\n")[2]

    @property
    def files(self) -> int:
        """How many are loaded."""
        return len(self.loaded_files)

    def _named(self, path: str) -> str:
        return path.replace(self._root, "")


def show(machine, folder: str, *options: str) -> Shown:
    """Return what the command shows in a folder."""
    where = machine.root / folder
    where.mkdir(parents=True, exist_ok=True)
    before = Path.cwd()
    machine.enter(where)
    try:
        return Shown(machine, machine.run("memory", "show", "--json", *options))
    finally:
        machine.enter(before)


@given(phrase('the {whose} settings of memory are "{text:Quoted}"'))
def write_settings(machine, whose, text):
    place = {"user's": machine.user_file, "project's": machine.project / "brim.toml"}[whose]
    machine.write(place, f"[memory]\n{text.replace('<root>', str(machine.root))}")


@given(phrase("a file that imports {count:Count} others {how}"))
def write_imports(machine, count, how):
    names = [f"docs/{number}.md" for number in range(1, count + 1)]
    machine.write("CLAUDE.md", f"@{names[0]}" if how == "in a row" else "\n".join(f"@{name}" for name in names))
    for name, behind in zip(names, [*names[1:], ""], strict=True):
        machine.write(name, f"@../{behind}" if behind and how == "in a row" else "Be brief.")


@when(phrase('brim shows the memory of "{folder:Quoted}" in the mode "{mode:Quoted}"'), target_fixture="outcome")
def show_in_mode(machine, folder, mode):
    return show(machine, folder, "--mode", mode)


@when(phrase('brim shows the memory of "{folder:Quoted}"'), target_fixture="outcome")
def show_memory(machine, folder):
    return show(machine, folder)


@then("the text is")
def check_text(outcome, docstring):
    assert outcome.text == docstring
