"""Steps of features/trigger/profiles.feature."""

from __future__ import annotations

import asyncio
import warnings

from pytest_bdd import then, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.models import ModelLimits, limits_of
from brim.trigger.profiles import profile_table
from steps.vocabulary import attempt, phrase

ACTS = {">": "above", ">=": "at least"}


@when("the table of profiles is drawn up", target_fixture="outcome")
def draw_table(limits):
    return attempt(profile_table, ModelLimits(**limits))


@when(
    phrase('a compactor for the model "{model:Quoted}" judges a window of {held:Tokens} tokens {where}'),
    target_fixture="judged",
)
def judge_by_compactor(model, held, where):
    said = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "Done."}]
    usage = {"input_tokens": held}
    if where == "in a thread":
        return attempt(Compactor(model=model).should_compact, said, usage=usage)
    return attempt(lambda: asyncio.run(AsyncCompactor(model=model).should_compact(said, usage=usage)))


@then(phrase('its answer says "{words:Quoted}"'))
def check_answer(judged, words):
    assert words in str(judged)


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


@when(phrase("a compactor is made with the profile {name}"), target_fixture="warned")
def make_compactor(name):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        Compactor(policy=CompactionPolicy(profile=name))
    return warned


@then(phrase('its warnings are "{text:Quoted}"'))
def check_warnings(warned, text):
    assert [(str(one.message), one.category) for one in warned] == [(text, DeprecationWarning)] * bool(text)
