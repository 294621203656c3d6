"""A restore that fails halfway, or meets somebody who writes meanwhile, leaves the tree as it was."""

from __future__ import annotations

import os
import shutil
from errno import EIO

import pytest
from filelock import FileLock

from brim.checkpoints import Checkpoints, git, snapshots
from brim.checkpoints.restoring import STAGE
from brim.checkpoints.worktree import WorkTree
from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions import open_store
from brim.sessions.paths import system_clock
from steps.checkpointed_projects import Workshop, listing
from steps.file_cells import git as git_of_user

NAMES = ("a", "b/c", "d", "e/f/g")


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A project in which every file differs from the checkpoint "start"."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = Workshop(tmp_path)
    for name in NAMES:
        made.write(name)
    made.mark("start")
    for name in NAMES[1:]:
        made.write(name, "later\n")
    (made.project / "a").unlink()
    made.write("a/new")
    made.mark("later")
    yield made
    made.session.close()


def interrupt(monkeypatch, number, act):
    """Have something happen at the call of this number in which a file takes its place."""
    move, left = WorkTree.move, [number]

    def moved(self, path, to, **options):
        left[0] -= 1
        if left[0] == -1:
            act(to)
        return move(self, path, to, **options)

    monkeypatch.setattr(WorkTree, "move", moved)


@pytest.mark.parametrize("number", range(len(NAMES)))
def test_a_failure_of_the_disk_is_taken_back(workshop, monkeypatch, number):
    """What was done before it is undone, and the next restore goes well."""

    def fail(_to):
        raise OSError(EIO, "Input/output error")

    before = listing(workshop.project)
    with monkeypatch.context() as patch:
        interrupt(patch, number, fail)
        with pytest.raises(StoreFailed, match="Input/output error"):
            workshop.checkpoints.restore("start", "files")
    assert listing(workshop.project) == before
    workshop.checkpoints.restore("start", "files")
    assert listing(workshop.project) == workshop.seen["start"]


@pytest.mark.parametrize("number", range(len(NAMES) - 1))
def test_a_file_that_somebody_writes_meanwhile_is_not_lost(workshop, monkeypatch, number):
    """The restore is refused with its name, and all other files are as they were."""
    before = listing(workshop.project)
    with monkeypatch.context() as patch:
        interrupt(patch, number, lambda _to: workshop.write("e/f/g", "by somebody\n"))
        with pytest.raises(Refused, match="'e/f/g' was changed while it was restored"):
            workshop.checkpoints.restore("start", "files")
    assert listing(workshop.project) == {**before, "e/f/g": (0o644, b"by somebody\n")}


def test_an_interruption_from_the_keyboard_is_taken_back(workshop, monkeypatch):
    """The files are as they were, and nothing has to be continued."""

    def stop(_to):
        raise KeyboardInterrupt

    before = listing(workshop.project)
    with monkeypatch.context() as patch:
        interrupt(patch, 2, stop)
        with pytest.raises(KeyboardInterrupt):
            workshop.checkpoints.restore("start", "files")
    assert listing(workshop.project) == before
    workshop.checkpoints.create("next")


