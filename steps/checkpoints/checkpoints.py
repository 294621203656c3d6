"""Steps of features/checkpoints/checkpoints.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from steps.checkpointed_projects import listing
from steps.vocabulary import attempt, phrase

PROMPT = "Move the parser into a file of its own, and mind the tests that read it."


@when(phrase("brim makes the checkpoint before a prompt of {count:Count} characters"), target_fixture="made")
def make_before(workshop, count):
    return workshop.checkpoints.before_prompt(PROMPT[:count])


@when(
    phrase('the user makes the checkpoint "{name:Quoted}" with the tags "{first:Quoted}" and "{second:Quoted}"'),
    target_fixture="made",
)
def make_tagged(workshop, name, first, second):
    return workshop.checkpoints.create(name, tags=(first, second))


@when(phrase('the user tries to make a checkpoint with the tag "{tag:Quoted}"'), target_fixture="outcome")
def try_tag(workshop, tag):
    return attempt(workshop.checkpoints.create, "mine", tags=["green", tag])


@then("there is no checkpoint")
def check_none(workshop):
    assert workshop.checkpoints.list() == ()


WORDS = {
    "its id": lambda one: one.id,
    "the last 8 characters of its id": lambda one: one.id[-8:],
    "the first 4 characters of its id": lambda one: one.id[:4],
    "its id in small letters": lambda one: one.id.lower(),
    "its name": lambda one: one.name,
}


@given(phrase('{count:Count} checkpoints "{name:Quoted}"'))
def make_several(workshop, count, name):
    for _ in range(count):
        workshop.checkpoints.create(name)


@when(phrase("the user looks for a checkpoint by {words}"), target_fixture="outcome")
def try_to_look(workshop, words):
    return attempt(workshop.checkpoints.get, WORDS[words](workshop.checkpoints.list()[0]))


@then(phrase("it names {count:Count} ids"))
def check_ids(workshop, outcome, count):
    named = [one.id in str(outcome) for one in workshop.checkpoints.list()]
    assert named == [True] * count + [False] * (len(named) - count)


@when(phrase("the user looks for the checkpoint by {words}"), target_fixture="found")
def look(workshop, words):
    return workshop.checkpoints.get(WORDS[words](workshop.checkpoints.list()[0]))


@when(phrase('brim restores the both of "{name:Quoted}"'), target_fixture="outcome")
def restore_both(workshop, name):
    return attempt(workshop.checkpoints.restore, name, "both")


@when(phrase('brim restores the {what} of "{name:Quoted}" and undoes that'), target_fixture="outcome")
def restore_and_undo(workshop, what, name):
    workshop.checkpoints.restore(name, what)
    return attempt(workshop.checkpoints.undo)


@when(
    phrase('brim restores the files of "{first:Quoted}" and then those of "{second:Quoted}"'), target_fixture="outcome"
)
def restore_twice(workshop, first, second):
    workshop.seen["before"] = listing(workshop.project)
    workshop.checkpoints.restore(first, "files")
    return attempt(workshop.checkpoints.restore, second, "files")


@when(phrase('brim restores "{first:Quoted}", then "{second:Quoted}", and undoes both'), target_fixture="outcome")
def undo_twice(workshop, first, second):
    workshop.seen["before"] = listing(workshop.project)
    workshop.checkpoints.restore(first, "files")
    workshop.checkpoints.restore(second, "files")
    workshop.checkpoints.undo()
    assert listing(workshop.project) == workshop.seen[first]
    return attempt(workshop.checkpoints.undo)


@when(
    phrase(
        'brim restores "{path:Quoted}" from "{name:Quoted}", the file "{other:Quoted}" is written, '
        "and brim undoes the restore"
    ),
    target_fixture="outcome",
)
def undo_single(workshop, path, name, other):
    workshop.checkpoints.restore(name, "files", paths=[path])
    workshop.write(other)
    return attempt(workshop.checkpoints.undo)


@when(
    phrase(
        'brim restores both of "{name:Quoted}", the session undoes the rewind, the user says "{text:Quoted}", '
        "and brim undoes the restore"
    ),
    target_fixture="outcome",
)
def undo_after_undo(workshop, name, text):
    workshop.checkpoints.restore(name)
    workshop.session.undo()
    workshop.say(text)
    return attempt(workshop.checkpoints.undo)


@when("brim undoes the newest restore", target_fixture="outcome")
def undo(workshop):
    return attempt(workshop.checkpoints.undo)


@then(phrase('its name is "Before: ", the first {count:Count} characters and "...", and its tag is "{tag:Quoted}"'))
def check_name(made, count, tag):
    assert (made.name, made.tags) == (f"Before: {PROMPT[:count]}...", (tag,))


@then(phrase('the newest checkpoint is "{name:Quoted}" with the tags "{first:Quoted}" and "{second:Quoted}"'))
def check_newest(workshop, name, first, second):
    newest = workshop.checkpoints.list()[0]
    assert (newest.name, newest.tags) == (name, (first, second))


@then("it is found")
def check_found(workshop, found):
    assert found == workshop.checkpoints.list()[0]


@then(phrase('"{name:Quoted}" is "{held:Quoted}", and the conversation has {count:Count} messages'))
def check_held(workshop, outcome, name, held, count):
    assert not isinstance(outcome, Exception), outcome
    shown = workshop.session.view().messages
    assert ((workshop.project / name).read_text(), len(shown)) == (f"{held}\n", count)


@then(phrase('the file "{name:Quoted}" has "{held:Quoted}"'))
def check_content(workshop, name, held):
    assert (workshop.project / name).read_text() == f"{held}\n"
