"""Steps of features/checkpoints/restoring.feature."""

from __future__ import annotations

import os
import shutil

from filelock import FileLock
from pytest_bdd import given, then, when

from brim.checkpoints import snapshots
from steps.checkpointed_projects import git, listing
from steps.vocabulary import attempt, phrase

LARGE = 3_000_000


@given("a project that holds one of each")
def project_of_each(workshop):
    workshop.write("file")
    workshop.write("folder/inner")
    (workshop.project / "link").symlink_to("file")


@given(phrase('a project with the files "{one:Quoted}" and "{other:Quoted}"'))
def project_of_two(workshop, one, other):
    workshop.write(one)
    workshop.write(other)


def replaced_by_link(workshop):
    (workshop.project / "file").unlink()
    (workshop.project / "file").symlink_to("folder/inner")


def link_replaced(workshop):
    (workshop.project / "link").unlink()
    workshop.write("link")


def link_led_elsewhere(workshop):
    (workshop.project / "link").unlink()
    (workshop.project / "link").symlink_to("folder")


def replaced_by_folder(workshop):
    (workshop.project / "file").unlink()
    (workshop.project / "file" / "empty").mkdir(parents=True)


CHANGES = {
    "a file was changed": lambda workshop: workshop.write("file", "later\n"),
    "a file was changed to the same length": lambda workshop: workshop.write("file", "at f1rst\n"),
    "a file was deleted": lambda workshop: (workshop.project / "file").unlink(),
    "a folder was deleted": lambda workshop: shutil.rmtree(workshop.project / "folder"),
    "a file was made executable": lambda workshop: (workshop.project / "file").chmod(0o755),
    "a file was changed and made read-only": lambda workshop: workshop.write("file", "later\n", 0o444),
    "a file was replaced by a link": replaced_by_link,
    "a link was replaced by a file": link_replaced,
    "a link was given another target": link_led_elsewhere,
    "a file was replaced by an empty folder": replaced_by_folder,
    "nothing was changed": lambda _: None,
}


@given(phrase("since then {change}"))
def change(workshop, change):
    CHANGES[change](workshop)


@given("nothing recorded it")
def record_nothing():
    pass


@given(phrase('the checkpoint "{name:Quoted}", and it is changed'))
def record_and_change(workshop, name):
    workshop.mark(name)
    workshop.write("plan", "again\n")


@given(phrase('the files of "{name:Quoted}" were restored before'))
def restore_before(workshop, name):
    workshop.checkpoints.restore(name, "files")


@given(phrase('"{first:Quoted}" was replaced by "{second:Quoted}"'))
def replace(workshop, first, second):
    path = workshop.project / first.split("/")[0]
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    workshop.write(second)


@given(phrase('a new file "{name:Quoted}" of {size:Count} bytes'))
def add_large(workshop, name, size):
    workshop.write(name, bytes(size))


@given(phrase('a repository "{name:Quoted}" in the project'))
def add_repository(workshop, name):
    git(workshop.project / name, "init")


@then("it names nothing as not touched")
def check_none_stayed(outcome):
    assert outcome.stayed == ()


@then(phrase('it names "{name:Quoted}" as not touched'))
def check_stayed(outcome, name):
    assert outcome.stayed == (name,)


def ignored_again(workshop):
    """A file that no snapshot has seen since it was deleted."""
    (workshop.project / "folder/plan").unlink()
    workshop.write(".gitignore", "plan\nignored\nfolder\nplan.*\n")
    workshop.mark("without")
    workshop.write("folder/plan", "secret\n")


def name_taken(workshop):
    ignored_again(workshop)
    workshop.write("folder/plan.before-restore", "older\n")


def ignored_inside(workshop):
    ignored_again(workshop)
    (workshop.project / "folder/plan").unlink()
    workshop.write("folder/plan/ignored", "secret\n")


def large_again(workshop):
    (workshop.project / "folder/plan").unlink()
    workshop.mark("without")
    workshop.write("folder/plan", bytes(LARGE))


def without_folder(workshop):
    shutil.rmtree(workshop.project / "folder")
    workshop.write(".gitignore", "folder\n")
    workshop.mark("without")


def ignored_above(workshop):
    without_folder(workshop)
    workshop.write("folder", "secret\n")


