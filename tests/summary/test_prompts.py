"""Prompts: what holds for any name, any text and any focus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.summary.prompts import PROMPTS, prompt_for

SENTENCES = st.lists(st.text("abc.,<>{}%", min_size=1), min_size=2).map(" ".join)


@given(SENTENCES, st.none() | SENTENCES)
def test_a_prompt_of_several_words_is_never_changed(text, focus):
    """Whatever stands in it, tags and braces too, it is there word for word, and the focus after it."""
    made = prompt_for(text, focus)
    assert made.startswith(text.strip())
    assert made.endswith((focus or text).strip())


@given(st.sampled_from(sorted(PROMPTS)), st.sampled_from(["", " ", "\n"]))
def test_a_name_is_known_with_space_around_it(name, space):
    """A name with space around it is the name."""
    assert prompt_for(f"{space}{name}{space}") == PROMPTS[name]


@given(st.text("abcdefgh", min_size=1))
def test_one_word_that_is_no_name_is_refused_by_its_own_name(word):
    """A slip in a name is met when it is set, not by a model that makes something of it."""
    with pytest.raises(InvalidInput, match=f"'{word}'.*structured, opencode, windowing"):
        prompt_for(word)
