"""Steps of features/checkpoints/retention.feature."""

from __future__ import annotations

import random
import subprocess

from pytest_bdd import given, then, when

from brim.checkpoints import CheckpointSettings
from steps.clock import TIMES
from steps.vocabulary import phrase

MIB = 1024 * 1024


@given(phrase("checkpoints are kept for {days:Count} days, and at most {most:Count}"))
def limit(workshop, days, most):
    workshop.told["settings"] = CheckpointSettings(keep_days=days, keep_checkpoints=most)


@given(phrase("{count:Count} checkpoints of changes"))
def make_many(workshop, count):
    for number in range(count):
        workshop.write("notes", f"{number}\n")
        workshop.mark(str(number))


@given(phrase("{count:Count} checkpoints of the conversation"))
def make_many_quickly(workshop, count):
    workshop.told["settings"] = CheckpointSettings(snapshots=False)
    for number in range(count):
        workshop.mark(str(number))


@given(phrase('a restore of the files of "{name:Quoted}" that stands'))
def restore(workshop, name):
    workshop.checkpoints.restore(name, "files")


@given(phrase('a restore of the files of "{name:Quoted}" that was undone'))
def restore_and_undo(workshop, name):
    workshop.checkpoints.restore(name, "files")
    workshop.checkpoints.undo()


@given(phrase('a project whose file "{name:Quoted}" has 1,048,576 bytes that nothing compresses'))
def project_of_noise(workshop, name):
    workshop.write(name, random.Random(1).randbytes(MIB))  # noqa: S311


@given(phrase('the checkpoint "{old:Quoted}", and {length:Span} later "{new:Quoted}"', TIMES))
def make_two(workshop, clock, old, length, new):
    workshop.mark(old)
    clock.tick(length)
    workshop.mark(new)


@given(phrase('the file "{name:Quoted}" was {how} before the checkpoint "{mark:Quoted}", {length:Span} later', TIMES))
def change_before(workshop, clock, name, how, mark, length):  # noqa: PLR0917  a phrase of four words
    workshop.write(name, "later\n") if how == "changed" else (workshop.project / name).unlink()
    clock.tick(length)
    workshop.mark(mark)


@when("brim removes old checkpoints", target_fixture="freed")
def collect(workshop):
    return workshop.checkpoints.gc()


@then(phrase('the checkpoints are "{names:Quoted}"'))
def check_names(workshop, names):
    assert ", ".join(one.name for one in workshop.checkpoints.list()) == names


@then(phrase("{left:Count} checkpoints are listed, and {removed:Count} were removed"))
def check_counts(workshop, freed, left, removed):
    assert (len(workshop.checkpoints.list()), len(freed.removed)) == (left, removed)


@when("brim makes a checkpoint without a change")
def make_one_more(workshop):
    workshop.mark("new")


@then(phrase("{count:Count} snapshots are left in the store"))
def check_snapshots(workshop, count):
    store = next((workshop.home / "checkpoints").iterdir())
    asked = ["git", "--git-dir", store, "for-each-ref", "--format=%(refname)"]
    kept = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()  # noqa: S603
    assert len(kept) == count


@then(phrase("more than {least:Count} bytes were freed, and the store has less than {most:Count}"))
def check_freed(workshop, freed, least, most):
    held = sum(one.stat().st_size for one in (workshop.home / "checkpoints").rglob("*") if one.is_file())
    assert (freed.bytes > least, held < most) == (True, True), (freed.bytes, held)


@then(phrase('the other session\'s checkpoint restores "{name:Quoted}" as at first'))
def check_other(workshop, other, name):
    other.restore("theirs", "files")
    assert (workshop.project / name).read_bytes() == b"at first\n"
