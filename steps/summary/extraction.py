"""Steps of features/summary/extraction.feature."""

from __future__ import annotations

import re

from pytest_bdd import given, then, when

from brim.conversation.messages import Marks, read_message
from brim.summary.extraction import worth_summarizing
from steps.vocabulary import phrase

BLOCKS = {
    "words": {"type": "text", "text": "Added the parser."},
    "blank words": {"type": "text", "text": " \n"},
    "thinking": {"type": "thinking", "thinking": "Let me see.", "signature": "s"},
    "a tool call": {"type": "tool_use", "id": "1", "name": "Read", "input": {}},
    "an image": {"type": "image", "source": {}},
    "an unknown part": {"type": "hologram"},
    "a marker": {"type": "patch"},
}
ENDINGS = {
    "ended well": Marks(),
    "ended in an error": Marks(error="529 overloaded"),
    "was broken off by the user": Marks(error="aborted", aborted=True),
}


def message(speaker, ended, holds):
    blocks = [BLOCKS[name] for name in holds.split(", ") if name != "nothing"]
    return read_message({"role": speaker, "content": blocks}, ENDINGS[ended])


@given(phrase('an answer that reads "{answer:Quoted}"'), target_fixture="answer")
def answer_reading(answer):
    return answer


@when("the summary is taken out of it", target_fixture="summary")
def take_out(implementation, answer):
    return implementation("extract_summary", text=answer)


@then(phrase('the summary reads "{expected:Quoted}"'))
def check_summary(summary, expected):
    assert summary == expected


@then("the summary is empty")
def check_empty(summary):
    assert summary == ""


@given(phrase("an answer of the model that {ended} and holds {content}"), target_fixture="conversation")
def answer_of_model(ended, content):
    return (message("assistant", ended, content),)


@given("messages that ended so", target_fixture="conversation")
def conversation(datatable):
    return tuple(message(*row) for row in datatable[1:])


@when("what is worth summarizing is gathered", target_fixture="gathered")
def gather(conversation):
    return worth_summarizing(conversation)


@then("the answer is kept")
def check_kept(gathered, conversation):
    assert gathered == conversation


@then("the answer is left out")
def check_left_out(gathered):
    assert gathered == ()


@then(phrase("messages {numbers} are kept"))
def check_messages(gathered, conversation, numbers):
    assert gathered == tuple(conversation[int(number) - 1] for number in re.findall(r"\d+", numbers))
