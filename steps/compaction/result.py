"""Steps of features/compaction/result.feature."""

from parse_type import TypeBuilder
from pytest_bdd import then, when

from brim.compaction.plan import plan_compaction
from brim.compaction.result import apply_plan, compact_without_model
from steps.compaction_windows import filler
from steps.vocabulary import phrase

OWN = {"Used": TypeBuilder.make_enum({"used": True, "not used": False})}


@when(phrase("a manual compaction writes a summary of {count:Tokens} tokens"), target_fixture="compaction")
def compact_to_length(window, count):
    return apply_plan(plan_compaction(window), filler(count))


@when("a manual compaction runs without a model", target_fixture="compaction")
def compact_by_template(window):
    return compact_without_model(plan_compaction(window))


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


@then(phrase("{kept:Count} of {count:Count} facts are left"))
def check_share(compaction, kept, count):
    found = compaction.fidelity
    assert (found.kept, found.facts) == (kept, count)


@then("all facts are left")
def check_all_left(compaction):
    assert compaction.fidelity.missing == ()


@then(phrase('its plan gives "{why:Quoted}" as the reason for every message'))
def check_reasons(compaction, why):
    assert {reason for _, _, reason in compaction.plan.decisions()} == {why}