def test_where_taking_back_fails_too_the_rest_is_continued(workshop, monkeypatch):
    """The journal stays, everything else is refused, and continuing finishes the restore."""

    def fail(self, *_args, **_options):
        raise OSError(EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(WorkTree, "move", fail)
        patch.setattr(WorkTree, "clear", fail)
        with pytest.raises(StoreFailed, match="restore --continue finishes it"):
            workshop.checkpoints.restore("start", "files")
    with pytest.raises(Refused, match="was interrupted"):
        workshop.checkpoints.undo()
    workshop.checkpoints.finish()
    assert listing(workshop.project) == workshop.seen["start"]
    assert not [*workshop.project.glob(f"{STAGE}*")]


def test_another_session_does_not_continue_it(workshop, monkeypatch):
    """The session that began the restore is named."""

    def fail(*_args, **_options):
        raise OSError(EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(WorkTree, "clear", fail)
        with pytest.raises(StoreFailed):
            workshop.checkpoints.restore("start", "files")
    with open_store(workshop.home).create() as other:
        with pytest.raises(Refused, match=workshop.session.id):
            Checkpoints(workshop.project, other, home=workshop.home).finish()


def test_a_prefix_of_a_name_is_no_folder(workshop):
    """A path names itself and what lies below it."""
    restored = workshop.checkpoints.restore("start", "files", paths=["b/"])
    assert restored.record.changed == 1


def test_a_folder_of_the_user_with_the_name_of_the_stage_stays(workshop):
    """Ignored, so that no checkpoint holds it."""
    workshop.write(".gitignore", f"{STAGE}\n")
    workshop.write(f"{STAGE}/own")
    workshop.mark("with it")
    workshop.checkpoints.restore("start", "files")
    assert (workshop.project / STAGE / "own").read_bytes() == b"at first\n"


GROWN = b"grown\n" * 500_000
"""More than a new file may have."""


def empty(project, kept=()):
    """Delete everything in a project but the files of these names."""
    for one in [*project.iterdir()]:
        if one.name not in kept:
            shutil.rmtree(one) if one.is_dir() else one.unlink()


@pytest.fixture
def grown(workshop):
    """The same project with a file that grew, and its checkpoint "grown"."""
    workshop.write("run.sh", "small\n", mode=0o755)
    workshop.mark("small")
    workshop.write("run.sh", GROWN, mode=0o755)
    workshop.mark("grown")
    return workshop


def test_an_undo_removes_a_large_file_that_came_back_into_an_emptied_project(grown):
    """Ignored files stay."""
    grown.write("data/ignored")
    grown.write(".gitignore", "data/\n")
    empty(grown.project, [".gitignore", "data"])
    before = listing(grown.project)
    grown.checkpoints.restore("grown", "files")
    assert (grown.project / "run.sh").read_bytes() == GROWN
    grown.checkpoints.undo()
    assert listing(grown.project) == before


def test_a_large_file_that_came_back_is_still_recorded(grown):
    """Its next change comes back as well."""
    empty(grown.project)
    grown.checkpoints.restore("grown", "files")
    grown.write("run.sh", GROWN + b"changed\n")
    assert grown.mark("changed").left_out == ()
    empty(grown.project)
    grown.checkpoints.restore("changed", "files")
    assert listing(grown.project) == grown.seen["changed"]


@pytest.mark.parametrize("change", ["ignored", "large"])
def test_an_undo_leaves_a_file_that_was_as_it_came_back(grown, change):
    """No checkpoint held it then: it was ignored, or too large for a new one."""
    (grown.project / "run.sh").unlink()
    if change == "ignored":
        grown.write(".gitignore", "run.sh\n")
    grown.mark("without")
    grown.write("run.sh", GROWN, mode=0o755)
    before = listing(grown.project)
    grown.checkpoints.restore("grown", "files")
    assert listing(grown.project) == grown.seen["grown"]
    grown.checkpoints.undo()
    assert listing(grown.project) == before


def test_an_undo_leaves_what_an_ignore_file_hid(workshop):
    """The restore took the ignore file away, and a checkpoint since recorded what it named."""
    workshop.write(".gitignore", "key\n")
    workshop.write("key", "private\n")
    workshop.mark("ignoring")
    before = listing(workshop.project)
    workshop.checkpoints.restore("start", "files")
    workshop.mark("with the key")
    restored = workshop.checkpoints.undo()
    assert listing(workshop.project) == before
    assert "key" in restored.stayed


def test_all_files_of_a_store_are_for_the_user_alone(workshop):
    """Those that git writes too."""
    files = [one for one in workshop.checkpoints._store.folder.rglob("*") if one.is_file()]
    assert {one.name for one in files} >= {"index", "last.json"}
    assert [one for one in files if one.stat().st_mode & 0o077] == []


def test_a_git_that_does_not_end_is_ended(workshop, monkeypatch, tmp_path):
    """It may wait for a pipe, or for a disk."""
    program = tmp_path / "programs" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ $1 = ls-files ] && exec sleep 60\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "PATIENCE_S", 1)
    with pytest.raises(StoreFailed, match="git did not end within 1 seconds"):
        workshop.checkpoints.create("next")


CHANGES = {
    "gone": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), (path / "x").mkdir(parents=True)),
    "below a link": lambda path: (shutil.rmtree(path.parent), path.parent.symlink_to("/etc")),
    "shorter while it is read": lambda _: None,
}


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_while_it_is_recorded(workshop, monkeypatch, tmp_path, change, times):
    """The snapshot begins again; where files go on changing it says so, and calls no store damaged."""
    program = tmp_path / "programs" / "git"
    program.parent.mkdir()
    count = tmp_path / "killed"
    killed = f"echo >> {count}; [ $(wc -l < {count}) -le {times} ] && touch $GIT_DIR/index.lock && kill -BUS $$"
    ends = f"[ $1 = update-index ] && {{ {killed}; }}\n" if change == "shorter while it is read" else ""
    program.write_text(f'#!/bin/sh\n{ends}exec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    path, left, run = workshop.project / "b" / "c", [times], git.Git.run

    def changed(self, *arguments, **options):
        if "--add" in arguments and left[0]:
            left[0] -= 1
            CHANGES[change](path)
        return run(self, *arguments, **options)

    def found(self, on_files, take=snapshots.SnapshotStore._take):
        shutil.rmtree(path.parent) if not path.parent.is_symlink() else path.parent.unlink()
        workshop.write("b/c", "again\n")
        return take(self, on_files)

    monkeypatch.setattr(git.Git, "run", changed)
    monkeypatch.setattr(snapshots.SnapshotStore, "_take", found)
    if times < snapshots.ATTEMPTS:
        workshop.checkpoints.create("next")
    else:
        with pytest.raises(StoreFailed, match=r"project: .*; it changes while it is recorded: end what writes it"):
            workshop.checkpoints.create("next")
        workshop.checkpoints.create("after")


def test_a_git_that_reads_slowly_gets_all_paths(workshop, monkeypatch, tmp_path):
    """More of them than a pipe holds."""
    program = tmp_path / "programs" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ $1 = update-index ] && sleep 0.2\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "PATIENCE_S", 5)
    for number in range(700):
        workshop.write(f"{number:0100}", "")
    workshop.mark("many")
    shutil.rmtree(workshop.project)
    workshop.project.mkdir()
    workshop.checkpoints.restore("many", "files")
    assert listing(workshop.project) == workshop.seen["many"]


