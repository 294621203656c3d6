"""The picture of the browser shows what it shows now."""

import re

from tests.pictures import BROWSER, FOLDER, picture_of_browser

WORDS = re.compile(r"<text [^>]*>([^<]*)</text>")
TIMES = re.compile(r"\d{4}-\d\d-\d\d(?:&#160;|.)\d\d:\d\d")
"""The times are those of the clock where a picture was drawn."""


def test_the_picture_is_what_the_browser_shows(monkeypatch, tmp_path):
    """It has the same words; `python -m tests.pictures` draws them again."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    kept, shown = (TIMES.sub("", one) for one in ((FOLDER / BROWSER).read_text(encoding="utf-8"), picture_of_browser()))
    assert WORDS.findall(kept) == WORDS.findall(shown), f"{BROWSER} is out of date"
