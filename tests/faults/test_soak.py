"""The example agent through the proxy while everything around them fails, for a short time; `make soak` is the hour."""

from __future__ import annotations

from pathlib import Path

import pytest

from steps.prerequisites import sized
from tests.soak import AGENTS, LEAST, soak

pytestmark = pytest.mark.faults


@pytest.mark.timeout(900)
def test_agents_lose_nothing_while_the_provider_fails_and_the_proxy_is_killed(tmp_path: Path) -> None:
    """No record, no word of the user's, no conversation; no request is refused, and no agent ends by an exception."""
    counts, wrong = soak(sized(8, nightly=120), tmp_path, seed=1)
    assert wrong == []
    assert counts["prompts"] >= AGENTS * LEAST
    assert counts["kills of the proxy"] > 0
