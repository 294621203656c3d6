"""Steps of features/checkpoints/snapshots.feature."""

from __future__ import annotations

import os
import shutil
import stat

from pytest_bdd import given, then, when

from brim.checkpoints import CheckpointSettings
from brim.sessions import open_store
from steps.checkpointed_projects import git, listing
from steps.vocabulary import attempt, phrase

HELD = "notes"


def converted(workshop, attribute, content):
    """A file of a repository whose attributes convert it."""
    git(workshop.project, "init")
    git(workshop.project, "config", "core.autocrlf", "true")
    git(workshop.project, "config", "filter.loud.clean", "tr a-z A-Z")
    workshop.write(".gitattributes", f"* {attribute}\n")
    workshop.write(HELD, content)


def linked(workshop, to):
    """A link, a file and a folder beside it."""
    workshop.write("folder/inner")
    workshop.write("beside")
    (workshop.project / HELD).symlink_to(to)


def sparse(workshop):
    """A file with a hole."""
    with workshop.write(HELD, b"begins").open("r+b") as file:
        file.truncate(1 << 20)


FILES = {
    "a plain file": lambda workshop: workshop.write(HELD),
    "an empty file": lambda workshop: workshop.write(HELD, b""),
    "line ends of Windows that an attribute converts": lambda workshop: converted(
        workshop, "text eol=lf", b"a\r\nb\r\n"
    ),
    "mixed line ends that an attribute converts": lambda workshop: converted(workshop, "text=auto", b"a\r\nb\nc\r"),
    "a file that a filter of the user rewrites": lambda workshop: converted(workshop, "filter=loud", b"quiet\n"),
    "a file whose identity keyword git expands": lambda workshop: converted(workshop, "ident", b"$Id: mine $\n"),
    "a file that an attribute encodes in UTF-16": lambda workshop: converted(
        workshop, "text working-tree-encoding=UTF-16", "plain\n".encode("utf-16")
    ),
    "an executable file": lambda workshop: workshop.write(HELD, mode=0o755),
    "a private file": lambda workshop: workshop.write(HELD, mode=0o600),
    "a read-only file": lambda workshop: workshop.write(HELD, mode=0o444),
    "a link to a file beside it": lambda workshop: linked(workshop, "beside"),
    "a link to a folder": lambda workshop: linked(workshop, "folder"),
    "a link that leads out of the project": lambda workshop: linked(workshop, workshop.home),
    "a link that leads nowhere": lambda workshop: linked(workshop, "nowhere"),
    "a name that is not UTF-8": lambda workshop: workshop.write(os.fsdecode(b"caf\xe9")),
    "a name with a line break": lambda workshop: workshop.write("two\nlines"),
    "names that git would read as patterns": lambda workshop: [workshop.write(one) for one in (":(top)x", "*", "-r")],
    "a sparse file of 1,048,576 bytes": sparse,
    "a file five folders deep": lambda workshop: workshop.write("a/b/c/d/e/f"),
}


@given(phrase("a project with 1 file {name} of {size:Count} bytes"))
def project_with_size(workshop, name, size):
    workshop.write(name.strip('"'), bytes(size))


@given(phrase("a project with a repository {name} without a commit"))
def project_with_new_repository(workshop, name):
    git(workshop.project / name.strip('"'), "init")


@given(phrase("a project with a repository {name} with a commit"))
def project_with_repository(workshop, name):
    committed(workshop.project / name.strip('"'))


@given(phrase('a project with a submodule "{name:Quoted}"'))
def project_with_submodule(workshop, name):
    committed(workshop.project.parent / "origin")
    git(workshop.project, "init")
    git(workshop.project, "-c", "protocol.file.allow=always", "submodule", "add", "../origin", name)


@given(phrase('a project with a second work tree "{name:Quoted}"'))
def project_with_work_tree(workshop, name):
    committed(workshop.project)
    git(workshop.project, "worktree", "add", name)


@given("a project that is a repository")
def project_repository(workshop, monkeypatch):
    workshop.write(HELD)
    committed(workshop.project)
    git(workshop.project, "gc")
    workshop.seen["repository"] = listing(workshop.project / ".git")


@given("a project that brim's folder lies in")
def project_around_home(workshop):
    workshop.write(HELD)
    workshop.session.close()
    workshop.home = workshop.home.rename(workshop.project / "own")
    workshop.session = open_store(workshop.home).create()


@given("a project whose path has a line break")
def project_of_two_lines(workshop):
    workshop.write(HELD)
    workshop.move_to(workshop.project.with_name("two\nlines"))


@given(phrase("a project that holds {file}"))
def project_with(workshop, file):
    FILES[file](workshop)


