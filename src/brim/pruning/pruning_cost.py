"""Pruning cost: what a pruning saves, and what of the cached prefix it breaks.

Specified by features/pruning/pruning_cost.feature (PRN_09).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from brim.errors import InvalidInput
from brim.pruning.tool_outputs import Pruning


@dataclass(frozen=True, slots=True)
class PruningCost:
    """Tokens saved in every later request, and cached tokens that the next one cannot read from the cache."""

    saved: int
    broken: int


def pruning_cost(
    pruning: Pruning, tokens_before: Callable[[int], int], held: int, *, cached: int | None = None
) -> PruningCost:
    """The cost of a pruning: the cached tokens from its first changed message on (PRN_09). Raises InvalidInput.

    Args:
        pruning: the decision.
        tokens_before: the tokens before the message of an index, system prompt and tools included.
        held: the tokens of the whole conversation, counted the same way.
        cached: tokens, from the beginning, that the provider holds in its cache; None for all that is held.
    """
    if not pruning.outputs:
        return PruningCost(0, 0)
    if cached is not None and cached < 0:
        raise InvalidInput(f"cached is {cached}; it is a number of tokens, 0 or more")
    read = held if cached is None else cached
    return PruningCost(pruning.saved, max(0, read - tokens_before(pruning.outputs[-1].message)))
