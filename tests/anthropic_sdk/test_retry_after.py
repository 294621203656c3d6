"""How long a provider asks to wait: seconds, milliseconds, a date, or nothing that can be read."""

from datetime import UTC, datetime

import pytest

from brim.anthropic.errors import retry_after

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "milliseconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7_000),
        ({"retry-after": "1.2345"}, 1_235),
        ({"retry-after": "-3"}, 0),
        ({"retry-after-ms": "1500"}, 1_500),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1_500),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9_000),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:05 GMT"}, 5_000),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:05"}, 5_000),
        ({"retry-after": "Sun, 22 Nov 2026 11:59:59 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "NaN"}, None),
        ({"retry-after": "Sun, 99 Nov 2026 12:00:05 GMT"}, None),
    ],
)
def test_a_wait_is_read_in_milliseconds_rounded_up(headers, milliseconds):
    """What the headers ask for, the exact one first; what cannot be read asks for nothing."""
    assert retry_after(headers, NOON) == milliseconds
