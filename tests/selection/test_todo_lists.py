"""To-do lists, in the forms in which agents write them."""

from __future__ import annotations

import pytest

from brim.conversation.turns import ToolUse
from brim.selection.evidence import ToDo, closes_list, to_dos


def wrote(items: object, name: str = "TodoWrite", field: str = "todos", *, succeeded: bool | None = True) -> ToolUse:
    """A tool use that wrote a list."""
    return ToolUse(name, {field: items}, "", succeeded)


@pytest.mark.parametrize(
    ("status", "is_open"),
    [("pending", True), ("in_progress", True), (None, True), ("completed", False), ("cancelled", False)],
)
def test_open(status, is_open):
    """An item is open until it was completed or cancelled."""
    use = wrote([{"content": "x", "status": status}])
    assert to_dos(use) == (ToDo("x", is_open),)
    assert closes_list(use) is not is_open


def test_mixed():
    """A list is closed when every item is."""
    items = [{"content": "x", "status": "completed"}, {"status": "pending"}]
    assert to_dos(wrote(items)) == (ToDo("x", is_open=False), ToDo("", is_open=True))
    assert not closes_list(wrote(items))


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
    assert to_dos(use) == ()
    assert not closes_list(use)
