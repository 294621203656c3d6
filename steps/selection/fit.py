"""Steps of features/selection/fit.feature."""

import json
from itertools import accumulate

from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.selection.fit import fit_turns
from steps.compaction_windows import filler, raw_turns
from steps.conversation_table import names
from steps.policies import with_policy
from steps.vocabulary import phrase, quoted, tokens

TERMS = {
    "Met": TypeBuilder.make_enum({"met": False, "missed": True}),
    "Where": TypeBuilder.make_enum({"before the cut": True, "after the cut": False}),
    "Tokens": tokens,
    "Count": tokens,
    "Quoted": quoted,
}


OPENINGS = {
    "a summary": [f"{SUMMARY_OPENING}\n\nAll went well."],
    "a reminder and a summary": [
        "<system-reminder>Be brief.</system-reminder>",
        f"{SUMMARY_OPENING}\n\nAll went well.",
    ],
    "a request of 1,000 tokens and a summary": [filler(1_000), f"{SUMMARY_OPENING}\n\nAll went well."],
}


@given(phrase("a policy that keeps a share of {share}, at most {count:Tokens} tokens"), target_fixture="settings")
def keep_settings(settings, share, count):
    return settings | {"keep_share": share, "keep_tokens": count}


@given(phrase("a conversation that holds {held:Tokens} tokens"), target_fixture="caller_messages")
def conversation_of(held):
    return [{"role": "user", "content": filler(tokens)} for tokens in (held - 1, 1)]


@given(phrase("a conversation that holds {held:Tokens} tokens after {opening}"), target_fixture="caller_messages")
def conversation_after(held, opening):
    return [{"role": "user", "content": text} for text in [*OPENINGS[opening], filler(held)]]


def compactor(limits, settings):
    return Compactor(limits=ModelLimits(**limits), **with_policy(settings))


@when("a compactor plans its compaction", target_fixture="plan")
def make_plan(limits, settings, caller_messages):
    return compactor(limits, settings).plan(caller_messages)


@when("a compactor plans its compaction after the provider's overflow error", target_fixture="plan")
def make_plan_after_overflow(limits, settings, caller_messages):
    return compactor(limits, settings).plan(caller_messages, cause="overflow")


@then(phrase("{expected:Tokens} tokens are the target"))
def check_target(plan, expected):
    assert plan.target == expected


@given("the target is filled", target_fixture="settings")
def filled(settings):
    return settings | {"fill_target": True}


@given("a compactor compacts these messages", target_fixture="made")
def compact(limits, settings, conversation):
    return compactor(limits, settings).compact([message.raw for message in conversation])


@given("a compactor compacts these messages where that is due", target_fixture="made")
def compact_where_due(limits, settings, conversation):
    return compactor(limits, settings).compact([message.raw for message in conversation], cause="automatic")


@when("a compactor plans its compaction of these messages", target_fixture="plan")
def make_plan_of(limits, settings, conversation):
    return compactor(limits, settings).plan([message.raw for message in conversation])


@then(phrase('it keeps the messages "{kept:Quoted}", and clears the outputs of "{cleared:Quoted}"'))
def check_filled(plan, kept, cleared):
    indices = [[int(name) for name in names(text)] for text in (kept, cleared)]
    assert [plan.kept, sorted({output.message for output in plan.pruning.outputs})] == indices


@given(
    phrase("a compactor compacts a conversation of {count:Count} turns, each with an output of {size:Tokens} tokens"),
    target_fixture="made",
)
@when(
    phrase("a compactor compacts a conversation of {count:Count} turns, each with an output of {size:Tokens} tokens"),
    target_fixture="made",
)
def compact_turns(limits, settings, count, size):
    return compactor(limits, settings).compact(raw_turns(count, size))


@then(phrase("it keeps {count:Count} messages word for word"))
def check_kept_verbatim(made, count):
    assert len(made.plan.kept) == count


@then(phrase("it keeps {count:Count} messages word for word, with {cleared:Count} outputs cleared"))
def check_cleared(made, count, cleared):
    assert (len(made.plan.kept), str(made.messages).count(PLACEHOLDER)) == (count, cleared)


@when(
    phrase(
        "a compactor compacts what a conversation sent after {count:Count} turns of {words:Tokens} tokens, "
        "each with an output of {size:Tokens} tokens"
    ),
    target_fixture="made",
)
def compact_sent(limits, settings, count, words, size):
    one = compactor(limits, settings)
    conversation = Conversation(one)
    for message in raw_turns(count, size):
        begins = "Please go on." in str(message)
        if begins:
            conversation.prepare()
        conversation.append({"role": "user", "content": filler(words)} if begins else message)
    return one.compact(conversation.prepare().messages)


