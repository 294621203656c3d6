"""Steps of features/conversation/messages.feature."""

from __future__ import annotations

from types import SimpleNamespace

from pytest_bdd import when

from brim.conversation.messages import read_message, sendable
from brim.conversation.tool_pairs import calls_of
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.testing import complaints
from steps.worlds.read_messages import kind_of, names_of


@when("what can be sent is worked out", target_fixture="outcome")
def send(conversation):
    """The messages given stay as they are, and those with nothing to leave out are the same objects."""
    messages = [read_message(one) if isinstance(one, dict) else one for one in conversation]
    before = repr(messages)
    sent = sendable(messages)
    assert repr(messages) == before
    assert [id(one) for one in sent.messages if one in messages] == [
        id(one) for one in messages if one in sent.messages
    ]
    return SimpleNamespace(
        conversation=sent.messages,
        blocks=names_of([part for message in sent.messages for part in message.parts]),
        parts_left_out=[kind_of(part) for part in sent.left_out],
    )


@when("it is compacted where that is due", target_fixture="outcome")
def compact(conversation, limits):
    """Where nothing is done, every message is the very one that came."""
    messages = [one.raw for one in conversation]
    done = Compactor(limits=ModelLimits(**limits)).compact(messages, cause="automatic")
    if not done.plan.changes_anything:
        assert [id(one) for one in done.messages] == [id(one) for one in messages]
    return SimpleNamespace(
        compacted=done.plan.changes_anything,
        faults=complaints(done.messages),
        warnings="; ".join(done.warnings),
        calls=[call.id for message in done.conversation for call in calls_of(message)],
    )
