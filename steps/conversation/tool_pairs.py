"""Steps of features/conversation/tool_pairs.feature."""

from types import SimpleNamespace

from pytest_bdd import when

from brim.conversation.messages import read_message
from brim.conversation.tool_pairs import PairTracker, pair_tools


@when("calls and results are paired", target_fixture="outcome")
def pair(conversation):
    """What is sent reads back as itself, and of a conversation that stays as it is each message is the same object."""
    sent = pair_tools(conversation)
    assert tuple(read_message(message.raw, message.marks) for message in sent.messages) == sent.messages
    if sent.messages == tuple(conversation):
        assert [id(message) for message in sent.messages] == [id(message) for message in conversation]
        assert sent.sources == tuple(range(len(conversation)))
    return SimpleNamespace(
        conversation=sent.messages,
        calls_answered_with_an_error=sent.answered,
        results_left_out=sent.left_out,
        results_moved_up=sent.moved,
        calls_left_out=sent.unsendable_calls,
        places_before=["new" if place is None else place for place in sent.sources],
    )


@when("the conversation is watched as it grows", target_fixture="outcome")
def watch(conversation):
    growing, whole = PairTracker(), []
    for place, message in enumerate(conversation):
        growing.append(message)
        whole += [place] if growing.is_paired else []
    return SimpleNamespace(places_where_it_is_whole=whole)
