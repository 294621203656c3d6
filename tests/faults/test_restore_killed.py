"""A restore that is killed at any of its calls: the tree is on one side of it, and nothing outside was touched."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from brim.checkpoints import Checkpoints
from brim.checkpoints.checkpoints import interrupted_session
from brim.sessions import open_store
from steps.checkpointed_projects import listing
from steps.prerequisites import sized
from tests.preloaded import Preloaded

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

PROGRAM = Path(__file__).with_name("killed_restore.py")
MOST_CALLS = 2_000
SAMPLE = 14


@pytest.fixture(scope="module")
def programs() -> Iterator[Preloaded]:
    """A server of programs that have brim's checkpoints loaded."""
    with Preloaded("brim.checkpoints.checkpoints", "brim.sessions.file_store", "brim.cli.sessions.pages") as made:
        yield made


class Before:
    """A project ahead of a restore in which everything happens, as often as it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project, self.outside = folder / "home", folder / "project", folder / "outside"
        self.project.mkdir()
        self.outside.mkdir()
        (self.outside / "kept").write_text("outside\n")
        self._write("changed", "turned", "gone/deep/er", "removed-only", "program", "became/a/folder")
        (self.project / "link").symlink_to("changed")
        with open_store(self.home).create(project=str(self.project)) as session:
            self.session = session.id
            session.extend([{"role": "user", "content": "Begin."}])
            checkpoints = Checkpoints(self.project, session, home=self.home)
            checkpoints.create("start")
            self.target = listing(self.project)
            self._change()
            checkpoints.create("later")
            session.extend([{"role": "assistant", "content": "Done."}])
        self.state = listing(self.project)
        shutil.copytree(folder, folder.with_name("kept"), symlinks=True)
        self.folder = folder

    def _write(self, *names: str, text: str = "at first\n") -> None:
        for name in names:
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def _change(self) -> None:
        """Every kind of change."""
        self._write("changed", "added", "new/folder/file", text="later\n")
        (self.project / "turned").unlink()
        self._write("turned/into/folder")
        shutil.rmtree(self.project / "gone")
        shutil.rmtree(self.project / "became")
        self._write("became")
        (self.project / "program").chmod(0o755)
        (self.project / "link").unlink()
        (self.project / "link").symlink_to(self.outside)

    def begin(self) -> None:
        """Everything as it was before the restore."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.folder.with_name("kept"), self.folder, symlinks=True)

    def check(self, where: str) -> None:
        """Finish what was begun; the tree is on one side then."""
        with open_store(self.home).open(self.session) as session:
            checkpoints = Checkpoints(self.project, session, home=self.home)
            begun = interrupted_session(self.project, self.home)
            assert begun in ("", self.session), where
            if begun:
                checkpoints.finish()
            seen = listing(self.project)
            assert seen in (self.state, self.target), where
            assert listing(self.outside) == {"kept": (0o644, b"outside\n")}, where
            assert not [*self.project.glob(".brim-restore*")], where
            if begun:
                assert seen == self.target, where
                assert len(session.view().messages) == 1, where
                checkpoints.undo()
                assert listing(self.project) == self.state, where


def test_a_restore_that_is_killed_at_a_call_is_finished(programs, tmp_path):
    """At each call, before and after it; a sample of them in every run."""
    (tmp_path / "world").mkdir()
    before = Before(tmp_path / "world")
    calls = range(MOST_CALLS)
    chosen = sized(sorted(Random(1).sample(range(260), SAMPLE)), nightly=calls)  # noqa: S311
    ended = 0
    for number in chosen:
        for when in sized(("before",) if number % 2 else ("after",), nightly=("before", "after")):
            before.begin()
            ran = programs.run(PROGRAM, str(before.home), str(before.project), before.session, str(number), when)
            ended += ran.returncode == -9
            assert ran.returncode == -9 or ran.stdout == "done\n", ran.stderr
            before.check(f"call {number}, {when}")
        if ran.stdout:
            break
    assert ended
