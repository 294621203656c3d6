"""Turns: what the user asked and the tools did, for what brim reads of a conversation without a model."""

from __future__ import annotations

from pytest_bdd import given

from brim.conversation.turns import Turn
from steps.turn_table import read_text, read_turns
from steps.vocabulary import phrase


@given("a conversation of the turns", target_fixture="turns")
def conversation_of_turns(datatable):
    return read_turns(datatable)


@given(phrase('the user wrote "{text:Quoted}"'), target_fixture="turns")
def user_wrote(text):
    return (Turn(0, 0, 1, read_text(text), ()),)
