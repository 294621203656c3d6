"""Steps of features/selection/fit.feature."""

from __future__ import annotations

import json

from pytest_bdd import parsers, when

from brim.selection.fit import fit_turns
from steps.vocabulary import phrase
from steps.worlds.plans import Planned
from steps.worlds.selections import compactor_of, fitted


def marked(messages):
    *blocks, last = messages[-1]["content"]
    cached = last | {"cache_control": {"type": "ephemeral"}}
    return [*messages[:-1], messages[-1] | {"content": [*blocks, cached]}]


RESULT = {
    "in another process the result": lambda messages: messages,
    "then the result as it is": lambda messages: messages,
    "then the result with a cache mark on its last message": marked,
    "then the result with a message more": lambda messages: [*messages, {"role": "user", "content": "And?"}],
}


@when(
    parsers.re(rf"a compactor compacts it(?P<due> where due)?, and (?P<how>{'|'.join(RESULT)})"),
    target_fixture="outcome",
)
def compact_twice(limits, settings, conversation, due, how):
    """The first time it acts; where it does nothing the second time, the messages are what it was given."""
    one = compactor_of(limits, settings)
    first = one.compact([message.raw for message in conversation], cause="automatic" if due else "manual")
    assert first.plan.changes_anything
    other = compactor_of(limits, settings) if "another process" in how else one
    result = RESULT[how](json.loads(json.dumps(first.messages)))
    again = other.compact(result)
    assert again.plan.changes_anything or again.messages == result
    return {"second_compaction": Planned(again.plan).does}


@when(phrase("it is fitted to {target:Tokens} tokens"), target_fixture="outcome")
def fit(sizes, target):
    return fitted(fit_turns(**sizes, target=target))
