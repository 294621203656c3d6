"""What the hooks give back of what real compactions lost, counted by an oracle that shares no code with brim."""

from __future__ import annotations

import json

import pytest

from brim.hooks.lost_context import MAX_BYTES, MAX_CHARS
from tests.hook_figures import DATA, WAYS, measured, without_time
from tests.real.conftest import FOLDER, sampled

pytestmark = pytest.mark.transcripts

RECORDED = [row for row in json.loads(DATA.read_text(encoding="utf-8"))["rows"] if sampled(FOLDER / row["file"])]


@pytest.fixture(scope="module")
def rows():
    """The figures of every compaction of the sessions in the folder."""
    return without_time(measured(FOLDER, sampled))


def test_the_data_of_the_page_is_what_comes_out_here(rows):
    """Nobody writes figures into the data by hand."""
    assert rows == RECORDED


@pytest.mark.parametrize("way", WAYS)
def test_the_text_is_within_the_limits_of_the_agents(rows, way):
    """Also where a session holds far more."""
    assert all(0 < row[way]["characters"] <= MAX_CHARS for row in rows)
    assert all(row[way]["bytes"] <= MAX_BYTES for row in rows if row["format"] == "codex")


@pytest.mark.parametrize("way", WAYS)
def test_what_was_lost_is_given_back(rows, way):
    """All words of the user where the text has room for them, and of the files and failing commands all but a few."""
    for row in rows:
        lost, back = (row[one]["words"] - row["left"]["words"] for one in ("held", way))
        assert back == lost or row[way]["characters"] > MAX_CHARS * 9 // 10
    lost, back = (sum(row[one]["facts"] - row["left"]["facts"] for row in rows) for one in ("held", way))
    assert back >= lost * 9 // 10 > 0
