"""Steps of features/summary/prompts.feature."""

from __future__ import annotations

import re
from types import SimpleNamespace

from pytest_bdd import parsers, when

from brim.errors import BrimError
from brim.summary.prompts import prompt_for, summary_model
from steps.vocabulary import attempt


@when(
    parsers.re(r'the (?:default prompt|prompt "(?P<prompt>[^"]*)")(?: with the focus "(?P<focus>[^"]*)")? is made'),
    target_fixture="outcome",
)
def make_prompt(prompt, focus):
    made = attempt(prompt_for, **({} if prompt is None else {"prompt": prompt}), focus=focus)
    if isinstance(made, BrimError):
        return made
    return SimpleNamespace(prompt=made, headings=re.findall(r"^#+ (.*)$", made, re.MULTILINE))


@when(
    parsers.re('a conversation with the model "(?P<model>[^"]*)" is summarized(?: by "(?P<another>[^"]*)")?'),
    target_fixture="outcome",
)
def decide_model(model, another):
    return SimpleNamespace(model=summary_model(model, another or ""))
