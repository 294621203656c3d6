"""Prompts: what holds for any name, any text and any focus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.summary.extraction import extract_summary
from brim.summary.prompts import CARE, PROMPTS, prompt_for, summary_model

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


def test_the_names_cannot_be_changed():
    """What a name stands for is the same for all who share the process."""
    with pytest.raises(TypeError):
        PROMPTS["structured"] = "Nothing."  # type: ignore[index]


@pytest.mark.parametrize("name", PROMPTS)
def test_every_prompt_ends_with_what_to_take_care_of(name):
    """What is lost most often stands at the end, where it is read last."""
    assert PROMPTS[name].endswith(CARE)


def test_only_the_structured_prompt_asks_for_tags():
    """The others ask for the summary alone; an answer without tags is the summary as a whole."""
    assert [name for name, text in PROMPTS.items() if extract_summary(text) != text] == ["structured"]


def test_a_model_of_white_space_is_none():
    """A setting that is blank is not set."""
    assert summary_model("large", " \n") == "large"
