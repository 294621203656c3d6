"""The guide to transcripts and the page of their formats tell of every format that is read."""

import re
from pathlib import Path

from brim.transcripts.formats import FORMATS

ROOT = Path(__file__).parents[2]
NAMES = ("guides/transcripts.md", "reference/formats.md")
PAGES = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in NAMES]
TABLES = [re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) for page in PAGES for table in page.split("\n## ")]


def test_every_format_is_told_of():
    """Both tables have a row for every format that is read, in the order in which most will look for them."""
    tables = [table for table in TABLES if table]
    assert len(tables) == 2
    assert [sorted(table) for table in tables] == [sorted(form.name for form in FORMATS)] * 2
    assert tables[0] == tables[1]
