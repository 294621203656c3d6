"""The public suites for compaction that need no model: what they hide in small chats is kept."""

from __future__ import annotations

import json
import subprocess

import pytest

from steps.collector import ROOT
from steps.prerequisites import suites

pytestmark = [pytest.mark.nightly, pytest.mark.suites]


def test_the_public_suites_find_all_that_they_hid():
    """In less than half of the kit's characters; CompactBench's chats of a page are compacted four times."""
    python = suites()
    assert python
    (folder,) = python.parents[1].glob("compactbench-*/benchmarks/public")
    command = [python, "-m", "tests.public_suites", folder]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for suite, found in json.loads(printed).items():
        left = found.pop("left")
        assert left < 0.5 if suite == "compaction-conformance-kit" else left < 1
        for kind, counted in found.items():
            kept, of = counted.split(" of ")
            assert (suite, kind, kept) == (suite, kind, of)
