"""Checkpoints on a file system in which names that differ in case alone are one file, as on macOS and Windows."""

import tempfile
from pathlib import Path

import pytest

from steps.checkpointed_projects import Workshop, listing
from steps.prerequisites import caseless

pytestmark = pytest.mark.caseless


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A project on that file system; brim's own folder is elsewhere."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user" / ".config"))
    with tempfile.TemporaryDirectory(dir=caseless()) as folder:
        made = Workshop(tmp_path)
        made.project = Path(folder, "Project")
        made.project.mkdir()
        yield made
        made.session.close()


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "not recorded"])
@pytest.mark.parametrize("text", ["at first\n", "later\n"], ids=["the same", "changed"])
@pytest.mark.parametrize("first", ["Notes", "Folder/notes", "A/B/c"])
def test_a_file_that_got_a_name_in_another_case(workshop, first, text, recorded):
    """The file comes back under the name that it had, and under the other one after an undo; none is lost."""
    workshop.write(first)
    workshop.write("other")
    workshop.mark("start")
    top = first.partition("/")[0]
    (workshop.project / top).rename(workshop.project / top.swapcase())
    workshop.write(top.swapcase() + first.removeprefix(top), text)
    before = listing(workshop.project)
    if recorded:
        workshop.mark("renamed")
    workshop.checkpoints.restore("start", "files")
    assert listing(workshop.project) == workshop.seen["start"]
    workshop.checkpoints.undo()
    assert listing(workshop.project) == before


def test_every_name_is_held_once(workshop):
    """A snapshot has the name that the folder lists, and no other one."""
    workshop.write("Notes")
    workshop.mark("start")
    (workshop.project / "Notes").rename(workshop.project / "notes")
    changes = workshop.checkpoints.diff("start")
    assert [(one.path, one.status) for one in changes] == [("Notes", "removed"), ("notes", "added")]
