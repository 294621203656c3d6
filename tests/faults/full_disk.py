"""Checkpoints and restores on a disk with so many bytes left; a program of its own, with failing_disk.c loaded."""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import shutil
import struct
import sys
from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from brim.checkpoints import Checkpoints
from brim.checkpoints.checkpoints import interrupted_session
from brim.cli import main
from brim.sessions import open_store
from steps.checkpointed_projects import listing

PLENTY = 1 << 40
LAST_BYTES = 600
"""Bytes that a restore cannot do without at its end: the records of how it ended."""


class Disk:
    """A disk of which a user says how much room it has."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._room = mmap.mmap(file.fileno(), 8)

    @property
    def room(self) -> int:
        """Bytes that can be written."""
        return struct.unpack("q", self._room[:])[0]

    @room.setter
    def room(self, room: int) -> None:
        self._room[:] = struct.pack("q", room)


class World:
    """A project in which everything changed since the checkpoint "start"."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.kept = folder, folder.with_name("kept")
        self.home, self.project = folder / "home", folder / "project"
        random = Random(1)  # noqa: S311
        noise = [random.randbytes(40_000) for _ in range(4)]
        for name, text in (("large", noise[0]), ("deep/er/file", b"at first\n"), ("gone", noise[1])):
            self._write(name, text)
        with open_store(self.home).create(project=str(self.project)) as session:
            session.append({"role": "user", "content": "Begin."})
            checkpoints = Checkpoints(self.project, session, home=self.home)
            checkpoints.create("start")
            self.target = listing(self.project)
            self._write("large", noise[2])
            self._write("added", noise[3])
            (self.project / "gone").unlink()
            (self.project / "deep/er/file").chmod(0o600)
            checkpoints.create("later")
            self._write("unseen", b"no checkpoint holds it yet\n" * 500)
            self._write("large", noise[3] + noise[2])
        self.state = listing(self.project)
        self.unseen = {"unseen": self.state["unseen"]}
        shutil.copytree(folder, self.kept, symlinks=True)

    def _write(self, name: str, text: bytes) -> None:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)

    def begin(self) -> None:
        """Everything as it was."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder, symlinks=True)

    def run(self, *words: str) -> str:
        """Run a command of brim; its one line of error, empty where it went well."""
        told = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(told):
            code = main(["checkpoints", *words, "--project", str(self.project), "--store", str(self.home)])
        line = told.getvalue()
        assert (code == 0) == (line == ""), (code, line)
        assert line == "" or line.count("\n") == 1, line
        return line

    def create(self) -> str:
        """A checkpoint fails as a whole, and a later one goes well."""
        line = self.run("create", "more")
        assert listing(self.project) == self.state
        return line

    def restore(self) -> str:
        """The files are on one side of a restore that had no room."""
        line = self.run("restore", "start")
        now = listing(self.project)
        if line and not interrupted_session(self.project, self.home):
            assert now == self.state, (line, now.keys())
        elif not line:
            assert now == {**self.unseen, **self.target}, now.keys()
        return line

    def check(self, act: str) -> None:
        """With room again everything goes on: what was interrupted, and then all else."""
        if interrupted_session(self.project, self.home):
            assert self.run("restore", "--continue") == ""
            assert listing(self.project) == {**self.unseen, **self.target}, act
            assert self.run("undo") == ""
            assert listing(self.project) == self.state, act
        assert self.run("create", "after") == ""
        before = listing(self.project)
        assert self.run("restore", "start", "--what", "files") == ""
        assert listing(self.project).items() >= self.target.items(), act
        assert self.run("undo") == ""
        assert listing(self.project) == before, act


def on_disk(disk: Disk, world: World, act: Callable[[World], str], room: int) -> str:
    """What an act says on a disk with so much room."""
    disk.room = PLENTY
    world.begin()
    disk.room = room
    line = act(world)
    disk.room = PLENTY
    return line


def run() -> None:
    """Each act, at first with room for nothing and then with more each time; counts of what was seen."""
    root, rounds = Path(sys.argv[1]), int(sys.argv[2])
    disk = Disk(Path(os.environ["FAILING_ROOM"]))
    disk.room = PLENTY
    world = World(root / "world")
    for act in (World.restore, World.create):
        world.begin()
        disk.room = PLENTY
        assert act(world) == ""
        needed = PLENTY - disk.room
        failed = interrupted = 0
        answer = partial(on_disk, disk, world, act)
        enough = bisect_left(range(needed), True, key=lambda room: not answer(room))
        spread = [needed * number // (rounds - 1) for number in range(rounds)]
        at_the_end = [enough - 1 - LAST_BYTES * number // rounds for number in range(rounds)]
        for room in sorted([*spread, *at_the_end]):
            line = answer(room)
            failed += line != ""
            interrupted += bool(interrupted_session(world.project, world.home))
            assert room != needed or line == "", line
            assert not line or "make room" in line or "there is room" in line, line
            assert not interrupted_session(world.project, world.home) or "restore --continue" in line, line
            world.check(f"{act.__name__} with room for {room} of {needed} bytes")
        print(act.__name__, 2 * rounds, failed, interrupted)


if __name__ == "__main__":
    run()
