"""The messages that a feature quotes, such as those of refusals: a user searches for the one that he met."""

from __future__ import annotations

import re
from collections.abc import Iterator

from living.text import PARAMETER, filled
from steps.rulebook import Scenario

TELLS = re.compile(r"refus|reject|error|stderr|warn|fail", re.IGNORECASE)
"""A step with one of these words quotes a message."""
QUOTED = re.compile(r'"(.+?)"(?=$|[ ,.])|(<[^<>]+>)')
WORDS = 3
"""A message has at least so many; less is a name or a kind."""


def messages_of(scenario: Scenario) -> list[str]:
    """The messages of a scenario, each once, with the values of its examples."""
    found = (text for step in _outcomes(scenario) for text in _filled(scenario, step))
    return [text for text in dict.fromkeys(found) if len(re.findall(r"[^\W\d]+", text)) >= WORDS]


def _outcomes(scenario: Scenario) -> Iterator[str]:
    for step in scenario.steps:
        if step.kind == "then" and TELLS.search(step.text):
            yield from (said or value for said, value in QUOTED.findall(step.text))


def _filled(scenario: Scenario, text: str) -> Iterator[str]:
    yield from (filled(text, row) for row in scenario.values) if PARAMETER.search(text) else (text,)
