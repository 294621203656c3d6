"""Steps of features/compaction/result.feature."""

from parse_type import TypeBuilder
from pytest_bdd import given, then, when

from brim.compaction.plan import CONTINUATION, plan_compaction
from brim.compaction.result import apply_plan, compact_without_model
from brim.conversation.messages import Thinking, read_message
from brim.conversation.tool_pairs import results_of
from brim.testing import MessagesServer
from steps.compaction_windows import filler, sample
from steps.conversation_table import write_table
from steps.providers import MODEL
from steps.vocabulary import phrase

OWN = {}
OWN["Manner"] = TypeBuilder.make_enum({"automatically": True, "by hand": False})
OWN["End"] = TypeBuilder.make_enum(
    {"with a tool result": "result", "with an answer": "answer", "with a request of the user": "request"}
)
OWN["Used"] = TypeBuilder.make_enum({"used": True, "not used": False})
OWN["Fate"] = TypeBuilder.make_enum({"kept": True, "summarised": False})
OWN["Sent"] = TypeBuilder.make_enum({"sent on": True, "not sent on": False})


@given(phrase("a conversation that ends {end:End}", OWN), target_fixture="conversation")
def ends(end):
    return sample(end)


@when(phrase('it is compacted {automatic:Manner} to the summary "{summary:Quoted}"', OWN), target_fixture="compaction")
def compact_to(window, automatic, summary):
    return apply_plan(plan_compaction(window, automatic=automatic), summary)


@when(phrase("it is compacted by hand to a summary of {count:Tokens} tokens"), target_fixture="compaction")
def compact_to_length(window, count):
    return apply_plan(plan_compaction(window), filler(count))


@when("it is compacted automatically", target_fixture="compaction")
def prune_alone(window):
    return apply_plan(plan_compaction(window, automatic=True))


@when("it is compacted by hand without a model", target_fixture="compaction")
def compact_by_template(window):
    return compact_without_model(plan_compaction(window))


@then("the new conversation is")
def check_conversation(compaction, datatable):
    rows = [[cell.replace("\\n", "\n") for cell in row] for row in datatable]
    assert write_table(compaction.conversation, rows[0]) == rows


@then("as dictionaries it reads the same")
def check_raw(compaction):
    columns = ["speaker", "says"]
    assert write_table(map(read_message, compaction.messages), columns) == write_table(compaction.conversation, columns)


@then("the new conversation is the very same")
def check_same(compaction, conversation):
    assert [id(raw) for raw in compaction.messages] == [id(message.raw) for message in conversation]


@then(phrase("the model is {sent:Sent}", OWN))
def check_sent_on(compaction, sent):
    last = compaction.conversation[-1]
    assert (last.text == CONTINUATION, last.marks.synthetic) == (sent, sent)


@then(phrase("thinking is left in {count:Count} message"))
def check_thinking(compaction, count):
    thinking = [message for message in compaction.conversation if any(type(part) is Thinking for part in message.parts)]
    assert len(thinking) == count


@then(phrase("the summary is told by the {speaker}"))
def check_teller(compaction, speaker):
    assert [message.role for message in compaction.conversation if message.marks.summary] == [speaker]


@then(phrase("the tool loop is {kept:Fate}", OWN))
def check_loop(compaction, kept):
    assert any(map(results_of, compaction.conversation)) is kept


@then("the next request is accepted, thinking with a budget")
def check_accepted(compaction):
    budget = {"type": "enabled", "budget_tokens": 1_024}
    with MessagesServer() as server, server.client() as client:
        client.messages.create(model=MODEL, max_tokens=2_000, messages=compaction.messages, thinking=budget)
        assert server.requests[-1].body["messages"] == compaction.messages


@then("the figures are")
def check_figures(compaction, datatable):
    share = f"{float(compaction.compression.ratio):.1%}"
    figures = [f"{compaction.tokens_before:,}", f"{compaction.tokens_after:,}", f"{compaction.saved:,}", share]
    assert figures == datatable[1]


@then("nothing is saved")
def check_nothing_saved(compaction):
    assert (compaction.saved, compaction.compression.ratio) == (0, 0)


@then(phrase('the summary is "{summary:Quoted}"'))
def check_summary(compaction, summary):
    assert compaction.summary == summary


@then("the summary reads")
def check_summary_text(compaction, docstring):
    assert compaction.summary == docstring


@then(phrase("the summary is {length:Count} characters long"))
def check_length(compaction, length):
    assert len(compaction.summary) == length


@then(phrase("the summary is {used:Used}", OWN))
def check_used(compaction, used):
    assert (bool(compaction.summary), compaction.plan.summarises) == (used, used)


@then(phrase('its plan keeps everything, because there is "{reason:Quoted}"'))
def check_plan_undone(compaction, reason):
    plan = compaction.plan
    assert (plan.kept, plan.acts, plan.reason) == (list(range(len(plan.messages))), False, reason)


@then(phrase("{kept:Count} of {count:Count} facts are left, and the missing ones are"))
def check_fidelity(compaction, kept, count, datatable):
    found = compaction.fidelity
    missing = [[fact.kind.replace("_", " "), fact.text] for fact in found.missing]
    assert (found.kept, found.facts, missing) == (kept, count, datatable[1:])


@then("all facts are left")
def check_all_left(compaction):
    assert compaction.fidelity.missing == ()


@then(phrase('it gives "{why:Quoted}" as the reason for every message'))
def check_reasons(compaction, why):
    assert {reason for _, _, reason in compaction.plan.decisions()} == {why}
