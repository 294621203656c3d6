"""Steps of features/summary/user_words.feature."""

from __future__ import annotations

import re

from pytest_bdd import parsers, then, when

from brim.summary.facts import collect_facts
from brim.summary.user_words import bounded, words_section
from steps.counted import TERMS
from steps.vocabulary import phrase, tokens

GAP = re.compile(r" \[… ([\d,]+) characters left out …\] ")
NOTE = re.compile(r"… [\d,]+ messages?, [\d,]+ characters left out")


def texts(turns, facts):
    """Return the messages of the user, among the facts where these are given."""
    return [one.text for one in (collect_facts(turns) if facts is None else facts) if one.kind == "request"]


def shown(items, messages):
    """Return the numbers of the messages that are whole, and of those that have both their ends."""
    cut = [(item, GAP.split(item)) for item in items if GAP.search(item)]
    assert all(any(one.startswith(ends[0]) and one.endswith(ends[-1]) for one in messages) for _, ends in cut)
    return {
        "whole": [item.split()[0] for item in items if item in messages],
        "shortened": [item.split()[0] for item, _ in cut],
    }


@when(phrase("the user's messages are listed in {limit:Count} characters"), target_fixture="outcome")
def list_messages(turns, facts, limit):
    """Within the limit, and nothing where neither a message nor the count has room."""
    messages = texts(turns, facts)
    section = words_section(messages, limit)
    assert len(section) <= limit
    note = NOTE.search(section)
    items = re.sub(f"\n{NOTE.pattern}", "", section).split("\n- ")[1:]
    assert bool(section) == bool(items or note)
    assert not items or not note or f"\n{note[0]}\n" in section
    ends = GAP.split(items[0]) if items else [""]
    return {
        "summary": section,
        "characters": len(section),
        "left_out": note[0] if note else "",
        "before_the_gap": ends[0],
        "behind_the_gap": ends[-1],
        **shown(items, messages),
    }


@when(parsers.re(r"the user's messages are handed on(?: in (?P<limit>[\d,]+) characters)?"), target_fixture="outcome")
def hand_on(turns, facts, limit):
    """Within the limit, each whole or shortened, and the whole ones as they were."""
    messages = texts(turns, facts)
    handed_on = bounded(messages, tokens(limit)) if limit else bounded(messages)
    assert sum(map(len, handed_on)) <= tokens(limit or "200,000")
    found = shown(handed_on, messages)
    assert len(found["whole"]) + len(found["shortened"]) == len(handed_on)
    return found | {"number_whole": len(found["whole"])}


@then(phrase('the new conversation has "{words:Quoted}" {count:Times}', TERMS))
def check_times(outcome, words, count):
    """What was intended last is quoted besides."""
    assert outcome.text.replace(f'Last intent: "{words}"', "").count(words) == count
