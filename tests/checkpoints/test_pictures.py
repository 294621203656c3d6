"""The pictures of the browser show what it shows now."""

import re

from living.pictures import FOLDER, pictures_of_browser

WORDS = re.compile(r"<text [^>]*>([^<]*)</text>")
TIMES = re.compile(r"\d{4}-\d\d-\d\d(?:&#160;|.)\d\d:\d\d")
"""The times are those of the clock where a picture was drawn."""


def test_the_pictures_are_what_the_browser_shows(monkeypatch, tmp_path):
    """Each has the same words; `PYTHONPATH=docs:. python -m living.pictures` draws them again."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name, drawn in pictures_of_browser():
        kept, shown = (TIMES.sub("", one) for one in ((FOLDER / name).read_text(encoding="utf-8"), drawn))
        assert WORDS.findall(kept) == WORDS.findall(shown), f"{name} is out of date"
