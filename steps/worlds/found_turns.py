"""Turns that are found in a conversation: where each begins and ends, what it asks, used and answers."""

from collections.abc import Sequence
from types import SimpleNamespace

from pytest_bdd import when

from brim.conversation.turns import ToolUse, Turn, find_turns


class Turns(list[SimpleNamespace]):
    """The turns of a conversation as the feature tells of them, a row each, and what it says of all of them."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        super().__init__(
            SimpleNamespace(turn=one.index, first=one.start, end=one.stop, asks=one.request, answers=one.answer)
            for one in turns
        )
        self.messages_that_begin_turns = [one.start for one in turns]
        self.turns_marked = [one.index for one in turns if one.marked]
        self.tools_used_first = [shown(use) for use in turns[0].tool_uses] if turns else []


def shown(use: ToolUse) -> str:
    """Return a use as in a line: Edit failed "No such file."."""
    assert use.input == {}
    if use.succeeded is None:
        return f"{use.name} unanswered"
    return f'{use.name} {"" if use.succeeded else "failed "}"{use.output}"'


@when("the turns are found", target_fixture="outcome")
def find(conversation):
    return Turns(find_turns(conversation))
