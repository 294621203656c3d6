"""Any sequence of changes, checkpoints, restores and undos: the tree is as recorded, and an undo takes it back."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from brim.checkpoints import Checkpoints
from brim.errors import Refused
from brim.sessions import open_store
from steps.checkpointed_projects import listing
from steps.prerequisites import sized

PATHS = st.sampled_from(["a", "b", "a/x", "a/y", "a/x/deep", "c/x", "c", "caf\udce9", "two\nlines"])
TEXTS = st.sampled_from([b"", b"one\n", b"two\n", b"a\r\nb\r\n", b"\0\xff"])
MODES = st.sampled_from([0o644, 0o755, 0o600, 0o444])
TARGETS = st.sampled_from(["a", "../outside", "nowhere"])


class Projects(RuleBasedStateMachine):
    """A project, its session, and what the project held at each checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="brim-any-"))
        self.project, self.outside = self.folder / "project", self.folder / "outside"
        self.project.mkdir()
        self.outside.mkdir()
        (self.outside / "kept").write_bytes(b"outside")
        self.session = open_store(self.folder / "home").create(project=str(self.project))
        self.checkpoints = Checkpoints(self.project, self.session, home=self.folder / "home")
        self.seen: dict[str, dict[str, tuple]] = {}
        """What was there at each checkpoint."""
        self.recorded: set[str] = set()
        """The paths that some checkpoint but a safety checkpoint recorded."""
        self.before: list[dict[str, tuple]] = []
        """What was there before each restore that stands."""

    def teardown(self) -> None:
        """Leave nothing behind."""
        self.session.close()
        shutil.rmtree(self.folder)

    def _free(self, path: str) -> Path | None:
        """A path where a file may be made; None where a file or link is above it, or a folder in its place."""
        whole = self.project / path
        for above in (one for one in whole.parents if self.project in one.parents):
            if os.path.lexists(above) and (above.is_symlink() or not above.is_dir()):
                return None
        if whole.is_dir() and not whole.is_symlink():
            return None
        whole.parent.mkdir(parents=True, exist_ok=True)
        return whole

    @rule(path=PATHS, text=TEXTS, mode=MODES)
    def write(self, path: str, text: bytes, mode: int) -> None:
        """Make or replace a file."""
        if (whole := self._free(path)) is not None:
            whole.unlink(missing_ok=True)
            whole.write_bytes(text)
            whole.chmod(mode)

    @rule(path=PATHS, text=TEXTS)
    def edit(self, path: str, text: bytes) -> None:
        """Write into a file that is there, its time as it was."""
        whole = self._free(path)
        if whole is not None and whole.is_file() and not whole.is_symlink():
            whole.write_bytes(text)

    @rule(path=PATHS, led=TARGETS)
    def link(self, path: str, led: str) -> None:
        """Make or replace a link."""
        if (whole := self._free(path)) is not None:
            whole.unlink(missing_ok=True)
            whole.symlink_to(led)

    @rule(path=PATHS, mode=MODES)
    def chmod(self, path: str, mode: int) -> None:
        """Change permissions."""
        whole = self._free(path)
        if whole is not None and whole.is_file() and not whole.is_symlink():
            whole.chmod(mode)

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        """Delete a file, a link or a folder."""
        whole = self.project / path
        if any(one.is_symlink() for one in whole.parents):
            return
        if whole.is_dir() and not whole.is_symlink():
            shutil.rmtree(whole)
        elif os.path.lexists(whole):
            whole.unlink()

    @rule(path=PATHS, to=PATHS)
    def rename(self, path: str, to: str) -> None:
        """Give a file or a folder another name."""
        whole = self.project / path
        if any(one.is_symlink() for one in whole.parents) or not os.path.lexists(whole) or to.startswith(f"{path}/"):
            return
        if (place := self._free(to)) is not None and place != whole and (whole.is_symlink() or not whole.is_dir()):
            whole.rename(place)

    @initialize()
    def begin(self) -> None:
        """Make a checkpoint of nothing."""
        self.mark()

    @rule()
    def mark(self) -> None:
        """Make a checkpoint."""
        name = str(len(self.seen))
        self.checkpoints.create(name)
        self.seen[name] = listing(self.project)
        self.recorded |= self.seen[name].keys()

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        """Restore some checkpoint."""
        name = data.draw(st.sampled_from(sorted(self.seen)))
        before, target = listing(self.project), self.seen[name]
        unrecorded = {path: held for path, held in before.items() if path not in self.recorded and path not in target}
        try:
            self.checkpoints.restore(name, "files")
        except Refused as refused:
            assert listing(self.project) == before, refused
            assert "in the way" in str(refused)
            assert any(_collide(path, held) for path in unrecorded for held in target), refused
            return
        assert listing(self.project) == {**unrecorded, **target}
        self.before.append(before)

    @precondition(lambda self: self.before)
    @rule()
    def undo(self) -> None:
        """Take back the newest restore that stands."""
        now, before = listing(self.project), self.before[-1]
        stays = {path: held for path, held in now.items() if path not in self.recorded and path not in before}
        try:
            self.checkpoints.undo()
        except Refused as refused:
            assert listing(self.project) == now, refused
            assert any(_collide(path, held) for path in stays for held in before), refused
            return
        assert listing(self.project) == {**stays, **before}
        self.before.pop()

    @invariant()
    def nothing_outside_changes(self) -> None:
        """Links that lead out of the project lead nothing out."""
        assert listing(self.outside) == {"kept": (0o644, b"outside")}


def _collide(one: str, other: str) -> bool:
    """Whether one of two paths lies below the other."""
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")


@pytest.mark.timeout(3_600)
def test_any_sequence_can_be_taken_back() -> None:
    """100 % of the files come back; 5,000 steps in the nightly run."""
    run_state_machine_as_test(
        Projects,
        settings=settings(
            max_examples=sized(4, nightly=100),
            stateful_step_count=sized(25, nightly=50),
            deadline=None,
            suppress_health_check=[*HealthCheck],
        ),
    )
