"""Steps of features/conversation/turns.feature."""

from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim.conversation.messages import SUMMARY_OPENING, read_conversation, read_message
from brim.conversation.turns import find_turns, read_turn
from steps.conversation_table import write_table
from steps.vocabulary import TERMS, phrase

OUTCOMES = {True: "succeeded", False: "failed", None: "unanswered"}
OWN_TERMS = TERMS | {
    "Speaker": TypeBuilder.make_enum({"user": "user", "assistant": "assistant"}),
    "Marked": TypeBuilder.make_enum({"marked": True, "not marked": False}),
}


def wording(text):
    """A step's wording, in which {name:Term} is a term of the domain or of this feature alone."""
    return parsers.cfparse(text, OWN_TERMS)


@given(wording('a message of the {role:Speaker} with the lines "{lines:Quoted}"'), target_fixture="raw")
def lines_message(role, lines):
    return {"role": role, "content": lines}


@given("a message of the user whose second text is the line of a summary", target_fixture="raw")
def second_text():
    return {"role": "user", "content": [{"type": "text", "text": text} for text in ("See:", SUMMARY_OPENING)]}


@given(phrase('a message of the user with the texts "{first:Quoted}" and "{second:Quoted}"'), target_fixture="raw")
def two_texts(first, second):
    return {"role": "user", "content": [{"type": "text", "text": text} for text in (first, second)]}


@when("the turn that it begins is read", target_fixture="turn")
def read_begun(raw):
    return find_turns([read_message(raw)])[0]


@when(phrase("its first {count:Count} messages are read as turn {index:Count}"), target_fixture="turn")
def read_first(conversation, count, index):
    return read_turn(conversation, index, 0, count)


@given("an answer of the assistant in the form of a summary", target_fixture="answer")
def answer_like_a_summary():
    return {"role": "assistant", "content": f"{SUMMARY_OPENING}\n\nFixed."}


@when("both are read as a conversation", target_fixture="both")
def read_both(raw, answer):
    return read_conversation([raw, answer])


@then(phrase('the answer is marked "{marks:Quoted}"'))
def check_answer_marks(both, marks):
    assert write_table(both, ["mark"])[2] == [marks]


@when("its marks are read", target_fixture="message")
def read_marks(raw):
    return read_message(raw)


@then("the turns are")
def check_turns(turns, datatable):
    rows = [[str(turn.index), str(turn.start), str(turn.stop), turn.request, turn.answer] for turn in turns]
    assert rows == datatable[1:]


@then(phrase('the turn asks "{request:Quoted}" and answers "{answer:Quoted}"'))
def check_words(turn, request, answer):
    assert (turn.request, turn.answer) == (request, answer)


@then("the first turn used")
def check_uses(turns, datatable):
    uses = [
        [use.name, "nothing" if use.input == {} else str(use.input), use.output, OUTCOMES[use.succeeded]]
        for use in turns[0].tool_uses
    ]
    assert uses == datatable[1:]


@then(wording("the first turn is {marked:Marked}"))
def check_marked(turns, marked):
    assert turns[0].marked is marked


@then(phrase('it is marked "{marks:Quoted}"'))
def check_marks(message, marks):
    assert write_table([message], ["mark"])[1] == [marks]
