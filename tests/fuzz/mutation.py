"""Changes of an input: a place of the JSON in it, or any of its bytes."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import atheris

from tests.fuzz import SEPARATOR
from tests.transcripts.test_fuzzing import change


def mutated(data: bytes, size: int, seed: int) -> bytes:
    """Change one to three places."""
    chance = Random(seed)  # noqa: S311 -- the same for the same seed
    mark = SEPARATOR if SEPARATOR in data else b"\n"
    try:
        parts = [_read(one) for one in data.split(mark)] if chance.random() < 0.5 else []
        for _ in range(chance.randint(1, 3)):
            change(parts, chance)
        made = mark.join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in parts)[:size]
    except (ValueError, TypeError, RecursionError):  # it cannot be written
        made = b""
    return made or bytes(atheris.Mutate(data, size))


def _read(part: bytes) -> Any:
    try:
        return json.loads(part)
    except (ValueError, RecursionError):
        return part