def outside(workshop):
    """A folder beside the project that a link leads to."""
    folder = workshop.project.parent / "outside"
    folder.mkdir()
    (folder / "plan").write_text("outside\n")
    workshop.seen["outside"] = listing(folder)
    return folder


def link_above(workshop):
    without_folder(workshop)
    (workshop.project / "folder").symlink_to(outside(workshop))


def repository_above(workshop):
    shutil.rmtree(workshop.project / "folder")
    workshop.mark("without")
    git(workshop.project / "folder", "init")
    workshop.write("folder/inside")


OBSTACLES = {
    '"folder/plan" is ignored, deleted and made again': ignored_again,
    "the same, and the name for it is taken": name_taken,
    '"folder/plan" is a folder with an ignored file': ignored_inside,
    '"folder/plan" is deleted and made again with 3,000,000 bytes': large_again,
    '"folder" is replaced by an ignored file': ignored_above,
    '"folder" is replaced by an ignored link that leads outside': link_above,
    '"folder" is replaced by a repository': repository_above,
}
for _words, _obstacle in OBSTACLES.items():
    given(_words)(_obstacle)


@given('"folder" is replaced by a link to a folder outside')
def lead_outside(workshop):
    shutil.rmtree(workshop.project / "folder")
    (workshop.project / "folder").symlink_to(outside(workshop))


@given(phrase('the files "{one:Quoted}" and "{other:Quoted}" are changed'))
def change_both(workshop, one, other):
    workshop.write(one, "later\n")
    workshop.write(other, "later\n")


@given(phrase('the file "{name:Quoted}" was changed before the checkpoint "{mark:Quoted}"'))
def change_before(workshop, name, mark):
    workshop.write(name, "later\n")
    workshop.mark(mark)


def store_of(workshop):
    """The folder of the project's store."""
    return next((workshop.home / "checkpoints").iterdir())


@given(phrase('the store lost the contents of "{name:Quoted}"'))
def lose_contents(workshop, name):
    blob = git(
        workshop.project, "--git-dir", str(store_of(workshop)), "rev-parse", f"{snapshot(workshop)}:{name}"
    ).strip()
    (store_of(workshop) / "objects" / blob[:2] / blob[2:]).unlink()


def snapshot(workshop):
    """The snapshot of the checkpoint that the scenario begins with."""
    return workshop.checkpoints.get("start").snapshot


@given("the store lost all its objects")
def lose_objects(workshop):
    shutil.rmtree(store_of(workshop) / "objects")


@given("the store was replaced by a link")
def link_store(workshop):
    store = store_of(workshop)
    store.symlink_to(store.rename(workshop.home / "elsewhere"))


@given("the store was removed")
def lose_store(workshop):
    shutil.rmtree(store_of(workshop))


@given("another process works on the checkpoints")
def occupy(workshop, monkeypatch):
    monkeypatch.setattr(snapshots, "PATIENCE_S", 0.1)
    with FileLock(store_of(workshop) / "lock"):
        yield


@given("the project is moved")
def move(workshop):
    workshop.move_to(workshop.project.with_name("elsewhere"))


@when(phrase('brim restores the files of "{name:Quoted}" by force'), target_fixture="outcome")
def force(workshop, name):
    return attempt(workshop.checkpoints.restore, name, "files", force=True)


@when(phrase('brim restores "{path:Quoted}" from "{name:Quoted}"'), target_fixture="outcome")
def restore_path(workshop, path, name):
    return attempt(workshop.checkpoints.restore, name, "files", paths=[path])


@when(phrase('brim restores the files that changed from "{first:Quoted}" to "{last:Quoted}"'), target_fixture="outcome")
def restore_range(workshop, first, last):
    return attempt(workshop.checkpoints.restore, first, "files", until=last)


@then(phrase('what was in the way is now "{name:Quoted}"'))
def check_beside(workshop, name):
    assert os.path.lexists(workshop.project / name)


@then("the folder outside has not changed")
def check_outside(workshop):
    assert listing(workshop.project.parent / "outside") == workshop.seen["outside"]


@then(phrase('"{one:Quoted}" is "{first:Quoted}", and "{other:Quoted}" is "{second:Quoted}"'))
def check_both(workshop, outcome, one, first, other, second):  # noqa: PLR0917  a phrase of four words
    assert not isinstance(outcome, Exception), outcome
    held = [(workshop.project / name).read_text() for name in (one, other)]
    assert held == [f"{first}\n", f"{second}\n"]
