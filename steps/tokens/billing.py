"""Steps of features/tokens/billing.feature."""

from __future__ import annotations

from pytest_bdd import parsers, when

from steps.vocabulary import tokens


@when(
    parsers.re(
        r"the billing equivalent of (?P<read>[\d,]+) tokens is worked out"
        r"(?:, of which (?P<cached>[\d,]+) came from the cache)?"
    ),
    target_fixture="outcome",
)
def work_out(implementation, read, cached):
    given = {"cache_read": tokens(cached)} if cached else {}
    return implementation("billing_equivalent", input_with_cache=tokens(read), **given)
