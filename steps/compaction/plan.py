"""Steps of features/compaction/plan.feature."""

from parse import with_pattern
from parse_type import TypeBuilder
from pytest_bdd import then, when

from brim.compaction.context_window import BEFORE_THE_FIRST
from brim.compaction.plan import plan_compaction
from steps.conversation_table import names
from steps.vocabulary import phrase

OWN = {}
OWN["Above"] = TypeBuilder.make_enum({"above": True, "not above": False})


@with_pattern(r"(?:\d+|none)(?:, (?:\d+|none))*")
def indices(text):
    """Indices in order, none for what was added: 0, 1, none."""
    return [None if name == "none" else int(name) for name in names(text)]


OWN["Indices"] = indices


@when("a compaction is planned after the provider's overflow error", target_fixture="plan")
def plan_after_overflow(window):
    return plan_compaction(window, cause="overflow")


@then("the plan does nothing")
def check_nothing(plan):
    assert (plan.acts, plan.pruning.saved) == (False, 0)


@then(phrase('the plan does nothing, because there is "{reason:Quoted}"'))
def check_nothing_because(plan, reason):
    assert (plan.acts, plan.reason) == (False, reason)


@then("the plan waits for the end of the loop")
def check_waits(plan):
    assert (plan.acts, plan.reason.split(":")[0]) == (False, "waits for the end of the tool loop")


@then(phrase("the plan only prunes {count:Count} outputs"))
def check_prunes(plan, count):
    assert (plan.summarizes, len(plan.pruning.outputs)) == (False, count)


@then("the plan summarizes")
def check_summarizes(plan):
    assert plan.summarizes


@then("the plan summarizes, and prunes nothing")
def check_summarizes_alone(plan):
    assert (plan.summarizes, plan.pruning.outputs) == (True, ())


@then("the plan summarizes all but the user's request")
def check_all_but_request(plan, requests):
    assert (plan.kept, plan.summarizes) == ([requests[-1]], True)


@then("no output is pruned")
def check_no_pruning(plan):
    assert (plan.pruning.ids, plan.pruning.saved) == ((), 0)


@then("the plan decides")
def check_decisions(plan, datatable):
    decided = [[str(index), fate, why] for index, fate, why in plan.decisions()]
    assert decided == [[index, fate, why.strip('"')] for index, fate, why in datatable[1:]]


@then(phrase('message {index:Count} is pruned because of "{why:Quoted}"'))
def check_pruned(plan, index, why):
    assert (index, "pruned", why) in list(plan.decisions())


@then("a second plan is equal to the first")
def check_again(plan, window):
    assert plan_compaction(window) == plan


@then(phrase('the plan prunes "{reason:Quoted}" and saves {saved:Tokens} tokens'))
def check_kept_part_pruned(plan, reason, saved):
    assert (plan.pruning.reason, plan.pruning.saved) == (reason, saved)


@then(phrase("the plan holds {count:Tokens} tokens before"))
def check_before(plan, count):
    assert plan.tokens_before == count


@then(phrase('its reason is "{reason:Quoted}"'))
def check_reason_given(plan, reason):
    assert plan.reason == reason


@then("the plan keeps nothing after the summary")
def check_nothing_after(plan):
    assert (plan.cut, plan.tail_reason, plan.anchor) == (len(plan.messages), "", None)


@then(phrase("the plan keeps {expected:Indices}", OWN))
def check_kept(plan, expected):
    assert plan.kept == expected


@then(phrase("the plan is {above:Above} the target", OWN))
def check_above(plan, above):
    assert (plan.summarizes, plan.over_target) == (True, above)


@then(phrase('its notices are "{notices:Quoted}"'))
def check_notices(plan, notices):
    assert "; ".join(plan.notices) == notices


@then("the plan holds the turns")
def check_turns(plan, datatable):
    assert [row_of(one) for one in plan.turns] == datatable[1:]


def row_of(record):
    """A turn as a row: number, request, count of responses, and kind of anchor."""
    turn = record.turn
    return [number_of(turn.index), turn.request, str(len(turn.responses)), achieved(record.anchor)]


def number_of(index):
    """The number of a turn, or "before" for what precedes the first."""
    return "before" if index == BEFORE_THE_FIRST else str(index)


def achieved(anchor):
    """The kind of an anchor in words; empty for None."""
    return anchor.kind.replace("_", " ") if anchor else ""


@then(phrase("the plan names turn {turn:Count} as its anchor, a {kind}"))
def check_anchor(plan, turn, kind):
    assert (plan.anchor.turn, achieved(plan.anchor), plan.tail_reason) == (turn, kind, "anchor")


@then("the plan names no anchor")
def check_no_anchor(plan):
    assert plan.anchor is None


@then("the plan holds no turn and no fact")
def check_no_turns(plan):
    assert (plan.summarizes, plan.turns, plan.facts) == (True, (), ())


@then("the plan holds the facts")
def check_facts(plan, datatable):
    assert [[fact.kind.replace("_", " "), fact.text] for fact in plan.facts] == datatable[1:]


@then(phrase('its previous summary is "{previous:Quoted}"'))
def check_previous_summary(plan, previous):
    assert plan.previous_summary == previous
