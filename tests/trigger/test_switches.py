"""What switches a setting on."""

from __future__ import annotations

import pytest

from brim.trigger.overflow import is_on


@pytest.mark.parametrize("word", ["1", "true", "yes", "on", "True", "YES", " on ", "ON\n"])
def test_on(word):
    """These words switch on, in any case of letters and with space around them."""
    assert is_on(word)


@pytest.mark.parametrize("word", [None, "", " ", "0", "false", "no", "off", "2", "enabled", "truely"])
def test_off(word):
    """Every other word leaves it off, and so does none."""
    assert not is_on(word)
