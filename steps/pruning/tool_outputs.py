"""Steps of features/pruning/tool_outputs.feature."""

from __future__ import annotations

from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from pytest_bdd import when

from brim.compaction.context_window import ContextWindow
from brim.pruning.tool_outputs import Pruning, apply_pruning
from steps.worlds.conversation_line import STATES, Line, Piece, items
from steps.worlds.notation import Acts

OPTIONS = {"prune_protect": "protect", "prune_minimum": "minimum", "protected_tools": "protected_tools"}
"""What a setting of the policy is called in the operation."""


@when("old outputs are cleared", target_fixture="outcome")
def clear(request, implementation, conversation, settings):
    """By the operation if other implementations run the rule, else in a window."""
    if request.node.get_closest_marker("portable") is None:
        return cleared_in(request.getfixturevalue("window"))
    options = {OPTIONS[name]: value for name, value in settings.items() if name in OPTIONS}
    options |= {} if settings.get("prune", True) else {"disabled": True}
    answer = implementation("prune", messages=operation_messages(conversation.text), **options)
    return (
        SimpleNamespace(outputs_cleared=answer["pruned"], saved=answer["saved"]) if isinstance(answer, dict) else answer
    )


def cleared_in(window: ContextWindow) -> SimpleNamespace:
    """Return what a window clears. The caller's messages stay as they are, and all others the very same."""
    given = tuple(window.messages)
    before, pruning = deepcopy(given), window.prunable()
    after = apply_pruning(given, pruning)
    assert window.prune() == pruning
    assert given == before
    cleared = {one.message for one in pruning.outputs}
    assert {n for n, one in enumerate(after) if one is not given[n]} == cleared
    assert tuple(window.messages) == after
    return told(pruning, after)


def told(pruning: Pruning, after: tuple[Any, ...]) -> SimpleNamespace:
    """Return a decision in the words of the feature."""
    said = {name: getattr(pruning, name) for name in ("saved", "reason", "reread")}
    return SimpleNamespace(outputs_cleared=list(pruning.ids), conversation=after, **said)


class Watched:
    """A window, and what it cleared last."""

    def __init__(self, window: ContextWindow) -> None:
        self.window = window
        self.outcome: SimpleNamespace | None = None

    def clears(self) -> None:
        """Clear old outputs."""
        self.outcome = cleared_in(self.window)

    def takes(self, line: str) -> None:
        """Go on by the messages of a line."""
        for message in Line.read(line):
            self.window.append(message)


WINDOW = Acts(
    "the window {acts}",
    {
        "clears old outputs": Watched.clears,
        'takes "([^"]*)"': Watched.takes,
    },
)


@when(WINDOW, target_fixture="outcome")
def window_acts(window, acts):
    watched = Watched(window)
    WINDOW.perform(watched, [acts])
    return watched.outcome


def operation_messages(line: str) -> list[dict[str, Any]]:
    """Return the messages of a line as the operation takes them."""
    return [_operation_message(pieces) for pieces in items(line)]


def _operation_message(pieces: list[Piece]) -> dict[str, Any]:
    speaker = pieces[0].get("speaker", "assistant")
    said: dict[str, Any] = {"role": "assistant" if speaker == "assistant" else "user"}
    said["parts"] = [_operation_part(one) for one in pieces if "name" in one]
    said |= {"user_turn": False} if speaker == "harness" else {}
    return said | ({"summary": True} if "summary" in pieces[0]["flags"] else {})


def _operation_part(piece: Piece) -> dict[str, Any]:
    status = next((STATES[one] for one in piece["flags"] if one in STATES), "completed")
    part = {"id": piece["name"], "type": "text" if "loose" in piece["flags"] else "tool", "status": status}
    if "bare" in piece["flags"]:
        return part
    return part | {
        "tool": piece.get("tool", "Read"),
        "tokens": piece["tokens"],
        "pruned": "cleared" in piece["flags"],
    }
