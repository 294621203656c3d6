"""Files in a home and a project, by their paths from the folder that holds both; cells say what is in them."""

from __future__ import annotations

from pytest_bdd import given, then

from steps.file_cells import content, put
from steps.vocabulary import phrase


@given(phrase('the files "{names:Quoted}"'))
def write_names(machine, names):
    """Each says its own name; one with a slash at its end is a folder."""
    for name in filter(None, names.split(", ")):
        put(machine.root / name, "a folder" if name.endswith("/") else f"I am {name}.", machine.root)


@given("the files")
def write_files(machine, datatable):
    """A row without a name is none."""
    for name, cell in datatable[1:]:
        if name:
            put(machine.root / name, cell.replace("<root>", str(machine.root)), machine.root)


@then("the files hold")
def check_files(machine, datatable):
    """An ellipsis stands for what comes before or after; `none` says that there is no such file."""
    for name, cell in datatable[1:]:
        path = machine.root / name
        held = path.read_bytes() if path.is_file() else b"none"
        wanted = content(cell.strip("…"))
        begins, ends = cell.endswith("…") and len(wanted), cell.startswith("…") and len(wanted)
        assert (wanted in held) if begins and ends else held[: begins or None][-ends or None :] == wanted, held


@then(phrase('"{name:Quoted}" holds'))
def check_file(machine, name, docstring):
    assert (machine.root / name).read_text(encoding="utf-8") == f"{docstring}\n"
