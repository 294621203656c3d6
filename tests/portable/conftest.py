"""An operation to try things on, apart from those of the rulebook."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

import pytest
from pydantic import Field

from brim.errors import Refused
from brim.portable.operation import EXACT, OPERATIONS, Input, operation


class Slice(Input):
    """A slice of a whole."""

    label: str = ""
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """What was taken."""

    exact: Decimal
    whole: int
    label: str


@pytest.fixture
def share_of():
    """The operation `share_of`: a share of a size, refused for an empty one; and `broken`, which has a fault."""
    before = dict(OPERATIONS)

    @operation("TRG_10", size=3)
    def share_of(
        size: Annotated[int, Field(ge=0)],
        share: Annotated[Decimal, Field(gt=0, le=1), EXACT] = Decimal("0.92"),
        slices: tuple[Slice, ...] = (),
    ) -> Share:
        """Take a share
        of a size (TRG_10).

        `size * share`.

        Args:
            size: How large
                it is.
            share: The part of it.
            slices: What it is made of.
        """
        if size == 0:
            raise Refused("nothing to share:\nsize 0, give at least 1")
        label = slices[0].label if slices else ""
        return Share(size * share, int(size * share), label)

    @operation("TRG_10", size=3)
    def broken(size: int) -> int:
        """Fail."""
        return size // 0

    yield OPERATIONS["share_of"]
    OPERATIONS.clear()
    OPERATIONS.update(before)
