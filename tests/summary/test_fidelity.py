"""Fidelity finds what a plain search finds."""

from __future__ import annotations

import re
from random import Random
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brim.evidence.failures import on_one_line
from brim.summary.facts import Fact, fidelity

TEXTS = st.text(alphabet="ab .-'é\n", min_size=1, max_size=12)
NAMES = st.text(alphabet="ab./-", min_size=1, max_size=6).filter(
    lambda name: name[-1] not in ".-/" and name[0] not in ".-/"
)


@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=6))
def test_texts_are_found_as_a_plain_search_finds_them(sought, context):
    """A text is held exactly where it stands in the context, in whatever order the facts come."""
    text = "\n".join(context)
    facts = [Fact("todo", on_one_line(one), 0) for one in sought if on_one_line(one)]
    missing = [fact for fact in facts if fact.text not in on_one_line(text)]
    assert list(fidelity(facts, text).missing) == missing


def _stands(name, text):
    return re.search(rf"(?<![\w/\\.~-]){re.escape(name)}(?![\w/-])(?!\.\w)", text)


@given(st.lists(NAMES, max_size=4, unique=True), st.lists(NAMES, max_size=4))
def test_paths_are_found_where_they_stand_alone(sought, context):
    """A path is held exactly where it, or an ending no shorter path has, stands with no character of a path around."""
    text = ", ".join(context)

    def is_held(path, *, is_summary):
        parts = path.split("/")
        ends = ["/".join(parts[start:]) for start in range(1, len(parts) - 1)] if is_summary else []
        others = [one for one in sought if (len(one), -sought.index(one)) < (len(path), -sought.index(path))]
        own = (end for end in ends if not any(f"/{one}".endswith(f"/{end}") for one in others))
        return any(_stands(name, text) for name in (path, *own))

    facts = [Fact("read_file", one, 0) for one in sought]
    for is_summary, texts in ((True, (text, "")), (False, ("", text))):
        missing = [fact for fact in facts if not is_held(fact.text, is_summary=is_summary)]
        assert list(fidelity(facts, *texts).missing) == missing


@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=6))
def test_words_are_found_as_a_plain_search_finds_them(sought, context):
    """Of messages of short lines, the characters of the lines are counted that stand in the context by themselves."""
    text = on_one_line("\n".join(context))
    lines = [on_one_line(line) for one in dict.fromkeys(sought) for line in one.splitlines()]
    assume(len({*lines}) == len(lines))
    present = [
        line
        for line in lines
        if re.search(
            (r"(?<!\w)" if line[:1].isalnum() else "") + re.escape(line) + (r"(?!\w)" if line[-1:].isalnum() else ""),
            text,
        )
    ]
    found = fidelity([Fact("request", one, 0) for one in dict.fromkeys(sought)], "", user_text=text).words
    assert found.total == sum(len(line.replace(" ", "")) for line in lines)
    assert found.present == sum(len(line.replace(" ", "")) for line in present)


@given(st.lists(st.text(alphabet="ab .\n推", max_size=3_000), max_size=3), st.text(alphabet="ab .\n", max_size=300))
def test_a_context_that_has_every_message_whole_lacks_none_of_it(messages, between):
    """However long a message and its words are."""
    facts = [Fact("request", message, 0) for message in messages]
    found = fidelity(facts, "", user_text=f"\n{between}\n".join(messages))
    assert (found.missing_words, found.words.share) == ((), 1)


def _text(random, characters):
    words = ["".join(random.choices("abcdefghijklmnop", k=random.randint(2, 9))) for _ in range(5_000)]
    lines = [" ".join(random.choices(words, k=random.randint(1, 40))) for _ in range(characters // 130)]
    return "\n".join(lines)


@pytest.mark.nightly
def test_the_time_grows_with_the_length_of_what_is_kept_and_of_what_is_looked_for():
    """Four times the messages in four times the text take four times as long, not sixteen."""

    def measured(size):
        random = Random(size)  # noqa: S311 - chance, not a secret
        kept, many, one = (_text(random, size * characters) for characters in (400_000, 100_000, 100_000))
        lines = many.splitlines()
        facts = [Fact("request", "\n".join(lines[start : start + 5]), start) for start in range(0, len(lines), 5)]
        start = process_time()
        found = fidelity(
            [*facts, Fact("request", one, 0), Fact("request", one.replace("\n", ""), 0)], "", user_text=kept
        )
        assert found.words.share < 1 / 4
        return process_time() - start

    measured(1)
    assert measured(4) < 12 * measured(1)
