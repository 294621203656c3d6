"""Messages as brim reads them from the dictionaries that a program has."""

from __future__ import annotations

from types import SimpleNamespace

from pytest_bdd import when

from brim.conversation.messages import read_conversation


@when("the messages are read", target_fixture="outcome")
def read(conversation):
    """The conversation is read again from its dictionaries, without the marks that a line gave it."""
    return SimpleNamespace(conversation=read_conversation([message.raw for message in conversation]))
