"""Steps of features/summary/preserved_facts.feature."""

from __future__ import annotations

import re

import pytest
from pytest_bdd import given, parsers, when

from brim.summary.preserved_facts import preserve_facts
from steps.vocabulary import quoted, tokens

PLENTY = 8_000
"""Characters, where a scenario speaks of no limit."""


@pytest.fixture
def kept():
    """What else the new context holds, and what of it the user says; nothing, until a step says so."""
    return {"held_elsewhere": "", "user_text": ""}


@given(parsers.re('a kept (?P<what>part|message of the user) "(?P<text>[^"]*)"'), target_fixture="kept")
def kept_text(what, text):
    return {"held_elsewhere": text, "user_text": text if what == "message of the user" else ""}


@when(
    parsers.re(
        r'what the summary "(?P<summary>[^"]*)" lacks is preserved(?: in at most (?P<limit>[\d,]+) characters)?'
    ),
    target_fixture="outcome",
)
def preserve(summary, facts, kept, limit):
    """Appending twice changes nothing where there is room."""
    text, room = quoted(summary), tokens(limit) if limit else PLENTY
    told = preserve_facts(text, facts, **kept, max_chars=room)
    if limit is None:
        assert preserve_facts(told, facts, **kept, max_chars=room) == told
    return {"summary": told, "kept": re.findall(r"^- (\d+) [a-z]", told, re.MULTILINE)}
