"""Pruning cost: what a pruning saves, and what of the cached prefix it breaks.

Specified by features/pruning/pruning_cost.feature (PRN_09).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brim.errors import InvalidInput
from brim.pruning.tool_outputs import Pruning


@dataclass(frozen=True, slots=True)
class PruningCost:
    """Tokens saved in every later request, and cached tokens that the next one cannot read from the cache."""

    saved: int
    broken: int


def pruning_cost(pruning: Pruning, totals: Sequence[int], *, cached: int | None = None) -> PruningCost:
    """What a pruning costs: the cached tokens from its first changed message on (PRN_09). Raises InvalidInput.

    Args:
        pruning: the decision.
        totals: tokens of all that stands before each message (system prompt and tools too), and at the end of it all.
        cached: tokens, from the beginning, that the provider holds in its cache; None where it holds all of them.
    """
    if not pruning.outputs:
        return PruningCost(0, 0)
    first = pruning.outputs[-1].message
    if pruning.outputs[0].message >= len(totals) - 1:
        raise InvalidInput(f"the pruning names message {pruning.outputs[0].message}; totals end before it")
    if cached is not None and cached < 0:
        raise InvalidInput(f"cached is {cached}; it is a number of tokens, 0 or more")
    held = totals[-1] if cached is None else cached
    return PruningCost(pruning.saved, max(0, held - totals[first]))
