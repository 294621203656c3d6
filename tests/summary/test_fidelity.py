"""Fidelity finds what a plain search finds."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from brim.summary.facts import Fact, fidelity, on_one_line

TEXTS = st.text(alphabet="ab .-'é\n", min_size=1, max_size=12)
NAMES = st.text(alphabet="ab./-", min_size=1, max_size=6).filter(
    lambda name: name[-1] not in ".-/" and name[0] not in ".-/"
)


@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=6))
def test_texts_are_found_as_a_plain_search_finds_them(sought, context):
    """A text is held exactly where it stands in the context, in whatever order the facts come."""
    text = "\n".join(context)
    facts = [Fact("request", on_one_line(one), 0) for one in sought if on_one_line(one)]
    missing = [fact for fact in facts if fact.text not in on_one_line(text)]
    assert list(fidelity(facts, text).missing) == missing


@given(st.lists(NAMES, max_size=4), st.lists(NAMES, max_size=4))
def test_paths_are_found_where_they_stand_alone(sought, context):
    """A path is held exactly where no character of a path stands before it and nothing goes on after it."""
    text = ", ".join(context)
    facts = [Fact("read_file", one, 0) for one in sought]
    missing = [
        fact for fact in facts if not re.search(rf"(?<![\w/\\.~-]){re.escape(fact.text)}(?![\w/-])(?!\.\w)", text)
    ]
    assert list(fidelity(facts, text).missing) == missing


def test_a_fact_far_behind_the_last_one_is_found():
    """Facts that stand in another order, and far apart, are found all the same."""
    context = "the first one here" + " and so on" * 200 + " the last one here"
    facts = [Fact("request", "the last one here", 0), Fact("request", "the first one here", 0), Fact("todo", "on", 0)]
    assert fidelity(facts, context).kept == 3


def test_a_path_without_a_letter_is_looked_for_as_it_is():
    """A tool may be pointed at the folder it is in."""
    facts = [Fact("read_file", "..", 0)]
    assert fidelity(facts, "Looked into .. and found it").kept == 1
    assert fidelity(facts, "Looked into it").kept == 0
