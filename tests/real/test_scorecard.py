"""The scorecard of docs/evidence.md: what is there after a compaction, and after one search."""

from __future__ import annotations

import json

import pytest

from tests.real.conftest import FOLDER, sampled
from tests.scorecard import DATA, FORMS, NEEDLES, STRATEGIES, measured, per_1_000

pytestmark = pytest.mark.transcripts

RECORDED = [row for row in json.loads(DATA.read_text(encoding="utf-8"))["rows"] if sampled(FOLDER / row["file"])]


@pytest.fixture(scope="module")
def rows():
    """The figures of every compaction of the sessions in the folder."""
    return measured(FOLDER, sampled)


def test_the_strings_are_those_that_were_frozen(rows):
    """They do not change with what is measured."""
    assert [row.get("frozen") for row in rows] == [row.get("frozen") for row in RECORDED]


def test_the_data_of_the_page_is_what_comes_out_here(rows):
    """Nobody writes figures into the data by hand."""
    assert rows == RECORDED


@pytest.mark.parametrize("form", range(len(FORMS)), ids=FORMS)
def test_one_search_finds_nine_of_ten(rows, form):
    """By the message's own words, with a word of the asker's own, and with other forms of the words."""
    counted = [row for row in rows if "tokens" in row]
    assert sum(row["recall"]["present"][form] for row in counted) >= 0.9 * NEEDLES * len(counted)


def test_no_answer_is_longer_than_1000_tokens(rows):
    """So that an agent can ask often."""
    assert all(row["recall"]["most_tokens"] <= 1_000 for row in rows if "tokens" in row)


def test_what_brim_leaves_holds_more_per_token_than_any_other(rows):
    """Without a search."""
    assert max(STRATEGIES, key=lambda name: per_1_000(rows, name)) == "brim"
