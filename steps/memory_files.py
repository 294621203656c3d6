"""Memory files in a home and a project, as the features of the command write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_bdd import given

from steps.file_cells import put
from steps.vocabulary import phrase


class MemoryFiles:
    """The files of an example, by paths from the folder that holds the home and the project."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def named(self, path: str) -> str:
        """Return the path as an example writes it."""
        return path.replace(f"{self.root}/", "")


@pytest.fixture
def memory_files(machine) -> MemoryFiles:
    """A home and a project without memory files."""
    return MemoryFiles(machine.root)


@given(phrase('the memory file "{name:Quoted}" holds "{text:Quoted}"'))
def write_memory_file(machine, name, text):
    put(machine.root / name, text, machine.root)


@given(phrase('the user\'s settings hold "{text:Quoted}"'))
def write_user_settings(machine, text):
    machine.write(machine.user_file, text)
