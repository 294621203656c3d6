"""Billing equivalent: what the tokens read cost, counted in tokens at the full price.

Specified by features/tokens/billing.feature (TOK_04).
"""

from __future__ import annotations

from brim.models import Tokens


def billing_equivalent(input_with_cache: Tokens, cache_read: Tokens = 0) -> int:
    """Return what was read with nine tenths of what came from the cache taken off: a cost, not a size (TOK_03).

    `max(input_with_cache - ⌊9 * cache_read / 10⌋, 0)`.

    Args:
        input_with_cache: Tokens read, with those from the cache.
        cache_read: Those from the cache.
    """
    return max(input_with_cache - 9 * cache_read // 10, 0)
