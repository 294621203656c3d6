"""docs/policies.json: the figures come out again from the real transcripts."""

from __future__ import annotations

import json

import pytest

from steps.prerequisites import sized
from tests.policy_figures import DATA, measured
from tests.real.conftest import FOLDER

pytestmark = pytest.mark.transcripts

RECORDED = {one["file"]: one for one in json.loads(DATA.read_text(encoding="utf-8"))["transcripts"]}
SHORTEST = min(
    (one for one in RECORDED.values() if "policies" in one and one["policies"]["usable"].get("compactions")),
    key=lambda one: one["responses"],
)
"""Of the sessions that the usable context compacts."""
SAMPLE = [name for name, one in RECORDED.items() if one.get("responses", 10) < sized(10, nightly=10_000)]
SAMPLE += [SHORTEST["file"]] if SHORTEST["file"] not in SAMPLE else []
"""Short ones, and one that compacts; all of them in the nightly run, those that cannot be replayed too."""


@pytest.mark.parametrize("name", SAMPLE)
def test_a_transcript_has_the_figures_of_the_data(name: str, tmp_path) -> None:
    """The command gives what the page states."""
    assert measured([FOLDER / name], FOLDER, tmp_path) == [RECORDED[name]]
