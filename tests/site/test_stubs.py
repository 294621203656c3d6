from pathlib import Path

from living.rules.stubs import stale, stubs, write

from tests.site.small_sites import ALL_PASSED, small_site

ROOT = Path(__file__).parents[2]


def test_every_feature_has_its_page_and_no_page_is_without_a_feature():
    """Where this fails, python docs/living/rules/stubs.py mends it."""
    assert [str(page.relative_to(ROOT)) for page in stale(ROOT)] == []


def test_a_page_is_its_directive_and_nothing_else(tmp_path):
    """What it shows comes from the feature alone."""
    root = small_site(tmp_path, ALL_PASSED).root
    assert stubs(root) == {root / "docs/rulebook/attic/boxes.md": "```{feature} attic/boxes\n```\n"}


def test_writing_leaves_nothing_stale(tmp_path):
    """What is missing is written, what says something else is mended, what has no feature goes; a room's page stays."""
    root = small_site(tmp_path, ALL_PASSED).root
    room = root / "docs" / "rulebook" / "attic"
    room.mkdir(parents=True)
    for name in ("index.md", "crates.md", "boxes.md"):
        (room / name).write_text("words", encoding="utf-8")
    assert stale(root) == write(root) == [room / "boxes.md", room / "crates.md"]
    assert stale(root) == write(root) == []
    assert sorted(page.name for page in room.iterdir()) == ["boxes.md", "index.md"]
