"""Steps of features/trigger/profiles.feature."""

from __future__ import annotations

from pytest_bdd import then, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.models import ModelLimits, limits_of
from brim.trigger.overflow import trigger_for
from brim.trigger.profiles import profile_table
from steps.vocabulary import attempt, phrase

ACTS = {">": "above", ">=": "at least"}


@when("the table of profiles is drawn up", target_fixture="outcome")
def draw_table(limits):
    return attempt(profile_table, ModelLimits(**limits))


@when("the profile is put to use", target_fixture="trigger")
def put_to_use(limits, settings):
    return trigger_for(settings["profile"], ModelLimits(**limits))


@when(phrase('the limits of the model "{model:Quoted}" are asked for'), target_fixture="outcome")
def ask_limits(model):
    return attempt(limits_of, model)


@when(
    phrase(
        'the limits of the model "{model:Quoted}" are asked for, '
        "told a window of {window:Tokens} and a longest answer of {answer:Tokens}"
    ),
    target_fixture="outcome",
)
def ask_limits_told(model, window, answer):
    return attempt(limits_of, model, window=window, max_output=answer)


@when(
    phrase('the limits of the model "{model:Quoted}" are asked for, told a window of {window:Tokens}'),
    target_fixture="outcome",
)
def ask_limits_told_window(model, window):
    return attempt(limits_of, model, window=window)


@when(
    phrase('the limits of the model "{model:Quoted}" are asked for, told a longest answer of {answer:Tokens}'),
    target_fixture="outcome",
)
def ask_limits_told_answer(model, answer):
    return attempt(limits_of, model, max_output=answer)


@then(phrase("the verdict counts {held:Tokens} tokens"))
def check_counted(outcome, held):
    assert outcome["held"] == held


@then("it reads")
def check_table(outcome, datatable):
    shown = [[row.name, ACTS[row.comparison], f"{row.threshold:,}" if row.threshold else "refused"] for row in outcome]
    assert [["profile", "acts", "threshold"], *shown] == datatable


@then(phrase('the note on {name} begins "{opening:Quoted}"'))
def check_note(outcome, name, opening):
    assert [row.name for row in outcome if (row.note or "").startswith(opening) and row.name == name]


@then("every profile is described")
def check_descriptions(outcome):
    assert all(row.description for row in outcome)


@then(phrase("there is no note on {name}"))
def check_no_note(outcome, name):
    assert [row.note for row in outcome if row.name == name] == [None]


@then(phrase('a notice begins "{opening:Quoted}"'))
def check_notice(trigger, opening):
    assert [notice for notice in trigger.notices if notice.startswith(opening)]


@then("there is no notice")
def check_no_notice(trigger):
    assert trigger.notices == ()


@then(phrase("its context window is {window:Tokens} tokens and its longest answer {answer:Tokens}"))
def check_limits(outcome, window, answer):
    assert (outcome.context_window, outcome.max_output_tokens) == (window, answer)


@then(
    phrase(
        "its context window is {window:Tokens} tokens, its longest answer {answer:Tokens} "
        "and its input limit {limit:Tokens}"
    )
)
def check_all_limits(outcome, window, answer, limit):
    assert outcome == ModelLimits(context_window=window, max_output_tokens=answer, max_input_tokens=limit)


@when(
    phrase("a compactor judges a conversation whose last response reported {count:Tokens} tokens"),
    target_fixture="outcome",
)
def judge_by_compactor(limits, settings, count):
    compactor = Compactor(limits=ModelLimits(**limits), policy=CompactionPolicy(profile=settings["profile"]))
    said = [{"role": "user", "content": "Mend the door."}, {"role": "assistant", "content": "It is mended."}]
    verdict = compactor.should_compact(said, usage={"input_tokens": count, "output_tokens": 0})
    return {"due": verdict.due}
