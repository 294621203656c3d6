"""Extraction, by any answer a model may give."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.messages import Marks, read_message
from brim.summary.extraction import extract_summary, worth_summarizing

WORDS = st.text(alphabet="ab \n.", max_size=20)
ANSWERS = st.lists(st.sampled_from(["<summary>", "</summary>", "<analysis>", "</analysis>", "a", " b. "]), max_size=8)


@given(WORDS, WORDS, WORDS)
def test_what_stands_in_the_tags_is_the_summary(before, inside, after):
    """Whatever stands around a pair of tags, the summary is what stands in it, white space at its ends aside."""
    assert extract_summary(f"{before}<summary>{inside}</summary>{after}") == inside.strip()


@given(WORDS)
def test_an_answer_without_tags_is_its_own_summary(answer):
    """An answer without tags is the summary, white space at its ends aside."""
    assert extract_summary(answer) == answer.strip()


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("<think>Say </think> or not.</think> Well.", "or not.</think> Well."),
        ("<think>Or not", ""),
        ("<think>Or not: <summary>Well.</summary>", "Well."),
        ("<think>Only this.</think>", ""),
        ("It is long.\n</think>\n\nWell.", "Well."),
        ("<summary>It strips\n</think>\nmarks.</summary>", "It strips\n</think>\nmarks."),
        ("<think>One.</think>\n<think>Two.</think>\nWell.", "Well."),
        ("<thinking>It is long.</thinking>Well.", "Well."),
        ("[THINK]It is long.[/THINK]Well.", "Well."),
        ("◁think▷It is long.◁/think▷Well.", "Well."),
        ("<seed:think>It is long.</seed:think>Well.", "Well."),
        ("<reasoning>It is long.</reasoning>\n<summary>Well.</summary>", "Well."),
        ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Well.", "Well."),
        ("<|channel|>final<|message|>Well.", "Well."),
        ("Well: </think> ends a thought.", "Well: </think> ends a thought."),
    ],
)
def test_what_a_model_thinks_first_is_not_its_answer(answer, left):
    """Models, and servers of models that think, leave it in front of the text."""
    assert extract_summary(answer) == left


@given(ANSWERS)
def test_nothing_is_invented(pieces):
    """However tags are set, the summary is made of the answer's own words, in their order."""
    answer = "".join(pieces)
    left = iter(answer.replace(" ", "").replace("\n", ""))
    assert all(character in left for character in extract_summary(answer).replace(" ", "").replace("\n", ""))


@given(st.lists(st.booleans(), max_size=6))
def test_what_is_kept_is_the_very_message(errors):
    """Messages that are worth summarizing are the ones handed in, in their order."""
    marks = [Marks(error="529" if failed else None) for failed in errors]
    messages = [read_message({"role": "assistant", "content": "x"}, mark) for mark in marks]
    kept = worth_summarizing(messages)
    assert [id(one) for one in kept] == [id(one) for one in messages if one.marks.error is None]
