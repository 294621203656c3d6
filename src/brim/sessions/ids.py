"""Ids: ascending in time, and safe as the name of a file.

Specified by features/sessions/log.feature (SES_12). An id is a ULID: 48 bits of milliseconds and 80 of chance, written
in 26 letters and digits whose order is the order of time.
"""

from __future__ import annotations

import os
import re
from typing import Final

from brim.errors import InvalidInput, Refused

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH: Final = 26
MAX_ID_CHARS: Final = 128
"""Characters of the longest id from outside."""
SAFE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
BITS: Final = 128
_CHANCE_BITS: Final = 80
_DIGITS: Final = str.maketrans(ALPHABET, "0123456789abcdefghijklmnopqrstuv")
"""The letters as Python writes a number of base 32."""


def new_id(now: int, after: str = "") -> str:
    """An id of this time (milliseconds, SES_12); higher than `after` even where the clock stops or goes back."""
    number = now << _CHANCE_BITS | int.from_bytes(os.urandom(_CHANCE_BITS // 8))
    text = encode_ulid(number)
    if text > after:
        return text
    following = int(after.translate(_DIGITS), 32) + 1
    if following >> BITS:
        raise Refused(f"no id follows {after}, which brim did not write; fork the session to go on with it")
    return encode_ulid(following)


def encode_ulid(number: int) -> str:
    """A number of 128 bits in 26 letters and digits."""
    return "".join(ALPHABET[number >> shift & 31] for shift in range(5 * (LENGTH - 1), -1, -5))


def is_own(text: str) -> bool:
    """Return whether a text is an id as `new_id` makes them."""
    return len(text) == LENGTH and set(ALPHABET).issuperset(text)


def is_safe(text: str) -> bool:
    """Return whether a text is safe as the name of a file, and not too long for one."""
    return len(text) <= MAX_ID_CHARS and SAFE.fullmatch(text) is not None


def safe_id(text: str) -> str:
    """An id from outside, where it is safe as the name of a file. Raises InvalidInput."""
    if len(text) > MAX_ID_CHARS:
        raise InvalidInput(f"an id of {len(text)} characters is too long: {MAX_ID_CHARS} are the most")
    if not is_safe(text):
        raise InvalidInput(
            f"the id {text!r} is no safe name for a file: use letters and digits, with '.', '_' or '-' between them"
        )
    return text
