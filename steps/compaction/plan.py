"""Steps of features/compaction/plan.feature."""

from parse_type import TypeBuilder
from pytest_bdd import then, when

from brim.compaction.planning import plan_compaction
from steps.vocabulary import TERMS, phrase

HOW = TypeBuilder.make_enum({"an automatic compaction is planned": True, "a compaction is planned by hand": False})
TERMS["How"] = HOW


@when(phrase("{automatic:How}"), target_fixture="plan")
def make_plan(window, automatic):
    return plan_compaction(window, automatic=automatic)


@then("it does nothing")
def check_nothing(plan):
    assert not plan.acts


@then(phrase('it does nothing, because there is "{reason:Quoted}"'))
def check_nothing_because(plan, reason):
    assert (plan.acts, plan.reason) == (False, reason)


@then("it waits for the end of the loop")
def check_waits(plan):
    assert (plan.acts, plan.reason.split(":")[0]) == (False, "waits for the end of the tool loop")


@then(phrase("it prunes {count:Count} outputs alone"))
def check_prunes(plan, count):
    assert (plan.summarises, len(plan.pruning.outputs)) == (False, count)


@then("it summarises")
def check_summarises(plan):
    assert plan.summarises


@then("it summarises all but the user's request")
def check_all_but_request(plan, requests):
    assert (plan.kept, plan.summarises) == ([requests[-1]], True)


@then("no output is pruned")
def check_no_pruning(plan):
    assert plan.pruning.ids == ()


@then("it decides")
def check_decisions(plan, datatable):
    decided = [[str(index), fate, why] for index, fate, why in plan.decisions()]
    assert decided == datatable[1:]


@then(phrase('message {index:Count} is pruned because of "{why:Quoted}"'))
def check_pruned(plan, index, why):
    assert (index, "pruned", why) in list(plan.decisions())


@then("the same plan is made again")
def check_again(plan, window):
    assert plan_compaction(window) == plan
