"""To-do lists, in the forms in which agents write them."""

from __future__ import annotations

import pytest

from brim.conversation.turns import ToolUse
from brim.evidence.evidence import ToDo, read_use
from brim.selection.anchors import detect
from tests.evidence.corpora import turn


def wrote(items: object, name: str = "TodoWrite", field: str = "todos", *, succeeded: bool | None = True) -> ToolUse:
    """A tool use that wrote a list."""
    return ToolUse(name, {field: items}, "", succeeded)


def closes(use: ToolUse) -> bool:
    """Return whether it closes a list (ANC_08)."""
    return detect(turn(use), previous_error=False) is not None


@pytest.mark.parametrize(
    ("status", "is_open"),
    [("pending", True), ("in_progress", True), (None, True), ("completed", False), ("cancelled", False)],
)
def test_open(status, is_open):
    """An item is open until it was completed or cancelled."""
    use = wrote([{"content": "x", "status": status}])
    assert read_use(use).todos == (ToDo("x", is_open),)
    assert closes(use) is not is_open


@pytest.mark.parametrize(
    "use",
    [
        wrote([]),
        wrote(None),
        wrote("x"),
        wrote(["x", 3]),
        wrote([{"status": "completed"}], field="list"),
        wrote([{"status": "completed"}], "Show"),
        wrote([{"status": "completed"}], "Show", ""),
        wrote([{"status": "completed"}], succeeded=False),
        wrote([{"status": "completed"}], succeeded=None),
    ],
)
def test_no_list(use):
    """What wrote no list, or did not succeed, has none and closes none."""
    assert read_use(use).todos == ()
    assert not closes(use)
