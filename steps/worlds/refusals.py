"""Refusals, warnings and reasons: one wording for each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_bdd import parsers, then

from brim.errors import BrimError, InvalidInput, Refused
from steps.implementation import Refusal
from steps.vocabulary import phrase
from steps.worlds.tables import agrees


def message_of(outcome: Any) -> str:
    """Return what a refusal says; nothing if the outcome is none."""
    if isinstance(outcome, Refusal):
        return outcome.message
    if isinstance(outcome, Mapping):
        return outcome.get("refusal", "")
    return str(outcome) if isinstance(outcome, BrimError) else getattr(outcome, "refusal", "")


@then(phrase('it is refused with "{words:Quoted}"'))
def check_refused_with(outcome, words):
    assert agrees(message_of(outcome), words), outcome


@then(parsers.re(r"it is refused(?:, naming (?P<numbers>[\d,. and]+))?"))
def check_refused(outcome, numbers):
    assert isinstance(outcome, Refused) or getattr(outcome, "kind", None) == "refused", outcome
    named = re.findall(r"\d+", message_of(outcome).replace(",", ""))
    assert {one.replace(",", "") for one in re.findall(r"\d[\d,]*", numbers or "")} <= {*named}, outcome


@then("it is not understood")
def check_not_understood(outcome):
    assert isinstance(outcome, InvalidInput) or getattr(outcome, "kind", None) == "invalid_input", outcome


@then(phrase('it warns "{words:Quoted}"'))
def check_warning(outcome, words):
    assert len(outcome.warned) == bool(words), outcome.warned
    assert all(agrees(one, words) for one in outcome.warned), outcome.warned
