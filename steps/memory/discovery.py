"""Steps of features/memory/discovery.feature."""

from __future__ import annotations

from pytest_bdd import given

from steps.vocabulary import phrase


@given(phrase('the variable "{variable:Quoted}" names the folder "{folder:Quoted}"'))
def move(machine, memory_files, variable, folder):
    machine.set(variable, memory_files.root / folder)
