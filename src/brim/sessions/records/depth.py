"""Depth: how far objects and lists lie one in another, found without going down as deep oneself.

Part of the records; specified by features/sessions/log.feature (SES_07).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from brim.errors import InvalidInput

HOLDING: Final = (Mapping, list, tuple)
"""What JSON has objects and lists for."""


def refuse_deeper(message: Mapping[str, object], most: int) -> None:
    """Raise InvalidInput for a message of more than so many objects and lists one in another, itself counted."""
    if is_deeper(message, most):
        raise InvalidInput(
            f"a message is nested more than {most} deep, and not every reader gets further; "
            "hand in text for what is deeper"
        )


def is_deeper(message: Mapping[str, object], most: int) -> bool:
    """Whether more than so many objects and lists of a message lie one in another, itself counted."""
    level: Collection[object] = [message]
    for _ in range(most):
        level = _inner(level)
        if not level:
            return False
    return True


def _inner(level: Collection[object]) -> Collection[object]:
    """The objects and lists that lie in these, each once."""
    held = (one.values() if isinstance(one, Mapping) else one for one in level if isinstance(one, HOLDING))
    return {id(inner): inner for values in held for inner in values if isinstance(inner, HOLDING)}.values()
