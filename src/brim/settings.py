"""How the environment switches settings on and off."""

from __future__ import annotations

from typing import Final

ON: Final = frozenset({"1", "true", "yes", "on"})
"""The words that switch something on, in any case of letters; every other word leaves it off (TRG_06, PRN_08)."""


def is_on(word: str | None) -> bool:
    """Whether a word from the environment switches something on; None, where it is not set, does not."""
    return word is not None and word.strip().lower() in ON