def committed(folder):
    """A repository with one commit."""
    git(folder, "init")
    (folder / "inside").write_bytes(b"in the repository\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "first")


def above(workshop, name, text):
    """A repository two folders above the project, with a list of what it ignores."""
    top = workshop.project.parent / "top"
    workshop.move_to(top / "part" / "project")
    git(top, "init")
    (top / name).write_text(text)


def own_list(workshop):
    """What one repository excludes."""
    git(workshop.project, "init")
    workshop.write(".git/info/exclude", "secrets\n")


def user_list(workshop):
    """The list of a user that git finds by itself."""
    workshop.write("../user/.config/git/ignore", "secrets\n")


def configured_list(workshop):
    """The list that a user's configuration names."""
    workshop.write("../user/list", "secrets\n")
    workshop.write("../user/.gitconfig", "[core]\n\texcludesFile = ~/list\n")


EXCLUDES = {
    "nothing": lambda _: None,
    "the ignore file of the project": lambda workshop: workshop.write(".gitignore", "secret*\n"),
    "an ignore file that includes it again": lambda workshop: workshop.write(".gitignore", "secret*\n!secrets\n"),
    "the list of its repository": own_list,
    "the user's list for all repositories": user_list,
    "a list that the user configured": configured_list,
    "the ignore file of a repository above": lambda workshop: above(workshop, ".gitignore", "/part/*/secrets\n"),
    "a line of a repository above for another folder": lambda workshop: above(
        workshop, ".gitignore", "/other/*/secrets\n"
    ),
    "a repository above that ignores everything": lambda workshop: above(workshop, ".gitignore", "*\n"),
}


@given(phrase('the file "{name:Quoted}" is excluded by {excludes}'))
def exclude(workshop, name, excludes):
    EXCLUDES[excludes](workshop)


@given(phrase('the file "{name:Quoted}" is left alone'))
def leave(name):
    pass


@given(phrase('the file "{name:Quoted}" is written again'))
def write_again(workshop, name):
    workshop.write(name, (workshop.project / name).read_bytes())


@given(phrase('the file "{name:Quoted}" is given another time'))
def touch(workshop, name):
    os.utime(workshop.project / name, (1, 1))


@given(phrase('the file "{name:Quoted}" is given more text'))
def add_text(workshop, name):
    workshop.write(name, "at first\nand later\n")


@given(phrase('the file "{name:Quoted}" is made private'))
def make_private(workshop, name):
    (workshop.project / name).chmod(0o600)


@given("git removes what the repository does not need")
def collect(workshop):
    git(workshop.project, "rm", "-q", "--cached", HELD)
    git(workshop.project, "commit", "--amend", "-m", "without")
    git(workshop.project, "reflog", "expire", "--expire=now", "--all")
    git(workshop.project, "gc", "--prune=now")


@given("the repository is deleted")
def delete_repository(workshop):
    shutil.rmtree(workshop.project / ".git")


@given(phrase("a repository {place} whose configuration names a program to run"))
def configure_program(workshop, tmp_path, place):
    if place == "above the project":
        above(workshop, ".gitignore", "nothing\n")
    top = workshop.project if place == "in the project" else workshop.project.parent.parent
    git(top, "init")
    git(top, "config", "core.fsmonitor", f"touch {tmp_path / 'ran'}; false")


@given("variables that lead git to that repository and its index")
def lead_astray(workshop, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(workshop.project / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(workshop.project / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(workshop.home))


@given("git is not installed")
def without_git(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


@given(phrase("git is of version {version:Number}"))
def with_old_git(monkeypatch, tmp_path, version):
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\necho git version {version}.0\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))


@given("snapshots are off")
def turn_off(workshop):
    workshop.told["settings"] = CheckpointSettings(snapshots=False)


@when(
    phrase('everything in the project is deleted, and brim restores the files of "{name:Quoted}"'),
    target_fixture="outcome",
)
def delete_all_and_restore(workshop, name):
    for one in [one for one in workshop.project.iterdir() if one.name != ".git"]:
        shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
    return attempt(workshop.checkpoints.restore, name, "files")


@when("brim makes a checkpoint", target_fixture="made")
def make(workshop):
    return workshop.checkpoints.create()


@then("the program has not run")
def check_not_run(made, tmp_path):
    assert made.snapshot
    assert not (tmp_path / "ran").exists()


@then(phrase('the file "{name:Quoted}" is as it is now'))
def check_now(workshop, outcome, name):
    assert not isinstance(outcome, Exception), outcome
    assert (workshop.project / name).read_bytes() == b"later\n"


@then(phrase('its snapshot is the same as that of "{name:Quoted}"'))
def check_same(workshop, made, name):
    assert made.snapshot == workshop.checkpoints.get(name).snapshot


@then(phrase('its snapshot is not the same as that of "{name:Quoted}"'))
def check_other(workshop, made, name):
    assert made.snapshot != workshop.checkpoints.get(name).snapshot


@then("it names nothing as left out")
def check_nothing_left_out(made):
    assert made.left_out == ()


@then(phrase('it names "{name:Quoted}" as left out'))
def check_left_out(made, name):
    assert made.left_out == (name,)


@then("the repository is byte for byte what it was")
def check_repository(workshop, outcome):
    assert not isinstance(outcome, Exception), outcome
    assert listing(workshop.project / ".git") == workshop.seen["repository"]


@then(phrase('it holds the conversation only, and says "{words:Quoted}"'))
def check_conversation_only(made, words):
    assert made.snapshot is None
    assert words in made.note
