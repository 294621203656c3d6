"""The guides run: every block of theirs is followed to the letter, and says what the page tells."""

import re
from pathlib import Path

import pytest

from tests.examples.following import faults_of

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
INDEX = GUIDES / "index.md"
PAGES = sorted(path for path in GUIDES.rglob("*.md") if path != INDEX)
LINK = re.compile(r"\]\(([\w./-]+\.md)")
ENTRY = re.compile(r"^([\w-]+)$", re.MULTILINE)
NAMES = [str(path.relative_to(GUIDES)) for path in PAGES]


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_a_guide_is_run(path):
    """There is something on it that runs, and no block of code that nobody would run."""
    assert list(faults_of(path.read_text(encoding="utf-8"))) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_a_guide_says_what_happens(path, reader, request, monkeypatch):
    """Followed from its first block to its last, everything on it comes out as it stands there."""
    page = path.read_text(encoding="utf-8")
    if "$DATABASE" in page:
        monkeypatch.setenv("DATABASE", request.getfixturevalue("database").new_store())
    reader.follow(page, path.name)


def test_every_guide_is_found_from_the_index():
    """By its need in words, and in the list of pages that the site is made of."""
    page = INDEX.read_text(encoding="utf-8")
    words, _, listed = page.partition("```{toctree}")
    assert set(LINK.findall(words)) >= set(NAMES)
    assert sorted(f"{entry}.md" for entry in ENTRY.findall(listed)) == NAMES
