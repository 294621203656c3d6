"""Steps of features/summary/prompts.feature."""

from __future__ import annotations

import re

from pytest_bdd import given, then, when

from brim.summary.prompts import prompt_for, summary_model
from steps.vocabulary import attempt, phrase


@given(phrase('the prompt "{prompt:Quoted}"'), target_fixture="asked")
def prompt_named(prompt):
    return {"prompt": prompt}


@given("no prompt", target_fixture="asked")
def no_prompt():
    return {}


@given(phrase('the focus "{focus:Quoted}"'), target_fixture="asked")
def focus_on(asked, focus):
    return asked | {"focus": focus}


@when("the prompt is made", target_fixture="outcome")
def make_prompt(asked):
    return attempt(prompt_for, **asked)


@then(phrase('it asks for "{words:Quoted}"'))
def check_asks_for(outcome, words):
    assert words in outcome


@then(phrase('it reads "{text:Quoted}"'))
def check_reads(outcome, text):
    assert outcome == text


@then(phrase('its headings are "{headings:Quoted}"'))
def check_headings(outcome, headings):
    assert re.findall(r"^#+ (.*)$", outcome, re.MULTILINE) == headings.split("; ")


@then("it has no headings")
def check_no_headings(outcome):
    assert re.findall(r"^#+ (.*)$", outcome, re.MULTILINE) == []


@given(phrase('a conversation with the model "{model:Quoted}"'), target_fixture="models")
def model_of_conversation(model):
    return (model,)


@given(phrase('the model for summaries "{model:Quoted}"'), target_fixture="models")
def model_for_summaries(models, model):
    return (*models, model)


@when("it is decided which model is asked", target_fixture="asked_model")
def decide_model(models):
    return summary_model(*models)


@then(phrase('it is "{model:Quoted}"'))
def check_model(asked_model, model):
    assert asked_model == model
