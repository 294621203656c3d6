"""docs/scorecard.md: its table is that of its data."""

from __future__ import annotations

import json

from tests.scorecard import DATA, PAGE, page


def test_the_page_has_the_table_of_its_data() -> None:
    """Nobody writes figures into the page by hand."""
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, json.loads(DATA.read_text(encoding="utf-8"))["rows"]) == text
