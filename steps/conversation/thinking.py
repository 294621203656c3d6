"""Steps of features/conversation/thinking.feature."""

from types import SimpleNamespace

from pytest_bdd import when

from brim.conversation.messages import Thinking
from brim.conversation.thinking import loop_needs_thinking, unfinished_loop, without_thinking


@when("the thinking is left out", target_fixture="outcome")
def leave_out(conversation):
    """What is left is written as it came, and a message without thinking is the same object."""
    left = without_thinking(conversation)
    kept = [[part for part in message.parts if type(part) is not Thinking] for message in conversation]
    assert [message.raw["content"] for message in left] == [[part.raw for part in parts] for parts in kept if parts]
    without = [id(one) for one, parts in zip(conversation, kept, strict=True) if len(parts) == len(one.parts)]
    assert [one for one in map(id, left) if one in map(id, conversation)] == without
    said = [getattr(part, "text", getattr(part, "id", getattr(part, "kind", ""))) for one in left for part in one.parts]
    return SimpleNamespace(conversation=tuple(left), messages=len(left), parts=said)


@when("the unfinished loop is looked for", target_fixture="outcome")
def look_for_loop(conversation):
    return SimpleNamespace(
        first_response=unfinished_loop(conversation), thinking_required=loop_needs_thinking(conversation)
    )
