"""Steps of features/selection/fit.feature."""

from itertools import accumulate

from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.selection.fit import fit_turns, keep_target
from steps.compaction_windows import handed_in_turns
from steps.conversation_table import names
from steps.vocabulary import attempt, phrase, quoted, tokens

TERMS = {
    "Met": TypeBuilder.make_enum({"met": False, "missed": True}),
    "Something": TypeBuilder.make_enum({"nothing": True, "something": False}),
    "Where": TypeBuilder.make_enum({"before the cut": True, "after the cut": False}),
    "Tokens": tokens,
    "Count": tokens,
    "Quoted": quoted,
}


@when(phrase("the target for a usable context of {usable:Tokens} tokens is worked out"), target_fixture="outcome")
def work_out_target(usable):
    return keep_target(usable)


@when(
    phrase("the target for a usable context of {usable:Tokens} tokens under a budget of {budget:Tokens} is worked out"),
    target_fixture="outcome",
)
def work_out_target_under(usable, budget):
    return keep_target(usable, budget)


@when(
    phrase("the target for a usable context of {usable:Tokens} tokens with a share of {share:Number} is worked out"),
    target_fixture="outcome",
)
def work_out_target_with(usable, share):
    return attempt(keep_target, usable, share=share)


@then(phrase("{expected:Tokens} tokens are the target"))
def check_target(outcome, expected):
    assert outcome == expected


@given("a conversation in which", target_fixture="sizes")
def sizes(datatable):
    rows = [(int(count), int(size)) for _, count, size in datatable[1:]]
    totals = list(accumulate((size for count, size in rows for _ in range(count)), initial=0))
    starts = list(accumulate((count for count, _ in rows), initial=0))[:-1]
    return {"starts": starts, "totals": totals, "cuts": range(len(totals))}


@given(phrase('anchors among its turns "{anchors:Quoted}"'), target_fixture="sizes")
def anchored(sizes, anchors):
    return sizes | {"anchors": [int(turn) for turn in names(anchors)]}


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


@when(parsers.parse("it is fitted to {target:d} tokens with {recent:d} recent turns"), target_fixture="outcome")
def fit_recent(sizes, target, recent):
    return attempt(fit_turns, **sizes, target=target, recent=recent)


@then(parsers.cfparse("the anchor is turn {turn:Count}, and the target of {target:Tokens} is {missed:Met}", TERMS))
def check_anchor(outcome, turn, target, missed):
    assert (outcome.anchor, outcome.target, outcome.over_target) == (turn, target, missed)


@then(phrase('it is cut before message {cut:Count}, for "{why:Quoted}"'))
def check_cut(outcome, cut, why):
    assert (outcome.cut + 1, outcome.why) == (cut, why)


@then(phrase("it is cut before message {cut:Count}, keeping {kept:Tokens} tokens"))
def check_kept(outcome, cut, kept):
    assert (outcome.cut + 1, outcome.kept_tokens) == (cut, kept)


@then(parsers.cfparse("the user's last message stands {before:Where}", TERMS))
def check_last_user(outcome, before):
    assert (outcome.last_user is not None) is before


@then(parsers.cfparse('the target is {missed:Met}, and what is kept is "{why:Quoted}"', TERMS))
def check_missed(outcome, missed, why):
    assert (outcome.over_target, outcome.why) == (missed, why)


@then(parsers.cfparse("it is cut before message {cut:Count}, with {nothing:Something} to summarise", TERMS))
def check_nothing(outcome, cut, nothing):
    assert (outcome.cut + 1, outcome.nothing_to_summarise) == (cut, nothing)


@when(
    phrase(
        "a compactor with a share of {share} compacts a conversation of {count:Count} turns, "
        "each with an output of {size:Tokens} tokens"
    ),
    target_fixture="made",
)
def compact_with_share(limits, share, count, size):
    compactor = Compactor(limits=ModelLimits(**limits), policy=CompactionPolicy(keep_share=share))
    return compactor.compact(handed_in_turns(count, size))


@then(phrase("it keeps {count:Count} messages word for word"))
def check_kept_verbatim(made, count):
    assert len(made.plan.kept) == count
