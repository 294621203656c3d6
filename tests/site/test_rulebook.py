from pathlib import Path

from living.implemented import implemented
from living.rules.rulebook import Rulebook

ROOT = Path(__file__).parents[2]
BOOK = Rulebook.read(ROOT)


def test_every_rule_links_to_a_line():
    """What is declared there names it; a module as a whole is not enough."""
    assert BOOK.by_id.keys() <= implemented(ROOT).keys()


def test_the_rulebook_lists_the_packages_in_their_order():
    """Its table of contents names every package, from the first that data comes to, then what changed."""
    page = (ROOT / "docs" / "rulebook" / "index.md").read_text(encoding="utf-8")
    listed = page.partition(":hidden:\n")[2].replace("```", "").split()
    assert listed == [*(f"{package}/index" for package in BOOK.packages), "../changes"]
