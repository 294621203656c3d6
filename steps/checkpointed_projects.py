"""Projects with checkpoints: a folder of files, a session about it, and brim's own folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from pytest_bdd import given, then, when

from brim.checkpoints import Checkpoints
from brim.sessions import open_store
from steps.vocabulary import attempt, phrase

GIT = ("git", "-c", "user.name=me", "-c", "user.email=me@example.com", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> str:
    """Run git as the user would."""
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout  # noqa: S603


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


@given(phrase('a project with the file "{name:Quoted}"'))
def project_with_file(workshop, name):
    workshop.write(name)


@given(phrase('the checkpoint "{name:Quoted}"'))
def make_checkpoint(workshop, name):
    workshop.mark(name)


@given(phrase('a checkpoint "{name:Quoted}" at the record "{position:Quoted}" of another tool\'s transcript'))
def make_at(workshop, name, position):
    workshop.checkpoints.create(name, position=position)


@given(phrase('the file "{name:Quoted}" is changed'))
def change_file(workshop, name):
    workshop.write(name, "later\n")


@given(phrase('the file "{name:Quoted}" grows to {size:Count} bytes'))
def grow(workshop, name, size):
    workshop.write(name, bytes(size))


@given(phrase('the file "{name:Quoted}" is added'))
def add_file(workshop, name):
    workshop.write(name, "added\n")


@given(phrase('the file "{name:Quoted}" is deleted'))
def delete_file(workshop, name):
    (workshop.project / name).unlink()


@given(phrase('the user says "{text:Quoted}"'))
def speak(workshop, text):
    workshop.say(text)


@given("a checkpoint of another session", target_fixture="other")
def other_session(workshop):
    """The checkpoints of a second session about the same project, which has one."""
    with open_store(workshop.home).create(project=str(workshop.project)) as session:
        other = Checkpoints(workshop.project, session, home=workshop.home)
        other.create("theirs")
        yield other


@when(phrase('brim restores the files of "{name:Quoted}"'), target_fixture="outcome")
def restore_files(workshop, name):
    workshop.seen["before"] = listing(workshop.project)
    return attempt(workshop.checkpoints.restore, name, "files")


@when(phrase('the user makes the checkpoint "{name:Quoted}"'))
def make_by_hand(workshop, name):
    workshop.mark(name)


@when(phrase('brim restores the conversation of "{name:Quoted}"'), target_fixture="outcome")
def restore_conversation(workshop, name):
    return attempt(workshop.checkpoints.restore, name, "conversation")


@then(phrase("the conversation has {count:Count} messages"))
def check_messages(workshop, outcome, count):
    assert not isinstance(outcome, Exception), outcome
    assert len(workshop.session.view().messages) == count


@then(phrase('the project is as it was at "{name:Quoted}"'))
def check_as_at(workshop, outcome, name):
    assert not isinstance(outcome, Exception), outcome
    assert listing(workshop.project) == workshop.seen[name]


@then(phrase('the file "{name:Quoted}" is as at first'))
def check_first(workshop, outcome, name):
    assert not isinstance(outcome, Exception), outcome
    assert (workshop.project / name).read_bytes() == b"at first\n"


@then("the project has not changed")
def check_unchanged(workshop):
    assert listing(workshop.project) == workshop.seen["before"]


@then(phrase('the file "{name:Quoted}" is there'))
def check_there(workshop, name):
    assert os.path.lexists(workshop.project / name)


@then(phrase('the file "{name:Quoted}" is gone'))
def check_gone(workshop, name):
    assert not os.path.lexists(workshop.project / name)


@then(phrase('brim refuses with "{text:Quoted}"'))
def check_refused_with_words(outcome, text):
    assert isinstance(outcome, Exception), outcome
    assert text in str(outcome)
    assert "\n" not in str(outcome)