@when("a compactor of another process compacts the result", target_fixture="again")
def compact_again(limits, settings, made):
    return compactor(limits, settings).compact(json.loads(json.dumps(made.messages)))


def result_given(messages, how):
    """The result of a compaction, as the agent has it afterwards."""
    if how == "with a message more":
        return [*messages, {"role": "user", "content": "And?"}]
    if how == "with a cache mark on its last message":
        *blocks, last = messages[-1]["content"]
        marked = messages[-1] | {"content": [*blocks, last | {"cache_control": {"type": "ephemeral"}}]}
        return [*messages[:-1], marked]
    return messages


@when(
    phrase(
        "a compactor compacts a conversation of {count:Count} turns of {size:Tokens} tokens, and then the result {how}"
    ),
    target_fixture="again",
)
def compact_twice(limits, settings, count, size, how):
    one = compactor(limits, settings)
    first = one.compact(raw_turns(count, size))
    assert first.plan.acts
    return one.compact(result_given(json.loads(json.dumps(first.messages)), how))


@then(phrase("the compactor {does} the second time"))
def check_second(again, does):
    assert (again.plan.acts, does) in {(False, "does nothing"), (True, "clears outputs")}


@then("the second compaction changes nothing")
def check_unchanged(made, again):
    assert (made.plan.acts, again.plan.acts, again.messages) == (True, False, made.messages)


@given("a conversation in which", target_fixture="sizes")
def sizes(datatable):
    rows = [(int(count), int(size)) for _, count, size in datatable[1:]]
    totals = list(accumulate((size for count, size in rows for _ in range(count)), initial=0))
    starts = list(accumulate((count for count, _ in rows), initial=0))[:-1]
    return {"starts": starts, "totals": totals, "cuts": range(len(totals))}


@given(phrase('anchors among its turns "{anchors:Quoted}"'), target_fixture="sizes")
def anchored(sizes, anchors):
    return sizes | {"anchors": [int(turn) for turn in names(anchors)]}


@given(phrase("a summary of {size:Tokens} tokens opens it"), target_fixture="sizes")
def opened(sizes, size):
    totals = [0, *(total + size for total in sizes["totals"])]
    starts = [start + 1 for start in sizes["starts"]]
    return {"starts": starts, "totals": totals, "cuts": range(len(totals)), "summary": 0}


@given(phrase('it may be cut before the messages "{cuts:Quoted}"'), target_fixture="sizes")
def legal_cuts(sizes, cuts):
    return sizes | {"cuts": [int(cut) - 1 for cut in names(cuts)]}


@given(phrase("its last {recent:Count} turns count as recent"), target_fixture="sizes")
def recent_turns(sizes, recent):
    return sizes | {"recent": recent}


@given(phrase("only its messages from {first:Count} on may be compacted"), target_fixture="sizes")
def compactable(sizes, first):
    return sizes | {"first": first - 1}


@when(phrase("it is fitted to {target:Tokens} tokens"), target_fixture="outcome")
def fit(sizes, target):
    return fit_turns(**sizes, target=target)


@then(parsers.cfparse("the anchor is turn {turn:Count}, and the target of {target:Tokens} is {missed:Met}", TERMS))
def check_anchor(outcome, turn, target, missed):
    assert (outcome.anchor, outcome.target, outcome.over_target) == (turn, target, missed)


@then(phrase('it is cut before message {cut:Count}, for "{why:Quoted}"'))
def check_cut(outcome, cut, why):
    assert (outcome.cut + 1, outcome.reason) == (cut, why)


@then(phrase("it is cut before message {cut:Count}, keeping {kept:Tokens} tokens"))
def check_kept(outcome, cut, kept):
    assert (outcome.cut + 1, outcome.kept_tokens) == (cut, kept)


@then(parsers.cfparse("the user's last message stands {before:Where}", TERMS))
def check_last_user(outcome, before):
    assert (outcome.last_user is not None) is before


@then(parsers.cfparse('the target is {missed:Met}, and what is kept is "{why:Quoted}"', TERMS))
def check_missed(outcome, missed, why):
    assert (outcome.over_target, outcome.reason) == (missed, why)


@then(phrase("it is cut before message {cut:Count}"))
def check_cut_alone(outcome, cut):
    assert outcome.cut + 1 == cut
