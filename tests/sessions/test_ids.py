"""Ids ascend whatever the clock does, and what is not safe as the name of a file is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.sessions.ids import is_own, new_id, safe_id


@given(st.lists(st.integers(0, 2**47), min_size=1, max_size=30))
def test_ids_ascend_whatever_the_clock_says(times):
    """Each id is higher than the one before it, and safe."""
    last = ""
    for time in times:
        name = new_id(time, after=last)
        assert name > last
        assert is_own(name)
        assert safe_id(name) == name
        last = name


@given(st.integers(0, 2**47), st.integers(1, 10**9))
def test_ids_of_different_processes_ascend_with_time(time, later):
    """Of two ids made by themselves the one of the later time is higher."""
    assert new_id(time) < new_id(time + later)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../x",
        "/etc/passwd",
        "a\\b",
        ".x",
        "a" * 129,
        "\u202e",
    ],
)
def test_what_is_not_safe_is_refused_in_one_line(name):
    """An id from outside that could leave the folder, hide or be read as something else is refused."""
    with pytest.raises(InvalidInput) as met:
        safe_id(name)
    assert "\n" not in str(met.value)


@given(st.text(max_size=140))
def test_what_is_taken_is_one_plain_name(name):
    """Whatever is taken has no separator, no control character, and is short."""
    try:
        taken = safe_id(name)
    except InvalidInput:
        return
    assert taken == name
    assert name.isascii()
    assert not set(name) & set("/\\\0\n")
    assert 1 <= len(name) <= 128
