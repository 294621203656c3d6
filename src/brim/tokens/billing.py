"""Billing equivalent: what the tokens read cost, counted in tokens at the full price.

Specified by features/tokens/billing.feature (TOK_04).
"""

from __future__ import annotations


def billing_equivalent(input_with_cache: int, cache_read: int) -> int:
    """Return the tokens read less nine tenths of those that came from the cache (the discount floored), never below 0.

    A cost figure to be shown. It says nothing about how full a window is: see TokenUsage.total for that (TOK_03).
    """
    return max(input_with_cache - 9 * cache_read // 10, 0)
