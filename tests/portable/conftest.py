"""An operation to try things on, apart from those of the rulebook."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

import pytest
from pydantic import Field

from brim.errors import Refused
from brim.portable.operation import OPERATIONS, Input, operation


class Slice(Input):
    """A slice of a whole."""

    label: str = ""
    sizes: tuple[int, ...] = ()


class Whole(Input):
    """Something to take a share of."""

    size: Annotated[int, Field(ge=0, description="How large it is.")]
    share: Decimal = Field(default=Decimal("0.92"), gt=0, le=1, description="The part of it.")
    slices: list[Slice] = Field(default_factory=list, description="What it is made of.")


@dataclass(frozen=True, slots=True)
class Share:
    """What was taken."""

    exact: Decimal
    whole: int
    half: Fraction
    label: str


@pytest.fixture
def share_of():
    """The operation `share_of`: a share of a size, refused for an empty one; and `broken`, which has a fault."""
    before = dict(OPERATIONS)

    @operation("share_of", rules=("TRG_10",), example={"size": 3})
    def share_of(given: Whole) -> Share:
        """Take a share
        of a size.
        """
        if given.size == 0:
            raise Refused("nothing to share:\nsize 0, give at least 1")
        label = given.slices[0].label if given.slices else ""
        return Share(given.size * given.share, int(given.size * given.share), Fraction(1, 2), label)

    @operation("broken", rules=(), example={"size": 3})
    def broken(given: Whole) -> int:
        """Fail."""
        return given.size // 0

    yield OPERATIONS["share_of"]
    OPERATIONS.clear()
    OPERATIONS.update(before)
