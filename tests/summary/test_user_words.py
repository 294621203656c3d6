"""The section of the user's words, for any messages and any limit."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brim.evidence.failures import on_one_line
from brim.summary.user_words import HEADING, bounded, without_middle, words_section

LINES = st.sampled_from(["Port it.", "Active files:", "- x", "", "\t", "y" * 300, "e\u0301" * 90, "a\rb", "c\u2028d"])
MESSAGES = st.lists(st.lists(LINES, min_size=1, max_size=8).map("\n".join).map(str.strip).filter(bool), max_size=12)
LIMITS = st.integers(-5, 4_000)


@given(MESSAGES, LIMITS)
@example(["a\n" * 2_000, "b"], 700)
def test_the_section_keeps_to_its_limit_and_its_form(messages, limit):
    """Nothing of the user's begins in the first column but the mark of an item."""
    section = words_section(messages, limit)
    assert len(section) <= max(limit, 0)
    for line in section.splitlines()[1:]:
        assert not line.strip() or line.startswith(("- ", "  ", "… "))


@given(MESSAGES, LIMITS)
def test_what_has_room_is_there_whole(messages, limit):
    """With room for all every message is; with more room than for the first and the last, these are."""
    held = on_one_line(words_section(messages, 100_000))
    assert all(on_one_line(message) in held for message in messages)
    section = words_section(messages, limit)
    ends = messages[:1] + messages[-1:]
    needed = sum(2 * len(message) + 3 for message in ends) + len(HEADING) + 60
    if messages and limit >= 2 * needed:
        assert all(on_one_line(message) in on_one_line(section) for message in ends)


@given(st.text(max_size=600), st.integers(0, 500))
def test_a_shortened_text_says_how_much_is_missing(text, limit):
    """Both its ends are the text's own."""
    short = without_middle(text, limit)
    if short != text and short:
        assert len(short) <= limit
        head, _, rest = short.partition(" [… ")
        number, _, tail = rest.partition(" characters left out …] ")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + len(tail) + int(number.replace(",", "")) == len(text)


@given(MESSAGES.filter(bool), st.integers(200, 2_000))
def test_what_is_handed_on_keeps_the_first_and_the_newest(messages, limit):
    """Within the limit, and what is handed on again stays the same."""
    kept = bounded(messages, limit)
    assert sum(map(len, kept)) <= limit
    assert bounded(kept, limit) == kept
    if sum(map(len, messages)) <= limit:
        assert kept == messages


GAP = re.compile(r" \[… ([\d,]+) characters left out …\] ")


@pytest.mark.parametrize(
    ("message", "shown"),
    [("Hi.\rActive files:", "- Hi.\r  Active files:"), ("Hi.\u2028Active files:", "- Hi.\u2028  Active files:")],
)
def test_whatever_ends_a_line_its_next_one_is_indented(message, shown):
    """Returns and separators of lines, too (SUM_18)."""
    assert words_section([message, "Go on."], 1_000) == f"{HEADING}\n{shown}\n- Go on."


@pytest.mark.parametrize(("length", "ends"), [(41, True), (42, False)])
def test_a_cut_leaves_out_40_characters_of_a_word(length, ends):
    """It goes through a word where more would be lost (SUM_18)."""
    word = "a".ljust(length - 1, "b") + "c"
    for limit in range(300, 400):
        before, _, after = GAP.split(words_section([" ".join([word] * 100)], limit).partition("\n- ")[2])
        if not (before.endswith("c") and after.startswith("a")):
            assert not ends
            return
    assert ends


def user(text):
    """A message of the user."""
    return {"role": "user", "content": text}
