"""Steps of features/compaction/layout.feature."""

from parse_type import TypeBuilder
from pytest_bdd import given, then, when

from brim.compaction.plan import plan_compaction
from brim.compaction.result import apply_plan
from brim.conversation.messages import CLOSING, CONTINUATION, CONTINUATION_OPENING, UNSEEN, Thinking, read_message
from brim.testing import MessagesServer
from steps.compaction_windows import sample
from steps.conversation_table import read_table, write_table
from steps.providers import MODEL
from steps.vocabulary import phrase

OWN = {
    "End": TypeBuilder.make_enum(
        {"with a tool result": "result", "with an answer": "answer", "with a request of the user": "request"}
    ),
    "Ends": TypeBuilder.make_enum({"ends": True, "does not end": False}),
}


@given(phrase("a conversation that ends {end:End}", OWN), target_fixture="conversation")
def ends(end):
    return sample(end)


@then("the new conversation is")
def check_conversation(compaction, datatable):
    rows = [[cell.replace("\\n", "\n") for cell in row] for row in datatable]
    assert write_table(compaction.conversation, rows[0]) == rows


@then("its dictionaries hold the same")
def check_raw(compaction):
    columns = ["speaker", "says"]
    assert write_table(map(read_message, compaction.messages), columns) == write_table(compaction.conversation, columns)


@then(phrase("the conversation {ends:Ends} with the message to continue", OWN))
def check_continuation(compaction, ends):
    last = compaction.conversation[-1]
    assert (last.text.startswith(CONTINUATION), last.marks.synthetic) == (ends, ends)


@then(phrase("{count:Count} message tells the model to continue"))
def check_count_of_continuations(compaction, count):
    assert sum(message.text.startswith(CONTINUATION_OPENING) for message in compaction.conversation) == count


@then("the model reads the results of its last calls in words")
def check_unseen(compaction):
    assert UNSEEN in compaction.text


@then(phrase("the plan and the new conversation differ by at most {tokens:Count} tokens"))
def check_estimate(compaction, tokens):
    assert 0 <= compaction.tokens_after - compaction.plan.tokens_left <= tokens


@then(phrase("{count:Count} message holds thinking"))
def check_thinking(compaction, count):
    thinking = [message for message in compaction.conversation if any(type(part) is Thinking for part in message.parts)]
    assert len(thinking) == count


@then(phrase("{count:Count} message closes a tool loop"))
def check_count_of_closings(compaction, count):
    assert [message.text for message in compaction.conversation].count(CLOSING) == count


@given(phrase('a manual compaction writes the summary "{summary:Quoted}"'), target_fixture="compaction")
def compacted_before(window, summary):
    return apply_plan(plan_compaction(window), summary)


@then("a second manual compaction changes nothing")
def check_again(compaction, window):
    assert not plan_compaction(window.with_messages(map(read_message, compaction.messages))).acts


@given("after its result came", target_fixture="continued")
def go_on(compaction, window, datatable):
    return window.with_messages([*map(read_message, compaction.messages), *read_table(datatable)])


@when(phrase('an automatic compaction of all that writes the summary "{summary:Quoted}"'), target_fixture="compaction")
def compact_the_rest(continued, summary):
    return apply_plan(plan_compaction(continued, cause="automatic"), summary)


@then("the next request is accepted, thinking with a budget")
def check_accepted(compaction):
    budget = {"type": "enabled", "budget_tokens": 1_024}
    with MessagesServer() as server, server.client() as client:
        client.messages.create(model=MODEL, max_tokens=2_000, messages=compaction.messages, thinking=budget)
        assert server.requests[-1].body["messages"] == compaction.messages
