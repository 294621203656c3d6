"""Openings and sentences keep to their lengths, whatever the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brim.evidence.failures import excerpt, on_one_line
from brim.summary.facts import extract_constraints_and_decisions, first_sentence, shortened


@given(st.text())
def test_an_excerpt_is_how_the_text_begins(text):
    """The excerpt is the beginning of the text on one line, at most 200 characters of it."""
    begun = excerpt(text)
    assert on_one_line(text).startswith(begun)
    assert len(begun) <= 200
    assert len(begun) >= min(len(on_one_line(text)), 200) - 1


@given(st.text(), st.integers(min_value=1, max_value=300))
def test_a_shortened_text_has_one_character_more_at_most(text, characters):
    """What is cut has an ellipsis in addition, and what is not cut is the text itself."""
    short = shortened(text, characters)
    assert short == on_one_line(text) if len(on_one_line(text)) <= characters else short.endswith("…")
    assert len(short) <= characters + 1


@given(st.text(), st.integers(min_value=0, max_value=100))
def test_a_first_sentence_stands_on_one_line(text, characters_min):
    """A sentence never breaks a line and never exceeds 200 characters and the ellipsis."""
    sentence = first_sentence(text, characters_min)
    assert "\n" not in sentence
    assert len(sentence) <= 201


@given(st.text(alphabet="Never do.!?\n`-# x"))
def test_what_is_extract_constraints_and_decisions_was_said(text):
    """Every constraint and every decision stands in the text, white space aside."""
    said = on_one_line(text)
    assert all(on_one_line(words) in said for found in extract_constraints_and_decisions(text) for words in found)
