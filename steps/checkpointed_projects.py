"""Projects with checkpoints: a folder of files, a session about it, and brim's own folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from brim.checkpoints import Checkpoints
from brim.sessions import open_store
from steps.file_cells import content, git, put


def listing(folder: Path) -> dict[str, tuple]:
    """Every file and link below a folder: its permissions and what it holds, or where it leads."""
    found = {}
    for above, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if one != ".git"]
        for path in (Path(above, name) for name in (*names, *folders)):
            about = path.lstat()
            if path.is_symlink():
                found[str(path.relative_to(folder))] = ("link", str(path.readlink()))
            elif not path.is_dir():
                found[str(path.relative_to(folder))] = (about.st_mode & 0o777, path.read_bytes())
    return found


class Workshop:
    """A project, a session about it, and its checkpoints by the names of the scenario."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "brim-home", folder / "project"
        self.project.mkdir()
        self.session = open_store(self.home).create(project=str(self.project))
        self.told = {}
        self.seen = {}
        """What the project held at each checkpoint."""

    @property
    def checkpoints(self) -> Checkpoints:
        """The checkpoints, as a program that begins now has them."""
        return Checkpoints(self.project, self.session, home=self.home, **self.told)

    def write(self, name: str, content: bytes | str = b"at first\n", mode: int | None = None) -> Path:
        """Write a file of the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if mode is not None:
            path.chmod(mode)
        return path

    def mark(self, name: str):
        """Make a checkpoint of this name."""
        made = self.checkpoints.create(name)
        self.seen[name] = listing(self.project)
        return made

    def moment(self, row: dict[str, str], number: int) -> None:
        """Do what a row of a history says: the user speaks, files change, and a checkpoint is made."""
        if said := row.get("user says"):
            self.say(said)
        for name, cell in row.items():
            if name not in {"user says", "checkpoint", "by", "time", "times"} and cell:
                put(self.project / os.fsdecode(content(name)), cell.replace("<n>", str(number)), self.project)
        if (name := row.get("checkpoint")) and row.get("by") == "another session":
            with open_store(self.home).create(project=str(self.project)) as session:
                Checkpoints(self.project, session, home=self.home).create(name)
        elif name:
            self.mark(os.fsdecode(content(name)))

    def called(self, name: str) -> str:
        """Return what a checkpoint is looked for by: its name, or the newest one's id in some form."""
        newest = self.checkpoints.list()[0].id
        return {"the id": newest, "the id's end": newest[-8:], "the id in small": newest.lower()}.get(name, name)

    def held(self, name: str) -> Any:
        """Return what a column of a project says."""
        if name == "messages":
            return len(self.session.view().messages)
        if name == "checkpoints":
            return [one.name for one in self.checkpoints.list()]
        if name in {"snapshots", "stored snapshots"}:
            store = next((self.home / "checkpoints").iterdir())
            kept = git(self.home, f"--git-dir={store}", "for-each-ref", "refs/brim/").splitlines()
            return len({one.snapshot for one in self.checkpoints.list()}) if name == "snapshots" else len(kept)
        path = self.project / name
        return (
            path.read_bytes().decode(errors="replace")
            if path.is_file()
            else "there"
            if os.path.lexists(path)
            else "gone"
        )

    def move_to(self, folder: Path) -> None:
        """Let another folder be the project, with what it holds."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        self.project = self.project.rename(folder)

    def say(self, text: str) -> None:
        """The user says something, and the agent answers."""
        self.session.extend([{"role": "user", "content": text}, {"role": "assistant", "content": "Done."}])


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A project with nothing in it, of a user who has configured nothing."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user" / ".config"))
    made = Workshop(tmp_path)
    yield made
    made.session.close()
