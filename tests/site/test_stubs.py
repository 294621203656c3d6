from pathlib import Path

from living.rules.stubs import stale, write

from tests.site.small_sites import ALL_PASSED, small_site

ROOT = Path(__file__).parents[2]


def test_every_feature_has_its_page_and_no_page_is_without_a_feature():
    """Where this fails, python docs/living/rules/stubs.py mends it."""
    assert [str(page.relative_to(ROOT)) for page in stale(ROOT)] == []


def test_writing_leaves_nothing_stale(tmp_path):
    """What is missing is written, what is wrong is mended, what has no feature goes; the page of a package stays."""
    root = small_site(tmp_path, ALL_PASSED).root
    package = root / "docs" / "rulebook" / "attic"
    package.mkdir(parents=True)
    for name in ("index.md", "crates.md", "boxes.md"):
        (package / name).write_text("words", encoding="utf-8")
    assert stale(root) == write(root) == [package / "boxes.md", package / "crates.md"]
    assert stale(root) == write(root) == []
    assert sorted(page.name for page in package.iterdir()) == ["boxes.md", "index.md"]
