"""A project with checkpoints: its history in rows, what brim does with it, and what it holds then.

Each row of a history is a moment: the time that passes before, what the user says, what each file becomes, and the
checkpoint that is made then.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pytest_bdd import given, then, when

from steps.clock import span
from steps.vocabulary import attempt, phrase, tokens
from steps.worlds.notation import Acts
from steps.worlds.tables import agrees


def set_settings(workshop: Any, **fields: Any) -> None:
    """Make the settings of checkpoints these."""
    workshop.told["settings"] = import_module("brim.checkpoints").CheckpointSettings(**fields)


def restore(workshop: Any, path: str, name: str, until: str | None) -> Any:
    """Restore files, the conversation or both of a checkpoint, or a path."""
    parts = path in {"files", "conversation", "both"}
    paths = None if parts else [path.strip('"')]
    return workshop.checkpoints.restore(name, path if parts else "files", paths=paths, until=until)


def create(workshop: Any, name: str | None, tags: str | None, position: str | None) -> Any:
    """Make a checkpoint by hand."""
    return workshop.checkpoints.create(name or "", tags=tags.split(", ") if tags else (), position=position or "")


BRIM = Acts(
    "brim {acts}",
    {
        r'restores (?:the )?(files|conversation|both|"[^"]+") of "([^"]*)"(?: until "([^"]*)")?': restore,
        "undoes the restore": lambda workshop: workshop.checkpoints.undo(),
        r'makes a checkpoint(?: "([^"]*)")?(?: tagged "([^"]*)")?(?: at the record "([^"]*)")?': create,
        r"makes the checkpoint before a prompt of ([\d,]+) characters": lambda workshop, count: (
            workshop.checkpoints.before_prompt("x" * tokens(count))
        ),
        "removes old checkpoints": lambda workshop: workshop.checkpoints.gc(),
        r'finds "([^"]*)"': lambda workshop, name: workshop.checkpoints.get(workshop.called(name)),
        "keeps no snapshots": lambda workshop: set_settings(workshop, snapshots=False),
        r"keeps checkpoints for (\d+) days, at most (\d+)": lambda workshop, days, most: set_settings(
            workshop, keep_days=int(days), keep_checkpoints=int(most)
        ),
    },
)


def perform(workshop: Any, line: str) -> Any:
    """Do what a line says, until something is refused; return what the last act came to."""
    listing = import_module("steps.checkpointed_projects").listing
    repository, workshop.seen["before"] = listing(workshop.project / ".git"), listing(workshop.project)
    outcome = None
    for pattern, words in BRIM.each(line):
        outcome = attempt(BRIM.acts[pattern], workshop, *words)
        if isinstance(outcome, Exception):
            break
    assert listing(workshop.project / ".git") == repository  # the user's repository is only read
    return outcome._asdict() if hasattr(outcome, "_asdict") else outcome


@given("the history of a project")
def write_history(workshop, request, datatable):
    columns, *rows = datatable
    for row in rows:
        moment = dict(zip(columns, row, strict=True))
        if moment.get("time"):
            request.getfixturevalue("clock").tick(span(moment["time"]))
        for number in range(tokens(moment.get("times") or "1")):
            workshop.moment(moment, number)


@given(BRIM)
def was_done(workshop, acts):
    outcome = perform(workshop, acts)
    assert not isinstance(outcome, Exception), outcome


@when(BRIM, target_fixture="outcome")
def do(workshop, acts):
    return perform(workshop, acts)


@then("the project holds")
def check_holds(workshop, datatable):
    columns, cells = datatable
    found = [workshop.held(name) for name in columns]
    assert all(
        agrees(value, cell) or (cell == "there" and value != "gone") for value, cell in zip(found, cells, strict=True)
    ), (found, cells)


@then(phrase('the project is as at "{name:Quoted}"'))
def check_as_at(workshop, outcome, name):
    assert not isinstance(outcome, Exception), outcome
    assert import_module("steps.checkpointed_projects").listing(workshop.project) == workshop.seen[name]
