"""Steps of features/selection/message_window.feature."""

from __future__ import annotations

from typing import Any

from pytest_bdd import given, when

from brim.selection.message_window import keep_newest
from steps.vocabulary import phrase
from steps.worlds.conversation_line import items
from steps.worlds.selections import fitted


@given(phrase("{count:Count} messages of the user and the agent in turn"), target_fixture="messages")
def in_turn(count):
    return [{"id": str(number + 1), "role": ("user", "assistant")[number % 2]} for number in range(count)]


@when("the messages to keep are chosen", target_fixture="outcome")
def choose(request, implementation, settings):
    if "messages" in request.fixturenames:
        messages = request.getfixturevalue("messages")
    else:
        messages = operation_messages(request.getfixturevalue("conversation").text)
    options = {"recent": settings["keep_messages"]} if "keep_messages" in settings else {}
    chosen = implementation("select_messages", messages=messages, **options)
    numbers = {name: [int(one) for one in chosen[name]] for name in ("kept", "summarized")}
    return {
        "messages_kept": numbers["kept"],
        "number_kept": len(numbers["kept"]),
        "number_summarized": len(numbers["summarized"]),
    }


def operation_messages(line: str) -> list[dict[str, Any]]:
    """Return the messages of a line as the operation takes them, called by their numbers."""
    return [
        {
            "id": str(number),
            "role": pieces[0].get("speaker") or {"call": "assistant", "result": "tool"}[pieces[0]["whole"]],
            "calls": [one["name"] for one in pieces if one["whole"] == "call"],
            "results": [one["name"] for one in pieces if one["whole"] == "result"],
        }
        for number, pieces in enumerate(items(line), start=1)
    ]


@when("the newest messages are kept", target_fixture="outcome")
def keep(sizes):
    return fitted(keep_newest(**{name: value for name, value in sizes.items() if name != "starts"}))