@pytest.mark.parametrize("mask", [0o022, 0o002, 0o077])
def test_the_umask_of_the_process_is_never_changed(tmp_path, monkeypatch, mask):
    """Another thread may make a file at any time; permissions come back under every umask."""
    before = os.umask(mask)
    try:
        monkeypatch.setattr(os, "umask", None)
        monkeypatch.setenv("HOME", str(tmp_path))
        made = Workshop(tmp_path)
        made.write("usual")
        made.write("program", mode=0o755)
        made.write("private", mode=0o600)
        made.mark("start")
        for name in ("usual", "program", "private"):
            (made.project / name).unlink()
        made.checkpoints.restore("start", "files")
        assert listing(made.project) == made.seen["start"]
        made.session.close()
    finally:
        monkeypatch.undo()
        os.umask(before)


@pytest.fixture
def settled(workshop, monkeypatch):
    """The same project ten seconds later, when none of its files was written just now."""
    monkeypatch.setattr(snapshots, "system_clock", lambda: system_clock() + 10_000)
    workshop.mark("last")
    return workshop


def test_a_checkpoint_after_the_last_snapshot_was_lost_holds_the_files(settled):
    """Nothing changed in the project since, so that its snapshot would be the one that is gone."""
    lost = settled.checkpoints.get("last").snapshot
    (settled.checkpoints._store.folder / "objects" / lost[:2] / lost[2:]).unlink()
    settled.mark("next")
    settled.write("d", "changed\n")
    settled.checkpoints.restore("next", "files")
    assert listing(settled.project) == settled.seen["next"]


def test_a_checkpoint_in_a_store_that_lost_all_objects_is_refused(settled):
    """It would hold nothing; an unchanged project takes no part of the store for granted."""
    shutil.rmtree(settled.checkpoints._store.folder / "objects")
    with pytest.raises(StoreFailed, match="it is damaged"):
        settled.checkpoints.create("next")


def store_of(workshop):
    """Return the folder of the project's store."""
    return next((workshop.home / "checkpoints").iterdir())


def without_a_file(workshop):
    """Lose the contents of a file that comes back."""
    snapshot = workshop.checkpoints.get("start").snapshot
    blob = git_of_user(workshop.project, "--git-dir", str(store_of(workshop)), "rev-parse", f"{snapshot}:d").strip()
    (store_of(workshop) / "objects" / blob[:2] / blob[2:]).unlink()


def behind_a_link(workshop):
    """Put a link in the store's place."""
    store = store_of(workshop)
    store.symlink_to(store.rename(workshop.home / "elsewhere"))


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (without_a_file, "lacks a file of this snapshot"),
        (lambda workshop: shutil.rmtree(store_of(workshop) / "objects"), "does not hold this snapshot"),
        (lambda workshop: shutil.rmtree(store_of(workshop)), "does not hold this snapshot"),
        (behind_a_link, "links inside a store are not followed"),
        (lambda workshop: workshop.move_to(workshop.project.with_name("elsewhere")), "made of a folder elsewhere"),
    ],
    ids=["a file", "all objects", "the store", "a link", "moved"],
)
def test_a_restore_from_a_store_that_lost_something_changes_nothing(workshop, loss, words):
    """The error says what is missing (CHK_05)."""
    loss(workshop)
    before = listing(workshop.project)
    with pytest.raises((Refused, StoreFailed), match=words):
        workshop.checkpoints.restore("start", "files")
    assert listing(workshop.project) == before


def test_another_process_that_works_on_the_checkpoints_is_named(workshop, monkeypatch):
    """After some seconds."""
    monkeypatch.setattr(snapshots, "PATIENCE_S", 0.1)
    with FileLock(store_of(workshop) / "lock"), pytest.raises(Refused, match="another process works"):
        workshop.checkpoints.restore("start", "files")


def test_a_conversation_that_the_sessions_own_undo_brought_back_stays(workshop):
    """The undo of the restore takes back the files alone (CHK_06)."""
    workshop.say("Go on.")
    workshop.checkpoints.restore("start")
    workshop.session.undo()
    workshop.say("More.")
    workshop.checkpoints.undo()
    assert len(workshop.session.view().messages) == 4


def test_an_id_that_several_have_begins_them(workshop):
    """The refusal names all of them (CHK_01)."""
    with pytest.raises(InvalidInput, match=r"may be 2 checkpoints, the newest .*; give more of an id"):
        workshop.checkpoints.get(workshop.checkpoints.list()[0].id[:4])


def test_a_git_that_is_too_old_leaves_the_files_out(workshop, tmp_path, monkeypatch):
    """The checkpoint says which one would do (CHK_11)."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho git version 2.31.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    made = workshop.checkpoints.create()
    assert (made.snapshot, "install git 2.32 or newer" in made.note) == (None, True)
